import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { beforeAll, describe, test } from '@jest/globals';
import { load } from 'js-yaml';

import {
  ENGINE_LABEL,
  INSTALLER_ROLE,
  LOCAL_CLUSTER_ANNOTATION,
  LOCAL_CLUSTER_ROLE,
  OPERATOR_NAMESPACE,
  OPERATOR_SERVICE_ACCOUNT,
} from '../../../src/api/names.js';
import type { AnyObject, ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { root } from '../../support/repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import {
  account,
  apply,
  binding,
  deployment,
  ENGINES,
  expectStopped,
  get,
  install,
  merge,
  namespaceObject,
  OWN_LABELS,
  PLACEMENT_ROLE,
  post,
  RBAC,
  remove,
  stored,
  TARGET,
  OPERATOR,
  type Attempt,
  type Subject,
} from './attempts.js';
import { applyOverlay } from './overlay.js';

const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';

function secret(type: string | undefined, annotations: Record<string, string> = {}): ApiRequest {
  const data = type === 'kubernetes.io/tls' ? { 'tls.crt': '', 'tls.key': '' } : {};
  return apply(`/api/v1/namespaces/${TARGET}/secrets/gateway-tls`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'gateway-tls', annotations },
    ...(type === undefined ? {} : { type }),
    data,
  });
}

function service(spec: Record<string, unknown>): ApiRequest {
  const name = 'gateway';
  return apply(`/api/v1/namespaces/${TARGET}/services/${name}`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { ports: [{ port: 443 }], ...spec },
  });
}

/** Requests that the policy denies even when a role grants more than the current one. */
const OBJECTS: readonly Attempt[] = [
  { way: 'an Opaque Secret', request: secret('Opaque'), stoppedBy: [] },
  { way: 'a Secret without a type', request: secret(undefined), stoppedBy: [] },
  { way: 'a TLS Secret', request: secret('kubernetes.io/tls'), stoppedBy: [] },
  {
    way: 'a token Secret',
    request: secret('kubernetes.io/service-account-token', {
      'kubernetes.io/service-account.name': 'placement-controller',
    }),
    stoppedBy: ['objects'],
  },
  { way: 'a ClusterIP Service', request: service({ type: 'ClusterIP' }), stoppedBy: [] },
  { way: 'a Service without a type', request: service({}), stoppedBy: [] },
  { way: 'a NodePort Service', request: service({ type: 'NodePort' }), stoppedBy: ['objects'] },
  { way: 'a LoadBalancer Service', request: service({ type: 'LoadBalancer' }), stoppedBy: ['objects'] },
  {
    way: 'an ExternalName Service',
    request: service({ type: 'ExternalName', externalName: 'example.com' }),
    stoppedBy: ['objects'],
  },
  { way: 'a Service with external IPs', request: service({ externalIPs: ['192.0.2.1'] }), stoppedBy: ['objects'] },
  {
    way: 'a component with its own volumes',
    request: deployment('gateway', {
      volumes: [
        { name: 'tls', secret: { secretName: 'gateway-tls' } },
        { name: 'work', emptyDir: {} },
      ],
    }),
    stoppedBy: [],
  },
  {
    way: 'a component with a volume of the network',
    request: deployment('gateway', { volumes: [{ name: 'all', nfs: { server: 'example.com', path: '/' } }] }),
    stoppedBy: ['objects'],
  },
];

const SAFE = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const MAIN = { name: 'main', image: 'old', securityContext: SAFE };
const SIDE = {
  name: 'side',
  image: 'x',
  securityContext: { capabilities: { add: ['NET_ADMIN'] } },
  volumeMounts: [{ name: 'root', mountPath: '/root' }],
};
const FIRST = { name: 'first', image: 'x', ports: [{ containerPort: 80, hostPort: 80 }] };
/** Changes of other users to a component: each would be denied for the operator. */
const SPOILED = {
  hostNetwork: true,
  containers: [MAIN, SIDE],
  initContainers: [FIRST],
  volumes: [{ name: 'root', hostPath: { path: '/' } }],
};

function spec(name: string, pod: Record<string, unknown>): AnyObject {
  const labels = { 'app.kubernetes.io/name': name };
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { serviceAccountName: name, ...pod } },
    },
  };
}

const GATEWAY = `/apis/apps/v1/namespaces/${TARGET}/deployments/gateway`;

/** Server-side apply of the component with one more container. */
function beside(container: Record<string, unknown>, list = 'containers'): ApiRequest {
  const main = { ...MAIN, image: 'multicluster-engine' };
  return deployment(
    'gateway',
    list === 'containers' ? { containers: [main, container] } : { containers: [main], [list]: [container] },
  );
}

