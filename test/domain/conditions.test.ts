import { describe, expect, it } from '@jest/globals';
import { timestamp, type Condition } from '../../src/runtime/vocabulary/meta.js';
import { MESSAGE_LIMIT } from '../../src/api/names.js';
import { clip, mergeConditions, type ConditionState } from '../../src/domain/conditions.js';

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

describe('mergeConditions', () => {
  it('mergeConditions keeps both times when nothing changed', () => {
    expect(mergeConditions([stored], [ready], NOW)).toEqual([stored]);
  });

  it('mergeConditions sets both times of a new condition', () => {
    expect(mergeConditions([], [ready], NOW)).toEqual([{ ...ready, lastTransitionTime: NOW, lastUpdateTime: NOW }]);
  });

  it.each([
    { field: 'reason', state: { ...ready, reason: 'Other' } },
    { field: 'message', state: { ...ready, message: 'other' } },
    { field: 'observedGeneration', state: { ...ready, observedGeneration: 4 } },
  ])('mergeConditions sets the update time alone when $field changes', ({ state }) => {
    expect(mergeConditions([stored], [state], NOW)).toEqual([
      { ...state, lastTransitionTime: THEN, lastUpdateTime: NOW },
    ]);
  });

  it('mergeConditions sets both times when the status changes', () => {
    const down: ConditionState = { ...ready, status: 'False' };

    expect(mergeConditions([stored], [down], NOW)).toEqual([{ ...down, lastTransitionTime: NOW, lastUpdateTime: NOW }]);
  });

  it('mergeConditions sets a time that is no text, as an API server takes it from anybody who may write a status', () => {
    const broken = { ...stored, lastTransitionTime: [THEN], lastUpdateTime: [THEN] } as unknown as Condition;

    expect(mergeConditions([broken], [ready], NOW)).toEqual([
      { ...ready, lastTransitionTime: NOW, lastUpdateTime: NOW },
    ]);
  });

  it('mergeConditions drops a stored condition without a state, and keeps the order of the states', () => {
    const other: ConditionState = { ...ready, type: 'Available' };

    const merged = mergeConditions([{ ...stored, type: 'Stalled' }, stored], [other, ready], NOW);

    expect(merged.map((one) => one.type)).toEqual(['Available', 'Ready']);
  });

  it('mergeConditions finds a message unchanged that was cut before', () => {
    const long: ConditionState = { ...ready, message: 'x'.repeat(5000) };
    const first = mergeConditions([], [long], THEN);

    expect(first[0]?.message).toHaveLength(MESSAGE_LIMIT);
    expect(mergeConditions(first, [long], NOW)).toEqual(first);
  });

  it('mergeConditions does not change its arguments', () => {
    const conditions = Object.freeze([Object.freeze({ ...stored })]);
    const states = Object.freeze([Object.freeze({ ...ready, status: 'False' as const })]);

    expect(() => mergeConditions(conditions, states, NOW)).not.toThrow();
  });
});

describe('clip', () => {
  it.each([0, 1, MESSAGE_LIMIT - 1, MESSAGE_LIMIT])('clip leaves a text of %i characters', (length) => {
    expect(clip('x'.repeat(length))).toBe('x'.repeat(length));
  });

  it('clip cuts a longer text to the limit, with an ellipsis', () => {
    expect(clip('x'.repeat(MESSAGE_LIMIT + 1))).toBe(`${'x'.repeat(MESSAGE_LIMIT - 1)}…`);
  });

  it('clip does not cut a surrogate pair in two', () => {
    const clipped = clip(`${'x'.repeat(MESSAGE_LIMIT - 2)}😀😀`);

    expect(clipped).toBe(`${'x'.repeat(MESSAGE_LIMIT - 2)}…`);
  });
});

describe('timestamp', () => {
  it('timestamp returns whole seconds in UTC', () => {
    expect(timestamp(Date.UTC(2026, 1, 3, 4, 5, 6, 789))).toBe('2026-02-03T04:05:06Z');
  });
});
