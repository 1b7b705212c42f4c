import { ESCAPES, wellFormed } from '@multicluster-engine/values/text/go';
import { Library } from '../language/signature.js';
import type { Budget } from '../language/budget.js';
import { EvaluationError } from '../language/error.js';
import { codePoints, List, ValueList, ValueMap, type Value } from '../language/value.js';
import { formatText } from '../text/format.js';
import { bigintOf, listOf, plainText, textOf } from './operators.js';
import { findAll, matches } from '../text/pattern.js';

/**
 * The string functions that expressions may call: those of CEL, the strings extension (version 2) and the Kubernetes
 * regex library. Indexes count code points.
 */
export function strings(): Library {
  const library = new Library();
  library.add('contains_string', 'string.contains(string): bool', ([text, part]) =>
    textOf(text).includes(textOf(part)),
  );
  library.add('ends_with_string', 'string.endsWith(string): bool', ([text, part]) =>
    textOf(text).endsWith(textOf(part)),
  );
  library.add('starts_with_string', 'string.startsWith(string): bool', ([text, part]) =>
    textOf(text).startsWith(textOf(part)),
  );
  library.add('matches', 'matches(string, string): bool', ([text, pattern], budget) =>
    matches(textOf(text), textOf(pattern), budget),
  );
  library.add('matches_string', 'string.matches(string): bool', ([text, pattern], budget) =>
    matches(textOf(text), textOf(pattern), budget),
  );
  library.add(
    'string_find_string',
    'string.find(string): string',
    ([text, pattern], budget) => findAll(textOf(text), textOf(pattern), 1, budget)[0] ?? '',
  );
  library.add(
    'string_find_all_string',
    'string.findAll(string): list(string)',
    ([text, pattern], budget) => new ValueList(findAll(textOf(text), textOf(pattern), Infinity, budget)),
  );
  library.add(
    'string_find_all_string_int',
    'string.findAll(string, int): list(string)',
    ([text, pattern, limit], budget) => {
      const count = Number(bigintOf(limit));
      return new ValueList(findAll(textOf(text), textOf(pattern), count < 0 ? Infinity : count, budget));
    },
  );
  addIndexFunctions(library);
  addTransformations(library);
  return library;
}

function addIndexFunctions(library: Library): void {
  library.add('string_char_at_int', 'string.charAt(int): string', ([text, index]) => charAt(textOf(text), index));
  library.add('string_index_of_string', 'string.indexOf(string): int', ([text, part]) => indexOf(text, part, 0n));
  library.add('string_index_of_string_int', 'string.indexOf(string, int): int', ([text, part, from]) =>
    indexOf(text, part, bigintOf(from)),
  );
  library.add('string_last_index_of_string', 'string.lastIndexOf(string): int', ([text, part]) =>
    lastIndexOf(text, part),
  );
  library.add('string_last_index_of_string_int', 'string.lastIndexOf(string, int): int', ([text, part, from]) =>
    lastIndexOfFrom(text, part, bigintOf(from)),
  );
  library.add('string_substring_int', 'string.substring(int): string', ([text, from]) => {
    const chars = charsOf(text);
    return chars.slice(checkedIndex(from, chars.length)).join('');
  });
  library.add('string_substring_int_int', 'string.substring(int, int): string', ([text, from, to]) => {
    if (bigintOf(from) > bigintOf(to))
      throw new EvaluationError(`invalid substring range. start: ${bigintOf(from)}, end: ${bigintOf(to)}`);
    const chars = charsOf(text);
    return chars.slice(checkedIndex(from, chars.length), checkedIndex(to, chars.length)).join('');
  });
}

function charsOf(text: Value | undefined): string[] {
  return Array.from(textOf(text));
}

/** @throws EvaluationError unless the index is in a text of this length, whose end counts as in it */
function checkedIndex(value: Value | undefined, length: number): number {
  const index = bigintOf(value);
  if (index < 0n || index > BigInt(length)) throw new EvaluationError(`index out of range: ${index}`);
  return Number(index);
}

function charAt(text: string, value: Value | undefined): string {
  const length = codePoints(text);
  const index = checkedIndex(value, length);
  return (length === text.length ? text[index] : Array.from(text)[index]) ?? '';
}

/** As in cel-go, an empty part is found at `from` even where the text has no such index. */
function indexOf(text: Value | undefined, part: Value | undefined, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) throw new EvaluationError(`index out of range: ${from}`);
  const chars = charsOf(text);
  if (from >= BigInt(chars.length)) return -1n;
  const offset = chars.slice(0, Number(from)).join('').length;
  const found = textOf(text).indexOf(textOf(part), offset);
  return found < 0 ? -1n : BigInt(codePoints(textOf(text).slice(0, found)));
}

