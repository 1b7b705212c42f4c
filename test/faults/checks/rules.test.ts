import { describe, expect, it } from '@jest/globals';

import { isOpen, isReleased, limitOf, wantedBy } from './rules.js';

const NOON = Date.parse('2026-11-22T12:00:00Z');

describe('the documented rules', () => {
  it.each([
    [{}, Infinity],
    [{ numberOfClusters: 4 }, 4],
    [{ predicates: [{ numberOfClusters: 1 }, { numberOfClusters: 2 }] }, 3],
    [{ numberOfClusters: 2, predicates: [{ numberOfClusters: 1 }, { numberOfClusters: 2 }] }, 2],
    [{ predicates: [{ requiredClusterSelector: {} }] }, Infinity],
  ])('%j wants %d clusters', (spec, wanted) => {
    expect(wantedBy(spec)).toBe(wanted);
  });

  it.each([
    [undefined, Infinity],
    [0, 0],
    ['10%', 1],
    ['25%', 2],
  ])('of 8 clusters, maxRemovals %s lets %d leave', (maxRemovals, limit) => {
    expect(limitOf({ disruptionBudget: { maxRemovals } }, 'maxRemovals', 8)).toBe(limit);
  });

  it.each([
    ['2026-11-22T12:00:01Z/a,b', true],
    ['2026-11-22T12:00:01Z/*', true],
    ['2026-11-22T12:00:00Z/*', false],
    ['2026-11-22T12:00:01Z/b', false],
    [undefined, false],
  ])('annotation %s releases cluster a at noon: %s', (annotation, released) => {
    expect(isReleased(annotation, 'a', NOON)).toBe(released);
  });

  it.each([
    [undefined, true],
    [{ start: 'Sun 13:00', duration: '1m', timeZone: 'Europe/Berlin' }, true],
    [{ start: 'Sun 11:00', duration: '1h', timeZone: 'UTC' }, false],
    [{ start: '* 23:30', duration: '12h31m', timeZone: 'UTC' }, true],
    [{ start: 'Mon 00:00', duration: '150h', timeZone: 'UTC' }, false],
    [{ start: 'Sat 12:00', duration: '25h', timeZone: 'UTC' }, true],
  ])('window %j is open on Sunday at noon: %s', (window, open) => {
    expect(isOpen(window === undefined ? {} : { changeWindows: [window] }, NOON)).toBe(open);
  });
});
