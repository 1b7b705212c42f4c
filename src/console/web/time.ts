/** Times as people say them. */

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['y', 365 * 86_400_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** `3 min`, `45 s`, `2 d`; `now` for less than a second, and for what lies ahead by the clock of the hub. */
function spanText(ms: number): string {
  const found = UNITS.find(([, length]) => ms >= length);
  return found === undefined ? 'now' : `${Math.floor(ms / found[1])} ${found[0]}`;
}

/** The span since an RFC 3339 time; empty for no time, and for the default of a definition, which is 1970. */
export function sinceText(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  return at > 0 ? spanText(now - at) : '';
}

const DAY_MS = 86_400_000;

/** The time of day, after the date where that is a day ago or more. */
export function momentText(time: string, now: number): string {
  const at = new Date(time);
  if (!(now - at.getTime() >= DAY_MS)) return clockText(time);
  return `${at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}, ${clockText(time)}`;
}

export function clockText(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? '' : at.toLocaleTimeString('en-GB');
}
