/**
 * People keep ManagedClusters in Git, and cordon and drain them by hand. Each reconciliation of Flux takes over what a manager
 * has written whose name begins with `kubectl`, and so removed taints, hubAcceptsClient and the label of the set that the
 * commands had written. And `kubectl apply` of an unchanged manifest that has a taint of its own replaces the whole list of
 * taints: a cluster that was being drained was selected again three seconds later.
 * Right: what the commands write stays through every reconciliation of a manifest that says nothing of it, by kubectl, Flux,
 * Argo CD and Helm, also what earlier versions of the commands have written.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';

import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { asRecord, field, recordsIn, textField, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL, HEALTH_FIELD_MANAGER, TAINTS } from '../../src/api/names.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { Namespaces } from '../../src/runtime/vocabulary/kinds.js';
import { startDrain, uncordon } from '../../src/cli/commands/maintenance.js';
import { prepareJoin } from '../../src/cli/commands/cluster/join.js';
import { manifestView } from '../../src/domain/placement/spec/cluster.js';
import type { KubeClient } from '../../src/runtime/client/client.js';
import { createIdentityClient } from '../../src/runtime/client/identity.js';
import { createClient } from '../../src/runtime/client/rest.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { transportOf } from '../support/clients/transport.js';
import { root } from '../support/repository/root.js';

const LONG_MS = 120_000;
const FLUX = 'kustomize-controller';

/**
 * The managers that GitOps tools take over, or remove, by the begin of their names: kustomize-controller of Flux (its own
 * entries from before server-side apply, too), the migration from client-side apply of kubectl and Argo CD, and the managers
 * under which Argo CD, Helm and Flux apply.
 */
const TAKEN_OVER = /^(kubectl|before-first-apply|kustomize-controller|helm|argocd|flux)/;

/** What kustomize-controller does to one object: the field managers that it takes over, then its server-side apply. */
async function fluxReconciles(transport: Transport, manifest: JsonRecord): Promise<void> {
  const name = textField(manifest['metadata'], 'name');
  const call = { path: `/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/${name}`, idempotent: true };
  const target = { verb: 'patch', resource: 'managedclusters' };
  const { body } = await transport.call({ ...call, method: 'GET', target });
  const entries = recordsIn(field(field(body, 'metadata'), 'managedFields'));
  const operations: Readonly<Record<string, readonly string[]>> = {
    kubectl: ['Apply', 'Update'],
    'before-first-apply': ['Update'],
    [FLUX]: ['Update'],
  };
  const isTaken = (one: JsonRecord): boolean =>
    textField(one, 'subresource') === '' &&
    Object.entries(operations).some(
      ([prefix, all]) => textField(one, 'manager').startsWith(prefix) && all.includes(textField(one, 'operation')),
    );
  const isOwn = (one: JsonRecord): boolean => one['manager'] === FLUX && one['operation'] === 'Apply';
  const taken = entries.filter((one) => isTaken(one) || isOwn(one));
  if (taken.some(isTaken)) {
    const fieldsV1 = taken.map((one) => asRecord(one['fieldsV1'])).reduce(union);
    const own = { ...taken[0], manager: FLUX, operation: 'Apply', fieldsV1 };
    const value = [...entries.filter((one) => !taken.includes(one)), own];
    await transport.call({
      ...call,
      method: 'PATCH',
      target,
      query: { fieldManager: FLUX },
      contentType: 'application/json-patch+json',
      body: JSON.stringify([{ op: 'replace', path: '/metadata/managedFields', value }]),
    });
  }
  await transport.call({
    ...call,
    method: 'PATCH',
    target,
    query: { fieldManager: FLUX, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify(manifest),
  });
}

function union(a: JsonRecord, b: JsonRecord): JsonRecord {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(keys.map((key) => [key, union(asRecord(a[key]), asRecord(b[key]))]));
}

/** `kubectl apply`, on the client. */
async function kubectlApplies(kubeconfig: string, manifest: JsonRecord): Promise<void> {
  const env = { ...process.env, PATH: pathWithKubectl(), KUBECONFIG: kubeconfig };
  const running = promisify(execFile)('kubectl', ['apply', '-f', '-'], { env });
  running.child.stdin?.end(JSON.stringify(manifest));
  await running;
}

describe('a field manager of the product', () => {
  it('has no name that a GitOps tool takes over', () => {
    const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.endsWith('.ts'),
    );
    const names = files.flatMap((file) => {
      const text = readFileSync(path.join(root, 'src', file), 'utf8');
      return [...text.matchAll(/FIELD_MANAGER = '([^']+)'|fieldManager: '([^']+)'/g)].map(
        (one) => `${file}: ${one[1] ?? one[2]}`,
      );
    });
    expect(names.length).toBeGreaterThan(10);
    // Those manifests are in Git, and kubectl applies them without a conflict after `standalone` has.
    const manifests = 'standalone/install.ts: kubectl';
    expect(names.filter((one) => TAKEN_OVER.test(one.split(': ')[1] ?? '') && one !== manifests)).toEqual([]);
  });
});

