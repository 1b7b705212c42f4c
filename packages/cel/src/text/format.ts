import { compareBytes } from '@multicluster-engine/values/text/go';
import { EvaluationError } from '../language/error.js';
import { durationText, timestampText } from '../language/time.js';
import { Duration, List, runtimeType, Timestamp, TypeValue, Uint, ValueMap, type Value } from '../language/value.js';
import { doubleText, fixedDigits } from '@multicluster-engine/values/text/number';

/** The default precision. */
const PRECISION = 6;

/** A formatting clause: `%s`, `%.3f`. */
export interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

/** An invalid format string, or a value that its clause does not accept. */
export class FormatError extends EvaluationError {}

/**
 * Parses a format string for `count` arguments into literal texts and clauses. Lazy: a clause is parsed after the
 * previous one was used. `%%` is a literal.
 * @throws FormatError
 */
export function* readFormat(format: string, count: number): Generator<string | Clause> {
  let clauses = 0;
  for (const [part] of format.matchAll(/%%|%(?:\.\d*)?[^]?|[^%]+/g)) {
    if (part === '%%') yield '%';
    else if (part === '%') throw new FormatError('unexpected end of string');
    else if (!part.startsWith('%')) yield part;
    else if (clauses >= count) throw new FormatError(`index ${clauses} out of range`);
    else {
      clauses++;
      yield readClause(part);
    }
  }
}

function readClause(text: string): Clause {
  const [, dot, digits = '', verb = ''] = /^%(\.(\d*))?([^]?)$/.exec(text) ?? [];
  if (dot !== undefined && verb === '')
    throw new FormatError(
      'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
    );
  if (dot !== undefined && digits === '') {
    throw new FormatError(
      'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    );
  }
  if (!'sdfebxXo'.includes(verb))
    throw new FormatError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  return { verb, precision: dot === undefined ? undefined : Math.min(Number(digits), 100) };
}

/** `'%s has %d'.format(['a', 1])`. Throws FormatError. */
export function formatText(format: string, args: List): string {
  let index = 0;
  let text = '';
  for (const part of readFormat(format, args.size))
    text += typeof part === 'string' ? part : formatClause(part, args.at(index++));
  return text;
}

const REQUIREMENTS: Readonly<Record<string, string>> = {
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
};

/** The error for a value or type that a clause does not accept. */
export function formatMismatch(verb: string, typeName: string): string {
  return `error during formatting: ${REQUIREMENTS[verb] ?? ''}, was given ${typeName}`;
}

function formatClause({ verb, precision = PRECISION }: Clause, value: Value): string {
  const text = clauseText(verb, precision, value);
  if (text === undefined) throw new FormatError(formatMismatch(verb, runtimeType(value).name));
  return text;
}

function clauseText(verb: string, precision: number, value: Value): string | undefined {
  switch (verb) {
    case 's':
      return stringText(value);
    case 'd':
      return integerText(value, 10);
    case 'o':
      return integerText(value, 8);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : integerText(value, 2);
    case 'x':
      return hexText(value);
    case 'X':
      return hexText(value)?.toUpperCase();
    case 'f':
      return fixedText(value, precision);
    default:
      return scientificText(value, precision);
  }
}

function integerText(value: Value, base: number): string | undefined {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexText(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : integerText(value, 16);
}

function doubleOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Infinity;
  return value === '-Infinity' ? -Infinity : undefined;
}

/** Fixed-point format with thousands separators. */
function fixedText(value: Value, precision: number): string | undefined {
  const double = doubleOf(value);
  if (double === undefined) return undefined;
  const special = specialText(double);
  if (special !== undefined) return special;
  const [whole = '', fraction] = fixedDigits(double, precision).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** `1.052033×10⁰³`, always with six digits: the API server uses the precision as the width. */
function scientificText(value: Value, width: number): string | undefined {
  const double = doubleOf(value);
  if (double === undefined) return undefined;
  const special = specialText(double);
  if (special !== undefined) return special;
  const [digits = '', exponent = '0'] = double.toExponential(PRECISION).split('e');
  const power = String(Math.abs(Number(exponent)))
    .padStart(2, '0')
    .replace(/\d/g, (digit) => RAISED[Number(digit)] ?? digit);
  return `${digits}×10${Number(exponent) < 0 ? '⁻' : ''}${power}`.padStart(width);
}

function specialText(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '∞' : '-∞';
}

/** Formats a value for `%s`; undefined for unsupported values. */
function stringText(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return doubleText(value);
    default:
      return value === null ? 'null' : objectText(value);
  }
}

function objectText(value: Value): string | undefined {
  if (value instanceof List) return `[${value.items().map(memberText).join(', ')}]`;
  if (value instanceof ValueMap) return mapText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  return value instanceof TypeValue ? value.type.name : undefined;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bytesText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new FormatError(
      'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    );
  }
}

/** Formats a list item or a map entry: strings are quoted, doubles have six digits. */
function memberText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return specialMember(value) ?? fixedDigits(value, PRECISION);
  const text = stringText(value);
  if (text === undefined)
    throw new FormatError(`error during formatting: no formatting function for ${runtimeType(value).name}`);
  if (value instanceof Uint8Array) return `b${JSON.stringify(text)}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(text)})`;
  return value instanceof Duration ? `duration(${JSON.stringify(text)})` : text;
}

function specialMember(value: number): string | undefined {
  if (Number.isNaN(value)) return '"NaN"';
  return Number.isFinite(value) ? undefined : value > 0 ? '"+Inf"' : '"-Inf"';
}

function mapText(map: ValueMap): string {
  const pairs = map.keys().map((key) => {
    if (!['string', 'boolean', 'bigint'].includes(typeof key) && !(key instanceof Uint)) {
      throw new FormatError(
        `error during formatting: no formatting function for map key of type ${runtimeType(key).name}`,
      );
    }
    return [memberText(key), memberText(map.find(key) ?? null)] as const;
  });
  pairs.sort(([a], [b]) => compareBytes(a, b));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
