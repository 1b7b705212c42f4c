import { CharSet, negated, PERL, POSIX, range } from './charset.js';
import { readEscape, unicodeGroup } from './escape.js';
import { PatternError } from './syntax.js';

interface Read {
  readonly source: string;
  readonly end: number;
}

/**
 * Parses a character class at `start` (an opening bracket).
 * @throws PatternError
 */
export function parseClass(
  pattern: string,
  start: number,
  fold: boolean,
): { readonly set: CharSet; readonly end: number } {
  const not = pattern[start + 1] === '^';
  let at = start + (not ? 2 : 1);
  let source = '';
  for (let first = true; first || pattern[at] !== ']'; first = false) {
    if (at >= pattern.length) throw new PatternError('missing closing ]', pattern.slice(start));
    const read = named(pattern, at) ?? group(pattern, at) ?? characters(pattern, at, start);
    source += read.source;
    at = read.end;
  }
  return { set: new CharSet(not ? negated(source) : source, fold), end: at + 1 };
}

/** `[:alpha:]`, `[:^alpha:]`. */
function named(pattern: string, at: number): Read | undefined {
  if (!pattern.startsWith('[:', at)) return undefined;
  const close = pattern.indexOf(':]', at + 2);
  if (close < 0) return undefined;
  const name = pattern.slice(at + 2, close);
  const source = POSIX.get(name.replace(/^\^/, ''));
  if (source === undefined) throw new PatternError('invalid character class range', pattern.slice(at, close + 2));
  return { source: name.startsWith('^') ? negated(source) : source, end: close + 2 };
}

function group(pattern: string, at: number): Read | undefined {
  if (pattern[at] !== '\\') return undefined;
  const perl = PERL.get(pattern[at + 1] ?? '');
  return perl === undefined ? unicodeGroup(pattern, at) : { source: perl, end: at + 2 };
}

/** Parses one character or a range. */
function characters(pattern: string, at: number, start: number): Read {
  const low = character(pattern, at, start);
  if (pattern[low.end] !== '-' || low.end + 1 >= pattern.length || pattern[low.end + 1] === ']')
    return { source: range(low.code), end: low.end };
  const high = character(pattern, low.end + 1, start);
  if (high.code < low.code) throw new PatternError('invalid character class range', pattern.slice(at, high.end));
  return { source: range(low.code, high.code), end: high.end };
}

function character(pattern: string, at: number, start: number): { readonly code: number; readonly end: number } {
  const code = pattern.codePointAt(at);
  if (code === undefined) throw new PatternError('missing closing ]', pattern.slice(start));
  return code === 0x5c ? readEscape(pattern, at) : { code, end: at + (code > 0xffff ? 2 : 1) };
}
