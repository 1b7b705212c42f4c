import { describe, expect, it } from '@jest/globals';
import { clockText, momentText } from '../../../src/console/web/time.js';

const TIME = '2026-11-20T09:00:00Z';

describe('times as people say them', () => {
  it('a time of a day ago or more has its date, and one of today has none', () => {
    const now = Date.parse(TIME);
    expect(momentText(TIME, now + 86_399_000)).toBe(clockText(TIME));
    expect(momentText(TIME, now + 86_400_000)).toBe(`20 Nov 2026, ${clockText(TIME)}`);
    expect(momentText('', now)).toBe('');
  });
});
