import { editDistance } from '../../../api/editdistance.js';
import { valueOf } from '../../selectors.js';
import { otherSource, textsOf } from '../facts/unmatched.js';
import type { ClusterView } from '../predicates.js';
import type { Source } from '../rules.js';
import { wordText, type SourcedRequirement } from '../facts/requirementtext.js';

/** A word of a requirement that no candidate has, and the one that was probably meant. All words are those of candidates. */
export interface Hint extends SourcedRequirement {
  readonly kind: 'OtherSource' | 'OtherCase' | 'Typo';
  /** The key, or one of the values. */
  readonly word: string;
  /** What to write instead: a key of `source`, and a value of it when `word` is a value. */
  readonly suggested: { readonly source: Source; readonly key: string; readonly value: string | undefined };
  /** How many of the candidates have it. */
  readonly carriers: number;
  readonly candidates: number;
}

/** Word → the number of candidates that have it. */
type Words = ReadonlyMap<string, number>;

interface Match {
  readonly kind: 'OtherCase' | 'Typo';
  readonly word: string;
  readonly carriers: number;
}

/** A word is compared with this many others at most: the most frequent ones. */
const MOST_WORDS = 1_000;
/** Longer words are compared without regard to case alone: the cost of a distance grows with the square of the length. */
const LONGEST_WORD = 128;

/**
 * Hints for a requirement that no candidate meets; none for one that a missing key meets. `values`: those that candidates have
 * for its key.
 */
export function hintsFor(one: SourcedRequirement, values: Words, candidates: readonly ClusterView[]): readonly Hint[] {
  const { source, requirement } = one;
  const { key, operator } = requirement;
  if (operator === 'NotIn' || operator === 'DoesNotExist') return [];
  if (values.size === 0) return keyHint(one, candidates);
  return requirement.values.flatMap((word): Hint[] => {
    const match = nearestWord(word, values);
    if (match === undefined) return [];
    const suggested = { source, key, value: match.word };
    return [{ ...one, ...match, word, suggested, candidates: candidates.length }];
  });
}

/** `did you mean label tier (9 of 9 have it)?` */
export function hintText({ suggested: { source, key, value }, carriers, candidates }: Hint): string {
  const meant = value === undefined ? wordText(key) : `${wordText(key)}=${wordText(value)}`;
  return `did you mean ${source} ${meant} (${carriers} of ${candidates} have it)?`;
}

function keyHint(one: SourcedRequirement, candidates: readonly ClusterView[]): readonly Hint[] {
  const { source, requirement } = one;
  const other = otherSource(source);
  const word = requirement.key;
  const total = candidates.length;
  const elsewhere = candidates.filter((cluster) => valueOf(textsOf(cluster, other), word) !== undefined).length;
  if (elsewhere > 0) {
    const suggested = { source: other, key: word, value: undefined };
    return [{ ...one, kind: 'OtherSource', word, suggested, carriers: elsewhere, candidates: total }];
  }
  const match = nearestWord(word, countKeys(candidates, source));
  if (match === undefined) return [];
  return [{ ...one, ...match, word, suggested: { source, key: match.word, value: undefined }, candidates: total }];
}

/**
 * The word that was probably meant: one that is equal but for case, else the one with the smallest edit distance, which is
 * at most a third of the length and 3. Of equals the one that most clusters have, then the first by code units.
 */
export function nearestWord(word: string, words: Words): Match | undefined {
  const lower = word.toLowerCase();
  const most = Math.min(3, Math.floor(Math.max(word.length, 3) / 3));
  let best: (Match & { readonly distance: number }) | undefined;
  for (const [other, carriers] of byCarriers(words)) {
    const distance = other.toLowerCase() === lower ? 0 : typoDistance(word, other, most);
    if (distance > most || (best !== undefined && distance >= best.distance)) continue;
    best = { kind: distance === 0 ? 'OtherCase' : 'Typo', word: other, carriers, distance };
  }
  if (best === undefined) return undefined;
  return { kind: best.kind, word: best.word, carriers: best.carriers };
}

function typoDistance(a: string, b: string, most: number): number {
  const tooFar = Math.abs(a.length - b.length) > most || Math.max(a.length, b.length) > LONGEST_WORD;
  return tooFar ? Infinity : editDistance(a, b);
}

function byCarriers(words: Words): readonly (readonly [word: string, carriers: number])[] {
  return [...words].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MOST_WORDS);
}

function countKeys(candidates: readonly ClusterView[], source: Source): Words {
  const words = new Map<string, number>();
  for (const cluster of candidates) {
    for (const key of Object.keys(textsOf(cluster, source))) words.set(key, (words.get(key) ?? 0) + 1);
  }
  return words;
}