/** Writes of a component that other users have changed: their changes may stay, and nothing may be added. */
const REPAIRS: readonly Attempt[] = [
  { way: 'restore the image of its own container', request: deployment('gateway'), stoppedBy: [] },
  { way: 'restore the number of replicas', request: merge(GATEWAY, { spec: { replicas: 2 } }), stoppedBy: [] },
  { way: 'restore a label', request: merge(GATEWAY, { metadata: { labels: { app: 'gateway' } } }), stoppedBy: [] },
  {
    way: 'write hostNetwork unchanged',
    request: deployment('gateway', { hostNetwork: true }),
    stoppedBy: [],
  },
  {
    way: 'remove all these changes',
    request: merge(GATEWAY, {
      spec: { template: { spec: { hostNetwork: null, initContainers: null, volumes: null, containers: [MAIN] } } },
    }),
    stoppedBy: [],
  },
  { way: 'add a safe container', request: beside({ name: 'more', image: 'x', securityContext: SAFE }), stoppedBy: [] },
  { way: 'add an unsafe container', request: beside({ name: 'more', image: 'x' }), stoppedBy: ['objects'] },
  {
    way: 'add an unsafe init container',
    request: beside({ name: 'more', image: 'x' }, 'initContainers'),
    stoppedBy: ['objects'],
  },
  {
    way: 'change the image of an unsafe container',
    request: beside({ name: 'side', image: 'evil' }),
    stoppedBy: ['objects'],
  },
  {
    way: 'change the command of an unsafe init container',
    request: beside({ name: 'first', command: ['evil'] }, 'initContainers'),
    stoppedBy: ['objects'],
  },
  {
    way: 'make its own container unsafe',
    request: deployment('gateway', {}, { securityContext: { allowPrivilegeEscalation: true } }),
    stoppedBy: ['objects'],
  },
  {
    way: 'mount a host path that others mount',
    request: deployment('gateway', {}, { volumeMounts: [{ name: 'root', mountPath: '/x' }] }),
    stoppedBy: ['objects'],
  },
  {
    way: 'mount such a host path in a new container',
    request: beside({
      name: 'more',
      image: 'x',
      securityContext: SAFE,
      volumeMounts: [{ name: 'root', mountPath: '/x' }],
    }),
    stoppedBy: ['objects'],
  },
  {
    way: 'mount another host path',
    request: deployment('gateway', { volumes: [{ name: 'more', hostPath: { path: '/' } }] }),
    stoppedBy: ['objects'],
  },
  {
    way: 'change the host path that others mount',
    request: deployment('gateway', { volumes: [{ name: 'root', hostPath: { path: '/etc' } }] }),
    stoppedBy: ['objects'],
  },
  { way: 'enable hostPID', request: deployment('gateway', { hostPID: true }), stoppedBy: ['objects'] },
  {
    way: 'enable hostIPC',
    request: deployment('gateway', { hostIPC: true }),
    stoppedBy: ['objects'],
  },
  {
    way: 'write a component that no other user has changed',
    request: deployment('placement-controller'),
    stoppedBy: [],
  },
  {
    way: 'enable hostNetwork',
    request: deployment('placement-controller', { hostNetwork: true }),
    stoppedBy: ['objects'],
  },
];

const DECISION: AnyObject = {
  apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
  kind: 'PlacementDecision',
  metadata: { name: 'web-decision-1' },
  status: { decisions: [] },
};

const PLACEMENT_CONTROLLER: readonly Attempt[] = [
  { way: 'can list the placements', request: get(`${FLEET}/placements`), stoppedBy: [] },
  {
    way: 'can create a decision',
    request: post(`${FLEET}/namespaces/default/placementdecisions`, DECISION),
    stoppedBy: [],
  },
  {
    way: 'can read the CRD of the clusters',
    request: get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/managedclusters.cluster.fleetmgmt.io'),
    stoppedBy: [],
  },
  {
    way: 'can hold its Lease',
    request: apply(
      `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases/multicluster-engine-placement`,
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'multicluster-engine-placement' },
        spec: {},
      },
    ),
    stoppedBy: [],
  },
  {
    way: 'cannot hold the Lease of the engine',
    request: apply(`/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases/multicluster-engine-engine`, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'multicluster-engine-engine' },
      spec: {},
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'cannot create a placement',
    request: post(`${FLEET}/namespaces/default/placements`, { metadata: { name: 'mine' } }),
    stoppedBy: ['rights'],
  },
  {
    way: 'cannot create a cluster',
    request: post(`${FLEET}/managedclusters`, { metadata: { name: 'mine' } }),
    stoppedBy: ['rights'],
  },
  {
    way: 'cannot bind a set',
    request: post(`${FLEET}/namespaces/default/managedclustersetbindings`, {
      metadata: { name: 'mine' },
      spec: { clusterSet: 'mine' },
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'cannot list Secrets of its namespace',
    request: get(`/api/v1/namespaces/${TARGET}/secrets`),
    stoppedBy: ['rights'],
  },
  {
    way: 'cannot create a Deployment in its namespace',
    request: deployment('placement-controller'),
    stoppedBy: ['rights'],
  },
  { way: 'cannot bind a role', request: install(TARGET), stoppedBy: ['rights'] },
  { way: 'cannot read an engine', request: get(ENGINES), stoppedBy: ['rights'] },
];

const ACCOUNTS = `/api/v1/namespaces/${TARGET}/serviceaccounts`;

function accountWith(name: string, metadata: Record<string, unknown>): AnyObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, ...metadata } };
}

