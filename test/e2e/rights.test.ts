import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { ManagedClusterSpec, ManagedClusterStatus } from '../../src/api/generated/managedcluster.js';
import {
  AGENTS_NAMESPACE,
  DEFAULT_TARGET_NAMESPACE,
  OPERATOR_NAMESPACE,
  OPERATOR_SERVICE_ACCOUNT,
  TAINTS,
} from '../../src/api/names.js';
import type { ApiAnswer } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Hub } from '../support/hub/hub.js';
import type { Pod } from '../support/hub/pod.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;
const TENANT = 'tenant';
const APPLY = 'application/apply-patch+yaml';

function deploymentBody(namespace: string, name: string): object {
  const labels = { 'app.kubernetes.io/name': name };
  const securityContext = {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const spec = {
    serviceAccountName: name,
    containers: [{ name: 'main', image: 'multicluster-engine', securityContext }],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

describeWithServer('with the default overlay, on a hub with an engine', { own: true, ...HUB }, (server) => {
  let hub: Hub;
  let component: Pod;
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    hub = await Hub.open(server());
    await hub.kubectl('apply', '-f', 'examples/engine.yaml');
    await hub.available();
    component = await hub.placementController(TARGET);
    await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TENANT } });
    for (const namespace of [TENANT, TARGET, 'default', 'kube-system', OPERATOR_NAMESPACE]) {
      await hub.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'treasure', namespace },
        stringData: { a: 'b' },
      });
    }
    tokens.set(
      'operator',
      await server().tokenFor({ serviceAccount: { namespace: OPERATOR_NAMESPACE, name: OPERATOR_SERVICE_ACCOUNT } }),
    );
    tokens.set(
      'placement controller',
      await server().tokenFor({ serviceAccount: { namespace: TARGET, name: 'placement-controller' } }),
    );
  }, 6 * MINUTE);
  afterAll(() => hub.stop(), 3 * MINUTE);

  function create(who: string, namespace: string, name: string): Promise<ApiAnswer> {
    const token = tokens.get(who) ?? '';
    return server().call({
      token,
      method: 'POST',
      path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
      body: deploymentBody(namespace, name),
    });
  }

  function apply(who: string, namespace: string, name: string): Promise<ApiAnswer> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}?fieldManager=multicluster-engine&force=true&dryRun=All`;
    return server().call({
      token: tokens.get(who) ?? '',
      method: 'PATCH',
      path,
      body: deploymentBody(namespace, name),
      contentType: APPLY,
    });
  }

  function read(who: string, uri: string): Promise<ApiAnswer> {
    return server().call({ token: tokens.get(who) ?? '', path: uri });
  }

  async function namespaces(): Promise<string[]> {
    return ((await hub.get('/api/v1/namespaces'))?.items ?? []).map(({ metadata }) => metadata?.name ?? '');
  }

  it.each(['operator', 'placement controller'])(
    'the token of the %s creates no Deployment and reads no Secret in any other namespace',
    async (who) => {
      const others = (await namespaces()).filter((name) => name !== TARGET);
      expect(others).toEqual(expect.arrayContaining(['default', 'kube-system', OPERATOR_NAMESPACE, TENANT]));

      for (const namespace of others) {
        const answers = [
          await create(who, namespace, 'placement-controller'),
          await apply(who, namespace, 'placement-controller'),
          await apply(who, namespace, 'other'),
          await read(who, `/api/v1/namespaces/${namespace}/secrets/treasure`),
          await read(who, `/api/v1/namespaces/${namespace}/secrets`),
          await read(who, `/api/v1/namespaces/${namespace}/secrets?watch=true&timeoutSeconds=1`),
        ];
        expect([namespace, ...answers.map(({ status }) => status)]).toEqual([namespace, 403, 403, 403, 403, 403, 403]);
      }
      const everywhere = ['/api/v1/secrets', '/apis/apps/v1/deployments', '/api/v1/pods'];
      for (const uri of everywhere) expect([uri, (await read(who, uri)).status]).toEqual([uri, 403]);
      const homes = ((await hub.get('/apis/apps/v1/deployments'))?.items ?? []).map(
        ({ metadata }) => metadata?.namespace ?? '',
      );
      expect([...new Set(homes)].sort()).toEqual([TARGET, OPERATOR_NAMESPACE]);
    },
    3 * MINUTE,
  );

  it('the token of the operator has only the permissions for its components in the target namespace', async () => {
    expect((await apply('operator', TARGET, 'placement-controller')).status).toBe(200);
    expect((await apply('operator', TARGET, 'other')).status).toBe(403);
    expect((await create('operator', TARGET, 'other')).status).toBe(403);
    expect((await read('operator', `/api/v1/namespaces/${TARGET}/secrets/treasure`)).status).toBe(403);
  });

  it('the token of the placement controller can write no Deployment and read no Secret in the target namespace either', async () => {
    const who = 'placement controller';
    const answers = [
      await apply(who, TARGET, 'placement-controller'),
      await create(who, TARGET, 'other'),
      await read(who, `/api/v1/namespaces/${TARGET}/secrets`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('the token of the placement controller taints a cluster that never joined, and changes nothing else of a cluster', async () => {
    const cluster = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', metadata: { name: 'edge' } };
    await hub.apply({ ...cluster, spec: { hubAcceptsClient: true } });
    const path = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/edge';
    await waitFor('the taint and the conditions of edge', async (seen) => {
      const { spec, status } = (await hub.get(path)) as { spec?: ManagedClusterSpec; status?: ManagedClusterStatus };
      seen({ spec, status });
      const joined = status?.conditions?.find(({ type }) => type === 'ManagedClusterJoined');
      return (spec?.taints?.[0]?.key === TAINTS.unreachable && joined?.status === 'False') || undefined;
    });
    const token = tokens.get('placement controller') ?? '';
    const patch = (body: object): Promise<ApiAnswer> =>
      server().call({ token, method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
    expect((await patch({ spec: { hubAcceptsClient: false } })).status).toBe(403);
    expect((await patch({ metadata: { labels: { 'cluster.fleetmgmt.io/clusterset': 'other' } } })).status).toBe(403);
    const leases = '/apis/coordination.k8s.io/v1/namespaces';
    expect((await read('placement controller', `${leases}/${AGENTS_NAMESPACE}/leases`)).status).toBe(200);
    expect((await read('placement controller', `${leases}/kube-system/leases`)).status).toBe(403);
    expect((await read('placement controller', '/apis/coordination.k8s.io/v1/leases')).status).toBe(403);
  });

  it(
    'the permissions of the operator in the target namespace end with the engine',
    async () => {
      await hub.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: TARGET } });
      await hub.kubectl('delete', 'mce', 'engine', '--timeout=120s');

      await waitFor('the right to be gone', async (seen) => {
        const { status } = await apply('operator', TARGET, 'placement-controller');
        seen(status);
        return status === 403;
      });
      expect((await read('operator', `/api/v1/namespaces/${TARGET}/secrets`)).status).toBe(403);
    },
    5 * MINUTE,
  );

  it('no output of the processes holds a token or data of a Secret', async () => {
    for (const pod of [hub.operator, component]) expect(pod.log()).toContain('"msg":"lease held"');
    expect(hub.operator.log() + component.log()).not.toMatch(/eyJ[\w-]+\.[\w-]+|Bearer |stringData|treasure/);
  });
});
