import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { worldOf, type World } from '../../../../src/answers/world/world.js';
import { explain } from '../../../../src/domain/placement/explain/explain.js';
import { summarize, summaryText } from '../../../../src/domain/placement/explain/causes.js';
import type { Explanation } from '../../../../src/domain/placement/explain/verdict.js';
import { expectExplainsSchedule } from '../../../support/builders/explained.js';
import {
  explainInput,
  predicate,
  rawBinding,
  rawCluster,
  rawDecision,
  rawPlacement,
  rawSet,
  someWorld,
} from '../../../support/builders/world.js';
import { runs } from '../../../support/runs.js';

const gold = { predicates: [predicate({ tier: 'gold' })] };
const inGold = { set: 'edge', labels: { tier: 'gold' } };

function world(spec: unknown, over: Partial<World['objects']> = {}, withheld: World['withheld'] = []): World {
  const fixed = {
    placements: [rawPlacement(spec)],
    managedclustersets: [rawSet('edge')],
    managedclustersetbindings: [rawBinding('edge')],
  };
  return worldOf({ ...fixed, ...over }, withheld);
}

function explained(...of: Parameters<typeof world>): Explanation {
  return explain(explainInput(world(...of)));
}

function verdicts({ clusters }: Explanation): Readonly<Record<string, string>> {
  return Object.fromEntries(clusters.map((one) => [one.name, one.verdict]));
}

describe('explain', () => {
  it('explain says NotNeeded while clusters that wait have all places, and SpreadBlocked while one is free', () => {
    const region = (name: string, of: string, tier = 'gold'): ReturnType<typeof rawCluster> =>
      rawCluster(name, { set: 'edge', labels: { region: of, tier } });
    const managedclusters = [
      region('a', 'ap'),
      region('e', 'eu', 'silver'),
      region('u', 'us'),
      region('v', 'us'),
      region('w', 'us'),
    ];
    const spreadConstraints = [
      { topologyKey: 'region', topologyKeyType: 'Label', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1 },
    ];
    const verdictsOf = (numberOfClusters: number): unknown => {
      const changeWindows = [{ start: 'Mon 22:00', duration: '1h', timeZone: 'UTC' }];
      const placement = rawPlacement({ ...gold, numberOfClusters, spreadPolicy: { spreadConstraints }, changeWindows });
      const placements = [{ ...placement, status: { observedGeneration: 1 } }];
      const placementdecisions = [rawDecision(1, ['a', 'e', 'u', 'v'])];
      const hub = world({}, { placements, managedclusters, placementdecisions });
      return verdicts(explain(explainInput({ ...hub, at: Date.parse('2026-11-22T10:00:00Z') })));
    };
    const stays = { a: 'Selected', e: 'Held', u: 'Selected', v: 'Selected' };

    expect(verdictsOf(4)).toEqual({ ...stays, w: 'NotNeeded' });
    expect(verdictsOf(5)).toEqual({ ...stays, w: 'SpreadBlocked' });
  });

  it('explain gives each cluster of the eligible sets and of the decision a verdict, and no other cluster', () => {
    const managedclusters = [
      rawCluster('chosen', inGold),
      rawCluster('deleting', { ...inGold, deleting: true }),
      rawCluster('elsewhere', { set: 'staging', labels: { tier: 'gold' } }),
      rawCluster('left', { set: 'staging', labels: { tier: 'gold' } }),
      rawCluster('silver', { set: 'edge', labels: { tier: 'silver' } }),
      rawCluster('spare', inGold),
    ];
    const placementdecisions = [rawDecision(1, ['chosen', 'left', 'gone'])];

    expect(verdicts(explained({ ...gold, numberOfClusters: 1 }, { managedclusters, placementdecisions }))).toEqual({
      chosen: 'Selected',
      deleting: 'Deleting',
      gone: 'Gone',
      left: 'NotMember',
      silver: 'NotMatched',
      spare: 'NotNeeded',
    });
  });

  it('explain gives every unmet requirement of every predicate with the value found, and the best predicate', () => {
    const spec = {
      predicates: [
        predicate({ region: 'eu', tier: 'gold' }),
        predicate({}, [{ key: 'tier', operator: 'NotIn', values: ['silver'] }]),
        predicate({}, [], [{ key: 'platform', operator: 'In', values: ['aws', 'gcp'] }]),
      ],
    };
    const managedclusters = [
      rawCluster('a', { set: 'edge', labels: { tier: 'silver' }, claims: { platform: 'metal' } }),
    ];
    const [one] = explained(spec, { managedclusters }).clusters;

    expect(
      one?.unmet.map((list) => list.map(({ source, requirement, found }) => [source, requirement.key, found])),
    ).toEqual([
      [
        ['label', 'region', undefined],
        ['label', 'tier', 'silver'],
      ],
      [['label', 'tier', 'silver']],
      [['claim', 'platform', 'metal']],
    ]);
    expect(one?.best).toBe(1);
  });

  it('explain names every rule that a cluster fails, in the order of the rules', () => {
    const managedclusters = [rawCluster('a', { set: 'staging', deleting: true })];
    const [one] = explained(gold, { managedclusters, placementdecisions: [rawDecision(1, ['a'])] }).clusters;

    expect(one?.causes).toEqual(['Deleting', 'NotMember', 'NotMatched']);
    expect(one?.rank).toBeUndefined();
  });

  it('explain orders clusters that match no predicate by the unmet requirements of their best one', () => {
    const spec = { predicates: [predicate({ region: 'eu', tier: 'gold', zone: 'a' })] };
    const managedclusters = [
      rawCluster('far', { set: 'edge' }),
      rawCluster('near', { set: 'edge', labels: { region: 'eu', tier: 'gold' } }),
      rawCluster('midway', { set: 'edge', labels: { region: 'eu' } }),
    ];

    expect(explained(spec, { managedclusters }).nearest.map((one) => one.name)).toEqual(['near', 'midway', 'far']);
  });

  it('explain of an invalid spec lists only the clusters of the decision', () => {
    const managedclusters = [rawCluster('a', inGold), rawCluster('b', inGold)];

    expect(
      verdicts(
        explained({ numberOfClusters: -1 }, { managedclusters, placementdecisions: [rawDecision(1, ['a', 'gone'])] }),
      ),
    ).toEqual({ a: 'Selected', gone: 'Gone' });
  });

  it.each(['managedclusters', 'managedclustersets', 'managedclustersetbindings'] as const)(
    'explain knows the names of the decision alone when %s cannot be read',
    (resource) => {
      const over = { managedclusters: [rawCluster('b', inGold)], placementdecisions: [rawDecision(1, ['a'])] };
      const seen = explained(gold, { ...over, [resource]: [] }, [{ resource, verb: 'list', status: 403 }]);

      expect(verdicts(seen)).toEqual({ a: 'Unknown' });
      expect(seen.decision).toBeUndefined();
    },
  );

  it('explain without the decisions is certain only of clusters that fail a rule, or where all that match are selected', () => {
    const managedclusters = [rawCluster('a', inGold), rawCluster('b', inGold), rawCluster('c', { set: 'edge' })];
    const withheld: World['withheld'] = [{ resource: 'placementdecisions', verb: 'list', status: 403 }];
    const few = explained({ ...gold, numberOfClusters: 1 }, { managedclusters }, withheld);

    expect(verdicts(few)).toEqual({ a: 'Unknown', b: 'Unknown', c: 'NotMatched' });
    expect(few.clusters.map((one) => one.rank)).toEqual([undefined, undefined, undefined]);
    expect(verdicts(explained(gold, { managedclusters }, withheld))).toEqual({
      a: 'Selected',
      b: 'Selected',
      c: 'NotMatched',
    });
    expect(verdicts(explained({ ...gold, numberOfClusters: 0 }, { managedclusters }, withheld))).toEqual({
      a: 'NotNeeded',
      b: 'NotNeeded',
      c: 'NotMatched',
    });
  });

  it('explain says of any world what schedule does, and its ranks are the order in which clusters are added', () => {
    fc.assert(fc.property(someWorld, expectExplainsSchedule), { numRuns: runs(300) });
  });
});

