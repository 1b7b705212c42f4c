import { describe, expect, it } from '@jest/globals';
import { compileSpec } from '../../../src/domain/placement/spec/predicates.js';
import { matches } from '../../../src/domain/placement/select/rules.js';
import { readDecision } from '../../../src/domain/placement/stored/decision.js';
import type { StoredDecision } from '../../../src/domain/placement/stored/decision.js';
import { schedule, selectedClusters } from '../../../src/domain/placement/select/schedule.js';
import type { Schedule } from '../../../src/domain/placement/select/schedule.js';
import { sliceChanges, publishedAfter } from '../../../src/domain/placement/publish/slices.js';
import type { SliceChanges } from '../../../src/domain/placement/publish/slices.js';
import { placementReport } from '../../../src/domain/placement/report/status.js';
import {
  binding,
  cluster,
  clusterSet,
  decision,
  member,
  members,
  names,
  prefixes,
  snapshot,
  UID,
  UNREADABLE,
} from '../../support/builders/placement.js';
import type { World } from '../../support/builders/placement.js';

function decide(world: Partial<World>): { decided: Schedule; changes: SliceChanges } {
  const seen = snapshot(world);
  const decided = schedule(seen);
  return { decided, changes: sliceChanges(seen, decided) };
}

function chosen(world: Partial<World>): readonly string[] {
  return [...selectedClusters(decide(world).decided)].sort();
}

