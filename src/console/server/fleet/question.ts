/** What somebody asks in the box: the words alone, without the fleet. */

export type Question =
  /** A name, or the word of a state, or the beginning of one. */
  | { readonly kind: 'name'; readonly text: string }
  /** A filter of the fleet, such as `set:prod label:tier=gold`. */
  | { readonly kind: 'filter'; readonly q: string }
  /** Why a cluster is in a Placement, or is not; in any order. */
  | { readonly kind: 'why'; readonly words: readonly string[] }
  /** `key`: the label or claim that has the value; empty for any. */
  | { readonly kind: 'lose'; readonly key: string; readonly value: string }
  | { readonly kind: 'drain'; readonly cluster: string }
  /** A Placement or a cluster: to change it in a draft, or who has changed it. */
  | { readonly kind: 'edit' | 'history'; readonly name: string };

/** Words that people write and that ask nothing. */
const FILLERS = new Set([
  'is',
  'are',
  'not',
  "isn't",
  'in',
  'on',
  'of',
  'the',
  'cluster',
  'placement',
  'if',
  'i',
  'we',
  'has',
  'changed',
  'edited',
]);
const VERBS: Readonly<Record<string, 'why' | 'lose' | 'drain' | 'edit' | 'history'>> = {
  why: 'why',
  lose: 'lose',
  loss: 'lose',
  drain: 'drain',
  edit: 'edit',
  who: 'history',
  history: 'history',
};

export function questionOf(text: string): Question {
  const trimmed = text.trim();
  const [first = '', ...rest] = trimmed.split(/\s+/);
  const verb = Object.hasOwn(VERBS, first.toLowerCase()) ? VERBS[first.toLowerCase()] : undefined;
  const words = rest.filter((word) => !FILLERS.has(word.toLowerCase()));
  if (verb === undefined || words.length === 0)
    return /^[a-z]+:/.test(trimmed) ? { kind: 'filter', q: trimmed } : { kind: 'name', text: trimmed };
  return asked(verb, words);
}

/** The text of a field of one kind of answers. */
export function askedFor(kind: string, text: string): Question {
  if (kind === 'filter') return { kind, q: text };
  return asked(kind === 'drain' ? kind : 'lose', [text.trim().toLowerCase()]);
}

function asked(verb: (typeof VERBS)[string], words: readonly string[]): Question {
  if (verb === 'why') return { kind: 'why', words: words.slice(0, 2) };
  if (verb === 'drain') return { kind: 'drain', cluster: words[0] ?? '' };
  if (verb !== 'lose') return { kind: verb, name: words[0] ?? '' };
  // `region=eu`, `region eu`, and as the command has it, `label/region=eu`.
  const [before, after] = words.length > 1 ? words : (words[0] ?? '').split(/=(.*)/s);
  return after === undefined
    ? { kind: 'lose', key: '', value: before ?? '' }
    : { kind: 'lose', key: (before ?? '').replace(/^(label|claim)\//, ''), value: after };
}
