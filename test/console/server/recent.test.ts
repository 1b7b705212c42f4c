import { expect, it } from '@jest/globals';
import { Recent } from '../../../src/console/server/recent.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import { consoleWorld } from '../../support/rigs/console/worlds.js';

it('of more values than are kept, those go that were not used for longest', () => {
  const recent = new Recent<number>(2);
  let made = 0;
  const use = (key: string): number => recent.use(key, () => ++made);
  expect([use('a'), use('b'), use('a'), use('c'), use('a')]).toEqual([1, 2, 1, 3, 1]);
  expect([recent.get('b'), recent.get('c')]).toEqual([undefined, 3]);
});

it('whoever asks about one Placement after the other makes a reading hold eight explanations at most', () => {
  const world = consoleWorld(30);
  const [first] = world.objects.placements;
  const placements = Array.from({ length: 9 }, (_, index) => ({
    ...first,
    metadata: { name: `app-${index}`, namespace: 'shop', uid: `app-${index}` },
  }));
  const all = { ...world, objects: { ...world.objects, placements } };
  const snapshot = new Snapshot({ world: all, refused: [], namespace: undefined });
  const report = (index: number): unknown => snapshot.report('shop', `app-${index}`);
  const zeroth = report(0);
  for (let index = 1; index < 8; index++) report(index);
  expect(report(0)).toBe(zeroth);
  for (let index = 1; index < 9; index++) report(index);
  expect(report(0)).not.toBe(zeroth);
  expect(snapshot.report('shop', 'none')).toBeUndefined();
});
