/** Word → how many have it. */
export type Words = ReadonlyMap<string, number>;

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
 * The word that was probably meant: one that is equal but for case, else the one with the smallest edit distance, which is
 * at most a third of the length and 3. Of equals the one that most have, then the first by code units.
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

/** They tell one of a series from another. */
const NUMBERS = /\d+/g;
const PLAIN_WORD = /^[\w./:@-]+$/;

/**
 * `; did you mean web?`: ends a sentence that says that `word` does not exist. Empty where none of `names` is near: one with
 * other numbers is not, since `edge-9` is not `edge-1` mistyped.
 */
export function meantText(word: string, names: Iterable<string>): string {
  const numbers = numbersOf(word);
  const others = [...names].filter((name) => name !== word && (numbers === '' || numbersOf(name) === numbers));
  const near = nearestWord(word, new Map(others.map((name) => [name, 1])));
  return near === undefined ? '' : meantWords([near.word]);
}

function numbersOf(word: string): string {
  return (word.match(NUMBERS) ?? []).join('.');
}

/** As {@link meantText}, of words that are known to be meant. */
export function meantWords(words: readonly string[]): string {
  if (words.length === 0) return '';
  return `; did you mean ${words.map((one) => (PLAIN_WORD.test(one) ? one : JSON.stringify(one))).join(' or ')}?`;
}

/** The number of characters to insert, delete, replace or transpose (optimal string alignment distance). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const least = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      next.push(swapped ? Math.min(least, (before[column - 2] ?? 0) + 1) : least);
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
