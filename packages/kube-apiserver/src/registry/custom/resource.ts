import { objectRules } from '@multicluster-engine/cel/rules';
import { conditionOf } from '../../conditions.js';
import { isObject, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { decodeCustom } from '@multicluster-engine/values/schema/custom/decode';
import { pruneNulls } from '@multicluster-engine/values/schema/custom/defaults';
import {
  kindRules,
  replaceFields,
  withDefaults,
  withObjectFields,
} from '@multicluster-engine/values/schema/custom/kindrules';
import { prune } from '@multicluster-engine/values/schema/custom/prune';
import { withoutEmptyMembers } from '@multicluster-engine/values/schema/metadata/decode';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { customColumns } from '../../table/custom.js';
import {
  definesSameResources,
  readDefinition,
  type Definition,
  type DefinitionVersion,
} from '@multicluster-engine/values/schema/custom/definition';
import { customScale } from './scale.js';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS = { name: 'status', verbs: ['get', 'patch', 'update'] };

/** The CustomResourceDefinition that each resource was built from. */
const definitionOfResource = new WeakMap<Resource, KubeObject>();

/**
 * The resources that a CustomResourceDefinition serves, one for each served version; none before its names are accepted.
 * @param before the resources of its last state. A resource that did not change is returned as the same object.
 */
export function customResources(crd: KubeObject, before: readonly Resource[]): readonly Resource[] {
  if (conditionOf(crd, 'Established') !== 'True' && conditionOf(crd, 'NamesAccepted') !== 'True') return [];
  // A definition whose instances are deleted (Terminating is False) accepts new objects while finalizers hold it.
  const terminating = crd.metadata.deletionTimestamp !== undefined && conditionOf(crd, 'Terminating') !== 'False';
  const source = before[0] === undefined ? undefined : definitionOfResource.get(before[0]);
  const resources =
    source !== undefined && definesSameResources(source, crd) ? before : buildResources(readDefinition(crd));
  const marked = resources.map((resource) =>
    (resource.terminating === true) === terminating ? resource : { ...resource, terminating },
  );
  for (const resource of marked) definitionOfResource.set(resource, crd);
  return marked;
}

function buildResources(definition: Definition): Resource[] {
  const schemas = new Map(
    definition.versions.map(({ name, schema }) => [`${definition.group}/${name}`, withObjectFields(schema)]),
  );
  return definition.versions.filter(({ served }) => served).map((version) => resourceOf(definition, version, schemas));
}

function resourceOf(
  definition: Definition,
  version: DefinitionVersion,
  schemas: ReadonlyMap<string, Schema>,
): Resource {
  const { group, names, namespaced } = definition;
  return {
    group,
    version: version.name,
    ...names,
    namespaced,
    collection: definition.name,
    custom: true,
    schema: schemas.get(`${group}/${version.name}`) ?? withObjectFields(version.schema),
    storageVersion: definition.storage,
    schemaIn: (apiVersion) => schemas.get(apiVersion),
    verbs: VERBS,
    subresources: [
      ...(version.status ? [STATUS] : []),
      ...(version.scale === undefined ? [] : [customScale(version.scale)]),
    ],
    strategy: {
      ...kindRules(definition, version, objectRules),
      checksMetadata: true,
      unconditionalUpdate: false,
      createOnUpdate: false,
    },
    selectable: Object.fromEntries(version.selectable.map((path) => [path.replace(/^\./, ''), fieldReader(path)])),
    columns: customColumns(version.columns),
    convert: conversionOf(definition, version),
    decode: (value, applied) => decodeCustom(version.schema, value, { keepNulls: applied }),
    ...(version.deprecation === undefined ? {} : { deprecation: version.deprecation }),
  };
}

/** Returns a function that reads a selectable field as text; '' where the field is missing. */
function fieldReader(path: string): (object: KubeObject) => string {
  const parts = [...path.matchAll(/\.([^.[\]]+)|\['([^']+)'\]/g)].map(([, plain, quoted]) => plain ?? quoted ?? '');
  return (object) => {
    let value: Json | undefined = object;
    for (const part of parts) value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    return value === undefined || value === null
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  };
}

/** Drops fields that the schema does not declare, nulls that it does not allow, and empty members of metadata. */
function pruneToSchema(schema: Schema, object: KubeObject): KubeObject {
  return dropNulls(schema, replaceFields(object, prune(schema, object, { root: true }).value));
}

function dropNulls(schema: Schema, object: KubeObject): KubeObject {
  return replaceFields(withoutEmptyMembers(object), pruneNulls(schema, object));
}

/** Conversion strategy None: versions differ in apiVersion, in the fields that they declare, and in defaults. */
function conversionOf(
  { group, versions, storage }: Definition,
  { name, schema }: DefinitionVersion,
): NonNullable<Resource['convert']> {
  const converted = new WeakMap<KubeObject, KubeObject>();
  const schemas = new Map(versions.map((version) => [`${group}/${version.name}`, version.schema]));
  const own = `${group}/${name}`;
  const stored = `${group}/${storage}`;
  const convert = (object: KubeObject): KubeObject => {
    const from = schemas.get(object.apiVersion) ?? {};
    const completed = withDefaults(from, pruneToSchema(from, object));
    return object.apiVersion === own ? completed : pruneToSchema(schema, { ...completed, apiVersion: own });
  };
  return {
    fromStored(object) {
      const before = converted.get(object);
      if (before !== undefined) return before;
      const after = convert(object);
      converted.set(object, after);
      return after;
    },
    toStored: (object) =>
      own === stored ? object : pruneToSchema(schemas.get(stored) ?? {}, { ...object, apiVersion: stored }),
    ...(versions.length === 1
      ? { trust: (object: KubeObject) => void converted.set(object, dropNulls(schema, object)) }
      : {}),
  };
}
