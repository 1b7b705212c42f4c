import { createHash } from 'node:crypto';
import type { Json } from '@multicluster-engine/values/json';
import { compareKubeVersions } from '@multicluster-engine/values/schema/custom/kubeversion';
import type { Registry, Resource } from '../resource.js';

/** An API group with its versions and resources, in the order of discovery. */
export interface Group {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** Built-in groups in the order of kube-apiserver, which is by priority. Groups of custom resources follow by name. */
const BUILTIN_ORDER: readonly string[] = [
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
];

/** All groups except the core group. */
export function groupsOf(registry: Registry): readonly Group[] {
  const groups = new Map<string, Map<string, Resource[]>>();
  for (const resource of registry.all()) {
    if (resource.group === '') continue;
    const versions = groups.get(resource.group) ?? new Map<string, Resource[]>();
    groups.set(resource.group, versions);
    versions.set(resource.version, [...(versions.get(resource.version) ?? []), resource]);
  }
  const names = [...groups.keys()].sort(compareGroups);
  return names.map((name) => ({ name, versions: versionsOf(name, groups.get(name) ?? new Map()) }));
}

/** The core group, which has no name and one version. */
export function coreOf(registry: Registry): GroupVersion {
  return {
    group: '',
    version: 'v1',
    resources: registry
      .all()
      .filter((resource) => resource.group === '')
      .sort(byPlural),
  };
}

export function groupVersionOf(registry: Registry, group: string, version: string): GroupVersion | undefined {
  if (group === '') return version === 'v1' ? coreOf(registry) : undefined;
  return groupsOf(registry)
    .find(({ name }) => name === group)
    ?.versions.find((one) => one.version === version);
}

function versionsOf(group: string, versions: ReadonlyMap<string, readonly Resource[]>): readonly GroupVersion[] {
  const names = [...versions.keys()].sort(compareKubeVersions);
  return names.map((version) => ({ group, version, resources: [...(versions.get(version) ?? [])].sort(byPlural) }));
}

function byPlural(a: Resource, b: Resource): number {
  return compare(a.plural, b.plural);
}

function compareGroups(a: string, b: string): number {
  const [first, second] = [rank(a), rank(b)];
  return first === second ? compare(a, b) : first - second;
}

function rank(group: string): number {
  const at = BUILTIN_ORDER.indexOf(group);
  return at < 0 ? BUILTIN_ORDER.length : at;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** SHA-512 of a value, 128 hexadecimal digits in upper case: for ETags and hashes of documents. */
export function digestOf(value: Json): string {
  return createHash('sha512').update(JSON.stringify(value)).digest('hex').toUpperCase();
}
