import { describe, expect, it } from '@jest/globals';
import { clockText, momentText, sinceText } from '../../../src/console/web/time.js';

const TIME = '2026-11-20T09:00:00Z';

describe('times as people say them', () => {
  it('a time of a day ago or more has its date, and one of today has none', () => {
    const now = Date.parse(TIME);
    expect(momentText(TIME, now + 86_399_000)).toBe(clockText(TIME));
    expect(momentText(TIME, now + 86_400_000)).toBe(`20 Nov 2026, ${clockText(TIME)}`);
    expect(momentText('', now)).toBe('');
  });

  it.each([
    ['', ''],
    ['1970-01-01T00:00:00Z', ''],
    ['2026-11-20T08:59:15Z', '45 s'],
    ['2025-11-21T09:00:00Z', '364 d'],
    ['2024-11-20T09:00:00Z', '2 y'],
  ])('the span since %j is %j', (time, span) => {
    expect(sinceText(time, Date.parse(TIME))).toBe(span);
  });
});
