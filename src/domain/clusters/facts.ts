import { isRecord } from '../../runtime/vocabulary/json.js';
import type { ClusterFields } from './fields.js';

/**
 * Facts of a cluster that can be named where a claim is named, without anybody publishing them. A published claim of such a
 * name is ignored.
 */

/** The facts that are wanted: by name, or all that the cluster has, with its annotations. */
export type FactNames = ReadonlySet<string> | 'all';

export const NO_FACTS: FactNames = new Set<string>();

/** A fact by its name. Unchecked: other programs write the status. */
const SINGLE: Readonly<Record<string, (cluster: ClusterFields) => unknown>> = {
  'cluster-name': ({ metadata }) => metadata.name,
  'kubernetes-version': ({ status }) => fieldIn(status?.version, 'kubernetes'),
  'nodes/total': ({ status }) => countIn(status?.nodes, 'total'),
  'nodes/ready': ({ status }) => countIn(status?.nodes, 'ready'),
};

/** The prefixes of the facts of each resource. */
const CAPACITY = 'capacity/';
const ALLOCATABLE = 'allocatable/';

/** Whether a claim of this name is a fact of the cluster, whether or not the cluster has it. */
export function isFactName(name: string): boolean {
  return Object.hasOwn(SINGLE, name) || prefixOf(name) !== undefined;
}

/** The value of each of the facts that the cluster has. */
export function* factsOf(cluster: ClusterFields, names: FactNames): Generator<readonly [name: string, value: string]> {
  for (const name of names === 'all' ? allNames(cluster) : names) {
    const prefix = prefixOf(name);
    const value =
      prefix === undefined ? SINGLE[name]?.(cluster) : fieldIn(resourcesIn(cluster, prefix), name.slice(prefix.length));
    if (typeof value === 'string') yield [name, value];
    else if (typeof value === 'number') yield [name, String(value)];
  }
}

function* allNames(cluster: ClusterFields): Generator<string> {
  yield* Object.keys(SINGLE);
  for (const prefix of [CAPACITY, ALLOCATABLE]) {
    const resources = resourcesIn(cluster, prefix);
    if (isRecord(resources)) for (const name of Object.keys(resources)) yield prefix + name;
  }
}

function resourcesIn({ status }: ClusterFields, prefix: string): unknown {
  return prefix === CAPACITY ? status?.capacity : status?.allocatable;
}

function prefixOf(name: string): string | undefined {
  const prefix = name.startsWith(CAPACITY) ? CAPACITY : name.startsWith(ALLOCATABLE) ? ALLOCATABLE : undefined;
  return prefix !== undefined && name.length > prefix.length ? prefix : undefined;
}

function fieldIn(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function countIn(value: unknown, name: string): unknown {
  const found = fieldIn(value, name);
  return Number.isSafeInteger(found) ? found : undefined;
}
