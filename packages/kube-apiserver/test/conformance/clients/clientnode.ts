import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  VersionApi,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { V1CustomResourceDefinition, V1Deployment } from '@kubernetes/client-node';

import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import { ClientLog } from './clientlog.js';

/** The configuration of client-node, which does not support `tokenFile` in a kubeconfig. */
export function configOf({ url, caFile, token }: ConformanceTarget): KubeConfig {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'server', server: url, caFile, skipTLSVerify: false },
    { name: 'admin', token },
  );
  return config;
}

const NAMESPACE = 'client-node';
const GROUP = 'node.clients.example.com';
const GADGETS = { group: GROUP, version: 'v1', namespace: NAMESPACE, plural: 'gadgets' };

/** Uses the typed clients as a program would. Returns the results in order. */
export async function useTypedClients(target: ConformanceTarget): Promise<readonly string[]> {
  const config = configOf(target);
  const log = new ClientLog();
  await config.makeApiClient(CoreV1Api).createNamespace({ body: { metadata: { name: NAMESPACE } } });
  await useCore(config, log);
  await useApps(config, log);
  await useCustomResources(config, log);
  await useAnyKind(config, log);
  await useTheRest(config, log);
  return log.lines;
}

async function useCore(config: KubeConfig, log: ClientLog): Promise<void> {
  const core = config.makeApiClient(CoreV1Api);
  const namespace = NAMESPACE;
  log.add('namespace', (await core.readNamespace({ name: namespace })).status?.phase);
  for (const name of ['one', 'two', 'three']) {
    await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name, labels: { app: name === 'two' ? 'b' : 'a' } }, data: { at: name } },
    });
  }
  const made = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { generateName: 'made-' } },
    fieldManager: 'tester',
  });
  log.add('generated', /^made-[a-z0-9]{5}$/.test(made.metadata?.name ?? '') ? 'made-NAME' : made.metadata?.name);
  await core.deleteNamespacedConfigMap({ namespace, name: made.metadata?.name ?? '' });
  const [first, rest] = await twoPages(core);
  log.add('first page', first);
  log.add('second page', rest);
  log.add('app=a', (await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=a' })).items.map(named));
  log.add('by name', (await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=two' })).items);
  await useConcurrently(core, log);
  await patchEachWay(core, log);
  const secret = await core.createNamespacedSecret({
    namespace,
    body: { metadata: { name: 'key' }, stringData: { password: 'open' } },
  });
  log.add('secret', secret);
  const service = await core.createNamespacedService({
    namespace,
    body: { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
  });
  log.add('service', service.spec);
  log.add(
    'dry run',
    (await core.createNamespacedConfigMap({ namespace, dryRun: 'All', body: { metadata: { name: 'never' } } })).metadata
      ?.name,
  );
  await refused(log, 'after the dry run', () => core.readNamespacedConfigMap({ namespace, name: 'never' }));
  await refused(log, 'a name that cannot be', () =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'No_Name' } } }),
  );
  log.add(
    'collection deleted',
    (await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'app=a' })).kind,
  );
  log.add(
    'what is left',
    (await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' })).items.map(
      named,
    ),
  );
  log.add('delete', await core.deleteNamespacedConfigMap({ namespace, name: 'two', propagationPolicy: 'Background' }));
}

async function twoPages(core: CoreV1Api): Promise<readonly (readonly string[])[]> {
  const only = { namespace: NAMESPACE, labelSelector: 'app' };
  const first = await core.listNamespacedConfigMap({ ...only, limit: 2 });
  const second = await core.listNamespacedConfigMap({ ...only, limit: 2, _continue: first.metadata?._continue ?? '' });
  return [first.items.map(named), second.items.map(named)];
}

/** An update of the object that was read, the same update again, which conflicts, and a delete with a wrong uid. */
async function useConcurrently(core: CoreV1Api, log: ClientLog): Promise<void> {
  const at = { namespace: NAMESPACE, name: 'two' };
  const body = await core.readNamespacedConfigMap(at);
  body.data = { at: 'two', more: '1' };
  log.add('replaced', (await core.replaceNamespacedConfigMap({ ...at, body })).data);
  await refused(log, 'replaced once more', () => core.replaceNamespacedConfigMap({ ...at, body }));
  await refused(log, 'deleted by a wrong uid', () =>
    core.deleteNamespacedConfigMap({ ...at, body: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } } }),
  );
}