function lastIndexOf(text: Value | undefined, part: Value | undefined): bigint {
  const length = charsOf(text).length;
  if (part === '') return BigInt(length);
  return charsOf(part).length > length ? -1n : lastIndexOfFrom(text, part, BigInt(length - 1));
}

/** The last occurrence that begins at `from` or before it. An empty part is found as in {@link indexOf}. */
function lastIndexOfFrom(text: Value | undefined, part: Value | undefined, from: bigint): bigint {
  if (part === '') return from;
  if (from < 0n) throw new EvaluationError(`index out of range: ${from}`);
  const chars = charsOf(text);
  if (from >= BigInt(chars.length)) return -1n;
  const offset = chars.slice(0, Number(from)).join('').length;
  const found = textOf(text).lastIndexOf(textOf(part), offset);
  return found < 0 ? -1n : BigInt(codePoints(textOf(text).slice(0, found)));
}

function addTransformations(library: Library): void {
  library.add('string_lower_ascii', 'string.lowerAscii(): string', ([text]) =>
    textOf(text).replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  );
  library.add('string_upper_ascii', 'string.upperAscii(): string', ([text]) =>
    textOf(text).replace(/[a-z]+/g, (part) => part.toUpperCase()),
  );
  library.add('string_trim', 'string.trim(): string', ([text]) => trim(textOf(text)));
  library.add(
    'string_replace_string_string',
    'string.replace(string, string): string',
    ([text, old, replacement], budget) => replace([textOf(text), textOf(old), textOf(replacement)], -1, budget),
  );
  library.add(
    'string_replace_string_string_int',
    'string.replace(string, string, int): string',
    ([text, old, replacement, limit], budget) =>
      replace([textOf(text), textOf(old), textOf(replacement)], Number(bigintOf(limit)), budget),
  );
  library.add(
    'string_split_string',
    'string.split(string): list(string)',
    ([text, separator]) => new ValueList(split(textOf(text), textOf(separator), -1)),
  );
  library.add(
    'string_split_string_int',
    'string.split(string, int): list(string)',
    ([text, separator, limit]) => new ValueList(split(textOf(text), textOf(separator), Number(bigintOf(limit)))),
  );
  library.add('list_join', 'list(string).join(): string', ([list], budget) => join(listOf(list), '', budget));
  library.add('list_join_string', 'list(string).join(string): string', ([list, separator], budget) =>
    join(listOf(list), textOf(separator), budget),
  );
  library.add('strings_quote', '^strings.quote(string): string', ([text]) => quote(textOf(text)));
  library.add('string_format', 'string.format(list(dyn)): string', ([text, args], budget) => {
    chargeNested(listOf(args), budget);
    return formatText(textOf(text), listOf(args));
  });
}

/** What Go's `unicode.IsSpace` accepts; `trim` of JavaScript also removes U+FEFF and keeps U+0085. */
const SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text.charAt(start))) start++;
  while (start < end && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Steps for each value other than a string or bytes. */
const STEPS_PER_VALUE = 4;

/** Charges the formatting of a value and of all nested values: one that occurs twice is printed, and charged, twice. */
function chargeNested(value: Value, budget: Budget): void {
  budget.chargeSteps(typeof value === 'string' || value instanceof Uint8Array ? value.length : STEPS_PER_VALUE);
  if (value instanceof List) for (let index = 0; index < value.size; index++) chargeNested(value.at(index), budget);
  if (value instanceof ValueMap) for (const key of value.keys()) chargeNested(value.find(key) ?? null, budget);
}

/**
 * Replaces at most `limit` occurrences, all of them for a negative number. An empty `old` matches before every
 * character and at the end.
 */
function replace(
  [text, old, replacement]: readonly [text: string, old: string, replacement: string],
  limit: number,
  budget: Budget,
): string {
  const parts = old === '' ? ['', ...Array.from(text), ''] : text.split(old);
  const count = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  budget.chargeSteps(text.length + count * replacement.length);
  return parts.map((part, index) => (index === 0 ? part : `${index <= count ? replacement : old}${part}`)).join('');
}

/** At most `limit` parts, the last of which is the rest of the text; all of them for a negative number. */
function split(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? Array.from(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function join(list: List, separator: string, budget: Budget): string {
  const parts = list.items().map((part) => {
    if (typeof part !== 'string') throw new EvaluationError(`join: invalid input: ${plainText(part)}`);
    budget.chargeSteps(part.length + separator.length);
    return part;
  });
  return parts.join(separator);
}

function quote(text: string): string {
  return `"${Array.from(wellFormed(text), (char) => ESCAPES[char] ?? char).join('')}"`;
}
