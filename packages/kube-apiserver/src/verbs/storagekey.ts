import type { Resource } from '../resource.js';
import { conflict, unknownError } from '../status.js';
import type { StatusError } from '../status.js';
import type { Target } from './verbs.js';

/** Collections whose path in etcd has another name than their resource. */
const PATHS: Readonly<Record<string, string>> = { nodes: 'minions', services: 'services/specs' };
const WITH_GROUP: readonly string[] = ['apiextensions.k8s.io'];

/** The path of the objects of a resource in kube-apiserver's storage. */
function storagePrefix({ group, plural, custom }: Resource): string {
  return custom || WITH_GROUP.includes(group) ? `${group}/${plural}` : (PATHS[plural] ?? plural);
}

/**
 * Throws 500 for a namespace that is no valid part of a storage key, although it is a valid segment of a URL. `name`:
 * '' for the collection.
 */
export function checkStorageKey({ resource, namespace }: Target, name: string): void {
  if (namespace !== '.' && namespace !== '..') return;
  throw unknownError(
    `invalid key: "${['', storagePrefix(resource), namespace, ...(name === '' ? [] : [name])].join('/')}"`,
  );
}

/** 409 in the words of kube-apiserver's storage, which names the storage key; a dry run has another key. */
export function preconditionConflict(
  { resource, namespace, name }: Target,
  dryRun: boolean,
  failed: string,
): StatusError {
  const parts = [
    ...(dryRun ? [] : ['registry']),
    storagePrefix(resource),
    ...(namespace === '' ? [] : [namespace]),
    name,
  ];
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: /${parts.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`,
  );
}

/** The message of kube-apiserver's storage for a failed precondition. */
export function preconditionMessage(what: 'UID' | 'ResourceVersion', expected: string, is: string): string {
  return `Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${is}`;
}
