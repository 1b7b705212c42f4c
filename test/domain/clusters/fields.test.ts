import { describe, expect, it } from '@jest/globals';
import { CLUSTER_FIELDS, fieldsOf, SELECTION_FIELDS } from '../../../src/domain/clusters/fields.js';
import { clusterView, sameView, type ClusterView } from '../../../src/domain/placement/spec/cluster.js';
import { clusterCacheOptions } from '../../../src/operator/controllers/clusters/caches.js';

const taint = { key: 'a', effect: 'NoSelect' as const, timeAdded: '2026-01-01T00:00:00Z' };
const FULL = {
  metadata: { name: 'a', uid: '1', labels: { env: 'prod' }, annotations: { owner: 'x' }, generation: 7 },
  spec: { hubAcceptsClient: true, taints: [taint], managedClusterClientConfigs: [] },
  status: {
    clusterClaims: [{ name: 'region', value: 'eu' }],
    version: { kubernetes: 'v1.34.0' },
    nodes: { total: 3, ready: 2 },
  },
};
const VIEW = clusterView(FULL, 'all');
/** Another value of each of the values that selection reads. */
const OTHERS: { readonly [Field in keyof ClusterView]-?: ClusterView[Field] } = {
  name: 'b',
  deleting: true,
  labels: {},
  annotations: {},
  claims: {},
  taints: [],
};

describe('the list of the fields that decisions read', () => {
  it('a field of a cluster that is not in the list can neither be read by a rule nor reach the index', () => {
    const { spec, status } = fieldsOf(FULL);

    // @ts-expect-error the list does not have this field of spec
    expect(spec?.managedClusterClientConfigs).toBeDefined();
    // @ts-expect-error the list does not have this field of status
    expect(status?.hubVersion).toBeUndefined();
    // @ts-expect-error the list does not have this field of metadata
    expect(fieldsOf(FULL).metadata.generation).toBe(7);
    // @ts-expect-error the list does not have this value of a cluster
    expect(VIEW.version).toBeUndefined();
  });

  it('the cache keeps the fields of the list and no others', () => {
    const kept = clusterCacheOptions.clusters.transform?.(FULL);

    expect(kept?.spec).toEqual({ hubAcceptsClient: true, taints: [taint] });
    expect(Object.keys(kept?.metadata ?? {}).sort()).toEqual(['annotations', 'labels', 'name', 'uid']);
    expect(clusterView(kept as never, 'all')).toEqual(VIEW);
    expect(CLUSTER_FIELDS.spec).toContain('leaseDurationSeconds');
  });

  it.each(SELECTION_FIELDS)('another value of %s is another view', (field) => {
    expect(sameView(VIEW, { ...VIEW })).toBe(true);
    expect(sameView(VIEW, { ...VIEW, [field]: OTHERS[field] })).toBe(false);
  });
});
