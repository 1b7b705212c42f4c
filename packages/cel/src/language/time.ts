import { Duration, Timestamp } from './value.js';

const SECOND = 1_000_000_000n;

/** Nanoseconds of the units of Go durations; micro has two characters. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3_600n * SECOND,
};

const MAX_INT64 = (1n << 63n) - 1n;

/** The range of timestamps in seconds: years 1 to 9999. */
const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;
/** The same in nanoseconds. The first moment is Go's zero time. */
export const FIRST_MOMENT = MIN_SECONDS * SECOND;
export const LAST_MOMENT = (MAX_SECONDS + 1n) * SECOND - 1n;

/** Parses a Go duration: `1h30m`, `-1.5s`, `0`. Undefined for other texts. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return new Duration(0n);
  const parts = /^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body) ? body.match(/[\d.]+\D+/g) : null;
  if (parts === null) return undefined;
  let nanos = 0n;
  for (const part of parts) nanos += partNanos(part);
  const signed = sign === '-' ? -nanos : nanos;
  return nanos > MAX_INT64 + (sign === '-' ? 1n : 0n) ? undefined : new Duration(signed);
}

function partNanos(part: string): bigint {
  const [, whole = '', fraction = '', unit = 's'] = /^(\d*)\.?(\d*)(\D+)$/.exec(part) ?? [];
  const size = UNITS[unit] ?? SECOND;
  const digits = fraction.slice(0, 18);
  return BigInt(whole || '0') * size + (BigInt(digits || '0') * size) / 10n ** BigInt(digits.length);
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Parses an RFC 3339 time. Undefined for other texts and outside of the years 1 to 9999. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const moment = parseMoment(text);
  return moment === undefined
    ? undefined
    : timestampOf(splitNanos(moment.nanos).seconds, splitNanos(moment.nanos).rest, moment.offset);
}

/** Parses an RFC 3339 time of any year. Undefined for other texts. */
export function parseMoment(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = match[8] === undefined ? 0 : (Number(match[9]) * 60 + Number(match[10])) * (match[8] === '-' ? -1 : 1);
  if (Number(match[9] ?? 0) > 24 || Number(match[10] ?? 0) > 60) return undefined;
  const seconds = BigInt(utcMillis(year, month, day) / 1000 + hour * 3600 + minute * 60 + second - offset * 60);
  const fraction = BigInt((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return new Timestamp(seconds * SECOND + fraction, offset);
}

/** Creates a timestamp; undefined outside of the years 1 to 9999. */
export function timestampOf(seconds: bigint, nanos = 0n, offset = 0): Timestamp | undefined {
  return seconds < MIN_SECONDS || seconds > MAX_SECONDS ? undefined : new Timestamp(seconds * SECOND + nanos, offset);
}

function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(utcMillis(year, month, day));
  return month >= 1 && month <= 12 && day >= 1 && date.getUTCDate() === day;
}

/** Milliseconds since the epoch. Date.UTC maps years below 100 to 19xx. */
function utcMillis(year: number, month: number, day: number): number {
  return new Date(Date.UTC(2000, month - 1, 1)).setUTCFullYear(year, month - 1, day);
}

/** Splits a time into whole seconds, rounded down, and the remaining nanoseconds. */
export function splitNanos(nanos: bigint): { seconds: bigint; rest: bigint } {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return { seconds: (nanos - rest) / SECOND, rest };
}

/** Formats a timestamp in RFC 3339 with its own offset and as many fractional digits as needed. */
export function timestampText({ nanos, offset }: Timestamp): string {
  const { seconds, rest } = splitNanos(nanos);
  const whole = new Date(Number(seconds) * 1000 + offset * 60_000).toISOString().slice(0, 19);
  return `${whole}${fractionText(rest)}${offsetText(offset)}`;
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
}

/**
 * Formats a duration in seconds as string(duration) does: `5400s`, `1.5s`. The seconds are a double, so long durations
 * lose precision.
 */
export function durationText({ nanos }: Duration): string {
  const text = String(Number(nanos / SECOND) + Number(nanos % SECOND) / 1e9);
  if (!text.includes('e')) return `${text}s`;
  const positive = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}0${fractionText(positive)}s`;
}

function fractionText(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
}
