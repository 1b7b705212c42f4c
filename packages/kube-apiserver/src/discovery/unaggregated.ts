import { apiVersionOf } from '../apiversion.js';
import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../json.js';
import type { Registry, Resource, Subresource } from '../resource.js';
import { groupsOf, groupVersionOf, type Group } from './group.js';

/**
 * Answers GET /api.
 * @param address `host:port` under which the server is reached.
 */
export function apiVersions(address: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** Answers GET /apis. */
export function apiGroupList(registry: Registry): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(registry).map(groupEntry) };
}

/** Answers GET /apis/<group>; undefined where nothing of it is served. */
export function apiGroup(registry: Registry, group: string): JsonObject | undefined {
  const found = groupsOf(registry).find(({ name }) => name === group);
  return found === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) };
}

/** Answers GET /api/v1 (group '') and /apis/<group>/<version>; undefined where nothing of it is served. */
export function apiResourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const found = groupVersionOf(registry, group, version);
  if (found === undefined) return undefined;
  const resources = found.resources.flatMap((resource) => [
    resourceEntry(resource),
    ...resource.subresources.map((one) => subresourceEntry(resource, one)),
  ]);
  // The core group's list has no apiVersion on the real server either.
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

/** Tells clients which version is stored without telling them more. */
function storageHash({ group, version, kind, collection, storageVersion }: Resource): string {
  const storedGroup = collection === 'events' ? '' : group;
  return createHash('sha256')
    .update(`${storedGroup}/${storageVersion ?? version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
}
