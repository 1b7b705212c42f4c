import type { Json } from '../json.js';
import { goFloat } from '../text.js';
import { exactNumber, MalformedBody } from './malformed.js';

/** Plain scalars of YAML 1.1 with a special meaning in Kubernetes' YAML parser. */
const RESOLVED_WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
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

/** Escapes of JSON and of later YAML versions that YAML 1.1 does not have: an escaped slash, and surrogates. */
export const UNKNOWN_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:\/|u[dD][89a-fA-F])/;

/** The value of a plain word such as `yes` or `~`; undefined for all others. */
export function wordValue(text: string): boolean | null | undefined {
  return RESOLVED_WORDS.get(text);
}

/**
 * Go's name of the non-finite number that a plain scalar represents (JSON has none); undefined for all other scalars.
 */
export function notFinite(text: string): string | undefined {
  return NOT_FINITE.get(text);
}

/**
 * The value of a plain YAML scalar: `yes` is true, 010 is 8, 1_000 is 1000, a date is a string.
 * @param text must not be {@link notFinite}.
 * @throws MalformedBody for integers that a double cannot represent.
 */
export function plainScalar(text: string): Json {
  const word = wordValue(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/.test(text) || DATE.test(text)) return text;
  const digits = text.replaceAll('_', '');
  if (DECIMAL.test(digits)) return exactNumber(digits.replace(/^\+/, ''));
  for (const [pattern, base] of BASES) {
    const found = pattern.exec(digits);
    if (found !== null) return inBase(found[1] ?? '', found[2] ?? '', base);
  }
  // A number out of the range of a float is a string.
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

/** Non-finite numbers as map keys. */
export const NON_FINITE_KEYS: Readonly<Record<string, string>> = { NaN: '.nan', '+Inf': '.inf', '-Inf': '-.inf' };

/** A map key as a JSON string: 1 is "1", yes is "true"; undefined for a value that cannot be a key. */
export function mapKey(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value);
  return undefined;
}

/** The value of a scalar with an explicit tag. */
export function taggedScalar(tag: string, text: string): Json {
  if (tag !== '!!binary') return text;
  return Buffer.from(text, 'base64').toString('utf8');
}
