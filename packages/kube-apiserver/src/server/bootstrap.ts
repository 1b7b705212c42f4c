import { randomUUID } from 'node:crypto';

import { readApiVersion } from '../apiversion.js';
import type { Assembly } from './assembly.js';
import { AUTHENTICATED } from '../auth/authenticator.js';
import { bootstrapRbac } from '../auth/rbac/bootstrap.js';
import { refersToOtherRole, repaired } from '../auth/rbac/repair.js';
import { structAt, textAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../status.js';
import { timestamp } from '@multicluster-engine/values/time';
import { MASTERS } from '../user.js';
import type { Caller, Target } from '../verbs/verbs.js';

/** The identity that creates the bootstrap objects. */
const CALLER: Caller = {
  user: { name: 'system:apiserver', groups: [MASTERS, AUTHENTICATED] },
  agent: 'kube-apiserver',
  warn: () => undefined,
  signal: new AbortController().signal,
};

const NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** The Service `kubernetes`. Its cluster IP is reserved: no request can allocate it. */
const KUBERNETES: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    type: 'ClusterIP',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
};

/**
 * Creates the namespaces, the default RBAC objects, the Service `kubernetes`, and then `objects`, each unless it
 * exists. Default RBAC objects that were changed regain missing rules and subjects; a binding to the wrong role is
 * replaced.
 * @throws StatusError where the server refuses an object
 */
export async function bootstrap(assembly: Assembly, objects: readonly JsonObject[]): Promise<void> {
  const namespaces = NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  await Promise.all(namespaces.map((one) => ensure(assembly, one)));
  await Promise.all([ensureService(assembly), ...bootstrapRbac().map((one) => ensureRight(assembly, one))]);
  for (const one of objects) await ensure(assembly, one);
}

async function ensureService({ registry, store, clock }: Assembly): Promise<void> {
  const key = 'default/kubernetes';
  const resource = registry.find('', 'v1', 'services');
  if (resource === undefined || store.newest(resource.collection, key) !== undefined) return;
  const object = resource.strategy.default(KUBERNETES);
  const made = { uid: randomUUID(), creationTimestamp: timestamp(clock.now()) };
  await store.put(resource.collection, key, (revision) => ({
    ...object,
    status: { loadBalancer: {} },
    metadata: { ...object.metadata, ...made, resourceVersion: String(revision) },
  }));
}

/** Creates an object unless it exists. */
async function ensure(assembly: Assembly, value: JsonObject): Promise<void> {
  const target = targetOf(assembly, value);
  if (storedAt(assembly, target) === undefined) await create(assembly, target, value);
}

/** Creates a default role or binding, or repairs it where it was changed. */
async function ensureRight(assembly: Assembly, value: JsonObject): Promise<void> {
  const target = targetOf(assembly, value);
  const found = storedAt(assembly, target);
  const wrong = found !== undefined && refersToOtherRole(found, value);
  if (wrong) await assembly.verbs.delete(target, undefined, {}, CALLER);
  if (found === undefined || wrong) return create(assembly, target, value);
  const next = repaired(found, value);
  if (next !== found) await assembly.verbs.update(target, { value: next, duplicates: [] }, {}, CALLER);
}

function targetOf({ registry }: Assembly, value: JsonObject): Target {
  const metadata = structAt(value, 'metadata');
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  const { group, version } = readApiVersion(apiVersion);
  const resource = registry.findKind(group, version, kind);
  if (resource === undefined) throw new Error(`${apiVersion} ${kind}: no such kind is served`);
  return {
    resource,
    namespace: resource.namespaced ? textAt(metadata, 'namespace') : '',
    name: textAt(metadata, 'name'),
    subresource: '',
  };
}

function storedAt({ reader }: Assembly, { resource, namespace, name }: Target): KubeObject | undefined {
  return reader.get(resource.collection, namespace, name);
}

async function create({ verbs }: Assembly, target: Target, value: JsonObject): Promise<void> {
  try {
    await verbs.create({ ...target, name: '' }, { value, duplicates: [] }, {}, CALLER);
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}
