import type { Json } from '../../json.js';
import { goFloat } from '../go/text.js';
import { exactNumber, MalformedBody } from './malformed.js';

/** Plain words of YAML 1.1 as Kubernetes' YAML reader takes them, and what they mean. */
const RESOLVED_WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
]);
const NOT_FINITE: ReadonlyMap<string, string> = new Map([
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, 'NaN'] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, '+Inf'] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, '-Inf'] as const),
]);
const DECIMAL = /^[-+]?(?:0|[1-9]\d*)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const BASES: readonly (readonly [RegExp, number])[] = [
  [/^([-+]?)0[xX]([\da-fA-F]+)$/, 16],
  [/^([-+]?)0[oO]?([0-7]+)$/, 8],
  [/^([-+]?)0[bB]([01]+)$/, 2],
];
const DATE = /^\d{4}-/;

/** The number that a plain scalar stands for, as Go writes it, where JSON has no such number; undefined for all others. */
export function notFinite(text: string): string | undefined {
  return NOT_FINITE.get(text);
}

/**
 * What a plain scalar of YAML stands for: `yes` is true, 010 is 8, 1_000 is 1000, a date is a text.
 * @param text none that is {@link notFinite}.
 * @throws MalformedBody for numbers that are not kept exactly.
 */
export function plainScalar(text: string): Json {
  const word = RESOLVED_WORDS.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text) || DATE.test(text)) return text;
  const digits = text.replaceAll('_', '');
  if (DECIMAL.test(digits)) return exactNumber(digits.replace(/^\+/, ''));
  for (const [pattern, base] of BASES) {
    const found = pattern.exec(digits);
    if (found !== null) return inBase(found[1] ?? '', found[2] ?? '', base);
  }
  // A number that is too large for a float is a text.
  return FLOAT.test(digits) && Number.isFinite(Number(digits))
    ? exactNumber(Number(digits).toString().includes('e') ? digits.replace(/^\+/, '') : String(Number(digits)))
    : text;
}

function inBase(sign: string, digits: string, base: number): number {
  const value = Number.parseInt(digits, base);
  if (!Number.isSafeInteger(value))
    throw new MalformedBody(
      `json: cannot unmarshal number ${sign}${digits} in base ${base} into Go value of type int64`,
    );
  return sign === '-' && value !== 0 ? -value : value;
}

/** Numbers that JSON has not, as keys. */
export const NON_FINITE_KEYS: Readonly<Record<string, string>> = { NaN: '.nan', '+Inf': '.inf', '-Inf': '-.inf' };

/** A key as text of JSON: 1 is "1", yes is "true"; undefined for what can be none. */
export function mapKey(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value);
  return undefined;
}

/** A scalar of another type than its looks say. */
export function taggedScalar(tag: string, text: string): Json {
  if (tag !== '!!binary') return text;
  return Buffer.from(text, 'base64').toString('utf8');
}
