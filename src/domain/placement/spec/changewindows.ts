import { timeZoneData, timeZones } from '@multicluster-engine/values/timezones';
import { parse, quote, readList, readObject, reject, type Problem } from '../../selectors.js';

export { timeZoneData };

/**
 * `spec.changeWindows`: when elective changes may be made. A window opens at the first moment of its day at which the clock of
 * its zone shows the start or later, and stays open for its duration, which is elapsed time. So a start that a change of clocks
 * leaves out is the moment of that change, one that comes twice is the first, and a day without such a moment has no window.
 */
export interface ChangeWindow {
  /** From 0, Sunday; undefined for every day. */
  readonly weekday: number | undefined;
  /** Minutes since midnight. */
  readonly minutes: number;
  readonly durationMs: number;
  /** The wall clock of the zone. */
  readonly zone: Intl.DateTimeFormat;
  /** As people wrote it: `Mon 22:00 Europe/Berlin`. */
  readonly text: string;
}

const MOST_WINDOWS = 16;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const START = /^(\*|Sun|Mon|Tue|Wed|Thu|Fri|Sat) ([01][0-9]|2[0-3]):([0-5][0-9])$/;
const DURATION =
  /^(168h|([1-9]|[1-9][0-9]|1[0-5][0-9]|16[0-7])h([1-5]?[0-9]m)?|([1-9][0-9]{0,3}|100[0-7][0-9]|10080)m)$/;
/** The time zone of a machine that nobody has set up. It is refused here as it is by the definition. */
const NO_ZONE = 'Factory';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** When elective changes of the clusters of a ManagedClusterSet may be made. */
export interface ChangeTimes {
  readonly paused: boolean;
  /** Empty: at any time. */
  readonly windows: readonly ChangeWindow[];
  /** The field that cannot be read, since admission missed it: such a set counts as paused. */
  readonly problem?: Problem;
}

/** Reads the `spec` of a ManagedClusterSet; never throws. Undefined where changes may be made at any time. */
export function readChangeTimes(spec: unknown): ChangeTimes | undefined {
  const read = parse((): ChangeTimes => {
    const { paused, changeWindows } = readObject(spec, 'spec');
    return { paused: readPaused(paused), windows: readChangeWindows(changeWindows, 'spec.changeWindows') };
  });
  if (!read.ok) return { paused: true, windows: [], problem: read.problem };
  return read.value.paused || read.value.windows.length > 0 ? read.value : undefined;
}

/** `spec.paused`, inside a `parse`. */
export function readPaused(value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  return reject('spec.paused', `${quote(value)} is not true or false`);
}

/** The windows of a spec, inside a `parse`; empty without any. */
export function readChangeWindows(value: unknown, path: string): readonly ChangeWindow[] {
  return readList(value, path, MOST_WINDOWS).map((item, index) => {
    const at = `${path}[${index}]`;
    const fields = readObject(item, at);
    const { weekday, minutes } = readStart(fields['start'], `${at}.start`);
    const durationMs = readDuration(fields['duration'], `${at}.duration`);
    const zone = readZone(fields['timeZone'], `${at}.timeZone`);
    const text = `${String(fields['start'])} ${String(fields['timeZone'])}`;
    return { weekday, minutes, durationMs, zone, text };
  });
}

function readStart(value: unknown, path: string): Pick<ChangeWindow, 'weekday' | 'minutes'> {
  const [, day = '', hours, minutes] = (typeof value === 'string' ? START.exec(value) : undefined) ?? [];
  if (hours === undefined || minutes === undefined)
    return reject(
      path,
      `${quote(value ?? null)}: must be a weekday (Mon to Sun) or *, and a time from 00:00 to 23:59, such as "Mon 22:00"`,
    );
  return { weekday: day === '*' ? undefined : WEEKDAYS.indexOf(day), minutes: Number(hours) * 60 + Number(minutes) };
}

