import { Library } from '../language/signature.js';
import { NAMED_TYPES, STRING } from '../language/celtype.js';
import { EvaluationError } from '../language/error.js';
import {
  durationText,
  parseDuration,
  parseTimestamp,
  splitNanos,
  timestampOf,
  timestampText,
} from '../language/time.js';
import { codePoints, Duration, runtimeType, Timestamp, TypeValue, Uint, type Value } from '../language/value.js';
import { bigintOf, bytesOf, int, listOf, mapOf, nanosOf, textOf, uint } from './operators.js';
import { doubleText } from '@multicluster-engine/values/text/number';

/** size(), type(), dyn() and the type conversions. */
export function conversions(): Library {
  const library = new Library();
  addSizes(library);
  library.add('type', 'type(A): type(A)', ([value = null]) => new TypeValue(runtimeType(value)));
  library.add('to_dyn', 'dyn(A): dyn', ([value = null]) => value);
  library
    .add('bool_to_bool', 'bool(bool): bool', same)
    .add('string_to_bool', 'bool(string): bool', ([text]) => toBool(textOf(text)));
  library
    .add('bytes_to_bytes', 'bytes(bytes): bytes', same)
    .add('string_to_bytes', 'bytes(string): bytes', ([text]) => Buffer.from(textOf(text), 'utf8'));
  addNumbers(library);
  addTexts(library);
  addTimes(library);
  return library;
}

function same([value = null]: readonly Value[]): Value {
  return value;
}

function addSizes(library: Library): void {
  const sizes = [
    ['bytes', 'bytes', (value: Value | undefined) => bytesOf(value).length],
    ['list', 'list(A)', (value: Value | undefined) => listOf(value).size],
    ['map', 'map(A, B)', (value: Value | undefined) => mapOf(value).size],
    ['string', 'string', (value: Value | undefined) => codePoints(textOf(value))],
  ] as const;
  for (const [name, type, size] of sizes) {
    library.add(`size_${name}`, `size(${type}): int`, ([value]) => BigInt(size(value)));
    library.add(`${name}_size`, `${type}.size(): int`, ([value]) => BigInt(size(value)));
  }
}

function toBool(text: string): boolean {
  if (['true', 'TRUE', 'True', 'T', 't', '1'].includes(text)) return true;
  if (['false', 'FALSE', 'False', 'F', 'f', '0'].includes(text)) return false;
  throw new EvaluationError(`type conversion error from 'string' to 'bool'`);
}

function addNumbers(library: Library): void {
  library
    .add('double_to_double', 'double(double): double', same)
    .add('int64_to_double', 'double(int): double', ([value]) => Number(bigintOf(value)));
  library
    .add('string_to_double', 'double(string): double', ([text]) => toDouble(textOf(text)))
    .add('uint64_to_double', 'double(uint): double', ([value]) => Number(bigintOf(value)));
  library
    .add('int64_to_int64', 'int(int): int', same)
    .add('double_to_int64', 'int(double): int', ([value]) => int(truncate(Number(value), -(2 ** 63))));
  library
    .add('duration_to_int64', 'int(duration): int', ([value]) => nanosOf(value))
    .add('string_to_int64', 'int(string): int', ([text]) => toInt(textOf(text), 'int'));
  library
    .add('timestamp_to_int64', 'int(timestamp): int', ([value]) => splitNanos(nanosOf(value)).seconds)
    .add('uint64_to_int64', 'int(uint): int', ([value]) => int(bigintOf(value)));
  library
    .add('uint64_to_uint64', 'uint(uint): uint', same)
    .add('double_to_uint64', 'uint(double): uint', ([value]) =>
      uint(truncate(Number(value), -Number.MIN_VALUE, 'unsigned integer overflow')),
    );
  library
    .add('int64_to_uint64', 'uint(int): uint', ([value]) => uint(bigintOf(value)))
    .add('string_to_uint64', 'uint(string): uint', ([text]) => new Uint(toInt(textOf(text), 'uint')));
}

/** @param below the exclusive lower bound. */
function truncate(value: number, below: number, problem = 'integer overflow'): bigint {
  if (!Number.isFinite(value) || value <= below) throw new EvaluationError(problem);
  return BigInt(Math.trunc(value));
}

const DOUBLE = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)$/i;

function toDouble(text: string): number {
  if (!DOUBLE.test(text)) throw new EvaluationError(`type conversion error from 'string' to 'double'`);
  const word = text.toLowerCase();
  if (word.includes('nan')) return Number.NaN;
  if (word.includes('inf')) return word.startsWith('-') ? -Infinity : Infinity;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new EvaluationError(`type conversion error from 'string' to 'double'`);
  return value;
}

/** Parses decimal digits as Go's strconv does. */
function toInt(text: string, type: 'int' | 'uint'): bigint {
  const valid = (type === 'int' ? /^[+-]?\d+$/ : /^\d+$/).test(text);
  const value = valid ? BigInt(text.replace(/^\+/, '')) : 0n;
  const fits = type === 'int' ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
  if (!valid || !fits) throw new EvaluationError(`type conversion error from 'string' to '${type}'`);
  return value;
}

function addTexts(library: Library): void {
  library
    .add('string_to_string', 'string(string): string', same)
    .add('bool_to_string', 'string(bool): string', ([value]) => (value === true ? 'true' : 'false'));
  library
    .add('bytes_to_string', 'string(bytes): string', ([value]) => decode(bytesOf(value)))
    .add('double_to_string', 'string(double): string', ([value]) => doubleText(Number(value)));
  library.add('duration_to_string', 'string(duration): string', ([value]) =>
    value instanceof Duration ? durationText(value) : '',
  );
  library.add('int64_to_string', 'string(int): string', ([value]) => String(bigintOf(value)));
  library.add('timestamp_to_string', 'string(timestamp): string', ([value]) =>
    value instanceof Timestamp ? timestampText(value) : '',
  );
  library.add('uint64_to_string', 'string(uint): string', ([value]) => String(bigintOf(value)));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function addTimes(library: Library): void {
  library
    .add('duration_to_duration', 'duration(duration): duration', same)
    .add('int64_to_duration', 'duration(int): duration', () => {
      throw new EvaluationError("type conversion error from 'int' to 'google.protobuf.Duration'");
    });
  library.add('string_to_duration', 'duration(string): duration', ([text]) =>
    found(parseDuration(textOf(text)), 'duration'),
  );
  library
    .add('timestamp_to_timestamp', 'timestamp(timestamp): timestamp', same)
    .add('int64_to_timestamp', 'timestamp(int): timestamp', ([value]) => {
      const moment = timestampOf(bigintOf(value));
      if (moment === undefined) throw new EvaluationError('timestamp overflow');
      return moment;
    });
  library.add('string_to_timestamp', 'timestamp(string): timestamp', ([text]) =>
    found(parseTimestamp(textOf(text)), 'timestamp'),
  );
}

function found(value: Value | undefined, type: 'duration' | 'timestamp'): Value {
  const name =
    NAMED_TYPES[type === 'duration' ? 'google.protobuf.Duration' : 'google.protobuf.Timestamp']?.name ?? type;
  if (value === undefined) throw new EvaluationError(`type conversion error from '${STRING.name}' to '${name}'`);
  return value;
}
