import { isArray, isObject, type Json } from '../json.js';

/**
 * Formats values as Go does. Messages of the API server contain such values, and clients and tests compare them. All
 * functions are pure and total.
 */

/** Characters that Go strings escape with a letter or a backslash. */
export const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
/** What `strconv.IsPrint` accepts: letters, marks, numbers, punctuation, symbols and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SIMPLE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** `%q`: a double-quoted string of Go. */
export function goQuote(text: string): string {
  if (SIMPLE.test(text)) return `"${text}"`;
  const quoted = text.replace(
    /["\\]|[^ -~]/gu,
    (char) => ESCAPES[char] ?? (PRINTABLE.test(char) ? char : escaped(char)),
  );
  return `"${quoted}"`;
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** `%v` of a JSON number; whole numbers are formatted as int64 where they fit. */
export function goFloat(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : goFloat64(value);
}

/** Whether Go decodes the number to an int64. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** `%v` of a float64: with a two-digit exponent from 1e6 on (JSON: from 1e21 on) and below 1e-4. */
export function goFloat64(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

const HTML: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Text without characters that JSON escapes. */
const PLAIN_TEXT = /^[\w ./:-]*$/;

/** `json.Marshal`: sorted keys, no white space, `<`, `>`, `&` escaped. */
export function goJson(value: Json | undefined): string {
  if (typeof value === 'string' && PLAIN_TEXT.test(value)) return `"${value}"`;
  const text = JSON.stringify(sorted(value ?? null));
  return /[<>&\u2028\u2029]/.test(text) ? text.replace(/[<>&\u2028\u2029]/g, (char) => HTML[char] ?? char) : text;
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => compareBytes(a, b)).map(([key, item]) => [key, sorted(item)]));
}

/** The order of `sort.Strings`: UTF-8 bytes, which is the order of code points. */
export function compareBytes(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at++) {
    const one = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (one !== other) return fixSurrogate(one) - fixSurrogate(other);
  }
  return a.length - b.length;
}

/** Surrogates encode code points above all others. */
function fixSurrogate(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The length in UTF-8 bytes, which the limits on names, labels and annotations count. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Replaces lone surrogates by U+FFFD, as Go does. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
