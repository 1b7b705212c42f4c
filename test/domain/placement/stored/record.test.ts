import { describe, expect, it } from '@jest/globals';
import { nextRecord, readRecord, recordEnd, usedIn } from '../../../../src/domain/placement/stored/record.js';

const hour = 3600;
const minute = 60;

function at(time: string): number {
  return Date.parse(`2026-11-22T${time}Z`);
}

/** What counts at `now` of these records. */
function used(now: string, ...texts: readonly string[]): number | undefined {
  return usedIn(texts.map(readRecord), hour, at(now));
}

describe('the record of removals', () => {
  it.each([
    ['', 'no JSON'],
    ['[]', 'a list'],
    ['null', 'null'],
    ['3', 'a number'],
    ['{"2026-11-22T10:01:00Z":0}', 'no cluster'],
    ['{"2026-11-22T10:01:00Z":-1}', 'a negative number'],
    ['{"2026-11-22T10:01:00Z":1.5}', 'half a cluster'],
    ['{"2026-11-22T10:01:00Z":"3"}', 'a string'],
    ['{"2026-11-22T10:01:00+00:00":3}', 'a time in another form'],
    ['{"2026-11-31T10:01:00Z":3}', 'a day that does not exist'],
    ['{"yesterday":3}', 'no time'],
    ['{"2026-11-22T10:01:00Z":3,"x":1}', 'one readable and one unreadable entry'],
  ])('a record %s is unreadable: %s', (text) => {
    expect(readRecord(text)).toEqual({ kind: 'unreadable' });
    expect(used('12:00:00', text)).toBeUndefined();
    expect(recordEnd(readRecord(text), hour)).toBe('never');
  });

  it('a record that is absent or empty counts nothing', () => {
    expect(readRecord(undefined)).toBeUndefined();
    expect(usedIn([undefined, readRecord('{}')], hour, at('10:00:00'))).toBe(0);
    expect(recordEnd(undefined, hour)).toBeUndefined();
  });

  it('an entry counts until it is one window old, and an entry from the future counts', () => {
    const text = '{"2026-11-22T10:01:00Z":3,"2026-11-22T10:30:00Z":2}';

    expect(used('09:00:00', text)).toBe(5);
    expect(used('11:00:59', text)).toBe(5);
    expect(used('11:01:00', text)).toBe(2);
    expect(used('11:30:00', text)).toBe(0);
    expect(recordEnd(readRecord(text), hour)).toBe(at('11:30:00'));
  });

  it('the records of several objects are added up', () => {
    expect(used('10:05:00', '{"2026-11-22T10:01:00Z":3}', '{"2026-11-22T10:02:00Z":4}')).toBe(7);
  });

  it.each([
    ['the first removal, rounded up to a step', undefined, 3, '10:00:30', '{"2026-11-22T10:01:00Z":3}'],
    ['a removal at a step', undefined, 1, '10:01:00', '{"2026-11-22T10:01:00Z":1}'],
    ['a removal within the same step', '{"2026-11-22T10:01:00Z":3}', 2, '10:00:59', '{"2026-11-22T10:01:00Z":5}'],
    [
      'a removal in the next step',
      '{"2026-11-22T10:01:00Z":3}',
      1,
      '10:01:01',
      '{"2026-11-22T10:01:00Z":3,"2026-11-22T10:02:00Z":1}',
    ],
    ['a write that removes nothing', '{"2026-11-22T10:01:00Z":3}', 0, '10:30:00', '{"2026-11-22T10:01:00Z":3}'],
    ['a write after an entry has run out', '{"2026-11-22T10:01:00Z":3}', 1, '11:01:00', '{"2026-11-22T11:01:00Z":1}'],
    ['a write after all entries have run out', '{"2026-11-22T10:01:00Z":3}', 0, '11:01:00', undefined],
    ['a write of an object without removals', undefined, 0, '10:00:00', undefined],
    ['a write of an object with an unreadable record', 'x', 2, '10:00:00', 'x'],
    [
      'an entry from the future',
      '{"2026-11-22T12:00:00Z":3}',
      1,
      '10:00:00',
      '{"2026-11-22T10:00:00Z":1,"2026-11-22T12:00:00Z":3}',
    ],
    ['an entry of a shorter window', '{"2026-11-22T10:00:07Z":3}', 1, '10:00:10', '{"2026-11-22T10:01:00Z":4}'],
  ])('the next record after %s', (_what, before, removed, now, after) => {
    expect(nextRecord(before, removed, { windowSeconds: hour, now: at(now) })).toBe(after);
  });

  it('a removal within a second is rounded up, so that it counts for a whole window', () => {
    const now = at('10:00:00') + 1;

    expect(nextRecord(undefined, 1, { windowSeconds: minute, now })).toBe('{"2026-11-22T10:00:01Z":1}');
  });

  it.each([60, 61, 3_599, 3_600, 100_000, 604_800])(
    'a record of a window of %i s has at most 61 entries',
    (seconds) => {
      let record: string | undefined;
      let now = at('10:00:00');
      let most = 0;
      for (let step = 0; step < 200; step++) {
        now += (seconds * 1_000) / 97;
        record = nextRecord(record, 1, { windowSeconds: seconds, now });
        most = Math.max(most, Object.keys(JSON.parse(record ?? '{}') as object).length);
      }
      expect(most).toBeLessThanOrEqual(61);
      expect(usedIn([readRecord(record)], seconds, now)).toBeGreaterThanOrEqual(97);
    },
  );

  it('a clock that was set back does not make the record longer, and no removal is lost', () => {
    let record: string | undefined;
    for (let day = 30; day > 0; day--) {
      for (let n = 0; n < 5; n++) {
        const now = at('10:00:00') + day * 86_400_000 + n * 60_000;
        record = nextRecord(record, 1, { windowSeconds: hour, now });
      }
    }
    const entries = Object.values(JSON.parse(record ?? '{}') as Record<string, number>);

    expect(entries.length).toBeLessThanOrEqual(61);
    expect(entries.reduce((sum, one) => sum + one, 0)).toBe(150);
  });
});
