import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { writeKubeconfig } from '@multicluster-engine/kube-apiserver/testing/kubeconfig';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { BareClient, inParallel } from '../../../bench/placement/client.js';
import { COMPILED, ControllerProcess } from '../../../bench/placement/controller.js';
import { clusterName, frame, type FleetObject } from '../../../bench/placement/fleet.js';
import { AT_ONCE, create, installDefinitions } from '../../../bench/placement/server.js';
import { AGENTS_NAMESPACE } from '../../../src/api/names.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../../src/api/resources.js';
import { collectionPath, objectPath } from '../../../src/runtime/client/path.js';
import { apiVersionOf, Leases, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { Proxy } from '../../support/proxy/proxy.js';
import { cluster, freePlacement, LEASE_SECONDS, placement, SIZE } from './fleet.js';

const USER = { user: 'placement-controller', groups: ['system:masters'] };
/** Of each Placement at first: when all but a few of them have left, its history is nearly full, and later changes store no more. */
const MANY = 100;
const RENEWED_EVERY = LEASE_SECONDS - 1;

/** kube-apiserver with the fleet, and the program behind a proxy. */
export class SoakWorld {
  readonly server: ControlPlane;
  readonly client: BareClient;
  readonly proxy: Proxy;
  /** Clusters whose agents do not renew. */
  silent: ReadonlySet<number> = new Set();
  #kubeconfig = '';
  #program: ControllerProcess | undefined;

  private constructor(server: ControlPlane, client: BareClient, proxy: Proxy) {
    [this.server, this.client, this.proxy] = [server, client, proxy];
  }

  static async open(): Promise<SoakWorld> {
    const server = await startBackend('real', { size: 'api', users: [USER], label: 'soak' });
    const proxy = await Proxy.start({ url: server.url, caFile: server.caFile });
    const world = new SoakWorld(server, await BareClient.open(server.adminKubeconfig, AT_ONCE), proxy);
    const access = { server: proxy.url, caFile: server.caFile, token: await server.tokenFor(USER) };
    world.#kubeconfig = await writeKubeconfig(path.join(server.folder, 'program'), access);
    await world.#seed();
    await world.start();
    await world.settled();
    await world.edit(SIZE.placements, placement);
    return world;
  }

  async close(): Promise<void> {
    await this.#program?.stop();
    await this.client.close();
    await this.proxy.stop();
    await this.server.stop();
  }

  get program(): ControllerProcess {
    if (this.#program === undefined) throw new Error('the program is not running');
    return this.#program;
  }

  async start(): Promise<void> {
    const log = path.join(this.server.folder, 'program.log');
    this.#program = await ControllerProcess.start(COMPILED, this.#kubeconfig, log, 'placement,clusters');
    await this.#program.ready();
  }

  /** Renews the Leases of all agents but the silent ones, until `signal` fires. */
  async renew(signal: AbortSignal): Promise<void> {
    for (let second = 0; !signal.aborted; second++) {
      await inParallel(SIZE.agents, AT_ONCE, async (index) => {
        if ((index + second) % RENEWED_EVERY !== 0 || this.silent.has(index)) return;
        const at = objectPath(Leases, { namespace: AGENTS_NAMESPACE, name: clusterName(index) });
        const body = { spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } };
        // Next time again, as an agent does.
        await this.client.send({ method: 'PATCH', path: at, body }).catch(() => undefined);
      });
      await quietWindow(1_000);
    }
  }

  /** What the program uses, after its garbage was collected, and what is stored. */
  async sample(): Promise<Readonly<Record<string, number>>> {
    const { heapMiB, residentMiB } = await this.program.ask({ kind: 'collect' });
    const metrics = await this.program.metrics();
    const [clusters, placements, decisions] = await Promise.all(
      [ManagedClusters, Placements, PlacementDecisions].map((type) => this.#textOf(type)),
    );
    return {
      'heap, MiB': heapMiB,
      'resident memory, MiB': residentMiB,
      'file descriptors': (await readdir(`/proc/${this.program.pid}/fd`)).length,
      'timers and handles': Number(/^nodejs_active_resources_total (\d+)$/m.exec(metrics)?.[1]),
      'series of metrics': metrics.split('\n').filter((line) => !/^(#|$)/.test(line)).length,
      'stored, MiB': `${clusters}${placements}${decisions}`.length / 2 ** 20,
    };
  }

  /** Waits until every Placement is decided as it is now. */
  async settled(): Promise<void> {
    const isDecided = ({ metadata, status }: Listed): boolean => status?.observedGeneration === metadata.generation;
    const look = async (): Promise<boolean> => (await this.list<Listed>(Placements)).every(isDecided);
    await waitFor('every Placement to be decided', look, { deadlineMs: 180_000, everyMs: 2_000 });
  }

  async list<T>(type: ResourceType): Promise<readonly T[]> {
    return (JSON.parse(await this.#textOf(type)) as { readonly items: readonly T[] }).items;
  }

  /** Gives Placements the specs that `made` returns for 0 to `count` - 1. */
  async edit(count: number, made: (n: number) => FleetObject): Promise<void> {
    await inParallel(count, AT_ONCE, async (n) => {
      const { type, object } = made(n);
      const body = [{ op: 'replace', path: '/spec', value: object.spec }];
      const contentType = 'application/json-patch+json';
      await this.client.send({ method: 'PATCH', path: objectPath(type, object.metadata), body, contentType });
    });
  }

  /** From the memory of the server. */
  #textOf(type: ResourceType): Promise<string> {
    return this.client.send({ method: 'GET', path: `${collectionPath(type)}?resourceVersion=0` });
  }

  async #seed(): Promise<void> {
    const { client } = this;
    await installDefinitions(client);
    const agents = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENTS_NAMESPACE } };
    for (const one of [{ type: Namespaces, object: agents }, ...frame()]) await create(client, one);
    await inParallel(SIZE.agents, AT_ONCE, (index) => create(client, leaseOf(index)));
    await inParallel(SIZE.clusters, AT_ONCE, (index) => create(client, cluster(index)));
    await inParallel(SIZE.placements, AT_ONCE, (index) => create(client, freePlacement(index, MANY)));
  }
}

interface Listed {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly observedGeneration?: number };
}

/** Of the agent of cluster `index`. */
function leaseOf(index: number): FleetObject {
  const metadata = { namespace: AGENTS_NAMESPACE, name: clusterName(index) };
  const spec = { holderIdentity: 'agent', leaseDurationSeconds: LEASE_SECONDS };
  return { type: Leases, object: { apiVersion: apiVersionOf(Leases), kind: Leases.kind, metadata, spec } };
}
