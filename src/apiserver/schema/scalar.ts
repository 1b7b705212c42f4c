import type { Json } from '../json.js';
import { exactNumber, MalformedBody } from './jsontext.js';

/** Plain words of YAML 1.1 as Kubernetes' YAML reader takes them, and what they mean. */
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
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

/**
 * What a plain scalar of YAML stands for: `yes` is true, 010 is 8, 1_000 is 1000, a date is a text.
 * @throws MalformedBody for NaN, infinities and numbers that are not kept exactly.
 */
export function plainScalar(text: string): Json {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const odd = NOT_FINITE.get(text);
  if (odd !== undefined) throw new MalformedBody(`json: unsupported value: ${odd}`);
  if (!/^[-+.\d]/.test(text) || DATE.test(text)) return text;
  const digits = text.replaceAll('_', '');
  if (DECIMAL.test(digits)) return exactNumber(digits.replace(/^\+/, ''));
  for (const [pattern, base] of BASES) {
    const found = pattern.exec(digits);
    if (found !== null) return inBase(found[1] ?? '', found[2] ?? '', base);
  }
  // A number that is too large for a float is a text.
  return FLOAT.test(digits) && Number.isFinite(Number(digits)) ? exactNumber(Number(digits).toString().includes('e') ? digits.replace(/^\+/, '') : String(Number(digits))) : text;
}

function inBase(sign: string, digits: string, base: number): number {
  const value = Number.parseInt(digits, base);
  if (!Number.isSafeInteger(value)) throw new MalformedBody(`json: cannot unmarshal number ${sign}${digits} in base ${base} into Go value of type int64`);
  return sign === '-' && value !== 0 ? -value : value;
}