describe('the line', () => {
  it('the line counts each cluster under one cause, the largest count first', () => {
    const spec = {
      numberOfClusters: 1,
      predicates: [predicate({ tier: 'gold' }), predicate({ region: 'eu', tier: 'gold' })],
    };
    const managedclusters = [
      ...['a', 'b', 'c'].map((name) => rawCluster(name, inGold)),
      ...['d', 'e', 'f'].map((name) => rawCluster(name, { set: 'edge' })),
      rawCluster('g', { set: 'edge', deleting: true }),
    ];

    expect(summaryText(summarize(explained(spec, { managedclusters })))).toBe(
      "1/7 clusters are selected: 3 didn't match label tier=gold, 2 weren't needed (1 wanted), 1 is being deleted.",
    );
  });

  it.each([
    { of: 'no cluster', spec: {}, clusters: [], line: '0/0 clusters are selected.' },
    { of: 'clusters that are all selected', spec: {}, clusters: ['a', 'b'], line: '2/2 clusters are selected.' },
    {
      of: 'one that is not needed',
      spec: { numberOfClusters: 1 },
      clusters: ['a', 'b'],
      line: "1/2 clusters are selected: 1 wasn't needed (1 wanted).",
    },
  ])('the line for $of is $line', ({ spec, clusters, line }) => {
    const managedclusters = clusters.map((name) => rawCluster(name, inGold));

    expect(summaryText(summarize(explained(spec, { managedclusters })))).toBe(line);
  });

  it('the line names at most eight causes, and counts the others', () => {
    const tiers = Array.from({ length: 10 }, (_, index) => `t${index}`);
    const spec = { predicates: tiers.map((tier) => predicate({ tier, [`only-${tier}`]: 'yes' })) };
    const managedclusters = tiers.map((tier) => rawCluster(tier, { set: 'edge', labels: { tier } }));
    const line = summaryText(summarize(explained(spec, { managedclusters })));

    expect(line).toContain("1 didn't match label only-t7=yes, 2 for other reasons.");
    expect(line).not.toContain('only-t8');
  });
});