async function patchEachWay(core: CoreV1Api, log: ClientLog): Promise<void> {
  const patches = [
    [
      PatchStrategy.JsonPatch,
      [
        { op: 'test', path: '/data/at', value: 'two' },
        { op: 'add', path: '/data/json', value: 'yes' },
      ],
    ],
    [PatchStrategy.MergePatch, { data: { json: null, merge: 'yes' } }],
    [
      PatchStrategy.StrategicMergePatch,
      { metadata: { finalizers: ['example.com/kept'], labels: { strategic: 'yes' } } },
    ],
    [PatchStrategy.StrategicMergePatch, { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/kept'] } }],
    [
      PatchStrategy.ServerSideApply,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two' }, data: { applied: 'yes' } },
    ],
  ] as const;
  const at = { namespace: NAMESPACE, name: 'two', fieldManager: 'tester' };
  for (const [strategy, body] of patches)
    log.add(strategy, await core.patchNamespacedConfigMap({ ...at, body }, setHeaderOptions('Content-Type', strategy)));
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two' }, data: { applied: 'no' } };
  const applying = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
  await refused(log, 'applied by another', () =>
    core.patchNamespacedConfigMap({ ...at, fieldManager: 'other', body: theirs }, applying),
  );
  log.add(
    'by force',
    (await core.patchNamespacedConfigMap({ ...at, fieldManager: 'other', force: true, body: theirs }, applying)).data,
  );
}

async function useApps(config: KubeConfig, log: ClientLog): Promise<void> {
  const apps = config.makeApiClient(AppsV1Api);
  const namespace = NAMESPACE;
  const labels = { app: 'web' };
  const body: V1Deployment = {
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] },
      },
    },
  };
  log.add('deployment', await apps.createNamespacedDeployment({ namespace, body, fieldManager: 'tester' }));
  await refused(log, 'deployment without a template', () =>
    apps.createNamespacedDeployment({
      namespace,
      body: { metadata: { name: 'bare' }, spec: { selector: {}, template: {} } },
    }),
  );
  const image = {
    spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2', env: [{ name: 'A', value: 'b' }] }] } } },
  };
  const strategic = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch);
  const patched = await apps.patchNamespacedDeployment(
    { namespace, name: 'web', body: image, fieldManager: 'tester' },
    strategic,
  );
  log.add('patched', [patched.metadata?.generation, patched.spec?.template.spec?.containers]);
  patched.status = { observedGeneration: 2, replicas: 1, conditions: [{ type: 'Available', status: 'True' }] };
  log.add('status', (await apps.replaceNamespacedDeploymentStatus({ namespace, name: 'web', body: patched })).status);
  log.add(
    'deployments everywhere',
    (await apps.listDeploymentForAllNamespaces({ labelSelector: 'none' })).items.length,
  );
  log.add(
    'delete',
    await apps.deleteNamespacedDeployment({ namespace, name: 'web', propagationPolicy: 'Orphan', dryRun: 'All' }),
  );
  log.add('delete', await apps.deleteNamespacedDeployment({ namespace, name: 'web' }));
}

