import { describe, expect, it } from '@jest/globals';
import { explain } from '../../../src/domain/placement/explain.js';
import type { Explanation } from '../../../src/domain/placement/explain.js';
import { schedule, selected } from '../../../src/domain/placement/schedule.js';
import {
  binding,
  clusterSet,
  decision,
  knownMembers,
  member,
  members,
  names,
  snapshot,
} from '../../support/builders/placement.js';
import type { World } from '../../support/builders/placement.js';

function explained(over: Partial<World>): Explanation {
  const seen = snapshot(over);
  return explain(seen, knownMembers(over.fleet ?? [], seen.sets));
}

const eu = { labels: { region: 'eu' } };
const spec = {
  numberOfClusters: 2,
  predicates: [
    { requiredClusterSelector: { labelSelector: { matchLabels: { region: 'eu' } } } },
    {
      requiredClusterSelector: {
        claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: ['aws'] }] },
      },
    },
  ],
};

describe('explain', () => {
  it('gives for every candidate the rule that let it in or left it out', () => {
    const fleet = [
      member('a', eu),
      member('b', eu),
      member('c', { ...eu, deleting: true }),
      member('d', { labels: { region: 'us' }, claims: { platform: 'gcp' } }),
      member('e', eu),
    ];
    const of = explained({ spec, fleet, stored: [decision(1, ['b', 'e'])] });

    expect(of.clusters.map((one) => [one.cluster, one.verdict.kind])).toEqual([
      ['a', 'NotNeeded'],
      ['b', 'Selected'],
      ['c', 'Deleting'],
      ['d', 'NotMatched'],
      ['e', 'Selected'],
    ]);
    expect(of.clusters[0]?.verdict).toEqual({ kind: 'NotNeeded', rank: 3 });
    expect(of.clusters[3]?.verdict).toMatchObject({
      failed: [
        {
          source: 'label',
          key: 'region',
          operator: 'In',
          values: ['eu'],
          found: 'us',
          path: 'spec.predicates[0].requiredClusterSelector.labelSelector.matchLabels[region]',
        },
        { source: 'claim', key: 'platform', operator: 'In', values: ['aws'], found: 'gcp' },
      ],
    });
  });

  it('ranks the selected first, then the others, as a growing number would take them', () => {
    const fleet = members(...names(12));
    const of = explained({ spec: { numberOfClusters: 5 }, fleet });
    const order = schedule(snapshot({ fleet })).added;

    const byRank = [...of.clusters].sort((a, b) => rankOf(a.verdict) - rankOf(b.verdict)).map((one) => one.cluster);
    expect(byRank).toEqual(order);
  });

  it('speaks of clusters of eligible sets alone, and names those sets', () => {
    const world = {
      bindings: [binding('a'), binding('b')],
      sets: [clusterSet('a'), clusterSet('b'), clusterSet('c')],
      fleet: [member('x', {}, ['b', 'c', 'a']), member('y', {}, ['c']), member('z', {}, [])],
    };

    expect(explained(world).clusters.map((one) => [one.cluster, one.sets])).toEqual([['x', ['a', 'b']]]);
    expect(explained({ ...world, spec: { ClusterSets: ['b'] } }).clusters.map((one) => one.sets)).toEqual([['b']]);
  });

  it('shows a cluster that is kept because a set cannot be read', () => {
    const world = {
      bindings: [binding('bad')],
      sets: [clusterSet('bad', { readable: false })],
      fleet: [member('x', {}, ['bad']), member('y', {}, ['bad'])],
      stored: [decision(1, ['x'])],
    };

    expect(explained(world).clusters).toEqual([{ cluster: 'x', sets: [], verdict: { kind: 'Selected', rank: 1 } }]);
  });

  it('names the field of a misconfigured Placement, and nobody', () => {
    const of = explained({ spec: { numberOfClusters: -1 }, fleet: members('a'), stored: [decision(1, ['a'])] });

    expect(of.problem?.field).toBe('spec.numberOfClusters');
    expect(of.clusters).toEqual([]);
  });

  it('agrees with the schedule', () => {
    const world = {
      spec,
      fleet: names(30).map((name, index) => member(name, index % 3 === 0 ? {} : eu)),
      stored: [decision(1, ['c004', 'c003'])],
    };
    const chosen = explained(world)
      .clusters.filter((one) => one.verdict.kind === 'Selected')
      .map((one) => one.cluster);

    expect(chosen).toEqual([...selected(schedule(snapshot(world)))].sort());
  });
});

function rankOf(verdict: Explanation['clusters'][number]['verdict']): number {
  return verdict.kind === 'Selected' || verdict.kind === 'NotNeeded' ? verdict.rank : 0;
}
