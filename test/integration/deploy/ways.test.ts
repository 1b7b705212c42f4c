import { beforeAll, expect, test } from '@jest/globals';

import {
  AGENT_LEASES_ROLE,
  AGENTS_NAMESPACE,
  ENGINE_LABEL,
  ENROLLER_ROLE,
  INSTALLER_ROLE,
  OPERATOR_NAMESPACE,
  OPERATOR_SERVICE_ACCOUNT,
} from '../../../src/api/names.js';
import type { ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
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
  OPERATOR,
  OWN_LABELS,
  PLACEMENT_ROLE,
  post,
  RBAC,
  remove,
  stored,
  TARGET,
  TENANT,
  type Attempt,
} from './attempts.js';
import { applyOverlay } from './overlay.js';

const APPS = '/apis/apps/v1/namespaces';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const POLICY = `${ADMISSION}/validatingadmissionpolicies/multicluster-engine-target`;

function lease(namespace: string, name: string): ApiRequest {
  return apply(`${LEASES}/${namespace}/leases/${name}`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: {},
  });
}

function secret(namespace: string): ApiRequest {
  return post(`/api/v1/namespaces/${namespace}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'stolen', annotations: { 'kubernetes.io/service-account.name': 'default' } },
  });
}

const BINDING: readonly Attempt[] = [
  { way: 'bind the installer role in a namespace of a tenant', request: install('early'), stoppedBy: ['target'] },
  { way: 'bind the installer role in kube-system', request: install('kube-system'), stoppedBy: ['bindings', 'target'] },
  { way: 'bind the installer role in default', request: install('default'), stoppedBy: ['bindings', 'target'] },
  {
    way: 'bind the installer role to another ServiceAccount',
    request: binding(TARGET, INSTALLER_ROLE, INSTALLER_ROLE, [account(TARGET, 'default')]),
    stoppedBy: ['bindings'],
  },
  {
    way: 'bind the installer role to itself and a user',
    request: binding(TARGET, INSTALLER_ROLE, INSTALLER_ROLE, [
      OPERATOR,
      { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' },
    ]),
    stoppedBy: ['bindings'],
  },
  {
    way: 'bind the installer role in the namespace of the agents',
    request: install(AGENTS_NAMESPACE),
    stoppedBy: ['bindings', 'target'],
  },
  {
    way: 'bind the role for Leases of agents in another namespace',
    request: binding(TENANT, AGENT_LEASES_ROLE, AGENT_LEASES_ROLE, [account(TARGET, 'placement-controller')]),
    stoppedBy: ['bindings', 'target'],
  },
  {
    way: 'bind the role for Leases of agents to itself',
    request: binding(AGENTS_NAMESPACE, AGENT_LEASES_ROLE, AGENT_LEASES_ROLE, [OPERATOR]),
    stoppedBy: ['bindings', 'target'],
  },
  {
    way: 'bind the role for Leases of agents to a namesake in another namespace',
    request: binding(AGENTS_NAMESPACE, AGENT_LEASES_ROLE, AGENT_LEASES_ROLE, [account(TENANT, 'placement-controller')]),
    stoppedBy: ['bindings', 'target'],
  },
  {
    way: 'bind the role of the enrollers',
    request: binding(AGENTS_NAMESPACE, ENROLLER_ROLE, ENROLLER_ROLE, [OPERATOR]),
    stoppedBy: ['rights'],
  },
  {
    way: 'bind the installer role in the whole cluster',
    request: binding(undefined, INSTALLER_ROLE, INSTALLER_ROLE, [OPERATOR]),
    stoppedBy: ['rights'],
  },
  {
    way: 'bind the installer role in the whole cluster under the name of another',
    request: binding(undefined, PLACEMENT_ROLE, INSTALLER_ROLE, [OPERATOR]),
    stoppedBy: ['bindings', 'target'],
  },
  {
    way: 'bind cluster-admin in the target namespace',
    request: binding(TARGET, 'cluster-admin', 'cluster-admin', [OPERATOR]),
    stoppedBy: ['rights'],
  },
  {
    way: 'bind cluster-admin under the name of the installer',
    request: binding('second', INSTALLER_ROLE, 'cluster-admin', [OPERATOR]),
    stoppedBy: ['escalation', 'bindings'],
  },
  {
    way: 'bind cluster-admin in the whole cluster',
    request: binding(undefined, 'cluster-admin', 'cluster-admin', [OPERATOR]),
    stoppedBy: ['rights'],
  },
  {
    way: 'bind cluster-admin in the whole cluster under a name it may write',
    request: binding(undefined, PLACEMENT_ROLE, 'cluster-admin', [OPERATOR]),
    stoppedBy: ['escalation', 'bindings'],
  },
  {
    way: 'bind its own role to a user',
    request: binding(undefined, PLACEMENT_ROLE, 'multicluster-engine-operator', [
      account(TARGET, 'placement-controller'),
    ]),
    stoppedBy: ['bindings'],
  },
  {
    way: 'bind its own role in a namespace of its own',
    request: binding('second', INSTALLER_ROLE, 'multicluster-engine-operator', [OPERATOR]),
    stoppedBy: ['bindings'],
  },
  {
    way: 'create a binding by POST, for which RBAC cannot restrict the name',
    request: post(`${RBAC}/namespaces/${TARGET}/rolebindings`, {
      metadata: { name: INSTALLER_ROLE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: INSTALLER_ROLE },
      subjects: [OPERATOR],
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'bind the role of the placement controller to itself',
    request: binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [OPERATOR]),
    stoppedBy: ['bindings', 'target'],
  },
  {
    way: 'bind the role of the placement controller to a ServiceAccount of the same name of a tenant',
    request: binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account(TENANT, 'placement-controller')]),
    stoppedBy: ['target'],
  },
  {
    way: 'bind the role of the placement controller to another ServiceAccount of the target namespace',
    request: binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account(TARGET, 'default')]),
    stoppedBy: ['bindings'],
  },
  {
    way: 'add itself to a binding of the same name with the installer role',
    request: install('shared'),
    stoppedBy: ['target'],
  },
  {
    way: 'change a binding of the same name with another role',
    request: merge(`${RBAC}/namespaces/${TENANT}/rolebindings/${INSTALLER_ROLE}`, { subjects: [OPERATOR] }),
    stoppedBy: ['escalation', 'bindings', 'target'],
  },
  {
    way: 'delete a binding of the same name with another role',
    request: remove(`${RBAC}/namespaces/${TENANT}/rolebindings/${INSTALLER_ROLE}`),
    stoppedBy: ['bindings'],
  },
  {
    way: 'delete a binding of another name',
    request: remove(`${RBAC}/clusterrolebindings/cluster-admin`),
    stoppedBy: ['rights'],
  },
];

const ENGINE: readonly Attempt[] = [
  {
    way: 'change the targetNamespace of the engine',
    request: merge(`${ENGINES}/engine`, { spec: { targetNamespace: TENANT } }),
    stoppedBy: ['schema', 'engines'],
  },
  {
    way: 'set the default targetNamespace of the engine explicitly',
    request: merge(`${ENGINES}/engine`, { spec: { targetNamespace: TARGET } }),
    stoppedBy: ['engines'],
  },
  {
    way: 'change any other field of the spec of the engine',
    request: merge(`${ENGINES}/engine`, { spec: { nodeSelector: { a: 'b' } } }),
    stoppedBy: ['engines'],
  },
  {
    way: 'create a second engine',
    request: post(ENGINES, {
      apiVersion: 'multicluster.platform.io/v1alpha1',
      kind: 'MultiClusterEngine',
      metadata: { name: 'mine' },
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'create a second engine by apply',
    request: apply(`${ENGINES}/mine`, {
      apiVersion: 'multicluster.platform.io/v1alpha1',
      kind: 'MultiClusterEngine',
      metadata: { name: 'mine' },
    }),
    stoppedBy: ['rights'],
  },
  { way: 'delete the engine', request: remove(`${ENGINES}/engine`), stoppedBy: ['rights'] },
];

const NAMESPACES: readonly Attempt[] = [
  {
    way: 'label a namespace of a tenant as its own',
    request: merge(`/api/v1/namespaces/${TENANT}`, { metadata: { labels: OWN_LABELS } }),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'change a namespace of a tenant by apply',
    request: namespaceObject(TENANT, OWN_LABELS),
    stoppedBy: ['namespaces'],
  },
  { way: 'delete a namespace of a tenant', request: remove(`/api/v1/namespaces/${TENANT}`), stoppedBy: ['namespaces'] },
  {
    way: 'delete a namespace of Kubernetes',
    request: remove('/api/v1/namespaces/kube-node-lease'),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'create a namespace without Pod Security',
    request: namespaceObject('loose', { [ENGINE_LABEL]: 'engine' }),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'create a namespace with weak Pod Security',
    request: namespaceObject('loose', { ...OWN_LABELS, 'pod-security.kubernetes.io/enforce': 'privileged' }),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'create a namespace without its label',
    request: namespaceObject('loose', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'create a namespace of Kubernetes',
    request: namespaceObject('kube-mine', OWN_LABELS),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'relax the Pod Security of its own namespace',
    request: merge(`/api/v1/namespaces/${TARGET}`, {
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    }),
    stoppedBy: ['namespaces'],
  },
  {
    way: 'drop the Pod Security of its own namespace',
    request: merge(`/api/v1/namespaces/${TARGET}`, {
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': null } },
    }),
    stoppedBy: ['namespaces'],
  },
];

const PODS: readonly Attempt[] = [
  {
    way: 'run a privileged container',
    request: deployment('placement-controller', {}, { securityContext: { privileged: true } }),
    stoppedBy: ['schema', 'objects'],
  },
  {
    way: 'run a container that may gain privileges',
    request: deployment('placement-controller', {}, { securityContext: {} }),
    stoppedBy: ['objects'],
  },
  {
    way: 'run a container with an added capability',
    request: deployment(
      'placement-controller',
      {},
      { securityContext: { allowPrivilegeEscalation: false, capabilities: { add: ['NET_ADMIN'] } } },
    ),
    stoppedBy: ['objects'],
  },
  {
    way: 'run a privileged init container',
    request: deployment('placement-controller', {
      initContainers: [{ name: 'first', image: 'x', securityContext: { privileged: true } }],
    }),
    stoppedBy: ['schema', 'objects'],
  },
  {
    way: 'run pods with hostNetwork',
    request: deployment('placement-controller', { hostNetwork: true }),
    stoppedBy: ['objects'],
  },
  {
    way: 'run pods with hostPID',
    request: deployment('placement-controller', { hostPID: true }),
    stoppedBy: ['objects'],
  },
  {
    way: 'run pods with hostIPC',
    request: deployment('placement-controller', { hostIPC: true }),
    stoppedBy: ['objects'],
  },
  {
    way: 'mount a host path',
    request: deployment('placement-controller', { volumes: [{ name: 'root', hostPath: { path: '/' } }] }),
    stoppedBy: ['objects'],
  },
  {
    way: 'use a host port',
    request: deployment('placement-controller', {}, { ports: [{ containerPort: 8080, hostPort: 8080 }] }),
    stoppedBy: ['objects'],
  },
  {
    way: 'run host processes of Windows',
    request: deployment('placement-controller', {
      securityContext: { windowsOptions: { hostProcess: true } },
      hostNetwork: true,
    }),
    stoppedBy: ['schema', 'objects'],
  },
  {
    way: 'run pods with another ServiceAccount',
    request: deployment('placement-controller', { serviceAccountName: 'default' }),
    stoppedBy: ['objects'],
  },
  {
    way: 'run pods with another ServiceAccount in the deprecated field',
    request: deployment('placement-controller', { serviceAccountName: null, serviceAccount: 'default' }),
    stoppedBy: ['objects'],
  },
  {
    way: 'run pods with the default ServiceAccount by naming none',
    request: deployment('placement-controller', { serviceAccountName: null }),
    stoppedBy: ['objects'],
  },
  { way: 'run a Deployment that is not a component', request: deployment('miner'), stoppedBy: ['objects'] },
  {
    way: 'change a Deployment of others in the target namespace',
    request: merge(`${APPS}/${TARGET}/deployments/theirs`, { spec: { replicas: 5 } }),
    stoppedBy: ['objects'],
  },
  { way: 'create a token Secret', request: secret(TARGET), stoppedBy: ['rights'] },
  {
    way: 'make a Service with an external IP',
    request: post(`/api/v1/namespaces/${TARGET}/services`, {
      metadata: { name: 'gateway' },
      spec: { ports: [{ port: 443 }], externalIPs: ['192.0.2.1'] },
    }),
    stoppedBy: ['objects'],
  },
  {
    way: 'read a Secret by name in the target namespace',
    request: get(`/api/v1/namespaces/${TARGET}/secrets/theirs`),
    stoppedBy: ['rights'],
  },
];

const OUTSIDE: readonly Attempt[] = [
  {
    way: 'create a Deployment in a namespace of a tenant',
    request: {
      ...deployment('placement-controller'),
      path: `${APPS}/${TENANT}/deployments/placement-controller?fieldManager=multicluster-engine&dryRun=All`,
    },
    stoppedBy: ['rights'],
  },
  {
    way: 'create a Deployment in its own namespace',
    request: {
      ...deployment('placement-controller'),
      path: `${APPS}/${OPERATOR_NAMESPACE}/deployments/placement-controller?fieldManager=multicluster-engine&dryRun=All`,
    },
    stoppedBy: ['rights'],
  },
  { way: 'list the Secrets of a tenant', request: get(`/api/v1/namespaces/${TENANT}/secrets`), stoppedBy: ['rights'] },
  {
    way: 'read a Secret of a tenant',
    request: get(`/api/v1/namespaces/${TENANT}/secrets/theirs`),
    stoppedBy: ['rights'],
  },
  {
    way: 'list the Secrets of its own namespace',
    request: get(`/api/v1/namespaces/${OPERATOR_NAMESPACE}/secrets`),
    stoppedBy: ['rights'],
  },
  { way: 'list all Secrets', request: get('/api/v1/secrets'), stoppedBy: ['rights'] },
  { way: 'list all Deployments', request: get('/apis/apps/v1/deployments'), stoppedBy: ['rights'] },
  { way: 'list all role bindings', request: get(`${RBAC}/rolebindings`), stoppedBy: ['rights'] },
  {
    way: 'ask for a token of a component',
    request: post(`/api/v1/namespaces/${TARGET}/serviceaccounts/placement-controller/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'ask for its own token anew',
    request: post(`/api/v1/namespaces/${OPERATOR_NAMESPACE}/serviceaccounts/${OPERATOR_SERVICE_ACCOUNT}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'take the Lease of another controller of its namespace',
    request: lease(OPERATOR_NAMESPACE, 'theirs'),
    stoppedBy: ['rights'],
  },
  { way: 'take the Lease of the scheduler', request: lease('kube-system', 'kube-scheduler'), stoppedBy: ['rights'] },
  {
    way: 'take a Lease of its own name in another namespace',
    request: lease('kube-system', 'multicluster-engine-engine'),
    stoppedBy: ['rights'],
  },
  { way: 'delete a policy', request: remove(POLICY), stoppedBy: ['rights'] },
  { way: 'change a policy', request: merge(POLICY, { spec: { failurePolicy: 'Ignore' } }), stoppedBy: ['rights'] },
  {
    way: 'delete the binding of a policy',
    request: remove(`${ADMISSION}/validatingadmissionpolicybindings/multicluster-engine-target`),
    stoppedBy: ['rights'],
  },
  {
    way: 'change a CRD',
    request: merge(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/multiclusterengines.multicluster.platform.io',
      { metadata: { labels: { a: 'b' } } },
    ),
    stoppedBy: ['rights'],
  },
  {
    way: 'widen its own role',
    request: merge(`${RBAC}/clusterroles/multicluster-engine-operator`, { rules: [] }),
    stoppedBy: ['rights'],
  },
  {
    way: 'widen the installer role',
    request: merge(`${RBAC}/clusterroles/${INSTALLER_ROLE}`, { rules: [] }),
    stoppedBy: ['rights'],
  },
  {
    way: 'run a pod in the target namespace',
    request: post(`/api/v1/namespaces/${TARGET}/pods`, {
      metadata: { name: 'mine' },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    }),
    stoppedBy: ['rights'],
  },
  {
    way: 'run a command in a pod of the target namespace',
    request: post(`/api/v1/namespaces/${TARGET}/pods/theirs/exec`, {}),
    stoppedBy: ['rights'],
  },
  {
    way: 'write a decision',
    request: post(`/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/${TENANT}/placementdecisions`, {
      metadata: { name: 'mine' },
      status: { decisions: [] },
    }),
    stoppedBy: ['rights'],
  },
];

const NEEDED: readonly Attempt[] = [
  { way: 'create a namespace of its own', request: namespaceObject('fleet-engine', OWN_LABELS), stoppedBy: [] },
  { way: 'repair its own namespace', request: namespaceObject(TARGET, { ...OWN_LABELS, more: 'yes' }), stoppedBy: [] },
  { way: 'delete its own namespace', request: remove(`/api/v1/namespaces/${TARGET}`), stoppedBy: [] },
  { way: 'bind the installer role to itself in the target namespace', request: install(TARGET), stoppedBy: [] },
  {
    way: 'delete that binding',
    request: remove(`${RBAC}/namespaces/${TARGET}/rolebindings/${INSTALLER_ROLE}`),
    stoppedBy: [],
  },
  {
    way: 'bind the role of the placement controller to it',
    request: binding(undefined, PLACEMENT_ROLE, PLACEMENT_ROLE, [account(TARGET, 'placement-controller')]),
    stoppedBy: [],
  },
  {
    way: 'add its finalizer to the engine',
    request: merge(`${ENGINES}/engine`, { metadata: { finalizers: ['multicluster.platform.io/cleanup'] } }),
    stoppedBy: [],
  },
  { way: 'run a component', request: deployment('placement-controller'), stoppedBy: [] },
  { way: 'run the gateway, once it is a component', request: deployment('gateway'), stoppedBy: [] },
  { way: 'hold its Lease', request: lease(OPERATOR_NAMESPACE, 'multicluster-engine-engine'), stoppedBy: [] },
  {
    way: 'look for the pull secret',
    request: get(`/api/v1/namespaces/${TARGET}/secrets?fieldSelector=metadata.name%3Dpull`),
    stoppedBy: [],
  },
  {
    way: 'watch its binding in all namespaces',
    request: get(`${RBAC}/rolebindings?fieldSelector=metadata.name%3D${INSTALLER_ROLE}`),
    stoppedBy: [],
  },
];

describeWithServer('the token of the operator', { own: true }, (server) => {
  let token = '';
  let withoutEngine: ApiAnswer | undefined;

  function attempt(request: ApiRequest): Promise<ApiAnswer> {
    return server().call({ ...request, token });
  }

  async function put(path: string, body: unknown): Promise<void> {
    const { status, text } = await server().call({ method: 'POST', path, body });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  }

  async function must(request: ApiRequest): Promise<void> {
    await waitFor(`${request.method} ${request.path}`, async (seen) => {
      const { status, text } = await attempt(request);
      seen(text);
      return status < 300;
    });
  }

  async function namesakes(): Promise<void> {
    const role = (namespace: string, name: string): Promise<void> =>
      put(`${RBAC}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: INSTALLER_ROLE },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [account(namespace, 'default')],
      });
    await role(TENANT, 'view');
    await role('shared', INSTALLER_ROLE);
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await waitFor('the CRDs to be established', async () => (await server().call({ path: ENGINES })).status === 200);
    token = await server().tokenFor({
      serviceAccount: { namespace: OPERATOR_NAMESPACE, name: OPERATOR_SERVICE_ACCOUNT },
    });
    for (const name of [TENANT, 'shared', 'early']) await put('/api/v1/namespaces', { metadata: { name } });
    withoutEngine = await waitFor('the target policy to be in force', async (seen) => {
      const answer = await attempt(install('early'));
      seen(answer.text);
      return answer.text.includes('no params found') ? answer : undefined;
    });
    await put(ENGINES, {
      apiVersion: 'multicluster.platform.io/v1alpha1',
      kind: 'MultiClusterEngine',
      metadata: { name: 'engine' },
    });
    await must(stored(namespaceObject(TARGET, OWN_LABELS)));
    await must(stored(namespaceObject('second', OWN_LABELS)));
    await must(stored(install(TARGET))); // from here on the policy finds the engine, in the informer cache of the API server
    await namesakes();
    await must(deployment('placement-controller'));
    const theirs = {
      selector: { matchLabels: { app: 'theirs' } },
      template: { metadata: { labels: { app: 'theirs' } }, spec: { containers: [{ name: 'main', image: 'x' }] } },
    };
    await put(`${APPS}/${TARGET}/deployments`, { metadata: { name: 'theirs' }, spec: theirs });
    for (const { request, stoppedBy } of [BINDING[3], ENGINE[1], NAMESPACES[0], PODS[2]].flatMap((one) => one ?? [])) {
      await waitFor(`policy ${stoppedBy.join()} to be in force`, async (seen) => {
        const { status, text } = await attempt(request);
        seen(`${status} ${text}`);
        return status === 403;
      });
    }
  }, 300_000);

  test('the token of the operator binds no role anywhere while no engine exists', () => {
    expect(withoutEngine?.status).toBe(422);
  });

  test.each(BINDING)('the token of the operator cannot $way', async ({ request, stoppedBy }) => {
    expectStopped(await attempt(request), stoppedBy);
  });

  test.each(ENGINE)('the token of the operator cannot $way', async ({ request, stoppedBy }) => {
    expectStopped(await attempt(request), stoppedBy);
  });

  test.each(NAMESPACES)('the token of the operator cannot $way', async ({ request, stoppedBy }) => {
    expectStopped(await attempt(request), stoppedBy);
  });

  test.each(PODS)('the token of the operator cannot $way', async ({ request, stoppedBy }) => {
    expectStopped(await attempt(request), stoppedBy);
  });

  test.each(OUTSIDE)('the token of the operator cannot $way', async ({ request, stoppedBy }) => {
    expectStopped(await attempt(request), stoppedBy);
  });

  test.each(NEEDED)('the token of the operator can $way', async ({ request, stoppedBy }) => {
    expectStopped(await attempt(request), stoppedBy);
  });
});
