import { describe, expect, it } from '@jest/globals';
import { Topology } from '../../../../src/domain/placement/select/choice/topology.js';
import { decision, member, snapshot } from '../../../support/builders/placement.js';
import { scheduled } from '../../../support/builders/scheduled.js';

/**
 * The rows of KubeFleet's tables for its topology spread constraints (willViolate and evaluateAllConstraints), with what is decided
 * here. Differences, on purpose: a cluster is judged by the count of its own domain and not by the largest of all, so that the
 * emptiest domain can always be filled; a cluster without the key does not come in with DoNotSchedule; whenUnsatisfiable is
 * ScheduleAnyway where it is left out.
 */
type Row = readonly [
  name: string,
  counts: readonly number[],
  picked: number,
  maxSkew: number,
  theirs: boolean,
  ours: boolean,
];

const ROWS: readonly Row[] = [
  ['one count only, no violation', [2, 2, 2], 0, 1, false, false],
  ['one smallest count, pick smallest count, no violation', [1, 2, 2], 0, 1, false, false],
  ['one smallest count, pick smallest count, violated', [1, 4, 4], 0, 1, true, false],
  ['multiple smallest counts, pick smallest count, no violation', [1, 1, 2], 1, 1, false, false],
  ['multiple smallest counts, pick smallest count, violated', [1, 1, 3], 0, 1, true, false],
  ['separate special counts, pick second smallest, no violation', [1, 2, 3], 1, 2, false, false],
  ['separate special counts, pick second smallest, violated', [1, 2, 3], 1, 1, true, true],
  [
    'separate special counts, pick one between second smallest and largest, no violation',
    [1, 2, 5, 3],
    3,
    5,
    false,
    false,
  ],
  ['separate special counts, pick one between second smallest and largest, violated', [1, 2, 5, 3], 3, 3, true, false],
  ['separate special counts, pick largest, no violation', [1, 2, 5], 2, 5, false, false],
  ['separate special counts, pick largest, violated', [1, 2, 5], 2, 2, true, true],
];

function blocks(counts: readonly number[], picked: number, maxSkew: number): boolean {
  const constraint = { source: 'label', key: 'zone', maxSkew, minDomains: undefined, isStrict: true } as const;
  const topology = new Topology(constraint, () => true);
  const domains = counts.map((count, index) => {
    const domain = topology.domainOf(member('x', { labels: { zone: String(index) } }).cluster);
    if (domain !== undefined) topology.offer(domain, 0);
    for (let one = 0; one < count && domain !== undefined; one++) topology.change(domain, 1);
    return domain;
  });
  return topology.blocks(domains[picked]);
}

const constraint = (topologyKey: string, maxSkew: number): object => ({
  topologyKey,
  topologyKeyType: 'Label',
  maxSkew,
  whenUnsatisfiable: 'DoNotSchedule',
});

describe('topology spread as in the tables of KubeFleet', () => {
  it.each(ROWS)('topology spread as in the tables of KubeFleet: %s', (_name, counts, picked, maxSkew, theirs, ours) => {
    expect(blocks(counts, picked, maxSkew)).toBe(ours);
    // Where the two differ, the cluster does not come to the fullest domain.
    if (theirs !== ours) expect(counts[picked]).toBeLessThan(Math.max(...counts));
  });

  it.each<
    [string, Record<string, Record<string, string>>, readonly string[], readonly [number, number], readonly string[]]
  >([
    [
      '2 doNotSchedule constraints, 4 clusters, 4 violations: none comes in',
      {
        c1: { a: '1', b: '2' },
        c2: { a: '2', b: '2' },
        c3: { a: '2', b: '2' },
        c4: { a: '2', b: '1' },
        c5: { a: '2', b: '2' },
      },
      ['c2', 'c3', 'c4'],
      [2, 1],
      [],
    ],
    [
      '2 doNotSchedule constraints, 4 clusters, 4 scores: here not those without a key',
      { c1: { a: '1', b: '3' }, c2: { a: '2', b: '2' }, c3: { a: '3' }, c4: {} },
      ['c3'],
      [2, 1],
      ['c1', 'c2'],
    ],
    [
      '2 doNotSchedule constraints, 4 clusters, 2 violations, 2 scores: here not the one without a key',
      { c1: { a: '1', b: '3' }, c2: { a: '2', b: '2' }, c3: { a: '3' }, c4: { b: '1' }, c5: { a: '1', b: '2' } },
      ['c1', 'c4'],
      [1, 1],
      ['c2'],
    ],
  ])('topology spread as in the tables of KubeFleet: %s', (_name, labels, before, [first, second], added) => {
    const fleet = Object.entries(labels).map(([name, of]) => member(name, { labels: of }));
    const spreadPolicy = { spreadConstraints: [constraint('a', first), constraint('b', second)] };
    const spec = { numberOfClusters: 9, spreadPolicy };

    expect([...scheduled(snapshot({ spec, fleet, stored: [decision(1, before)] })).added].sort()).toEqual(added);
  });
});
