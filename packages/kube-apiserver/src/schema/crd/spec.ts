import { equal, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { fieldAt, type RawSchema } from './rawschema.js';

/**
 * The spec of a CustomResourceDefinition in the internal form that the API server validates: fields that are equal in
 * all versions are moved to the top level, so errors name `spec.validation` and not `spec.versions[0].schema`.
 */
export interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: JsonObject;
  readonly versions: readonly Version[];
  /**
   * The versions as messages show them, without the fields that were moved to the top level. Undefined where the
   * definition has no list.
   */
  readonly shown: readonly JsonObject[] | undefined;
  readonly shared: VersionParts;
  readonly conversion: JsonObject;
  readonly preserveUnknownFields: boolean;
}

export interface Version extends VersionParts {
  readonly name: string;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
}

/** The fields of a version that can move to the top level; undefined where moved or absent. */
export interface VersionParts {
  readonly hasSchema: boolean;
  readonly schema: RawSchema | undefined;
  readonly subresources: JsonObject | undefined;
  readonly columns: readonly JsonObject[];
  readonly selectable: readonly JsonObject[];
}

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function specOf(crd: KubeObject): Spec {
  const spec = structAt(crd, 'spec');
  const versions = listAt(spec, 'versions');
  const [first = {}] = versions;
  const shared = PARTS.filter((part) => versions.every((version) => equal(partOf(version, part), partOf(first, part))));
  const shown = versions.map((version) => without(version, shared));
  return {
    group: textAt(spec, 'group'),
    scope: textAt(spec, 'scope'),
    names: structAt(spec, 'names'),
    versions: shown.map(versionOf),
    shown: (fieldAt(spec, 'versions') ?? null) === null ? undefined : shown,
    shared: partsOf(Object.fromEntries(shared.map((part) => [part, first[part]]))),
    conversion: structAt(spec, 'conversion'),
    preserveUnknownFields: spec['preserveUnknownFields'] === true,
  };
}

/** A field of a version; an empty list counts as absent. */
function partOf(version: JsonObject, part: string): Json | undefined {
  const found = fieldAt(version, part);
  return Array.isArray(found) && found.length === 0 ? undefined : found;
}

function without(version: JsonObject, parts: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(version).filter(([name]) => !parts.includes(name)));
}

function versionOf(version: JsonObject): Version {
  const warning = fieldAt(version, 'deprecationWarning');
  return {
    name: textAt(version, 'name'),
    storage: version['storage'] === true,
    deprecated: version['deprecated'] === true,
    deprecationWarning: typeof warning === 'string' ? warning : undefined,
    ...partsOf(version),
  };
}

function partsOf(version: JsonObject): VersionParts {
  const schema = fieldAt(version, 'schema');
  const inner = isObject(schema) ? fieldAt(schema, 'openAPIV3Schema') : undefined;
  const subresources = fieldAt(version, 'subresources');
  return {
    hasSchema: schema !== undefined,
    schema: isObject(inner) ? inner : undefined,
    subresources: isObject(subresources) ? subresources : undefined,
    columns: listAt(version, 'additionalPrinterColumns'),
    selectable: listAt(version, 'selectableFields'),
  };
}

export function hasStatus(subresources: JsonObject | undefined): boolean {
  return subresources !== undefined && fieldAt(subresources, 'status') !== undefined;
}
