/**
 * A set of characters, implemented by a JavaScript character class with the `v` flag, which has the same Unicode
 * properties and simple case folding as Go. Characters are tested one at a time, so nothing can backtrack.
 */
export class CharSet {
  readonly #pattern: RegExp;
  /** Results for ASCII: 0 unknown, 1 in the set, 2 not in the set. */
  readonly #ascii = new Uint8Array(128);

  /** @param source the content of a character class, as {@link range} and the others return it. */
  constructor(source: string, folded: boolean) {
    this.#pattern = new RegExp(`^[${source}]$`, folded ? 'iv' : 'v');
  }

  has(code: number): boolean {
    if (code >= 128) return this.#pattern.test(String.fromCodePoint(code));
    const known = this.#ascii[code] ?? 0;
    if (known !== 0) return known === 1;
    const found = this.#pattern.test(String.fromCharCode(code));
    this.#ascii[code] = found ? 1 : 2;
    return found;
  }
}

export function range(low: number, high = low): string {
  const first = `\\u{${low.toString(16)}}`;
  return low === high ? first : `${first}-\\u{${high.toString(16)}}`;
}

export function negated(source: string): string {
  return `[^${source}]`;
}

export const ANY = range(0, 0x10ffff);
export const NOT_NEWLINE = negated(range(10));

const DIGIT = range(0x30, 0x39);
const SPACE = [9, 10, 12, 13, 32].map((code) => range(code)).join('');
const UPPER = range(0x41, 0x5a);
const LOWER = range(0x61, 0x7a);
const WORD = DIGIT + UPPER + LOWER + range(0x5f);

/** Perl classes: ASCII only, as in Go. */
export const PERL: ReadonlyMap<string, string> = new Map([
  ['d', DIGIT],
  ['s', SPACE],
  ['w', WORD],
  ['D', negated(DIGIT)],
  ['S', negated(SPACE)],
  ['W', negated(WORD)],
]);

/** POSIX classes by the name between `[:` and `:]`. */
export const POSIX: ReadonlyMap<string, string> = new Map([
  ['alnum', DIGIT + UPPER + LOWER],
  ['alpha', UPPER + LOWER],
  ['ascii', range(0, 0x7f)],
  ['blank', range(9) + range(32)],
  ['cntrl', range(0, 0x1f) + range(0x7f)],
  ['digit', DIGIT],
  ['graph', range(0x21, 0x7e)],
  ['lower', LOWER],
  ['print', range(0x20, 0x7e)],
  ['punct', range(0x21, 0x2f) + range(0x3a, 0x40) + range(0x5b, 0x60) + range(0x7b, 0x7e)],
  ['space', range(9, 13) + range(32)],
  ['upper', UPPER],
  ['word', WORD],
  ['xdigit', DIGIT + range(0x41, 0x46) + range(0x61, 0x66)],
]);

/** A Unicode category or script by its Go name; undefined when there is none. */
export function unicodeClass(name: string): string | undefined {
  if (name === 'Any') return ANY;
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  for (const source of [`\\p{General_Category=${name}}`, `\\p{Script=${name}}`]) {
    if (compiles(source)) return source;
  }
  return undefined;
}

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'v').source !== '';
  } catch {
    return false;
  }
}

/** Whether a character is a word character for `\b`, which is ASCII only in Go. -1 stands for no character. */
export function isWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
  );
}
