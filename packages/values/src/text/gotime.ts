import { goQuote as quoted } from './go.js';

/** Layouts of Go's `time` package that the API uses. */
export const RFC3339 = '2006-01-02T15:04:05Z07:00';
export const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';
/** Without a time zone. */
export const LOCAL_TIME = '2006-01-02T15:04:05';

/** Quotes as the `time` package does: bytes outside of printable ASCII are escaped one by one. */
function goQuote(text: string): string {
  const plain = (byte: number): string =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  return /^[ -~]*$/.test(text)
    ? quoted(text)
    : `"${[...Buffer.from(text)].map((byte) => (byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : plain(byte))).join('')}"`;
}

type Layout = typeof RFC3339 | typeof RFC3339_MICRO | typeof LOCAL_TIME;

interface Step {
  /** The element of the layout, as the error names it. */
  readonly element: string;
  readonly pattern: RegExp;
  readonly range?: { readonly least: number; readonly most: number; readonly name: string };
}

const TWO = /^\d\d/;
const FRACTION = /^[.,]\d+/;
const STEPS: readonly Step[] = [
  { element: '2006', pattern: /^\d{4}/ },
  { element: '-', pattern: /^-/ },
  { element: '01', pattern: TWO, range: { least: 1, most: 12, name: 'month' } },
  { element: '-', pattern: /^-/ },
  { element: '02', pattern: TWO, range: { least: 0, most: 31, name: 'day' } },
  { element: 'T', pattern: /^T/ },
  { element: '15', pattern: /^\d\d?/, range: { least: 0, most: 23, name: 'hour' } },
  { element: ':', pattern: /^:/ },
  { element: '04', pattern: TWO, range: { least: 0, most: 59, name: 'minute' } },
  { element: ':', pattern: /^:/ },
  { element: '05', pattern: TWO, range: { least: 0, most: 59, name: 'second' } },
];
const ZONE: Step = { element: 'Z07:00', pattern: /^(?:Z|[+-]\d\d:\d\d)/ };

/** The error of `time.Parse` for a text; undefined for a valid time. */
export function timeProblem(text: string, layout: Layout = RFC3339): string | undefined {
  const micro: Step = { element: '.000000', pattern: /^[.,]\d{6}/ };
  const found: string[] = [];
  let rest = text;
  for (const step of [
    ...STEPS,
    ...(layout === RFC3339_MICRO ? [micro] : []),
    ...(layout === LOCAL_TIME ? [] : [ZONE]),
  ]) {
    const part = step.pattern.exec(rest)?.[0];
    if (part === undefined)
      return `${parseFailure(text, layout)}: cannot parse ${goQuote(rest)} as ${goQuote(step.element)}`;
    const { range } = step;
    if (range !== undefined && (Number(part) < range.least || Number(part) > range.most))
      return `parsing time ${goQuote(text)}: ${range.name} out of range`;
    rest = rest.slice(part.length);
    // Go accepts a fraction after the seconds even where the layout has none.
    if (step.element === '05' && layout !== RFC3339_MICRO) rest = rest.slice(FRACTION.exec(rest)?.[0].length ?? 0);
    found.push(part);
  }
  if (rest !== '') return `parsing time ${goQuote(text)}: extra text: ${goQuote(rest)}`;
  return isDate(Number(found[0]), Number(found[2]), Number(found[4]))
    ? undefined
    : `parsing time ${goQuote(text)}: day out of range`;
}

function parseFailure(text: string, layout: string): string {
  return `parsing time ${goQuote(text)} as ${goQuote(layout)}`;
}

export function isDate(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return month >= 1 && month <= 12 && day >= 1 && day <= (days[month - 1] ?? 0);
}
