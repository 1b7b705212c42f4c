import { apiVersionOf } from '../apiversion.js';
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Registry, Resource, Subresource } from '../resource.js';
import { groupsOf, groupVersionOf, type Group } from './group.js';

/**
 * The response of `GET /api`.
 * @param address `host:port` of the server
 */
export function apiVersions(address: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** The response of `GET /apis`. */
export function apiGroupList(registry: Registry): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(registry).map(groupEntry) };
}

/** The response of `GET /apis/<group>`; undefined where the group is not served. */
export function apiGroup(registry: Registry, group: string): JsonObject | undefined {
  const found = groupsOf(registry).find(({ name }) => name === group);
  return found === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) };
}

/** The response of `GET /api/v1` (group '') and `GET /apis/<group>/<version>`; undefined where it is not served. */
export function apiResourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const found = groupVersionOf(registry, group, version);
  if (found === undefined) return undefined;
  const resources = found.resources.flatMap((resource) => [
    resourceEntry(resource),
    ...resource.subresources.map((one) => subresourceEntry(resource, one)),
  ]);
  // kube-apiserver omits apiVersion in the list of the core group.
  const head = group === '' ? {} : { apiVersion: 'v1' };
  return { kind: 'APIResourceList', ...head, groupVersion: apiVersionOf(found), resources };
}

function groupEntry({ name, versions }: Group): JsonObject {
  const all: Json[] = versions.map((one) => ({ groupVersion: apiVersionOf(one), version: one.version }));
  return { name, versions: all, ...(all[0] === undefined ? {} : { preferredVersion: all[0] }) };
}

function resourceEntry(resource: Resource): JsonObject {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(resource.review === undefined ? { storageVersionHash: storageHash(resource) } : {}),
  };
}

function subresourceEntry({ plural, namespaced, kind }: Resource, one: Subresource): JsonObject {
  const groupVersion =
    one.kind === undefined || one.version === undefined ? {} : { group: one.group ?? '', version: one.version };
  return {
    name: `${plural}/${one.name}`,
    singularName: '',
    namespaced,
    ...groupVersion,
    kind: one.kind ?? kind,
    verbs: one.verbs,
  };
}

/** storageVersionHash of discovery: a hash of the version in which objects are stored. */
function storageHash({ group, version, kind, collection, storageVersion }: Resource): string {
  const storedGroup = collection === 'events' ? '' : group;
  return createHash('sha256')
    .update(`${storedGroup}/${storageVersion ?? version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}
