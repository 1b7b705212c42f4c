import { describe, expect, it } from '@jest/globals';
import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import {
  fieldsToApply,
  wantedCluster,
  originOf,
  withoutNewTaint,
} from '../../../src/domain/inventories/managedcluster.js';
import type { Availability, SourcedCluster } from '../../../src/domain/inventories/source.js';

const SINCE = '2026-11-22T10:00:00Z';
const SOURCE = 'clusterprofiles.multicluster.x-k8s.io/fleet/edge-1';
const DOWN: Availability = { status: 'False', reason: 'Down', message: 'no answer', since: SINCE };
const CLUSTER: SourcedCluster = {
  name: 'edge-1',
  source: SOURCE,
  labels: { region: 'eu' },
  taints: [{ key: 'gpu', effect: 'NoSelect' }],
  claims: [{ name: 'zone', value: 'a' }],
  availability: DOWN,
};

/** The cluster as the API server stores it after both applies. */
function stored(cluster: SourcedCluster, over: Partial<ManagedCluster> = {}): ManagedCluster {
  const { object, status } = wantedCluster(cluster);
  return { ...object, status, ...over };
}

describe('the ManagedCluster of a cluster of an inventory', () => {
  it('a ManagedCluster of an inventory has the mark, labels, taints, claims and the condition of its source', () => {
    const { object, status } = wantedCluster(CLUSTER);

    expect(object).toEqual({
      metadata: {
        name: 'edge-1',
        labels: { region: 'eu' },
        annotations: {
          'cluster.fleetmgmt.io/source': SOURCE,
          'cluster.fleetmgmt.io/source-revision': expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      },
      spec: {
        taints: [
          { key: 'gpu', effect: 'NoSelect' },
          { key: 'cluster.fleetmgmt.io/unavailable', effect: 'NoSelect', timeAdded: SINCE },
        ],
      },
    });
    expect(status).toEqual({
      clusterClaims: [{ name: 'zone', value: 'a' }],
      conditions: [
        {
          type: 'ManagedClusterConditionAvailable',
          status: 'False',
          reason: 'Down',
          message: 'no answer',
          lastTransitionTime: SINCE,
        },
      ],
    });
  });

  it.each([
    ['True', SINCE, []],
    ['Unknown', SINCE, [{ key: 'cluster.fleetmgmt.io/unreachable', effect: 'NoSelect', timeAdded: SINCE }]],
    ['Unknown', undefined, [{ key: 'cluster.fleetmgmt.io/unreachable', effect: 'NoSelectIfNew' }]],
  ] as const)(
    'a ManagedCluster of an inventory with availability %s since %s has the taints %j',
    (status, since, taints) => {
      const availability = { ...DOWN, status, since };
      expect(wantedCluster({ ...CLUSTER, taints: [], availability }).object.spec.taints ?? []).toEqual(taints);
    },
  );

  it('a ManagedCluster of an inventory has no fields of which its source says nothing, so that others can own them', () => {
    const bare = { ...CLUSTER, labels: {}, taints: [], claims: [], availability: undefined };
    expect(Object.keys(wantedCluster(bare).object.metadata)).toEqual(['name', 'annotations']);
    expect(wantedCluster(bare).object.spec).toEqual({});
    expect(wantedCluster(bare).status).toEqual({});
  });
});

describe('what of a ManagedCluster has to be applied', () => {
  const nothing = { object: undefined, status: undefined };
  const wanted = wantedCluster(CLUSTER);

  it('the fields to apply are all of a new ManagedCluster', () => {
    expect(fieldsToApply(wanted, undefined)).toEqual({ object: wanted.object, status: wanted.status });
  });

  it('the fields to apply are none of a ManagedCluster that is as wanted, with what others have added', () => {
    const own = stored(CLUSTER);
    const object: ManagedCluster = {
      metadata: { ...own.metadata, labels: { ...own.metadata.labels, 'cluster.fleetmgmt.io/clusterset': 'prod' } },
      spec: { ...own.spec, taints: [{ key: 'cordoned', effect: 'NoSelect' }, ...(own.spec.taints ?? [])] },
      status: {
        ...own.status,
        taintTimes: [],
        conditions: [{ type: 'Other', status: 'True' }, ...(own.status?.conditions ?? [])],
      },
    };
    expect(fieldsToApply(wanted, object)).toEqual(nothing);
  });

  it('the fields to apply are all when the source has lost something: only an apply takes it away', () => {
    const before = stored({ ...CLUSTER, labels: { region: 'eu', old: 'x' } });
    expect(fieldsToApply(wanted, before)).toEqual({ object: wanted.object, status: wanted.status });
  });

  it('the fields to apply are the object after a change of labels or taints, and the status where a claim is missing', () => {
    const own = stored(CLUSTER);
    const relabelled = { ...own, metadata: { ...own.metadata, labels: { region: 'us' } } };
    const untainted = { ...own, spec: {} };
    const withoutClaims = { ...own, status: { conditions: own.status?.conditions ?? [] } };

    expect(fieldsToApply(wanted, relabelled)).toEqual({ object: wanted.object, status: undefined });
    expect(fieldsToApply(wanted, untainted)).toEqual({ object: wanted.object, status: undefined });
    expect(fieldsToApply(wanted, withoutClaims)).toEqual({ object: undefined, status: wanted.status });
  });
});

describe('the fields while new taints are held', () => {
  const fields = wantedCluster(CLUSTER);
  const stored = (...taints: readonly string[]): ManagedCluster => ({
    metadata: { name: 'edge-1' },
    spec: { taints: taints.map((key) => ({ key, effect: 'NoSelect' })) },
  });

  it('while new taints are held, a cluster without one gets all fields but the taint of the availability', () => {
    const held = withoutNewTaint(fields, stored('gpu'));
    expect(held?.object.spec).toEqual({ taints: [{ key: 'gpu', effect: 'NoSelect' }] });
    expect(held?.status).toEqual(fields.status);
  });

  it.each(['cluster.fleetmgmt.io/unavailable', 'cluster.fleetmgmt.io/unreachable'])(
    'while new taints are held, the fields are unchanged for a cluster that has the taint %s already',
    (key) => {
      expect(withoutNewTaint(fields, stored(key))).toBeUndefined();
    },
  );

  it('while new taints are held, the fields are unchanged for an available cluster', () => {
    const available = wantedCluster({ ...CLUSTER, availability: { ...DOWN, status: 'True' } });
    expect(withoutNewTaint(available, stored())).toBeUndefined();
  });
});

describe('whom a ManagedCluster belongs to', () => {
  it.each([
    [{ 'cluster.fleetmgmt.io/source': SOURCE }, {}, { kind: 'sourced', source: SOURCE }],
    [{}, {}, { kind: 'own' }],
    [{ 'cluster.fleetmgmt.io/source': SOURCE }, { hubAcceptsClient: true }, { kind: 'own' }],
    [{ 'cluster.fleetmgmt.io/source': SOURCE }, { hubAcceptsClient: false }, { kind: 'own' }],
  ])('with annotations %j and spec %j it is %j', (annotations, spec, origin) => {
    expect(originOf({ metadata: { name: 'edge-1', annotations }, spec })).toEqual(origin);
  });
});
