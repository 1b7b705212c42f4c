import { equal } from '@multicluster-engine/values/json';
import { withMeta, type KubeObject, type OwnerReference } from '@multicluster-engine/values/object';
import { badRequest } from '../status.js';

/** Sets the namespace of the request; 400 where the object has another one. Without a namespace in the request it is removed. */
export function inNamespace(object: KubeObject, namespace: string): KubeObject {
  const given = object.metadata.namespace ?? '';
  if (given === namespace) return object;
  if (given === '') return withMeta(object, { namespace });
  if (namespace === '') return withMeta(object, { namespace: undefined });
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** 400 where the object has another name than the URL, or none. */
export function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name ?? '';
  if (given === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

/** Removes duplicate owners, with a warning whose text depends on whether the request or admission has them. */
export function withOwnersOnce(
  object: KubeObject,
  warn: (text: string) => void,
  when: 'sent' | 'admitted',
): KubeObject {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return object;
  const kept: OwnerReference[] = [];
  const dropped: string[] = [];
  for (const owner of owners) {
    if (kept.some((one) => equal(one, owner))) dropped.push(owner.uid);
    else kept.push(owner);
  }
  if (dropped.length === 0) return object;
  const where = when === 'sent' ? '' : ' after mutating admission happens';
  warn(
    `.metadata.ownerReferences contains duplicate entries${where}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${dropped.join(', ')}`,
  );
  return withMeta(object, { ownerReferences: kept });
}
