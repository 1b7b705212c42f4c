/**
 * People cordon a cluster and uncordon it, or remove the last label, claim or taint of one. What the hub had written of it has
 * to go too. A server-side apply that takes away the last item of a list, or the last field of an object, leaves null where
 * another manager owns the list itself, and the API server refuses its own result: the old values stayed for ever, and a taint
 * that was set again counted from its first time.
 * Right: whatever a writer of the product has applied, it can take away again, whoever has written beside it; a taint that went
 * and comes again has a new time; and a write that is refused is said in the log as an error, and on the object.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { TransportHub } from '../../src/agent/hub.js';
import type { ClusterReport } from '../../src/domain/agent/report/report.js';
import type { ManagedCluster } from '../../src/api/generated/managedcluster.js';
import { INVENTORIES_FIELD_MANAGER, TAINTS } from '../../src/api/names.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { cordon, uncordon } from '../../src/cli/commands/maintenance.js';
import { createClient } from '../../src/runtime/client/rest.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { systemClock } from '../../src/runtime/clock.js';
import { ApiError } from '../../src/runtime/errors.js';
import { transportOf } from '../support/clients/transport.js';
import { HealthRig } from '../support/rigs/controllers/health.js';
import { Agents, HealthServerRig } from '../support/rigs/server/health.js';

const LONG_MS = 120_000;
const AT = '2026-01-02T03:04:05Z';
const condition = (type: string): object => ({
  type,
  status: 'True',
  reason: 'Tested',
  message: '',
  lastTransitionTime: AT,
  lastUpdateTime: AT,
});
const taint = (key: string): object => ({ key, effect: 'NoSelect' });

/** Each field that a writer of the product applies, what it applies there, and what another manager has had there. */
const FIELDS: readonly (readonly [path: readonly [string, string], ours: unknown, others: unknown])[] = [
  [['metadata', 'labels'], { ours: 'a' }, { others: 'b' }],
  [['metadata', 'annotations'], { ours: 'a' }, { others: 'b' }],
  [['spec', 'taints'], [taint('ours')], [taint('others')]],
  [['status', 'taintTimes'], [{ ...taint('ours'), since: AT }], [{ ...taint('others'), since: AT }]],
  [['status', 'clusterClaims'], [{ name: 'ours', value: 'a' }], [{ name: 'others', value: 'b' }]],
  [['status', 'conditions'], [condition('Ours')], [condition('Others')]],
  [['status', 'capacity'], { cpu: '1' }, { memory: '1' }],
  [['status', 'allocatable'], { cpu: '1' }, { memory: '1' }],
  [['status', 'version'], { kubernetes: 'v1' }, {}],
  [['status', 'nodes'], { total: 1 }, { ready: 1 }],
  [['status', 'managedClusterClientConfigs'], [{ url: 'https://a' }], [{ url: 'https://b' }]],
];

