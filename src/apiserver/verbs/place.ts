import type { Resource } from '../resource.js';
import { unknownError } from '../status.js';
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
