import { describe, expect, it } from '@jest/globals';
import { TAINTS } from '../../src/api/names.js';
import { worldOf } from '../../src/answers/world/world.js';
import { explain } from '../../src/domain/placement/explain/explain.js';
import { selectedClusters } from '../../src/domain/placement/select/decision.js';
import { schedule } from '../../src/domain/placement/select/schedule.js';
import { causeText } from '../../src/domain/placement/explain/causes.js';
import { taint } from '../support/builders/taints.js';
import { explainInput, rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';

/*
 * A Placement tolerates `unreachable`, so that its clusters stay while they are cut off. With that, clusters that have never
 * joined were selected for it, while healthy ones were not needed. Right: healthy clusters come first, whatever is tolerated,
 * and a cluster that has never joined comes in by no toleration: nothing runs there.
 */

const HEALTHY = ['h1', 'h2', 'h3'];
const SILENT = ['s1', 's2', 's3'];
const NEW = ['n1', 'n2', 'n3'];

const CLUSTERS = [
  ...HEALTHY.map((name) => rawCluster(name, { set: 'prod' })),
  ...SILENT.map((name) => rawCluster(name, { set: 'prod', taints: [taint(TAINTS.unreachable)] })),
  ...NEW.map((name) =>
    rawCluster(name, { set: 'prod', taints: [taint(TAINTS.unreachable, { effect: 'NoSelectIfNew' })] }),
  ),
];

const TOLERATIONS = [
  { what: 'the key without an effect', toleration: { key: TAINTS.unreachable, operator: 'Exists' } },
  {
    what: 'the key with the effect of a cluster that never joined',
    toleration: { key: TAINTS.unreachable, operator: 'Exists', effect: 'NoSelectIfNew' },
  },
  { what: 'every key', toleration: { operator: 'Exists' } },
];

function input(
  toleration: object,
  numberOfClusters: number | undefined,
  decided: readonly string[],
): ReturnType<typeof explainInput> {
  const spec = { tolerations: [toleration], ...(numberOfClusters !== undefined && { numberOfClusters }) };
  return explainInput(
    worldOf({
      placements: [rawPlacement(spec)],
      placementdecisions: [rawDecision(1, decided)],
      managedclusters: CLUSTERS,
      managedclustersets: [rawSet('prod')],
      managedclustersetbindings: [rawBinding('prod')],
    }),
  );
}

describe.each(TOLERATIONS)('a Placement that tolerates $what', ({ toleration }) => {
  it('selects healthy clusters first, and never one that has not joined', () => {
    const chosen = [1, 2, 3, 4, 9, undefined].map((wanted) =>
      [...selectedClusters(schedule(input(toleration, wanted, []).snapshot))].sort(),
    );
    const silent = 'effect' in toleration ? [] : SILENT;

    expect(
      chosen
        .slice(0, 3)
        .flat()
        .filter((name) => !HEALTHY.includes(name)),
    ).toEqual([]);
    expect(chosen[3]?.filter((name) => HEALTHY.includes(name))).toEqual(HEALTHY);
    expect(chosen.slice(4)).toEqual([
      [...HEALTHY, ...silent],
      [...HEALTHY, ...silent],
    ]);
  });

  it('keeps a cluster that it has selected, joined or not, until fewer are wanted', () => {
    const decided = 'effect' in toleration ? ['h1', 'n1'] : ['h1', 'n1', 's1'];

    expect([...selectedClusters(schedule(input(toleration, decided.length, decided).snapshot))].sort()).toEqual(
      decided,
    );
    expect(selectedClusters(schedule(input(toleration, 1, decided).snapshot))).toEqual(['h1']);
  });

  it('is told by explain why a cluster that has not joined is out', () => {
    const explained = explain(input(toleration, 9, []));
    const one = explained.clusters.find(({ name }) => name === 'n1');

    expect(one?.verdict).toBe('Tainted');
    expect(one && causeText(one, explained)).toBe(
      `taint ${TAINTS.unreachable}:NoSelectIfNew since 1970-01-01T00:00:00Z: the cluster has never joined, and no toleration lets it in`,
    );
  });
});

describe('a cluster with an agent that has never joined', () => {
  const accepted = { ...rawCluster('n1', { set: 'prod' }), spec: { hubAcceptsClient: true } };
  const world = {
    ...worldOf({
      placements: [rawPlacement({})],
      managedclusters: [rawCluster('h1', { set: 'prod' }), accepted],
      managedclustersets: [rawSet('prod')],
      managedclustersetbindings: [rawBinding('prod')],
    }),
  };

  it('is not selected in the moment before the hub has written its taint', () => {
    const explained = explain(explainInput(world));

    expect(selectedClusters(schedule(explainInput(world).snapshot))).toEqual(['h1']);
    expect(explained.clusters.find(({ name }) => name === 'n1')?.verdict).toBe('Tainted');
  });

  it('counts as joined in files, which have no status', () => {
    const files = { ...world, isOfManifests: true };

    expect([...selectedClusters(schedule(explainInput(files).snapshot))].sort()).toEqual(['h1', 'n1']);
  });
});