function ownedBy(apiVersion: string, kind: string): Record<string, unknown> {
  return { ownerReferences: [{ apiVersion, kind, name: 'w', uid: 'w', controller: true }] };
}

/** Objects that were there before, by name: metadata, who applied them, and whether the operator may change them. */
const BEFORE: readonly (readonly [string, Record<string, unknown>, string | undefined, boolean])[] = [
  ['nobody', {}, undefined, true],
  ['a-person', { labels: { team: 'a' } }, 'kubectl', true],
  ['an-engine', ownedBy('multicluster.platform.io/v1alpha1', 'MultiClusterEngine'), undefined, true],
  ['an-engine-once', { labels: { [ENGINE_LABEL]: 'engine' } }, undefined, true],
  ['another-engine-once', { labels: { [ENGINE_LABEL]: 'another' } }, undefined, false],
  ['another-controller', ownedBy('x/v1', 'Widget'), undefined, false],
  ['helm', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, undefined, false],
  ['argo-cd', { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }, undefined, false],
  ['flux', { labels: { team: 'a' } }, 'kustomize-controller', false],
];

const CLUSTERS = `${FLEET}/managedclusters`;
const MARK = { [LOCAL_CLUSTER_ANNOTATION]: 'true' };

function localCluster(name: string, metadata: Record<string, unknown> = {}): AnyObject {
  const kind = 'ManagedCluster';
  return {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind,
    metadata: { name, annotations: MARK, ...metadata },
    spec: {},
  };
}

