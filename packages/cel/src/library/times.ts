import { goQuote } from '@multicluster-engine/values/text/go';
import { Library } from '../language/signature.js';
import { EvaluationError } from '../language/error.js';
import { timeZones } from '@multicluster-engine/values/timezones';
import { splitNanos } from '../language/time.js';
import { Duration, type Value } from '../language/value.js';
import { nanosOf, textOf } from './operators.js';

/** The calendar fields of a time. */
interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly weekday: number;
  readonly dayOfYear: number;
  readonly millis: number;
}

const GETTERS: readonly (readonly [string, string, (parts: Parts) => number])[] = [
  ['getFullYear', 'year', (parts) => parts.year],
  ['getMonth', 'month', (parts) => parts.month],
  ['getDayOfYear', 'day_of_year', (parts) => parts.dayOfYear],
  ['getDayOfMonth', 'day_of_month', (parts) => parts.day - 1],
  ['getDate', 'day_of_month_1_based', (parts) => parts.day],
  ['getDayOfWeek', 'day_of_week', (parts) => parts.weekday],
  ['getHours', 'hours', (parts) => parts.hours],
  ['getMinutes', 'minutes', (parts) => parts.minutes],
  ['getSeconds', 'seconds', (parts) => parts.seconds],
  ['getMilliseconds', 'milliseconds', (parts) => parts.millis],
];

const SPANS: readonly (readonly [string, string, bigint])[] = [
  ['getHours', 'duration_to_hours', 3_600_000_000_000n],
  ['getMinutes', 'duration_to_minutes', 60_000_000_000n],
  ['getSeconds', 'duration_to_seconds', 1_000_000_000n],
  ['getMilliseconds', 'duration_to_milliseconds', 1_000_000n],
];

/** Getters of timestamps (in UTC or a named time zone) and of durations. */
export function times(): Library {
  const library = new Library();
  for (const [name, id, get] of GETTERS) {
    library.add(`timestamp_to_${id}`, `timestamp.${name}(): int`, ([moment]) =>
      BigInt(get(partsOf(nanosOf(moment), 0))),
    );
    library.add(`timestamp_to_${id}_with_tz`, `timestamp.${name}(string): int`, ([moment, zone]) => {
      const nanos = nanosOf(moment);
      return BigInt(get(partsOf(nanos, offsetOf(nanos, zone))));
    });
  }
  for (const [name, id, unit] of SPANS) {
    library.add(id, `duration.${name}(): int`, ([span]) => (span instanceof Duration ? span.nanos / unit : 0n));
  }
  return library;
}

const DAY = 86_400_000;

function partsOf(nanos: bigint, offsetMinutes: number): Parts {
  const { seconds, rest } = splitNanos(nanos);
  const millis = Number(seconds) * 1000 + offsetMinutes * 60_000;
  const date = new Date(millis);
  const yearStart = new Date(millis).setUTCMonth(0, 1);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
    dayOfYear: Math.round((millis - yearStart) / DAY),
    millis: Number(rest / 1_000_000n),
  };
}

/**
 * The offset from UTC in minutes: a fixed offset (`-08:00`), or that of a named zone at the given time. Throws
 * EvaluationError.
 */
function offsetOf(nanos: bigint, zone: Value | undefined): number {
  const name = textOf(zone);
  const colon = name.indexOf(':');
  if (colon >= 0)
    return atoi(name.slice(0, colon)) * 60 + atoi(name.slice(colon + 1)) * (name.startsWith('-') ? -1 : 1);
  // Node does not know Factory, the zone of a machine that nobody has set up.
  if (['', 'UTC', 'Local', 'Factory'].includes(name)) return 0;
  if (/^[/\\]|\.\./.test(name)) throw new EvaluationError('time: invalid location name');
  if (!timeZones().has(name)) throw new EvaluationError(`unknown time zone ${name}`);
  return zoneOffset(name, Number(splitNanos(nanos).seconds) * 1000);
}

function atoi(text: string): number {
  if (!/^[+-]?\d{1,18}$/.test(text))
    throw new EvaluationError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  return Number(text);
}

function zoneOffset(timeZone: string, millis: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(millis)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - millis) / 60_000);
}
