import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { load } from 'js-yaml';

import { ALLOW_DELETION_ANNOTATION } from '../../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../../src/api/resources.js';
import type { ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { root } from '../../repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { NAMESPACES } from '../script/opening.js';
import { fields, keyOf } from '../checks/reading.js';
import { pathOf } from '../script/requests.js';
import { parts } from '../script/world.js';

export const FLEET_TYPES: readonly ResourceType[] = [
  Placements,
  PlacementDecisions,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  ManagedClusters,
];

/** The CRDs of `crds/`, parsed. */
export function crds(): AnyObject[] {
  const folder = path.join(root, 'crds');
  return readdirSync(folder).map((name) => fields(load(readFileSync(path.join(folder, name), 'utf8'))));
}

/** A CRD without the rules on `spec` that a schema has over and above its types, so that what they refuse gets past admission. */
export function lax(crd: AnyObject): AnyObject {
  return fields(without(crd, ['x-kubernetes-validations', 'enum'], false));
}

function without(value: unknown, keys: readonly string[], inSchema: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => without(one, keys, inSchema));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !(inSchema && keys.includes(key)));
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, without(inner, keys, inSchema || key === 'openAPIV3Schema')]),
  );
}

/** Applies CRDs and waits until each is served. */
export async function install(server: ControlPlane, definitions: readonly AnyObject[]): Promise<void> {
  for (const crd of definitions) {
    const name = crd.metadata?.name ?? '';
    const address = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await waitFor(`CRD ${name} to be applied and served`, async (seen) => {
      const applied = await server.call({
        method: 'PATCH',
        path: `${address}?fieldManager=script&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: crd,
      });
      seen(`${applied.status} ${applied.text.slice(0, 500)}`);
      if (applied.status >= 300 || applied.body.metadata?.deletionTimestamp !== undefined) return false;
      const plural = name.slice(0, name.indexOf('.'));
      const list = await server.call({ path: `/apis/${name.slice(plural.length + 1)}/v1alpha1/${plural}?limit=1` });
      seen(`${list.status} ${list.text.slice(0, 500)}`);
      return list.status === 200;
    });
  }
}

/** Makes namespaces, the script's own when none are named. */
export async function makeNamespaces(server: ControlPlane, names: readonly string[] = NAMESPACES): Promise<void> {
  for (const name of names) {
    const { status, text } = await server.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    if (status !== 201 && status !== 409) throw new Error(`namespace ${name}: ${status} ${text}`);
  }
}

/** Everything of the script's kinds that is stored. */
export async function everything(server: ControlPlane): Promise<AnyObject[]> {
  const found: AnyObject[] = [];
  for (const type of FLEET_TYPES) {
    const { status, body, text } = await server.call({ path: pathOf(type) });
    if (status !== 200) throw new Error(`list of ${type.plural}: ${status} ${text}`);
    for (const object of body.items ?? []) found.push({ ...object, kind: type.kind });
  }
  return found;
}

/** Deletes everything of the script's kinds, held clusters too, so that the next run begins as the first did. */
export async function clear(server: ControlPlane): Promise<void> {
  for (const type of FLEET_TYPES) {
    await waitFor(`${type.plural} to be gone`, async () => {
      const { status, body } = await server.call({ path: pathOf(type) });
      if (status !== 200) return false;
      const left = body.items ?? [];
      for (let first = 0; first < left.length; first += 10) {
        await Promise.all(left.slice(first, first + 10).map((object) => remove(server, type, object)));
      }
      return left.length === 0;
    });
  }
}

async function remove(server: ControlPlane, type: ResourceType, object: AnyObject): Promise<void> {
  const key = keyOf(object);
  const { namespace, name } = type.namespaced ? parts(key) : { namespace: '', name: key };
  const address = pathOf(type, namespace, name);
  // A set that was in use when the controller ended stays in use by its condition, and decisions are always protected.
  const isProtected = type === ManagedClusterSets || type === PlacementDecisions;
  if (object.metadata?.['finalizers'] !== undefined || isProtected) {
    const body = { metadata: { finalizers: null, annotations: { [ALLOW_DELETION_ANNOTATION]: 'true' } } };
    await server.call({ method: 'PATCH', path: address, contentType: 'application/merge-patch+json', body });
  }
  await server.call({ method: 'DELETE', path: address });
}
