import { isCidr, isIpv4, isIpv6, isMac } from './addresses.js';
import { isEmail, isRequestUri } from './uri.js';
import { isDate } from '../text/gotime.js';

/** String formats that are validated, by name without dashes. Each accepts what the Go libraries accept. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid3', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid4', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid5', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDateText],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && isSegment(text)],
  ['k8slongname', (text) => text.length <= 253 && text.split('.').every(isSegment)],
]);

/** The format if it is known for values of `type`; undefined where the API server ignores it. */
export function knownFormat(type: string | undefined, format: string | undefined): string | undefined {
  if (format === undefined || format === '') return undefined;
  switch (type) {
    case undefined:
    case 'string':
      return FORMATS.has(format.replaceAll('-', '')) ? format : undefined;
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : undefined;
    case 'number':
      return format === 'float' || format === 'double' ? format : undefined;
    default:
      return undefined;
  }
}

/** Whether a format applies to strings, not to numbers. */
export function isTextFormat(format: string): boolean {
  return FORMATS.has(format.replaceAll('-', ''));
}

/** Whether a string has a format; true for formats that are unknown or do not apply to strings. */
export function hasFormat(format: string, text: string): boolean {
  return FORMATS.get(format.replaceAll('-', ''))?.(text) ?? true;
}

function isSegment(text: string): boolean {
  return /^[-a-z0-9]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-');
}

/**
 * One label with at most one dash after its first character, or labels followed by a top-level domain: the rule of
 * go-openapi's strfmt.
 */
function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  const labels = text.split('.');
  const top = labels.pop() ?? '';
  if (Buffer.byteLength(top) > 63 || labels.some((label) => Buffer.byteLength(label) > 63)) return false;
  if (labels.length === 0) return /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u.test(text);
  const inner = /^[-a-zA-Z0-9\p{S}\p{L}]+$/u;
  return (
    labels.every((label) => inner.test(label) && !label.startsWith('-') && !label.endsWith('-')) &&
    /^[a-zA-Z\p{L}]{2,63}$/u.test(top)
  );
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = digits.endsWith('X') ? 100 : 10 * Number(digits[9]);
  for (let at = 0; at < 9; at++) sum += (at + 1) * Number(digits[at]);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < 12; at++) sum += (at % 2 === 0 ? 1 : 3) * Number(digits[at]);
  return (10 - (sum % 10)) % 10 === Number(digits[12]);
}

const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]) * (at % 2 === 1 ? 2 : 1);
    sum += digit >= 10 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const found = /^rgb\(([^)]*)\)$/.exec(text);
  const parts = found?.[1]?.split(',') ?? [];
  return (
    parts.length === 3 &&
    parts.every((part) => /^[\t\n\f\r ]*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])[\t\n\f\r ]*$/.test(part))
  );
}

function isBase64(text: string): boolean {
  if (text === '' || text.length % 4 !== 0) return false;
  return /^[A-Za-z0-9+/]*$/.test(text.replace(/={1,2}$/, ''));
}

function isDateText(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (found === null) return false;
  return isDate(Number(found[1]), Number(found[2]), Number(found[3]));
}

function isDateTime(text: string): boolean {
  if (Buffer.byteLength(text) < 4) return false;
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDateText(date)) return false;
  const found = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u.exec(time);
  return found !== null && (found[1] ?? '') <= '23' && (found[2] ?? '') <= '59' && (found[3] ?? '') <= '59';
}

const UNIT = /\s*([A-Za-zµ]+)/y;
const UNITS = /^(?:ns|us|µs|ms|s|m|h|d|w|wk|nano.*|micro.*|milli.*|sec.*|min.*|hr|hour.*|day.*|week.*)$/i;

/** A Go duration such as `1h30m`, or numbers followed by unit names anywhere in the text: `3 days, 2 hours`. */
function isDuration(text: string): boolean {
  if (/^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text) && !overflows(text)) return true;
  let found = false;
  for (const number of text.matchAll(/\d+/g)) {
    UNIT.lastIndex = number.index + number[0].length;
    const unit = UNIT.exec(text)?.[1];
    if (unit === undefined) continue;
    if (number[0].length > 30 || BigInt(number[0]) > 0x7fffffffffffffffn) return false;
    found ||= UNITS.test(unit);
  }
  return found;
}

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};

/** Whether a Go duration exceeds 64 bits of nanoseconds. */
function overflows(text: string): boolean {
  let sum = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/([\d.]+)([a-zµμ]+)/g))
    sum += Number(count) * (NANOSECONDS[unit] ?? 0);
  return sum > 2 ** 63;
}
