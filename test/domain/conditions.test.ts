import { describe, expect, it } from '@jest/globals';
import type { Condition } from '../../src/api/meta.js';
import { MESSAGE_LIMIT } from '../../src/api/names.js';
import { clip, mergeConditions, timestamp } from '../../src/domain/conditions.js';
import type { ConditionState } from '../../src/domain/conditions.js';

const THEN = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T01:00:00Z';

const ready: ConditionState = {
  type: 'Ready',
  status: 'True',
  reason: 'Up',
  message: 'all is well',
  observedGeneration: 3,
};
const stored: Condition = { ...ready, lastTransitionTime: THEN, lastUpdateTime: THEN };

describe('settleConditions', () => {
  it('keeps both times when nothing moved', () => {
    expect(mergeConditions([stored], [ready], NOW)).toEqual([stored]);
  });

  it('sets both times of a new condition', () => {
    expect(mergeConditions([], [ready], NOW)).toEqual([{ ...ready, lastTransitionTime: NOW, lastUpdateTime: NOW }]);
  });

  it.each([
    { field: 'reason', state: { ...ready, reason: 'Other' } },
    { field: 'message', state: { ...ready, message: 'other' } },
    { field: 'observedGeneration', state: { ...ready, observedGeneration: 4 } },
  ])('moves the update time alone when $field moves', ({ state }) => {
    expect(mergeConditions([stored], [state], NOW)).toEqual([
      { ...state, lastTransitionTime: THEN, lastUpdateTime: NOW },
    ]);
  });

  it('moves both times when status moves', () => {
    const down: ConditionState = { ...ready, status: 'False' };

    expect(mergeConditions([stored], [down], NOW)).toEqual([{ ...down, lastTransitionTime: NOW, lastUpdateTime: NOW }]);
  });

  it('drops a stored condition that nobody states, and keeps the order of the states', () => {
    const other: ConditionState = { ...ready, type: 'Available' };

    const settled = mergeConditions([{ ...stored, type: 'Stalled' }, stored], [other, ready], NOW);

    expect(settled.map((one) => one.type)).toEqual(['Available', 'Ready']);
  });

  it('clips a message, and then finds it unmoved', () => {
    const long: ConditionState = { ...ready, message: 'x'.repeat(5000) };
    const first = mergeConditions([], [long], THEN);

    expect(first[0]?.message).toHaveLength(MESSAGE_LIMIT);
    expect(mergeConditions(first, [long], NOW)).toEqual(first);
  });

  it('changes neither list', () => {
    const conditions = Object.freeze([Object.freeze({ ...stored })]);
    const states = Object.freeze([Object.freeze({ ...ready, status: 'False' as const })]);

    expect(() => mergeConditions(conditions, states, NOW)).not.toThrow();
  });
});

describe('clip', () => {
  it.each([0, 1, MESSAGE_LIMIT - 1, MESSAGE_LIMIT])('leaves a text of %i characters', (length) => {
    expect(clip('x'.repeat(length))).toBe('x'.repeat(length));
  });

  it('cuts a longer one to the limit, with an ellipsis', () => {
    expect(clip('x'.repeat(MESSAGE_LIMIT + 1))).toBe(`${'x'.repeat(MESSAGE_LIMIT - 1)}…`);
  });

  it('does not cut a surrogate pair in two', () => {
    const clipped = clip(`${'x'.repeat(MESSAGE_LIMIT - 2)}😀😀`);

    expect(clipped).toBe(`${'x'.repeat(MESSAGE_LIMIT - 2)}…`);
  });
});

describe('timestamp', () => {
  it('gives whole seconds, in UTC', () => {
    expect(timestamp(Date.UTC(2026, 1, 3, 4, 5, 6, 789))).toBe('2026-02-03T04:05:06Z');
  });
});