describe('regressions of an earlier scheduler for the same task', () => {
  it('a negative number of clusters is a misconfiguration, not a crash', () => {
    const { decided, changes } = decide({
      spec: { numberOfClusters: -3 },
      fleet: members('a'),
      stored: [decision(1, ['a'])],
    });

    expect(decided.problem).toEqual({
      field: 'spec.numberOfClusters',
      message: '-3 is not a whole number from 0 to 2147483647',
    });
    expect(changes.writes).toEqual([]);
  });

  it('a refused write of a decision is not listed in the status', () => {
    const seen = snapshot({ fleet: members(...names(150)) });
    const decided = schedule(seen);
    const changes = sliceChanges(seen, decided);
    const report = placementReport(seen, decided, {
      changes,
      done: 1,
      failure: { name: 'web-decision-2', message: 'refused' },
    });

    expect(report).toMatchObject({
      phase: 'PartiallySatisfied',
      numberOfSelectedClusters: 100,
      decisions: [{ name: 'web-decision-1' }],
    });
    expect(report.states.map((one) => `${one.type}=${one.status} ${one.reason}`)).toEqual([
      'PlacementSatisfied=False NotAllDecisionsScheduled',
      'PlacementMisconfigured=False Succeedconfigured',
      'Ready=False PublishFailed',
      'Reconciling=True PublishFailed',
    ]);
  });

  it('a change of a cluster that is no candidate of a Placement does not change its decision', () => {
    const spec = {
      numberOfClusters: 3,
      predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { on: 'yes' } } } }],
    };
    const on = { labels: { on: 'yes' } };
    const fleet = names(60).map((name) => member(name, on));
    for (let index = 0; index < 200; index++) {
      const world = { name: `web-${index}`, spec, fleet };
      const before = chosen(world);
      const [gone] = names(1, index % 60);
      const flipped = fleet.map((one) => (one.cluster.name === gone ? member(one.cluster.name) : one));
      const after = chosen({ ...world, fleet: flipped, stored: [decision(1, before)] });

      expect(after.filter((name) => before.includes(name))).toEqual(before.filter((name) => name !== gone));
    }
  });

  it.each(['Google Cloud', 'https://example.com/a?b=c', 'x'.repeat(1024), '', 'ÄÖÜ'])(
    'a claim value need not be a label value: %s',
    (value) => {
      const rules = compileSpec({
        predicates: [
          {
            requiredClusterSelector: {
              claimSelector: { matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] },
            },
          },
        ],
      });

      expect(rules.problem).toBeUndefined();
      expect(matches(rules, cluster('a', { claims: { k: value } }))).toBe(true);
      expect(matches(rules, cluster('a', { claims: { k: `${value} ` } }))).toBe(false);
    },
  );

  it('a misconfiguration does not empty the decision', () => {
    const stored = [decision(1, ['a', 'b'])];
    const spec = {
      predicates: [
        { requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } } },
      ],
    };

    expect(decide({ spec, stored, fleet: members('a', 'b') }).changes.writes).toEqual([]);
  });

  it('decisions are not deleted by label alone', () => {
    const label = { 'cluster.fleetmgmt.io/placement': 'web' };
    const other = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y', controller: true }];
    const status = { decisions: [{ clusterName: 'a', reason: '' }] };
    const owner = { namespace: 'team', name: 'web', uid: UID };
    const stored = ['web-decision-2', 'web-decision-old', 'copy'].flatMap((name): StoredDecision[] => [
      readDecision({ metadata: { name, labels: label, ownerReferences: other }, status }, owner),
      readDecision({ metadata: { name: `${name}-orphan`, labels: label }, status }, owner),
    ]);

    expect(decide({ fleet: members('a'), stored }).changes.writes.map((one) => [one.kind, one.name])).toEqual([
      ['create', 'web-decision-1'],
    ]);
  });

  it('a decision object is not visible before it is filled', () => {
    const { changes } = decide({ fleet: members(...names(250)) });

    expect(changes.writes.map((one) => [one.kind, one.clusters.length])).toEqual([
      ['create', 100],
      ['create', 100],
      ['create', 50],
    ]);
  });

  it('one bad cluster set does not stop a Placement', () => {
    const world = {
      bindings: [binding('good'), binding('bad')],
      sets: [clusterSet('good'), clusterSet('bad', { selector: UNREADABLE })],
      fleet: [member('a', {}, ['good']), member('b', {}, ['bad'])],
    };

    expect(chosen(world)).toEqual(['a']);
    expect(chosen({ ...world, stored: [decision(1, ['b'])] })).toEqual(['a', 'b']);
  });

  it('slices are not divided again: no cluster is missing for a moment because another one is dropped', () => {
    const fleet = members(...names(250));
    const first = publishedAfter(decide({ fleet }).changes).map((one) => decision(one.ordinal, one.clusters));
    const [gone] = first[0]?.clusters ?? [];
    const { changes } = decide({ fleet: fleet.filter((one) => one.cluster.name !== gone), stored: first });

    expect(changes.writes.map((one) => [one.kind, one.name])).toEqual([['update', 'web-decision-1']]);
    for (const state of prefixes(first, changes.writes))
      expect(new Set(state.flatMap((one) => one.clusters)).size).toBeGreaterThanOrEqual(249);
  });

  it('the alphabetically first clusters are not always picked', () => {
    const fleet = members(...names(50));
    const picked = new Set(
      Array.from(
        { length: 100 },
        (_, index) => chosen({ name: `web-${index}`, spec: { numberOfClusters: 1 }, fleet })[0],
      ),
    );

    expect(picked.size).toBeGreaterThan(30);
  });

  it('the name of a binding alone binds no set', () => {
    const sets = [clusterSet('fleet'), clusterSet('open')];

    expect(
      chosen({
        sets,
        bindings: [binding('fleet', { clusterSet: 'open' })],
        fleet: [member('a'), member('b', {}, ['open'])],
      }),
    ).toEqual([]);
  });

  it('an error that only a user can correct is Stalled, and needs no write once it is reported', () => {
    const seen = snapshot({ spec: { numberOfClusters: -1 }, stored: [decision(1, [])] });
    const decided = schedule(seen);
    const changes = sliceChanges(seen, decided);

    expect(changes.writes).toEqual([]);
    expect(
      placementReport(seen, decided, { changes, done: 0 }).states.find((one) => one.type === 'Stalled')?.reason,
    ).toBe('Misconfigured');
  });
});
