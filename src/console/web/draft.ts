import { signal } from '@preact/signals';
import type { Draft, Plan } from '../wire/plan.js';

/** The draft of the what-if page: kept while the tab is open, also when a session ends. */

const KEY = 'console-draft';
const BASES = 'console-bases';

export const EMPTY_DRAFT: Draft = { manifests: '', labels: [], drains: [], losses: [], each: [] };

export const draft = signal<Draft>(storedIn(KEY, EMPTY_DRAFT));

function storedIn<T extends object>(key: string, otherwise: T): T {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return found === null || typeof found !== 'object' ? otherwise : { ...otherwise, ...found };
  } catch {
    return otherwise;
  }
}

/** What a browser has no room for is kept until the tab is loaded again. */
function store(key: string, value: object): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(key);
  }
}

/** The objects that the draft replaces, as they were when it began: what others change since is not overwritten unseen. */
export const bases = signal<Readonly<Record<string, string>>>(storedIn(BASES, {}));

export function setBases(value: Readonly<Record<string, string>>): void {
  bases.value = value;
  store(BASES, value);
}

/** What the plan replaces, as it is known already, else as it is now; and what somebody else has deleted since. */
export function keepBases(plan: Plan): void {
  const { replaced } = plan;
  const deleted = deletedSince(plan).map((name) => [name, bases.value[name] ?? '']);
  setBases(Object.fromEntries([...deleted, ...replaced.map(({ name, live }) => [name, bases.value[name] ?? live])]));
}

/** The objects that were there when the draft began, and that applying it would create. */
export function deletedSince({ writes, replaced }: Plan): readonly string[] {
  return writes.filter((name) => name in bases.value && replaced.every((one) => one.name !== name));
}

/** What was in the draft before it was replaced as a whole, and what it was begun on. */
export const draftBefore = signal<Kept | undefined>(undefined);

type Kept = { readonly draft: Draft; readonly bases: Readonly<Record<string, string>> };

function kept(): Kept | undefined {
  return isEmptyDraft(draft.value) ? undefined : { draft: draft.value, bases: bases.value };
}

/** Counts how often the draft became another question: an answer to the one before says nothing about it. */
export const question = signal(0);

/** Replaces all that somebody may have written: it can be brought back. */
export function replaceDraft(value: Draft, begunOn: Readonly<Record<string, string>> = {}): void {
  draftBefore.value = kept() ?? draftBefore.value;
  begin(value, begunOn);
}

function begin(value: Draft, begunOn: Readonly<Record<string, string>>): void {
  setBases(begunOn);
  question.value += 1;
  changeDraft(value);
}

/** Brings back what was replaced last, with what it was begun on; what is there now can be brought back in turn. */
export function bringBackDraft(): void {
  const { value } = draftBefore;
  draftBefore.value = kept();
  if (value !== undefined) begin(value.draft, value.bases);
}

/** Nothing of it is left. */
export function dropDraft(): void {
  draftBefore.value = undefined;
  setBases({});
  changeDraft(EMPTY_DRAFT);
}

export function changeDraft(change: Partial<Draft>): void {
  draft.value = { ...draft.value, ...change };
  store(KEY, draft.value);
}

export function isEmptyDraft(value: Draft): boolean {
  return value.manifests.trim() === '' && changesIn(value).length === 0;
}

/** What is changed beside manifests. */
export function changesIn({ labels, drains, losses, each }: Draft): readonly string[] {
  return [...labels, ...drains, ...losses, ...each];
}

/** The plan of the same draft on the command line; undefined where it has none. */
export function planWords(value: Draft): readonly string[] | undefined {
  const { manifests, labels, drains, losses, each } = value;
  if (drains.length > 0 || unfinishedIn(value) !== undefined) return undefined;
  return [
    'kubectl',
    'mce',
    'plan',
    ...(manifests.trim() === '' ? [] : ['-f', 'draft.yaml']),
    ...labels.flatMap((one) => ['--set', `mcl/${one}`]),
    ...losses.flatMap((one) => ['--lose', one]),
    ...each.flatMap((one) => ['--lose-each', one]),
  ];
}

/** What is written to its end; a word alone is looked up before it is a loss. */
const WHOLE = { labels: /:.*(=|-$)/, drains: /./, losses: /^\w+\/./, each: /^\w+\/./ };

/** The first text that is not yet written to its end: such a draft has no plan. Empty for one that is not begun. */
export function unfinishedIn(value: Draft): string | undefined {
  const fields = Object.keys(WHOLE) as (keyof typeof WHOLE)[];
  return (
    fields.flatMap((field) => value[field].filter((one) => !WHOLE[field].test(one)))[0] ?? openKey(value.manifests)
  );
}

/**
 * The first key of a manifest that has no value yet. The API server takes the field away then, and a selector without it selects
 * more: nobody who is still writing means that. Whoever does writes `null`.
 */
function openKey(manifests: string): string | undefined {
  const lines = manifests.split('\n').filter((line) => /^ *[^\s#]/.test(line));
  for (const [index, line] of lines.entries()) {
    const [, before = '', key] = /^( *(?:- +)*)([\w./-]+:)\s*(?:#.*)?$/.exec(line) ?? [];
    const next = lines[index + 1] ?? '';
    const depth = next.search(/\S/);
    const isFollowed = depth > before.length || (depth === before.length && next.startsWith('- ', depth));
    if (key !== undefined && !isFollowed) return key;
  }
  return undefined;
}