function readDuration(value: unknown, path: string): number {
  if (typeof value !== 'string' || !DURATION.test(value))
    return reject(
      path,
      `${quote(value ?? null)}: must be hours and minutes from 1m to 168h, such as "4h", "90m" or "1h30m"`,
    );
  const amount = (unit: string): number => Number(new RegExp(`([0-9]+)${unit}`).exec(value)?.[1] ?? 0);
  return (amount('h') * 60 + amount('m')) * MINUTE_MS;
}

function readZone(value: unknown, path: string): Intl.DateTimeFormat {
  if (typeof value !== 'string' || value === NO_ZONE || !timeZones().has(value))
    return reject(path, `${quote(value ?? null)}: must be a time zone of the IANA database, such as "Europe/Berlin"`);
  return (
    clockOf(value) ?? reject(path, `${quote(value)}: is not in the time zone data of this program, ${timeZoneData()}`)
  );
}

function clockOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const whole = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...whole });
  } catch {
    return undefined;
  }
}

/** Whether a window is open at a time, and which opens next. */
export type WindowsAt =
  /** `until`: ms since the epoch, when the window ends that was found; another one may be open then. */
  | { readonly kind: 'open'; readonly until: number }
  /** `at`: ms since the epoch, the earliest of all windows; `text`: of the first that opens then. */
  | { readonly kind: 'closed'; readonly at: number; readonly text: string };

/** For at least one window. `now`: ms since the epoch. */
export function windowsAt(windows: readonly ChangeWindow[], now: number): WindowsAt {
  let next: Extract<WindowsAt, { kind: 'closed' }> = { kind: 'closed', at: Infinity, text: '' };
  for (const window of windows) {
    for (const opens of openings(window, now)) {
      const until = opens + window.durationMs;
      if (opens <= now && now < until) return { kind: 'open', until };
      if (opens <= now) continue;
      if (opens < next.at) next = { kind: 'closed', at: opens, text: window.text };
      break;
    }
  }
  return next;
}

/** The times at which the window opens, from one that may still be open at `now`, in their order. */
function* openings(
  { weekday, minutes, durationMs, zone }: ChangeWindow,
  now: number,
): Generator<number, void, undefined> {
  const today = Math.floor(wallTime(zone, now) / DAY_MS);
  const first = today - Math.ceil(durationMs / DAY_MS) - 1;
  // A day that the zone leaves out, or that has no such moment, is followed by one a week later.
  for (let day = first; day <= today + 15; day++) {
    if (weekday !== undefined && new Date(day * DAY_MS).getUTCDay() !== weekday) continue;
    const opens = firstMoment(zone, day * DAY_MS + minutes * MINUTE_MS);
    if (opens !== undefined) yield opens;
  }
}

/** The first moment of the day of `wall` at which the clock shows `wall` or later; undefined when that day has none. */
function firstMoment(zone: Intl.DateTimeFormat, wall: number): number | undefined {
  const [early, late] = [wall - DAY_MS, wall + DAY_MS];
  const [before, after] = [early, late].map((time) => wallTime(zone, time) - time) as [number, number];
  if (before === after) return wall - before;
  const change = changeBetween(zone, { early, late, before });
  if (wall - before < change) return wall - before;
  const found = Math.max(change, wall - after);
  return Math.floor((found + after) / DAY_MS) === Math.floor(wall / DAY_MS) ? found : undefined;
}

/** When the offset of the zone becomes another than `before`: a whole minute. */
function changeBetween(
  zone: Intl.DateTimeFormat,
  { early, late, before }: { readonly early: number; readonly late: number; readonly before: number },
): number {
  let [low, high] = [Math.floor(early / MINUTE_MS), Math.ceil(late / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallTime(zone, middle * MINUTE_MS) - middle * MINUTE_MS === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

/** What the clock of the zone shows at `time`, in whole minutes, as if it were UTC. */
function wallTime(zone: Intl.DateTimeFormat, time: number): number {
  const minute = Math.floor(time / MINUTE_MS) * MINUTE_MS;
  const [month = 1, day = 1, year = 0, hours = 0, minutes = 0] = zone.format(minute).split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hours, minutes) + (time - minute);
}