describeWithServer('what the commands write to a cluster in Git', { own: true }, (server) => {
  let transport: Transport;
  let client: KubeClient;
  let count = 0;
  let name: string;

  beforeAll(async () => {
    await installCrds(server());
    transport = transportOf(server().adminKubeconfig, { limits: { default: { qps: 10_000, burst: 10_000 } } });
    client = createClient(transport);
    await client.create(Namespaces, { metadata: { name: AGENTS_NAMESPACE } }, { fieldManager: 'test' });
  }, LONG_MS);
  afterAll(() => transport.close());
  beforeEach(() => void (name = `edge-${(count += 1)}`));

  const manifest = (): JsonRecord => ({
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: { name, labels: { region: 'eu' } },
    spec: { displayName: 'Edge', taints: [{ key: 'gpu', effect: 'PreferNoSelect' }] },
  });
  const get = async (): Promise<RawObject> => {
    const found = await client.get<RawObject>(ManagedClusters, { name });
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  };
  /** The taints that Placements see, without that of a cluster that has not joined. */
  const taints = async (): Promise<readonly string[]> => manifestView(await get()).taints.map(({ key }) => key);
  const add = (clusterSet: string | undefined): Promise<unknown> =>
    prepareJoin(
      { client, identity: createIdentityClient(transport) },
      { name, clusterSet, validSeconds: 600, renew: false },
    );

  it.each<[string, (object: JsonRecord) => Promise<void>]>([
    ['Flux', (object) => fluxReconciles(transport, object)],
    ['kubectl apply', (object) => kubectlApplies(server().adminKubeconfig, object)],
  ])('stays when %s applies the unchanged manifest again', async (_tool, reconcile) => {
    await client.apply(ManagedClusters, { metadata: { name } }, { fieldManager: 'test', force: false });
    await reconcile(manifest());
    await add('prod');
    await startDrain(client, name);
    expect(await taints()).toEqual(['gpu', TAINTS.draining]);

    for (let times = 0; times < 2; times++) await reconcile(manifest());

    expect(await taints()).toEqual(['gpu', TAINTS.draining]);
    const { metadata, spec } = await get();
    expect(metadata.labels).toEqual({ region: 'eu', [CLUSTER_SET_LABEL]: 'prod' });
    expect(field(spec, 'hubAcceptsClient')).toBe(true);
    expect(await uncordon(client, name)).toBe(`${name} is not cordoned any more`);
    await reconcile(manifest());
    expect(await taints()).toEqual(['gpu']);
  });

  it('and the taint of a cluster that is silent stays in force while kubectl apply has replaced the list', async () => {
    await client.apply(ManagedClusters, { metadata: { name } }, { fieldManager: 'test', force: false });
    await kubectlApplies(server().adminKubeconfig, manifest());
    const { uid = '' } = (await get()).metadata;
    const [key, effect, time] = [TAINTS.unreachable, 'NoSelect', '2026-01-02T03:04:05Z'];
    const options = { fieldManager: HEALTH_FIELD_MANAGER, force: true };
    const head = { metadata: { name, uid } };
    const spec = { taints: [{ key, effect, timeAdded: time }] };
    await client.apply<RawObject>(ManagedClusters, { ...head, spec }, options);
    const status = { taintTimes: [{ key, effect, since: time }] };
    await client.applyStatus<RawObject>(ManagedClusters, { ...head, spec: {}, status }, options);

    await kubectlApplies(server().adminKubeconfig, manifest());

    expect(recordsIn(field((await get()).spec, 'taints')).map((one) => one['key'])).toEqual(['gpu']);
    expect(manifestView(await get()).taints).toContainEqual({ key, value: '', effect, since: Date.parse(time) });
  });
});