describeWithServer('fields whose last part goes', { own: true }, (server) => {
  let transport: Transport;
  let agents: Agents;

  beforeAll(async () => {
    await installCrds(server());
    transport = transportOf(server().adminKubeconfig, { limits: { default: { qps: 10_000, burst: 10_000 } } });
    agents = new Agents(server());
    await agents.namespace();
  }, LONG_MS);
  afterAll(async () => {
    await agents.close();
    await transport.close();
  });

  const get = async (name: string): Promise<ManagedCluster> => {
    const found = await agents.get(name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  };
  /** Writes fields as `kubectl patch` does. */
  const patch = async (name: string, fields: object, subresource = ''): Promise<void> => {
    await transport.call({
      method: 'PATCH',
      path: `/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/${name}${subresource}`,
      query: { fieldManager: 'kubectl-patch' },
      contentType: 'application/merge-patch+json',
      body: JSON.stringify(fields),
      idempotent: true,
      target: { verb: 'patch', resource: 'managedclusters' },
    });
  };

  it.each(FIELDS)('%j is taken away by its manager, also where another manager owns what held it', async (...row) => {
    const [[parent, key], ours, others] = row;
    const name = `emptied-${key.toLowerCase()}`;
    const subresource = parent === 'status' ? '/status' : '';
    await agents.cluster(name, { displayName: 'of a person' });
    const client = createClient(transport);
    const apply = async (fields: object): Promise<ManagedCluster> => {
      const { uid, resourceVersion } = (await get(name)).metadata;
      const { metadata, ...rest } = fields as { metadata?: object };
      const object = { metadata: { ...metadata, name, uid }, spec: {}, ...rest } as ManagedCluster;
      const options = { fieldManager: INVENTORIES_FIELD_MANAGER, force: true, resourceVersion };
      return parent === 'status'
        ? client.applyStatus<ManagedCluster>(ManagedClusters, object, options)
        : client.apply<ManagedCluster>(ManagedClusters, object, options);
    };
    const read = async (): Promise<unknown> => Reflect.get(Reflect.get(await get(name), parent) ?? {}, key);

    await patch(name, { [parent]: { [key]: others } }, subresource);
    await apply({ [parent]: { [key]: ours } });
    // The other manager takes its part away, and goes on to own the list or object itself.
    await patch(
      name,
      { [parent]: { [key]: Array.isArray(ours) ? ours : { others: null, memory: null, ready: null } } },
      subresource,
    );
    expect(await read()).toEqual(ours);
    await apply({});
    const left = await read();

    expect(left ?? {}).toEqual({});
    expect((await get(name)).spec.displayName).toBe('of a person');
  });

  it('a taint that goes and comes again has a new time, whoever has written a status before', async () => {
    const hub = new HealthServerRig(server());
    await hub.synced();
    try {
      const client = createClient(transport);
      for (const name of ['plain', 'claimed']) await agents.cluster(name, {});
      await patch('claimed', { status: { version: { kubernetes: 'v1' } } }, '/status');
      await patch('claimed', { status: { version: null } }, '/status');
      const timesOf = async (name: string): Promise<readonly string[]> =>
        ((await get(name)).status?.taintTimes ?? []).map(({ key, since }) => `${key} ${since}`);
      const times = (name: string, isDone: (all: readonly string[]) => boolean): Promise<readonly string[]> =>
        waitFor(`other times of the taints of ${name}`, async () => {
          await hub.clock.advance(1_000);
          const all = await timesOf(name);
          return isDone(all) ? all : undefined;
        });

      for (const name of ['plain', 'claimed']) {
        await cordon(client, name);
        const [first = ''] = await times(name, (all) => all.length === 1);
        expect(first).toContain(TAINTS.cordoned);
        await uncordon(client, name);
        expect(await times(name, (all) => all.length === 0)).toEqual([]);
        await hub.clock.advance(60_000);
        await cordon(client, name);
        const [second = ''] = await times(name, (all) => all.length === 1);
        const [before, after] = [first, second].map((one) => Date.parse(one.split(' ')[1] ?? ''));
        expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(60_000);
      }
    } finally {
      await hub.stop();
    }
  });

  it('an agent whose nodes are all unready reports that there is nothing to allocate', async () => {
    const { uid: clusterUid = '' } = (await agents.cluster('nodes', { hubAcceptsClient: true })).metadata;
    const hub = new TransportHub(transport, { cluster: 'nodes', clusterUid, joinSecretUid: '' }, systemClock);
    const report: ClusterReport = {
      clusterClaims: [{ name: 'id.k8s.io', value: 'a' }],
      version: { kubernetes: 'v1.36.3' },
      nodes: { total: 1, ready: 1 },
      capacity: { cpu: '8' },
      allocatable: { cpu: '7' },
    };
    await patch('nodes', { status: { capacity: { memory: '1' } } }, '/status');
    await hub.applyStatus(report, new AbortController().signal);
    await patch('nodes', { status: { capacity: { memory: null } } }, '/status');

    await hub.applyStatus(
      { ...report, nodes: { total: 1, ready: 0 }, capacity: {}, allocatable: {} },
      new AbortController().signal,
    );

    const { nodes, capacity = {}, allocatable = {} } = (await get('nodes')).status ?? {};
    expect({ nodes, capacity, allocatable }).toEqual({ nodes: { total: 1, ready: 0 }, capacity: {}, allocatable: {} });
  });
});

describe('a write of the hub that the API server refuses', () => {
  let hub: HealthRig;
  let refused: (verb: string) => boolean;

  beforeEach(async () => {
    hub = new HealthRig();
    hub.add(['edge']);
    refused = () => true;
    hub.api.before = ({ verb, type, name }) => {
      if (!verb.startsWith('apply') || !refused(verb)) return;
      const call = { verb, resource: type.plural, ...name };
      throw new ApiError({ kind: 'Invalid', status: 422, message: 'spec.taints: must be of type array: "null"', call });
    };
    hub.observe();
    hub.lead();
    await hub.clock.advance(10_000);
  });
  afterAll(() => hub.loseLease());

  it('is an error of the product in the log, not a mistake in the object, and is repeated', async () => {
    const errors = hub.log.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ message }) => message)).toContain('reconcile failed');
    expect(JSON.stringify(hub.log.lines)).not.toContain('the object is invalid');
    refused = () => false;
    await hub.clock.advance(120_000);
    expect(hub.cluster('edge')?.spec.taints).toHaveLength(1);
    await hub.loseLease();
  });

  it('is named by a condition of the cluster until one is accepted', async () => {
    const of = (): unknown =>
      hub.cluster('edge')?.status?.conditions?.find(({ type }) => type === 'HubWriteRefused')?.message;
    refused = (verb) => verb === 'apply';
    await hub.clock.advance(120_000);
    expect(of()).toBe('spec.taints: must be of type array: "null"');
    refused = () => false;
    await hub.clock.advance(600_000);
    expect(of()).toBeUndefined();
    await hub.loseLease();
  });
});