describeWithServer('the policies of deploy/', { own: true }, (server) => {
  let operator = '';
  let placement = '';

  function asOperator(request: ApiRequest): Promise<ApiAnswer> {
    return server().call({ ...request, token: operator });
  }

  async function put(at: string, body: unknown): Promise<void> {
    const { status, text } = await server().call({ method: 'POST', path: at, body });
    if (status !== 201) throw new Error(`POST ${at}: ${status} ${text}`);
  }

  async function until(
    description: string,
    request: ApiRequest,
    passes: (answer: ApiAnswer) => boolean,
  ): Promise<void> {
    await waitFor(description, async (seen) => {
      const answer = await asOperator(request);
      seen(answer.text);
      return passes(answer);
    });
  }

  const engine = (name: string, spec: Record<string, unknown>): AnyObject => ({
    apiVersion: 'multicluster.platform.io/v1alpha1',
    kind: 'MultiClusterEngine',
    metadata: { name },
    spec,
  });

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    for (const at of [
      ENGINES,
      `${FLEET}/placements`,
      `${FLEET}/managedclusters`,
      `${FLEET}/managedclustersetbindings`,
      `${FLEET}/placementdecisions`,
    ]) {
      await waitFor(`${at} to be served`, async () => (await server().call({ path: at })).status === 200);
    }
    operator = await server().tokenFor({
      serviceAccount: { namespace: OPERATOR_NAMESPACE, name: OPERATOR_SERVICE_ACCOUNT },
    });
    await put(ENGINES, engine('engine', {}));
    for (const request of [
      namespaceObject(TARGET, OWN_LABELS),
      install(TARGET),
      binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account(TARGET, 'placement-controller')]),
    ]) {
      await until(`${request.path} to be allowed`, stored(request), ({ status }) => status < 300);
    }
    await put(`/api/v1/namespaces/${TARGET}/serviceaccounts`, { metadata: { name: 'placement-controller' } });
    placement = await server().tokenFor({ serviceAccount: { namespace: TARGET, name: 'placement-controller' } });
    await waitFor(
      'the rights of the placement controller to be in force',
      async () => (await server().call({ ...get(`${FLEET}/placements`), token: placement })).status === 200,
    );
    await put(`${RBAC}/namespaces/${TARGET}/roles`, {
      metadata: { name: 'more' },
      rules: [{ apiGroups: [''], resources: ['secrets', 'services'], verbs: ['create', 'patch'] }],
    });
    await put(`${RBAC}/namespaces/${TARGET}/rolebindings`, {
      metadata: { name: 'more' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'more' },
      subjects: [account(OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT)],
    });
    await until('the added role to be in force', service({}), ({ status }) => status < 300);
    await until('the objects policy to be in force', service({ type: 'NodePort' }), ({ status }) => status === 403);
    for (const name of ['other', 'plain']) await put('/api/v1/namespaces', { metadata: { name } });
    await until('the target policy to be in force', install('plain'), ({ status }) => status === 403);
  }, 300_000);

  test.each(OBJECTS)(
    'the policies of deploy/ restrict the operator to its objects: $way',
    async ({ request, stoppedBy }) => {
      expectStopped(await asOperator(request), stoppedBy);
    },
  );

  test('the policies of deploy/ let the operator install the Deployment of the component', async () => {
    const manifest = load(
      await readFile(path.join(root, 'deploy/components/placement-controller/deployment.yaml'), 'utf8'),
    );
    const at = `/apis/apps/v1/namespaces/${TARGET}/deployments/placement-controller`;

    const answer = await asOperator({
      ...deployment('placement-controller'),
      path: `${at}?fieldManager=multicluster-engine&dryRun=All`,
      body: manifest,
    });

    expectStopped(answer, []);
  });

  test.each(PLACEMENT_CONTROLLER)(
    'the policies of deploy/ do not restrict the placement controller: it $way',
    async ({ request, stoppedBy }) => {
      expectStopped(await server().call({ ...request, token: placement }), stoppedBy);
    },
  );

  test.each([
    {
      way: 'create a namespace without labels',
      request: post('/api/v1/namespaces', { metadata: { name: 'anything' } }),
    },
    { way: 'delete a namespace without the label of the operator', request: remove('/api/v1/namespaces/plain') },
    { way: 'write the spec of an engine', request: merge(`${ENGINES}/engine`, { spec: { nodeSelector: { a: 'b' } } }) },
    { way: 'bind any role anywhere', request: binding('plain', INSTALLER_ROLE, 'view', [account('plain', 'default')]) },
    { way: 'run any Deployment', request: deployment('anything', { hostNetwork: true }) },
    { way: 'create a NodePort Service', request: service({ type: 'NodePort' }) },
  ])('the policies of deploy/ let all other users $way', async ({ request }) => {
    expectStopped(await server().call(request), []);
  });

  test.each(BEFORE)(
    'the policies of deploy/ let the operator take over only what nobody owns: an object of %s',
    async (name, metadata, applier, allowed) => {
      const body = accountWith(name, metadata);
      if (applier === undefined) await put(ACCOUNTS, body);
      else {
        const { path: at, ...request } = stored(apply(`${ACCOUNTS}/${name}`, body));
        await server().call({ ...request, path: at.replace('=multicluster-engine', `=${applier}`) });
      }

      const answer = await asOperator(
        apply(`${ACCOUNTS}/${name}`, accountWith(name, { labels: { [ENGINE_LABEL]: 'engine' } })),
      );

      expectStopped(answer, allowed ? [] : ['adoption']);
    },
  );

  test('the policies of deploy/ let the operator bind the role for the hub as a cluster to itself alone', async () => {
    const bind = (subject: Subject): ApiRequest =>
      binding(undefined, LOCAL_CLUSTER_ROLE, LOCAL_CLUSTER_ROLE, [subject]);

    expectStopped(await asOperator(post(CLUSTERS, localCluster('early'))), ['rights']);
    expectStopped(await asOperator(bind(account(TARGET, 'local-cluster'))), ['bindings']);
    expectStopped(await asOperator(bind(account(TARGET, 'placement-controller'))), ['bindings']);
    expectStopped(await asOperator(stored(bind(OPERATOR))), []);
    await until('the role to be in force', post(CLUSTERS, localCluster('a')), ({ status }) => status < 300);
  });

  test.each<[string, AnyObject]>([
    ['is not marked', { ...localCluster('a'), metadata: { name: 'a' } }],
    ['is in a set', localCluster('a', { labels: { 'cluster.fleetmgmt.io/clusterset': 'prod' } })],
    ['has another annotation', localCluster('a', { annotations: { ...MARK, other: 'x' } })],
    ['expects an agent', { ...localCluster('a'), spec: { hubAcceptsClient: true } }],
    ['has a taint', { ...localCluster('a'), spec: { taints: [{ key: 'a', effect: 'NoSelect' }] } }],
  ])('the policies of deploy/ do not let the operator make a cluster that %s', async (_what, body) => {
    expectStopped(await asOperator(post(CLUSTERS, body)), ['local-cluster']);
  });

  test('the policies of deploy/ let the operator write the status of the marked cluster alone, and nothing else', async () => {
    await put(CLUSTERS, localCluster('marked'));
    await put(CLUSTERS, { ...localCluster('theirs'), metadata: { name: 'theirs' } });
    const status = (name: string): ApiRequest =>
      apply(`${CLUSTERS}/${name}/status`, { ...localCluster(name), metadata: { name }, status: {} });

    expectStopped(await asOperator(status('marked')), []);
    expectStopped(await asOperator(status('theirs')), ['local-cluster']);
    expectStopped(await asOperator(merge(`${CLUSTERS}/marked`, { metadata: { labels: { a: 'b' } } })), ['rights']);
    expectStopped(await asOperator(remove(`${CLUSTERS}/marked`)), ['rights']);
  });

  test('the policies of deploy/ do not let the operator change a Secret of somebody else', async () => {
    await put(`/api/v1/namespaces/${TARGET}/secrets`, { metadata: { name: 'gateway-tls' } });

    expectStopped(await asOperator(secret('Opaque', { a: 'b' })), ['adoption']);
  });

  describe('when other users have changed a component', () => {
    beforeAll(async () => {
      await put(`/apis/apps/v1/namespaces/${TARGET}/deployments`, spec('gateway', SPOILED));
      await put(`/apis/apps/v1/namespaces/${TARGET}/deployments`, spec('placement-controller', { containers: [MAIN] }));
    });

    test.each(REPAIRS)(
      'the policies of deploy/ check only what the operator itself changes in a changed component: $way',
      async ({ request, stoppedBy }) => {
        expectStopped(await asOperator(request), stoppedBy);
      },
    );
  });

  test('the policies of deploy/ deny writes in new namespaces while two engines name different ones, and allow those in existing ones', async () => {
    await put(ENGINES, engine('second', { targetNamespace: 'other' }));
    await until('the second engine to count', install('other'), ({ text }) => text.includes('of engine engine'));
    await asOperator(stored(remove(`${RBAC}/namespaces/${TARGET}/rolebindings/${INSTALLER_ROLE}`)));

    expectStopped(await asOperator(install('other')), ['target']);
    expectStopped(await asOperator(install('plain')), ['target']);
    expectStopped(await asOperator(stored(install(TARGET))), []);
    expectStopped(
      await asOperator(binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account(TARGET, 'placement-controller')])),
      [],
    );
    expectStopped(
      await asOperator(binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account('other', 'placement-controller')])),
      ['target'],
    );
  });
});

