import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { windowsAt, type ChangeWindow } from '../../../../src/domain/placement/spec/changewindows.js';
import { compileSpec } from '../../../../src/domain/placement/spec/predicates.js';

const MINUTE = 60_000;

function windowsOf(...changeWindows: readonly object[]): readonly ChangeWindow[] {
  const { problem, changeWindows: windows } = compileSpec({ changeWindows });
  if (problem !== undefined) throw new Error(`${problem.field}: ${problem.message}`);
  return windows;
}

/** `open`, or when the next window opens. */
function at(time: string, start: string, duration: string, timeZone = 'Europe/Berlin'): string {
  const found = windowsAt(windowsOf({ start, duration, timeZone }), Date.parse(time));
  return found.kind === 'open' ? 'open' : new Date(found.at).toISOString();
}

describe('spec.changeWindows', () => {
  const start = 'must be a weekday (Mon to Sun) or *, and a time from 00:00 to 23:59, such as "Mon 22:00"';
  const duration = 'must be hours and minutes from 1m to 168h, such as "4h", "90m" or "1h30m"';
  const zone = 'must be a time zone of the IANA database, such as "Europe/Berlin"';
  it.each([
    [{ start: 'Mon 24:00' }, 'start', `"Mon 24:00": ${start}`],
    [{ start: 'mon 22:00' }, 'start', `"mon 22:00": ${start}`],
    [{ start: '22:00' }, 'start', `"22:00": ${start}`],
    [{ start: undefined }, 'start', `null: ${start}`],
    [{ duration: '0h' }, 'duration', `"0h": ${duration}`],
    [{ duration: '0m' }, 'duration', `"0m": ${duration}`],
    [{ duration: '169h' }, 'duration', `"169h": ${duration}`],
    [{ duration: '168h1m' }, 'duration', `"168h1m": ${duration}`],
    [{ duration: '10081m' }, 'duration', `"10081m": ${duration}`],
    [{ duration: '30s' }, 'duration', `"30s": ${duration}`],
    [{ duration: 4 }, 'duration', `4: ${duration}`],
    [{ timeZone: 'Mars/Base' }, 'timeZone', `"Mars/Base": ${zone}`],
    [{ timeZone: '+01:00' }, 'timeZone', `"+01:00": ${zone}`],
    [{ timeZone: '' }, 'timeZone', `"": ${zone}`],
    [{ timeZone: undefined }, 'timeZone', `null: ${zone}`],
  ])('%j is refused', (wrong, field, message) => {
    const window = { start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin', ...wrong };

    expect(compileSpec({ changeWindows: [window] }).problem).toEqual({
      field: `spec.changeWindows[0].${field}`,
      message,
    });
  });

  it('at most 16 are allowed', () => {
    const window = { start: '* 00:00', duration: '1h', timeZone: 'UTC' };

    expect(compileSpec({ changeWindows: Array.from({ length: 16 }, () => window) }).problem).toBeUndefined();
    expect(compileSpec({ changeWindows: Array.from({ length: 17 }, () => window) }).problem).toEqual({
      field: 'spec.changeWindows',
      message: 'has 17 items: at most 16 are allowed',
    });
  });

  it.each([
    // A Monday in winter and in summer.
    ['2026-11-23T20:59:59Z', 'Mon 22:00', '4h', '2026-11-23T21:00:00.000Z'],
    ['2026-11-23T21:00:00Z', 'Mon 22:00', '4h', 'open'],
    ['2026-11-24T00:59:59Z', 'Mon 22:00', '4h', 'open'],
    ['2026-11-24T01:00:00Z', 'Mon 22:00', '4h', '2026-11-30T21:00:00.000Z'],
    ['2026-07-06T19:00:00Z', 'Mon 22:00', '4h', '2026-07-06T20:00:00.000Z'],
    ['2026-11-23T12:00:00Z', '* 22:00', '4h', '2026-11-23T21:00:00.000Z'],
    ['2026-11-23T12:00:00Z', 'Mon 14:00', '168h', 'open'],
    // 02:00 becomes 03:00: a start that is left out is the moment of the change, and the duration is elapsed time.
    ['2026-03-29T00:30:00Z', 'Sun 02:30', '1h', '2026-03-29T01:00:00.000Z'],
    ['2026-03-29T01:59:59Z', 'Sun 02:30', '1h', 'open'],
    ['2026-03-29T02:00:00Z', 'Sun 02:30', '1h', '2026-04-05T00:30:00.000Z'],
    ['2026-03-29T00:30:00Z', 'Sun 01:30', '90m', 'open'],
    ['2026-03-29T02:00:00Z', 'Sun 01:30', '1h30m', '2026-04-04T23:30:00.000Z'],
    // 03:00 becomes 02:00: of a start that comes twice the first counts.
    ['2026-10-25T00:00:00Z', 'Sun 02:30', '30m', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T00:59:59Z', 'Sun 02:30', '30m', 'open'],
    ['2026-10-25T01:30:00Z', 'Sun 02:30', '30m', '2026-11-01T01:30:00.000Z'],
  ])('at %s the window %s for %s: %s', (time, startOf, length, expected) => {
    expect(at(time, startOf, length)).toBe(expected);
  });

  it('a day that a zone leaves out has no window', () => {
    // Samoa crossed the date line: there was no Friday 30 December 2011.
    expect(at('2011-12-29T12:00:00Z', 'Fri 08:00', '1h', 'Pacific/Apia')).toBe('2012-01-05T18:00:00.000Z');
  });

  it('of several windows the next counts, and one that is open', () => {
    const utc = { duration: '1h', timeZone: 'UTC' };
    const windows = windowsOf({ start: 'Wed 10:00', ...utc }, { start: 'Tue 10:00', ...utc });
    const found = (time: string): object => windowsAt(windows, Date.parse(time));

    expect(found('2026-11-23T00:00:00Z')).toEqual({
      kind: 'closed',
      at: Date.parse('2026-11-24T10:00:00Z'),
      text: 'Tue 10:00 UTC',
    });
    expect(found('2026-11-25T10:30:00Z')).toEqual({ kind: 'open', until: Date.parse('2026-11-25T11:00:00Z') });
  });
});

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
];
const DAYS = ['*', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY = 24 * 60 * MINUTE;
/** Days before and after the one that is read. */
const BEFORE = 4;
const AFTER = 2;

/** What a clock shows minute by minute: `Sun 2026-03-29 03:00`. */
type Readings = readonly { readonly minute: number; readonly shown: string }[];

function readingsAround(day: number, timeZone: string): Readings {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const first = day - BEFORE * DAY;
  const minutes = Array.from({ length: ((BEFORE + AFTER) * DAY) / MINUTE }, (_, index) => first + index * MINUTE);
  return minutes.map((minute) => ({ minute, shown: clock.format(minute) }));
}

/** A literal reading: of each day the first minute at which the clock shows the start or later. */
function openingsIn(readings: Readings, start: string): readonly number[] {
  const [weekday = '*', time = ''] = start.split(' ');
  const opened = new Set<string>();
  const found: number[] = [];
  for (const { minute, shown } of readings) {
    const [date, clock] = [shown.slice(0, -7), shown.slice(-5)];
    if ((weekday !== '*' && !date.startsWith(weekday)) || opened.has(date) || clock < time) continue;
    opened.add(date);
    found.push(minute);
  }
  return found;
}

/** The days of a year on which a zone changes its clocks. */
function changesOf(timeZone: string, year: number): readonly number[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const days = Array.from({ length: 366 }, (_, index) => Date.UTC(year, 0, 1) + index * DAY);
  return days.filter((day) => clock.format(day) !== clock.format(day + DAY));
}

describe('a literal reading of the clock', () => {
  it('windows open when it says, around the changes of clocks of many zones', () => {
    const places = ZONES.flatMap((zone) =>
      [2011, 2026].flatMap((year) => changesOf(zone, year).map((day) => ({ zone, day }))),
    );
    expect(places.length).toBeGreaterThan(20);
    const known = new Map<object, Readings>();
    const property = fc.property(
      fc.constantFrom(...places),
      fc.constantFrom(...DAYS),
      fc.integer({ min: 0, max: 24 * 60 - 1 }),
      fc.integer({ min: 1, max: 2 * 24 * 60 }),
      fc.integer({ min: -24 * 60, max: 24 * 60 }),
      // oxlint-disable-next-line max-params -- one for each arbitrary
      (place, weekday, minutes, length, offset) => {
        const readings = known.get(place) ?? readingsAround(place.day, place.zone);
        known.set(place, readings);
        const clock = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
        const start = `${weekday} ${clock}`;
        const now = place.day + offset * MINUTE;
        // The first day is not read from its beginning.
        const opened = openingsIn(readings, start).filter((one) => one > place.day - (BEFORE - 1) * DAY);
        const isOpen = opened.some((one) => one <= now && now < one + length * MINUTE);
        const found = windowsAt(windowsOf({ start, duration: `${length}m`, timeZone: place.zone }), now);
        expect(found.kind).toBe(isOpen ? 'open' : 'closed');
        const next = opened.find((one) => one > now);
        if (found.kind === 'closed' && next !== undefined) expect(found.at).toBe(next);
        if (found.kind === 'closed' && next === undefined)
          expect(found.at).toBeGreaterThanOrEqual(place.day + AFTER * DAY);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});
