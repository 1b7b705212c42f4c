import type { JsonObject } from '@multicluster-engine/values/json';
import type { Resource } from '../resource.js';

/* Names of schemas in OpenAPI documents. */

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const EXTENSIONS = 'apiextensions.k8s.io';

/** The schema of a built-in kind: `io.k8s.api.apps.v1.Deployment`. */
export function definitionName({ group, version, kind }: GroupVersionKind): string {
  if (group === EXTENSIONS) return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  return `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}.${version}.${kind}`;
}

/** The schema of a resource. Of a custom resource the group is reversed: `com.example.facts.v1.Thing`. */
export function definitionOf({ custom, group, version, kind }: Resource): string {
  return custom ? customName({ group, version, kind }) : definitionName({ group, version, kind });
}

export function listDefinitionOf({ custom, group, version, listKind }: Resource): string {
  return custom ? customName({ group, version, kind: listKind }) : definitionName({ group, version, kind: listKind });
}

function customName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

export function referenceTo(definition: string): JsonObject {
  return { $ref: `#/components/schemas/${definition}` };
}
