import path from 'node:path';

import type { KubeObject, ResourceType } from '../runtime/vocabulary/meta.js';
import * as ownKinds from '../api/resources.js';
import * as builtInKinds from '../runtime/vocabulary/kinds.js';
import { apiVersionOf } from '../runtime/vocabulary/kinds.js';
import { packageRoot } from '../runtime/process/build.js';
import type { KubeClient } from '../runtime/client/client.js';
import { readKustomization } from '../runtime/manifests.js';
import { isFailure } from '../runtime/errors.js';

/** The field manager of `kubectl apply --server-side`, so that a user can apply `deploy/` without a conflict. */
const FIELD_MANAGER = 'kubectl';
/** Kinds that are skipped: they run and protect the pods of the operator, which runs in this process. */
const SKIPPED: ReadonlySet<string> = new Set(['Deployment', 'PodDisruptionBudget', 'NetworkPolicy']);
/** By apiVersion and kind. */
const TYPES: ReadonlyMap<string, ResourceType> = new Map(
  [...Object.values(ownKinds), ...Object.values(builtInKinds)]
    .filter(isType)
    .map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]),
);

/**
 * Applies `deploy/standalone`, the manifests of the operator, to the embedded API server at each start. An object that
 * conflicts with the fields of another manager is kept as it is; returns kind and name of each such object.
 * @throws Error for an unknown kind; ApiError.
 */
export async function install(client: KubeClient): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const object of readKustomization(path.join(packageRoot(), 'deploy', 'standalone'))) {
    if (SKIPPED.has(object.kind ?? '')) continue;
    try {
      await client.apply(typeOf(object), object, { fieldManager: FIELD_MANAGER, force: false, metadataOnly: true });
    } catch (error) {
      if (!isFailure(error, 'Conflict')) throw error;
      kept.push(`${object.kind ?? ''} ${object.metadata.name}`);
    }
  }
  return kept;
}

function typeOf(object: KubeObject): ResourceType {
  const type = TYPES.get(`${object.apiVersion ?? ''} ${object.kind ?? ''}`);
  if (type === undefined)
    throw new Error(
      `deploy/standalone: ${object.kind ?? ''} ${object.metadata.name}: unknown kind of ${object.apiVersion ?? ''}`,
    );
  return type;
}

function isType(value: unknown): value is ResourceType {
  return typeof value === 'object' && value !== null && 'plural' in value;
}
