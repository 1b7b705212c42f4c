import { describe, expect, it } from '@jest/globals';
import { troubleOf } from '../../../src/console/server/fleet/fleet.js';
import { fleetMap, planColoring, scoreShades, versionColoring } from '../../../src/console/server/fleet/fleetmap.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import { exampleWorld } from '../../support/builders/examplefleet.js';
import { readingOf } from '../../support/builders/hubinput.js';
import { predicate, rawCluster } from '../../support/builders/world.js';

const CLUSTER = {
  name: 'a',
  sets: [],
  labels: {},
  claims: {},
  taints: [],
  placements: 0,
  health: 'available',
} as const;
const UNSERVED = { resource: 'managedclustersets', verb: 'list', status: 404 } as const;
const REQUEST = { query: '', group: 'set', color: 'health' };

function snapshot(): Snapshot {
  return new Snapshot(readingOf(exampleWorld()));
}

describe('the map', () => {
  it('by one Placement has the selected clusters of each group first, then those that match or nearly do', () => {
    const map = fleetMap(snapshot(), { ...REQUEST, color: 'placement:shop/web' });
    expect(map?.legend).toEqual([
      { key: 'selected', count: 3 },
      { key: 'held', count: 0 },
      { key: 'waiting', count: 0 },
      { key: 'matches', count: 2 },
      { key: 'near', count: 4 },
      { key: 'out', count: 0 },
      { key: 'notBound', count: 0 },
      { key: 'unknown', count: 0 },
    ]);
    expect(map?.groups.map(({ value, count, counts }) => [value, count, counts[0]])).toEqual([
      ['production', 5, 2],
      ['edge', 4, 1],
    ]);
    expect(map?.names.slice(0, 2).sort()).toEqual(['prod-eu-2', 'prod-us-1']);
    expect(map?.marks).toBe('003340444');
    expect(map?.colors).toEqual(['health', 'version', 'placement:shop/web']);
  });

  it('says that sets are not known where they could not be read', () => {
    const world = exampleWorld(undefined, { managedclustersets: [] }, [UNSERVED]);
    expect(fleetMap(new Snapshot(readingOf(world)), REQUEST)).toHaveProperty('setsUnread');
    expect(fleetMap(snapshot(), REQUEST)).not.toHaveProperty('setsUnread');
  });

  it('by one Placement has what waits apart from what is held, and says what is not known', () => {
    const countsIn = (world: World): unknown =>
      Object.fromEntries(
        fleetMap(new Snapshot(readingOf(world)), { ...REQUEST, color: 'placement:shop/web' })
          ?.legend.filter(({ count }) => count > 0)
          .map(({ key, count }) => [key, count]) ?? [],
      );
    const gold = { numberOfClusters: 3, predicates: [predicate({ tier: 'gold' })] };
    expect(countsIn(exampleWorld({ ...gold, paused: true }))).toMatchObject({ waiting: 4 });
    expect(countsIn(exampleWorld({ ...gold, disruptionBudget: { maxRemovals: 0 } }))).toMatchObject({ held: 2 });
    expect(countsIn(exampleWorld(undefined, { managedclustersets: [] }, [UNSERVED]))).toEqual({
      selected: 3,
      unknown: 6,
    });
  });

  it('by numbers has its groups in their order, the largest or not', () => {
    const cpus = ['16', '2', '4', '4', '4', '96', '8', '120'];
    const managedclusters = cpus.map((cpu, index) => rawCluster(`c${index}`, { claims: { cpu } }));
    const map = fleetMap(new Snapshot(readingOf(worldOf({ managedclusters }))), { ...REQUEST, group: 'claim:cpu' });
    expect(map?.groups.map(({ value }) => value)).toEqual(['2', '4', '8', '16', '96', '120']);
  });

  it('by a Placement that does not exist is none', () => {
    expect(fleetMap(snapshot(), { ...REQUEST, color: 'placement:shop/none' })).toBeUndefined();
  });

  it('by a plan marks what leaves and comes in, also of names that are properties of objects', () => {
    const { keys, keyOf } = planColoring({ a: 'leaves' });
    expect(keys).toContain(keyOf(CLUSTER));
    expect([keyOf(CLUSTER), keyOf({ ...CLUSTER, name: 'constructor' })]).toEqual(['leaves', 'same']);
  });

  it('by version has the newest first, and one shade for all that are old', () => {
    const versions = ['v1.9.0', 'v1.30.1', 'v1.31.0', undefined, 'v1.32.0', 'v1.33.0', 'v1.29.0'];
    const { keys, keyOf } = versionColoring(versions);
    expect(keys).toEqual(['v1.33.0', 'v1.32.0', 'v1.31.0', 'v1.30.1', 'older', 'none']);
    expect(keyOf({ ...CLUSTER, version: 'v1.9.0' })).toBe('older');
    expect(keyOf(CLUSTER)).toBe('none');
  });

  it('by score has shades of equal width, the highest first', () => {
    const { keys, keyOf } = scoreShades(
      new Map([
        ['a', 10_000],
        ['b', 0],
        ['c', 3_900],
      ]),
    );
    expect(keys).toEqual(['4: 80–100', '3: 60–80', '2: 40–60', '1: 20–40', '0: 0–20', 'none']);
    expect(['a', 'b', 'c', 'd'].map((name) => keyOf({ ...CLUSTER, name }))).toEqual([
      '4: 80–100',
      '0: 0–20',
      '1: 20–40',
      'none',
    ]);
    expect(scoreShades(new Map()).keys).toEqual(['none']);
  });
});

describe('what somebody has to look at', () => {
  const summary = { namespace: 'shop', message: '', reason: '', held: false };

  it('is the worst first, by some names, and a Placement that holds clusters is held', () => {
    const clusters = Array.from({ length: 8 }, (_, index) => ({
      name: `c${index}`,
      health: index === 0 ? 'unavailable' : 'silent',
    })) as { name: string; health: 'unavailable' | 'silent' }[];
    const placements = [
      { ...summary, name: 'well', phase: 'Satisfied' },
      { ...summary, name: 'short', phase: 'PartiallySatisfied' },
      { ...summary, name: 'held', phase: 'Satisfied', held: true },
    ];
    expect(troubleOf(clusters, placements)).toEqual([
      { kind: 'health', word: 'unavailable', count: 1, some: ['c0'] },
      { kind: 'health', word: 'silent', count: 7, some: ['c1', 'c2', 'c3', 'c4', 'c5'] },
      { kind: 'phase', word: 'PartiallySatisfied', count: 1, some: ['shop/short'] },
      { kind: 'phase', word: 'Held', count: 1, some: ['shop/held'] },
    ]);
  });

  it('is nothing where all is well, or as somebody wants it', () => {
    expect(troubleOf([], [], { draining: ['b'], cordoned: [] })).toEqual([
      { kind: 'maintenance', word: 'draining', count: 1, some: ['b'] },
    ]);
    expect(troubleOf([{ name: 'a', health: 'noAgent' }], [{ ...summary, name: 'web', phase: 'Satisfied' }])).toEqual(
      [],
    );
  });
});
