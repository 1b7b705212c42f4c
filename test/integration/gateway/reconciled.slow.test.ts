import { expect, test } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Controller } from '../../support/scenario/run/controller.js';
import { deploy } from '../../support/scenario/run/deployed.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { startGateway } from './process.js';

const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';
const NAMESPACE = 'gateway-shop';

describeWithServer('a placement that was created over HTTPS', { own: true }, (server) => {
  test('a placement that was created over HTTPS is reconciled like a placement that was created with kubectl', async () => {
    await deploy(server(), 'strict');
    const put = async (path: string, body: unknown): Promise<void> => {
      const { status, text } = await server().call({ method: 'POST', path, body });
      if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    };
    await put('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await put(`${FLEET}/managedclustersets`, {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedClusterSet',
      metadata: { name: 'gateway-set' },
    });
    await put(`${FLEET}/managedclusters`, {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedCluster',
      metadata: { name: 'gold-1', labels: { tier: 'gold', 'cluster.fleetmgmt.io/clusterset': 'gateway-set' } },
    });
    await put(`${FLEET}/namespaces/${NAMESPACE}/managedclustersetbindings`, {
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedClusterSetBinding',
      metadata: { name: 'gateway-set' },
      spec: { clusterSet: 'gateway-set' },
    });
    const gateway = await startGateway(server());
    const controller = await Controller.start({ server: server(), url: server().url, identity: 'gateway-reader' });
    try {
      const token = await server().tokenFor({ user: 'admin' });
      const path = `/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/${NAMESPACE}/placements`;
      const body =
        'metadata:\n  name: web\nspec:\n  predicates:\n  - requiredClusterSelector:\n      labelSelector: {matchLabels: {tier: gold}}\n';
      expect(
        (await gateway.ask({ method: 'POST', path, token, headers: { 'content-type': 'placement/yaml' }, body }))
          .status,
      ).toBe(200);

      const decided = await waitFor(
        'the decision',
        async (seen) => {
          const { body: text } = await gateway.ask({ path: `${path}/web`, token });
          seen(text);
          const { status } = JSON.parse(text);
          return status.phase === 'Satisfied' ? status : undefined;
        },
        { deadlineMs: 60_000 },
      );

      expect(decided).toMatchObject({ numberOfSelectedClusters: 1, decisions: [{ name: 'web-decision-1' }] });
      const { body: decision } = await server().call({
        path: `${FLEET}/namespaces/${NAMESPACE}/placementdecisions/web-decision-1`,
      });
      expect(decision.status).toMatchObject({ decisions: [{ clusterName: 'gold-1' }] });
    } finally {
      await controller.stop();
      await gateway.stop();
    }
  }, 300_000);
});
