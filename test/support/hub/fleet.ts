import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { condition } from '../scenario/checks/reading.js';

const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';
const AT_ONCE = 20;

export function fleetObject(
  kind: string,
  meta: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> },
  spec: Readonly<Record<string, unknown>> = {},
): AnyObject {
  return { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind, metadata: meta, spec };
}

/** The path of one of them, or of its kind where no name is given. */
export function fleetPath(kind: string, name?: string, namespace?: string): string {
  const place = namespace === undefined ? FLEET : `${FLEET}/namespaces/${namespace}`;
  return `${place}/${kind.toLowerCase()}s${name === undefined ? '' : `/${name}`}`;
}

/** Creates many objects, some at once; throws when one is refused. */
export async function createAll(server: ControlPlane, objects: readonly AnyObject[]): Promise<void> {
  await inTurns(objects, async (object) => {
    const { kind = '', metadata } = object;
    const { status, text } = await server.call({
      method: 'POST',
      path: fleetPath(kind, undefined, metadata?.namespace),
      body: object,
    });
    if (status !== 201) throw new Error(`${kind} ${metadata?.name ?? ''}: ${status} ${text}`);
  });
}

/** JSON merge patches of clusters, some at once; throws when one is refused. */
export async function patchClusters(
  server: ControlPlane,
  names: readonly string[],
  body: unknown,
  subresource = '',
): Promise<void> {
  await inTurns(names, async (name) => {
    const path = `${fleetPath('ManagedCluster', name)}${subresource}`;
    const { status, text } = await server.call({
      method: 'PATCH',
      path,
      body,
      contentType: 'application/merge-patch+json',
    });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  });
}

/** Waits until all `count` Placements of the namespace are Ready. */
export async function placementsReady(
  server: ControlPlane,
  namespace: string,
  count: number,
  options: { readonly deadlineMs: number; readonly everyMs: number },
): Promise<void> {
  await waitFor(
    'every placement to be ready',
    async (seen) => {
      const { body } = await server.call({ path: fleetPath('Placement', undefined, namespace) });
      const ready = (body.items ?? []).filter((one) => condition(one, 'Ready')['status'] === 'True').length;
      seen(ready);
      return ready === count;
    },
    options,
  );
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let first = 0; first < all.length; first += AT_ONCE)
    await Promise.all(all.slice(first, first + AT_ONCE).map(work));
}
