import type { Resource } from '../resource.js';
import { conflict, unknownError } from '../status.js';
import type { StatusError } from '../status.js';
import type { Target } from './verbs.js';

/** Collections that the real server keeps under another name than their resource. */
const PATHS: Readonly<Record<string, string>> = { nodes: 'minions', services: 'services/specs' };
const WITH_GROUP: readonly string[] = ['apiextensions.k8s.io'];

/** Where the real server keeps the objects of a resource. */
export function folderOf({ group, plural, custom }: Resource): string {
  return custom || WITH_GROUP.includes(group) ? `${group}/${plural}` : (PATHS[plural] ?? plural);
}

/** Throws 500 for a namespace that no place can be named by, though it is none that must not be asked for. `name`: '' for the collection. */
export function checkPlace({ resource, namespace }: Target, name: string): void {
  if (namespace !== '.' && namespace !== '..') return;
  throw unknownError(`invalid key: "${['', folderOf(resource), namespace, ...(name === '' ? [] : [name])].join('/')}"`);
}

/** 409 in the words of the real server's store, which names the place of the object; a dry run is told another one. */
export function storedOtherwise({ resource, namespace, name }: Target, dryRun: boolean, failed: string): StatusError {
  const parts = [...(dryRun ? [] : ['registry']), folderOf(resource), ...(namespace === '' ? [] : [namespace]), name];
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: /${parts.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`,
  );
}

/** How the real server's store says that an object is not the one that is meant. */
export function failedPrecondition(what: 'UID' | 'ResourceVersion', said: string, is: string): string {
  return `Precondition failed: ${what} in precondition: ${said}, ${what} in object meta: ${is}`;
}
