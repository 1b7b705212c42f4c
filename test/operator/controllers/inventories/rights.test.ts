import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { inventoryRights } from '../../../../src/operator/controllers/inventories/rights.js';
import { guardClient } from '../../../../src/runtime/client/guard.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../../support/fakes/api.js';
import { RecordingLog } from '../../../support/fakes/log.js';

const MARK = { 'cluster.fleetmgmt.io/source': 'clusterprofiles.multicluster.x-k8s.io/fleet/a' };

function apply(object: KubeObject & { readonly spec?: unknown }): Promise<unknown> {
  const leadership = { held: () => true, identity: 'test' };
  const log = new RecordingLog();
  const client = guardClient(new FakeApi(new ManualClock()), inventoryRights, { leadership, log });
  return client.apply<KubeObject>(ManagedClusters, object, { fieldManager: 'test', force: false });
}

describe('what the controller of inventories may write', () => {
  it('a marked cluster with taints is applied', async () => {
    const taints = [{ key: 'a', effect: 'NoSelect' }];

    await expect(apply({ metadata: { name: 'a', annotations: MARK }, spec: { taints } })).resolves.toBeDefined();
  });

  it.each([
    ['without the mark of its source', { metadata: { name: 'a' }, spec: {} }, 'not marked'],
    ['without a spec', { metadata: { name: 'a', annotations: MARK } }, 'other fields'],
    [
      'with a field of agents',
      { metadata: { name: 'a', annotations: MARK }, spec: { hubAcceptsClient: true } },
      'other fields',
    ],
  ])('a cluster %s is refused before it is sent', async (_what, object, reason) => {
    await expect(apply(object)).rejects.toThrow(reason);
  });
});
