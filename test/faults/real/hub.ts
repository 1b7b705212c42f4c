import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { ALLOW_DELETION_ANNOTATION } from '../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { objectPath } from '../../../src/runtime/client/path.js';
import { asRecord, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { deploy, makeNamespaces } from '../../support/hub/deployed.js';
import { TEAM } from '../hub/base.js';
import { Hands } from '../hub/hands.js';

/** What a fleet is stored as. Deleted in this order, nothing is in use. */
export const FLEET = [Placements, PlacementDecisions, ManagedClusterSetBindings, ManagedClusterSets, ManagedClusters];

const MERGE = 'application/merge-patch+json';
const ALLOWED = { metadata: { annotations: { [ALLOW_DELETION_ANNOTATION]: 'true' } } };

/** Deploys the product on a server, but for its processes. */
export async function deployOn(server: ControlPlane): Promise<void> {
  await deploy(server);
  await makeNamespaces(server, [TEAM]);
}

/** Stands for what there is only in a simulation. */
export function absent<T extends object>(what: string): T {
  const get = (): never => {
    throw new Error(`there is no ${what} on a real server`);
  };
  return new Proxy({}, { get }) as T;
}

/** An administrator of a real server, who says so before deleting what the product protects. */
export class RealHands extends Hands {
  readonly #real: ControlPlane;

  constructor(server: ControlPlane) {
    super(absent('server in this process'));
    this.#real = server;
  }

  override async ask(
    method: string,
    path: string,
    body?: object,
    contentType?: string,
  ): Promise<{ readonly code: number; readonly value: JsonRecord }> {
    if (method === 'DELETE') await this.#real.call({ method: 'PATCH', path, body: ALLOWED, contentType: MERGE });
    const answer = await this.#real.call({
      method: method as 'GET',
      path,
      ...(body && { body }),
      ...(contentType !== undefined && { contentType }),
    });
    return { code: answer.status, value: asRecord(answer.body) };
  }
}

/** Deletes every object of the fleet, so that each run begins as the first did. */
export async function clear(server: ControlPlane): Promise<void> {
  const hands = new RealHands(server);
  for (const type of FLEET)
    await waitFor(`${type.plural} to be gone`, async (seen) => {
      const left = await hands.list(type);
      seen(left);
      await Promise.all(
        left.map(async ({ metadata }) => {
          const target = objectPath(type, metadata);
          const { finalizers } = metadata as { readonly finalizers?: readonly string[] };
          if (finalizers !== undefined)
            await server.call({
              method: 'PATCH',
              path: target,
              body: { metadata: { finalizers: null } },
              contentType: MERGE,
            });
          await hands.remove(type, metadata).catch(() => undefined);
        }),
      );
      return left.length === 0;
    });
}