const GADGET: V1CustomResourceDefinition = {
  metadata: { name: `gadgets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                x_kubernetes_validations: [
                  { rule: 'self.size < 100 || self.color == "red"', message: 'what is big must be red' },
                ],
                properties: {
                  size: { type: 'integer', minimum: 1 },
                  color: { type: 'string', _default: 'blue', _enum: ['blue', 'red'] },
                },
              },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

async function useCustomResources(config: KubeConfig, log: ClientLog): Promise<void> {
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  log.add('definition', (await definitions.createCustomResourceDefinition({ body: GADGET })).spec);
  await waitFor('gadgets to be served', async () => {
    const { status } = await definitions.readCustomResourceDefinition({ name: GADGET.metadata?.name ?? '' });
    return status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True');
  });
  const custom = config.makeApiClient(CustomObjectsApi);
  const gadget = (name: string, spec: object): object => ({
    apiVersion: `${GROUP}/v1`,
    kind: 'Gadget',
    metadata: { name },
    spec,
  });
  await waitFor('gadgets to be listed', async () => (await custom.listNamespacedCustomObject(GADGETS)) !== undefined);
  log.add(
    'gadget',
    await custom.createNamespacedCustomObject({
      ...GADGETS,
      body: gadget('a', { size: 1, unheard: 'of' }),
      fieldManager: 'tester',
    }),
  );
  await refused(log, 'wrong gadget', () =>
    custom.createNamespacedCustomObject({ ...GADGETS, body: gadget('b', { size: 0 }) }),
  );
  await refused(log, 'rule', () =>
    custom.createNamespacedCustomObject({ ...GADGETS, body: gadget('b', { size: 100 }) }),
  );
  const strict = { ...GADGETS, fieldValidation: 'Strict', body: gadget('b', { size: 1, unheard: 'of' }) };
  await refused(log, 'strict', () => custom.createNamespacedCustomObject(strict));
  const at = { ...GADGETS, name: 'a', fieldManager: 'tester' };
  const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  log.add('merged', await custom.patchNamespacedCustomObject({ ...at, body: { spec: { size: 2 } } }, merge));
  log.add(
    'status',
    await custom.patchNamespacedCustomObjectStatus(
      { ...at, body: { spec: { size: 3 }, status: { ready: true } } },
      merge,
    ),
  );
  const json = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch);
  await refused(log, 'json patch', () =>
    custom.patchNamespacedCustomObject({ ...at, body: [{ op: 'test', path: '/spec/size', value: 9 }] }, json),
  );
  await refused(log, 'strategic patch', () =>
    custom.patchNamespacedCustomObject(
      { ...at, body: {} },
      setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
    ),
  );
  log.add(
    'everywhere',
    await custom.listCustomObjectForAllNamespaces({ group: GROUP, version: 'v1', resourcePlural: 'gadgets' }),
  );
  log.add('delete', await custom.deleteNamespacedCustomObject({ ...GADGETS, name: 'a' }));
  await refused(log, 'delete again', () => custom.deleteNamespacedCustomObject({ ...GADGETS, name: 'a' }));
}

async function useAnyKind(config: KubeConfig, log: ClientLog): Promise<void> {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const metadata = { name: 'any', namespace: NAMESPACE };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { holderIdentity: 'me' } };
  log.add('any kind', await objects.create(lease, undefined, undefined, 'tester'));
  const applied = { ...lease, spec: { leaseDurationSeconds: 15 } };
  log.add(
    'applied',
    await objects.patch(applied, undefined, undefined, 'applier', false, PatchStrategy.ServerSideApply),
  );
  log.add('read', (await objects.read(lease)).kind);
  const gadget = { apiVersion: `${GROUP}/v1`, kind: 'Gadget', metadata, spec: { size: 7 } };
  log.add(
    'applied gadget',
    await objects.patch(gadget, undefined, undefined, 'applier', true, PatchStrategy.ServerSideApply),
  );
  log.add('listed', (await objects.list(gadget.apiVersion, gadget.kind, NAMESPACE)).items.map(named));
  log.add(
    'replaced',
    await objects.replace({ ...(await objects.read(gadget)), spec: { size: 8 } }, undefined, undefined, 'tester'),
  );
  log.add('delete', await objects.delete(gadget));
  log.add('delete', await objects.delete(lease));
  await refused(log, 'unknown kind', () => objects.read({ apiVersion: 'v1', kind: 'Unheard', metadata }));
  await refused(log, 'no such object', () => objects.read(lease));
}

async function useTheRest(config: KubeConfig, log: ClientLog): Promise<void> {
  const { major, minor } = await config.makeApiClient(VersionApi).getCode();
  log.add('version', `${major}.${minor}`);
  const asked = { spec: { resourceAttributes: { verb: 'delete', group: GROUP, resource: 'gadgets' } } };
  log.add(
    'access',
    (await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({ body: asked })).status?.allowed,
  );
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  await definitions.deleteCustomResourceDefinition({ name: GADGET.metadata?.name ?? '' });
  await waitFor('gadgets to end', async () => {
    const { items } = await definitions.listCustomResourceDefinition({
      fieldSelector: `metadata.name=gadgets.${GROUP}`,
    });
    return items.length === 0;
  });
}

function named(object: { readonly metadata?: { readonly name?: string } }): string {
  return object.metadata?.name ?? '';
}

async function refused(log: ClientLog, what: string, act: () => Promise<unknown>): Promise<void> {
  try {
    log.add(what, ['went through', await act()]);
  } catch (error) {
    if (!(error instanceof ApiException)) log.add(what, String(error));
    else log.add(what, [error.code, typeof error.body === 'string' ? JSON.parse(error.body) : error.body]);
  }
}
