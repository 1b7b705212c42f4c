import { corruptOffset } from '@multicluster-engine/values/schema/go/base64';
import { LOCAL_TIME, timeProblem } from '@multicluster-engine/values/text';
import { EvaluationError, parseDuration, parseMoment, Duration, type Value } from '../index.js';

/**
 * Converts a string with a format to its CEL value: a duration, timestamp or bytes. The conversions accept other texts
 * than the formats do in validation.
 */
export function formattedValue(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration':
      return (
        parseDuration(text) ??
        wordyDuration(text) ??
        failConversion('Invalid duration', text, `unable to parse ${text} as duration`)
      );
    case 'date':
      return (
        parseMoment(`${text}T00:00:00Z`) ?? failConversion('Invalid date formatted string', text, timeProblem(text))
      );
    case 'date-time':
      return (
        parseMoment(text) ?? failConversion('Invalid date-time formatted string', text, timeProblem(text, LOCAL_TIME))
      );
    case 'byte':
      return bytesOf(text);
    default:
      return text;
  }
}

function failConversion(message: string, text: string, problem = ''): never {
  throw new EvaluationError(`${message} ${text}: ${problem}`);
}

/** Decodes base64url, although the format specifies standard base64, as the API server does. */
function bytesOf(text: string): Value {
  const other: Readonly<Record<string, string>> = { '-': '+', _: '/', '+': '?', '/': '?' };
  const standard = text.replace(/[-_+/]/g, (char) => other[char] ?? char);
  const corrupt = corruptOffset(standard);
  return corrupt === undefined
    ? Buffer.from(standard, 'base64')
    : failConversion('Invalid byte formatted string', text, `illegal base64 data at input byte ${corrupt}`);
}

const SECOND = 1_000_000_000n;

/** Units by name, and by the prefix of longer names. */
const UNITS: readonly (readonly [names: readonly string[], begin: string, nanos: bigint])[] = [
  [['ns'], 'nano', 1n],
  [['us', 'µs'], 'micro', 1_000n],
  [['ms'], 'milli', 1_000_000n],
  [['s'], 'sec', SECOND],
  [['m'], 'min', 60n * SECOND],
  [['h', 'hr'], 'hour', 3_600n * SECOND],
  [['d'], 'day', 86_400n * SECOND],
  [['w', 'wk'], 'week', 604_800n * SECOND],
];

/** `3 days, 2 hours`: the 64-bit sum of whole numbers with units anywhere in a text. Undefined where there are none. */
function wordyDuration(text: string): Duration | undefined {
  let sum: bigint | undefined;
  for (const [, count = '0', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase();
    const found = UNITS.find(([names, begin]) => names.includes(unit) || unit.startsWith(begin));
    if (found !== undefined) sum = (sum ?? 0n) + BigInt(count) * found[2];
  }
  return sum === undefined ? undefined : new Duration(BigInt.asIntN(64, sum));
}
