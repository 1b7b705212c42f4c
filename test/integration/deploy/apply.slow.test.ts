import path from 'node:path';

import { expect, test } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { kubectl, kubectlOk, type KubectlResult } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../../support/repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { servedFolder } from '../../support/hub/overlays.js';
import { applyOverlay } from './overlay.js';

const OUTPUT = '-o=jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}';

/** Kind, name and resourceVersion of each object of the default overlay. */
async function versions(server: ControlPlane, overlay: 'default' | 'namespaced'): Promise<string> {
  const folder = await servedFolder(server, overlay);
  return kubectlOk(['get', '-k', folder, OUTPUT], { kubeconfig: server.adminKubeconfig });
}

/** Waits until a policy without exceptions denies a request: then the policies are in force. */
async function policiesInForce(server: ControlPlane): Promise<void> {
  await waitFor('the policies to be in force', async (seen) => {
    const body = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'multicluster-engine-placement-controller' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    };
    const { status, text } = await server.call({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?dryRun=All',
      body,
    });
    seen(text);
    return status === 422;
  });
}

/** Applies an overlay twice; the second time must change no object but those of the ignored kinds. */
async function applyTwice(server: ControlPlane, overlay: 'default' | 'namespaced', ignored: RegExp): Promise<void> {
  await applyOverlay(server, overlay);
  await waitFor(
    'the CRDs to be established',
    async () => (await server.call({ path: '/apis/cluster.fleetmgmt.io/v1alpha1/placements' })).status === 200,
  );
  const kept = async (): Promise<string[]> =>
    (await versions(server, overlay)).split('\n').filter((line) => !ignored.test(line));
  const before = await kept();

  await applyOverlay(server, overlay);

  expect(await kept()).toEqual(before);
}

describeWithServer('deploy/overlays/default on a fresh cluster', { own: true }, (server) => {
  test('deploy/overlays/default can be applied twice in a row, the second time without a change', async () => {
    await applyTwice(server(), 'default', /^(CustomResourceDefinition|FlowSchema|PriorityLevelConfiguration)\//);
  });

  test('deploy/overlays/default can be applied again while its policies are in force and no engine exists', async () => {
    await policiesInForce(server());

    await expect(applyOverlay(server(), 'default')).resolves.toContain(
      'clusterrolebinding.rbac.authorization.k8s.io/multicluster-engine-operator serverside-applied',
    );
  });

  test('deploy/overlays/default lets all other users bind roles while no engine exists', async () => {
    const body = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'team' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [],
    };

    const answer = await server().call({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
      body,
    });

    expect(answer.status).toBe(201);
  });

  test('a cluster with deploy/overlays/default accepts the examples', async () => {
    const kubeconfig = server().adminKubeconfig;
    const file = (name: string): string => path.join(root, 'examples', name);

    await kubectlOk(['apply', '-f', file('engine.yaml')], { kubeconfig });
    await kubectlOk(['apply', '-f', file('fleet.yaml')], { kubeconfig });
    await kubectlOk(['apply', '--server-side', '--subresource=status', '-f', file('status/claims.yaml')], {
      kubeconfig,
    });
    await kubectlOk(['apply', '-f', file('placement.yaml')], { kubeconfig });
    await kubectlOk(['create', 'namespace', 'argocd'], { kubeconfig });
    await kubectlOk(['create', 'configmap', 'argocd-cm', '--namespace=argocd'], { kubeconfig });
    await kubectlOk(['apply', '-f', file('argocd/decisions.yaml')], { kubeconfig });
    await kubectlOk(
      [
        'patch',
        'configmap',
        'argocd-cm',
        '--namespace=argocd',
        '--type=merge',
        `--patch-file=${file('argocd/health.yaml')}`,
      ],
      { kubeconfig },
    );

    const clusters = await kubectlOk(
      ['get', 'mcl', '-o=jsonpath={range .items[*]}{.status.clusterClaims[0].value}{"\\n"}{end}'],
      { kubeconfig },
    );
    expect(
      clusters
        .trim()
        .split('\n')
        .filter((claim) => claim !== ''),
    ).toHaveLength(12);
    expect((await kubectlOk(['get', 'mclset', '-o=name'], { kubeconfig })).trim().split('\n')).toHaveLength(3);

    const whole = (await kubectlOk(['apply', '-f', path.join(root, 'examples')], { kubeconfig })).trim().split('\n');
    expect(whole.filter((line) => !line.endsWith(' unchanged'))).toEqual([]);
    expect(whole.length).toBeGreaterThan(12);
  });

  test('kubectl warns where an edit of the engine takes ports of the API server, or NetworkPolicies, from the components', async () => {
    const patch = (networkPolicies: object | null, ...flags: readonly string[]): Promise<KubectlResult> => {
      const body = JSON.stringify({ spec: { networkPolicies } });
      const { adminKubeconfig: kubeconfig } = server();
      return kubectl(['patch', 'mce', 'engine', '--type=merge', `-p=${body}`, ...flags], { kubeconfig });
    };
    const warned = async (networkPolicies: object | null): Promise<string> => {
      const { stderr } = await patch(networkPolicies, '--dry-run=server');
      return stderr.trim().replaceAll(/^Warning: .*'multicluster-engine-engine-warnings': /gm, '');
    };
    const lost = (ports: string): string =>
      `MultiClusterEngine engine: spec.networkPolicies no longer allows port ${ports}: where the API server listens there, the components lose it, and decisions stay as they are until another edit; see kubectl get endpointslice kubernetes -n default`;

    expect(await warned({ apiServerPorts: [16_443] })).toBe(lost('443, 6443'));
    expect(await warned({ apiServerPorts: [16_443, 443] })).toBe(lost('6443'));
    expect(await warned({ apiServerPorts: [443, 6443, 16_443], enabled: true })).toBe('');
    expect((await warned({ apiServerPorts: [16_443], enabled: false })).split('\n').toSorted()).toEqual([
      'MultiClusterEngine engine: spec.networkPolicies removes the policies of the components: whatever reaches their pods may connect to them, and they to any address',
      'MultiClusterEngine engine: without effect is spec.networkPolicies.apiServerPorts: it needs policies, which enabled: false removes',
    ]);
    expect((await patch({ apiServerPorts: [443, 16_443] })).code).toBe(0);
    expect(await warned(null)).toBe(lost('16443'));
    expect(await warned({ apiServerPorts: [16_443, 443] })).toBe('');
    expect((await patch({ apiServerPorts: [] })).stderr).toContain(
      'spec.networkPolicies.apiServerPorts in body should',
    );
    expect((await patch({ apiServerPorts: [1, 1] })).stderr).toContain('Duplicate value: 1');
  });
});

describeWithServer('deploy/overlays/namespaced on a fresh cluster', { own: true }, (server) => {
  test('deploy/overlays/namespaced can be applied twice in a row, the second time without a change', async () => {
    await applyTwice(server(), 'namespaced', /^CustomResourceDefinition/);
  });
});
