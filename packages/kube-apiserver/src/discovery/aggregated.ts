import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Registry, Resource, Subresource } from '../resource.js';
import { coreOf, groupsOf, type GroupVersion } from './group.js';

/** The media type of aggregated discovery. Clients compare the Content-Type with this exact text. */
export const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The response of `GET /api`: APIGroupDiscoveryList of apidiscovery.k8s.io/v2. */
export function aggregatedCore(registry: Registry): JsonObject {
  return discoveryList([{ metadata: {}, versions: [version(coreOf(registry))] }]);
}

/** The response of `GET /apis`. */
export function aggregatedGroups(registry: Registry): JsonObject {
  return discoveryList(
    groupsOf(registry).map(({ name, versions }) => ({ metadata: { name }, versions: versions.map(version) })),
  );
}

function discoveryList(items: readonly Json[]): JsonObject {
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function version(one: GroupVersion): JsonObject {
  return { version: one.version, resources: one.resources.map(resourceEntry), freshness: 'Current' };
}

function resourceEntry(resource: Resource): JsonObject {
  const { plural, singular, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: responseKind(resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((subresource) => subresourceEntry(resource, subresource)) }),
  };
}

function subresourceEntry(
  resource: Resource,
  { name, kind, group = '', version: own = '', verbs }: Subresource,
): JsonObject {
  return {
    subresource: name,
    responseKind: kind === undefined ? responseKind(resource) : { group, version: own, kind },
    verbs,
  };
}

/** Group and version of built-in kinds are empty, as on kube-apiserver: clients use those of the enclosing list. */
function responseKind({ custom, group, version: own, kind }: Resource): JsonObject {
  return custom ? { group, version: own, kind } : { group: '', version: '', kind };
}