describeWithServer('the token of the operator with a fixed namespace', { own: true }, (server) => {
  let token = '';

  beforeAll(async () => {
    await applyOverlay(server(), 'namespaced');
    await waitFor('the CRDs to be established', async () => (await server().call({ path: ENGINES })).status === 200);
    token = await server().tokenFor({
      serviceAccount: { namespace: OPERATOR_NAMESPACE, name: OPERATOR_SERVICE_ACCOUNT },
    });
    for (const request of [deployment('placement-controller'), get(ENGINES)]) {
      await waitFor('the rights to be in force', async () => (await server().call({ ...request, token })).status < 300);
    }
  }, 300_000);

  test.each<Attempt>([
    { way: 'can run a component in the target namespace', request: deployment('placement-controller'), stoppedBy: [] },
    { way: 'can list the engines', request: get(ENGINES), stoppedBy: [] },
    { way: 'cannot create a namespace', request: namespaceObject('mine', OWN_LABELS), stoppedBy: ['rights'] },
    { way: 'cannot change the target namespace', request: namespaceObject(TARGET, OWN_LABELS), stoppedBy: ['rights'] },
    { way: 'cannot bind the installer role in the target namespace', request: install(TARGET), stoppedBy: ['rights'] },
    {
      way: 'cannot bind the role of the placement controller',
      request: binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account(TARGET, 'placement-controller')]),
      stoppedBy: ['rights'],
    },
    {
      way: 'cannot delete the target namespace',
      request: remove(`/api/v1/namespaces/${TARGET}`),
      stoppedBy: ['rights'],
    },
  ])('the operator with a fixed namespace $way', async ({ request, stoppedBy }) => {
    expectStopped(await server().call({ ...request, token }), stoppedBy);
  });
});
