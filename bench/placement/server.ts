import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';

import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { CustomResourceDefinitions } from '../../src/runtime/vocabulary/kinds.js';
import { collectionPath, objectPath } from '../../src/runtime/client/path.js';
import { root } from '../../test/support/repository/root.js';
import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { inParallel, type BareClient } from './client.js';
import { cluster, frame, placement, type FleetObject, type FleetSize } from './fleet.js';

/** The API server of a bench, in processes of its own. */
export interface BenchServer {
  /** Kubeconfig of an administrator. */
  readonly kubeconfig: string;
  /** Kubeconfig of the controller. */
  readonly controllerKubeconfig: string;
  /** The requests of the controller after a position of the log; undefined where the log cannot be read. */
  requests(after: number): Promise<readonly LoggedRequest[] | undefined>;
  logMark(): Promise<number>;
  stop(): Promise<void>;
}

/** `embedded`, `real` (kube-apiserver and etcd), or the kubeconfig of a server that runs already and is empty. */
export type ServerChoice = string;

const CONTROLLER = { user: 'placement-controller', groups: ['system:masters'] };
/** Requests that the seeding sends at once. */
export const AT_ONCE = 32;

export async function startServer(choice: ServerChoice): Promise<BenchServer> {
  if (choice !== 'embedded' && choice !== 'real') return running(choice);
  const server = await startBackend(choice, { size: 'api', users: [CONTROLLER], label: 'bench' });
  return {
    kubeconfig: server.adminKubeconfig,
    controllerKubeconfig: await server.kubeconfigFor(CONTROLLER),
    requests: (after) => server.requestLog({ after, user: CONTROLLER.user }),
    logMark: () => server.logMark(),
    stop: () => server.stop(),
  };
}

/** A server that the bench neither starts nor stops, and whose audit log it cannot read. */
function running(kubeconfig: string): BenchServer {
  return {
    kubeconfig,
    controllerKubeconfig: kubeconfig,
    requests: () => Promise.resolve(undefined),
    logMark: () => Promise.resolve(0),
    stop: () => Promise.resolve(),
  };
}

/** Installs the definitions and creates the fleet. */
export async function seed(client: BareClient, { clusters, placements }: FleetSize): Promise<void> {
  await installDefinitions(client);
  for (const one of frame()) await create(client, one);
  await inParallel(clusters, AT_ONCE, (index) => create(client, cluster(index)));
  await inParallel(placements, AT_ONCE, (index) => create(client, placement(index)));
}

/** Creates an object, and writes its status if it has one. */
export async function create(client: BareClient, { type, object, status }: FleetObject): Promise<void> {
  await client.send({ method: 'POST', path: collectionPath(type, object.metadata.namespace), body: object });
  if (status !== undefined) await patchStatus(client, { type, object }, status);
}

export async function patchStatus(
  client: BareClient,
  { type, object }: Pick<FleetObject, 'type' | 'object'>,
  status: object,
): Promise<void> {
  await client.send({ method: 'PATCH', path: objectPath(type, object.metadata, 'status'), body: { status } });
}

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** Creates the CRDs and waits until all are served. */
export async function installDefinitions(client: BareClient): Promise<void> {
  const folder = path.join(root, 'crds');
  const definitions = readdirSync(folder).map(
    (file) => load(readFileSync(path.join(folder, file), 'utf8')) as Definition,
  );
  for (const body of definitions)
    await client.send({ method: 'POST', path: collectionPath(CustomResourceDefinitions), body });
  for (const { spec } of definitions) {
    const { group, names, versions } = spec;
    const list = `/apis/${group}/${versions[0]?.name ?? ''}/${names.plural}?limit=1`;
    await waitFor(`${list} to be served`, () => client.isServed(list));
  }
}
