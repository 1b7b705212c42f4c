import { isArray, isObject } from '../json.js';
import type { Json } from '../json.js';

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === most) return a.length - b.length;
  const left = a.charCodeAt(at);
  const right = b.charCodeAt(at);
  return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

const PLAIN_TEXT = /^[\w ./:-]*$/;

export function goJson(value: Json | undefined): string {
  if (typeof value === 'string' && PLAIN_TEXT.test(value)) return `"${value}"`;
  return JSON.stringify(sorted(value ?? null)).replace(/[<>&\u2028\u2029]/g, unicodeEscape);
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, child]) =>
    child === undefined ? [] : [[key, sorted(child)] as const],
  );
  return Object.fromEntries(entries.sort(([a], [b]) => compareText(a, b)));
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** `%v` of a decoded JSON value. */
export function goValue(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isObject(value))
    return `map[${sortedEntries(value)
      .map(([key, child]) => `${key}:${goValue(child)}`)
      .join(' ')}]`;
  return String(value);
}

/** `%#v` of a decoded JSON value. */
export function goSyntax(value: Json | undefined): string {
  if (value === undefined || value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return String(value);
  const inner = sortedEntries(value).map(([key, child]) => `${goQuote(key)}:${goSyntax(child)}`);
  return `map[string]interface {}{${inner.join(', ')}}`;
}

/** `%T` of a decoded JSON value. */
export function goType(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** `%q` of a string. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, goEscape)}"`;
}

function goEscape(letter: string): string {
  const short = SHORT_ESCAPES.get(letter);
  if (short !== undefined) return short;
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

function sortedEntries(value: { readonly [key: string]: Json | undefined }): [string, Json | undefined][] {
  return Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .sort(([a], [b]) => compareText(a, b));
}
