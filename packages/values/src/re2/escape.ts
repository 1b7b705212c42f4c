import { negated, unicodeClass } from './charset.js';
import { PatternError } from './syntax.js';

const CONTROL: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['t', 9],
  ['n', 10],
  ['r', 13],
  ['v', 11],
]);
const MAX_CODE = 0x10ffff;

/**
 * Parses the escape at `start` (a backslash) to a character.
 * @returns the code point and the offset after the escape.
 * @throws PatternError
 */
export function readEscape(pattern: string, start: number): { readonly code: number; readonly end: number } {
  const next = pattern.codePointAt(start + 1);
  if (next === undefined) throw new PatternError('trailing backslash at end of expression', '');
  const char = String.fromCodePoint(next);
  const octal = /^(?:[1-7][0-7]{1,2}|0[0-7]{0,2})/.exec(pattern.slice(start + 1, start + 4))?.[0];
  if (octal !== undefined) return { code: Number.parseInt(octal, 8), end: start + 1 + octal.length };
  const control = CONTROL.get(char);
  if (control !== undefined) return { code: control, end: start + 2 };
  if (char === 'x') return hexadecimal(pattern, start);
  if (next >= 0x80 || /\w/.test(char)) throw new PatternError('invalid escape sequence', `\\${char}`);
  return { code: next, end: start + 2 };
}

function hexadecimal(pattern: string, start: number): { readonly code: number; readonly end: number } {
  const rest = pattern.slice(start);
  const found = /^\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(rest);
  const code = Number.parseInt(found?.[1] ?? found?.[2] ?? '', 16);
  if (code > MAX_CODE) throw new PatternError('invalid escape sequence', found?.[0].slice(0, -1) ?? '');
  if (found === null)
    throw new PatternError('invalid escape sequence', /^\\x(?:\{[0-9a-fA-F]*.?|.{0,2})/u.exec(rest)?.[0] ?? '\\x');
  return { code, end: start + found[0].length };
}

/**
 * Parses `\pL`, `\p{Greek}`, `\P{^Lu}` at `start`; undefined when there is no such class.
 * @throws PatternError for an unknown Unicode name.
 */
export function unicodeGroup(
  pattern: string,
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  const found = /^\\([pP])(?:\{([^}]*)\}|([^{]))/u.exec(pattern.slice(start, start + 64));
  if (found === null) {
    if (/^\\[pP]/.test(pattern.slice(start, start + 2)))
      throw new PatternError('invalid character class range', pattern.slice(start));
    return undefined;
  }
  const name = found[2] ?? found[3] ?? '';
  const source = unicodeClass(name.replace(/^\^/, ''));
  if (source === undefined) throw new PatternError('invalid character class range', found[0]);
  const negative = (found[1] === 'P') !== name.startsWith('^');
  return { source: negative ? negated(source) : source, end: start + found[0].length };
}
