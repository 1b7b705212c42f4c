import { runRules } from '../../cel/rules.js';
import { validatorOf } from '../../cel/rules/validator.js';
import { conditionOf } from '../../conditions.js';
import { builtinSchema } from '../../data/schemas.js';
import { equal, isObject } from '../../json.js';
import type { Json, JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { ValidationResult, Resource, Strategy } from '../../resource.js';
import { decodeCustom, validateCustom, validateExtensions } from '../../schema/custom/custom.js';
import { fillDefaults, pruneNulls } from '../../schema/custom/defaults.js';
import { withoutEmptyMembers } from '../../schema/metadata/decode.js';
import { NO_FIELD, invalidValue } from '../../schema/field.js';
import { finalizerWarnings, validateMeta, validateMetaUpdate } from '../../schema/metadata/validate.js';
import { dns1123Subdomain } from '../../schema/metadata/names.js';
import { prune } from '../../schema/custom/prune.js';
import type { Schema } from '../../schema/schema.js';
import { blocksCel } from '../../schema/keywords/validate.js';
import type { FieldError } from '../../status.js';
import { customColumns } from '../../table/custom.js';
import { checkScale, customScale } from './scale.js';
import { readDefinition, definesSameResources } from './definition.js';
import type { Definition, DefinitionVersion } from './definition.js';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS = { name: 'status', verbs: ['get', 'patch', 'update'] };
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Which definition a resource was made from. */
const definitionOfResource = new WeakMap<Resource, KubeObject>();

/**
 * The resources that a CustomResourceDefinition serves, one for each served version; none while its names are not its own.
 * @param before what its last state served: what did not change is given back as the same objects.
 */
export function customResources(crd: KubeObject, before: readonly Resource[]): readonly Resource[] {
  if (conditionOf(crd, 'Established') !== 'True' && conditionOf(crd, 'NamesAccepted') !== 'True') return [];
  // One that only its own finalizers still hold is used like any other.
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
    strategy: strategyOf(definition, version),
    selectable: Object.fromEntries(version.selectable.map((path) => [path.replace(/^\./, ''), fieldReader(path)])),
    columns: customColumns(version.columns),
    convert: conversionOf(definition, version),
    decode: (value, applied) => decodeCustom(version.schema, value, applied),
    ...(version.deprecation === undefined ? {} : { deprecation: version.deprecation }),
  };
}

/** The schema with what every object has; the author's own may only narrow it. */
function withObjectFields(schema: Schema): Schema {
  const meta = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: builtinSchema(OBJECT_META),
  } as const;
  return { ...schema, type: 'object', properties: { ...schema.properties, ...meta } };
}

/** The text of a field that objects can be selected by; '' where it is missing. */
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

/** An object as a version knows it: no other fields, no nulls that it does not allow, and nothing empty in its metadata. */
function pruneToSchema(schema: Schema, object: KubeObject): KubeObject {
  return dropNulls(schema, replaceFields(object, prune(schema, object, { root: true }).value));
}

function dropNulls(schema: Schema, object: KubeObject): KubeObject {
  return replaceFields(withoutEmptyMembers(object), pruneNulls(schema, object));
}

function withDefaults(schema: Schema, object: KubeObject): KubeObject {
  return replaceFields(object, fillDefaults(schema, object));
}

function replaceFields(object: KubeObject, value: Json): KubeObject {
  if (value === object || !isObject(value)) return object;
  const { apiVersion, kind, metadata } = object;
  return { ...value, apiVersion, kind, metadata };
}

/** Conversion None: versions differ in apiVersion, and in what their schemas know and default. */
function conversionOf(
  { group, versions, storage }: Definition,
  { name, schema }: DefinitionVersion,
): NonNullable<Resource['convert']> {
  const known = new WeakMap<KubeObject, KubeObject>();
  const schemas = new Map(versions.map((version) => [`${group}/${version.name}`, version.schema]));
  const own = `${group}/${name}`;
  const stored = `${group}/${storage}`;
  const read = (object: KubeObject): KubeObject => {
    const from = schemas.get(object.apiVersion) ?? {};
    const whole = withDefaults(from, pruneToSchema(from, object));
    return object.apiVersion === own ? whole : pruneToSchema(schema, { ...whole, apiVersion: own });
  };
  return {
    fromStored(object) {
      const before = known.get(object);
      if (before !== undefined) return before;
      const after = read(object);
      known.set(object, after);
      return after;
    },
    toStored: (object) =>
      own === stored ? object : pruneToSchema(schemas.get(stored) ?? {}, { ...object, apiVersion: stored }),
    ...(versions.length === 1
      ? { trust: (object: KubeObject) => void known.set(object, dropNulls(schema, object)) }
      : {}),
  };
}

function strategyOf(
  { group, names, namespaced }: Definition,
  { name, schema, status, scale }: DefinitionVersion,
): Strategy {
  const rules = { namespaced, validateName: dns1123Subdomain };
  const type = { kind: names.kind, apiVersion: `${group}/${name}` };
  return {
    default: (object) => withDefaults(schema, object),
    // What is dropped gets its default again: the real server fills it in when it reads the stored object.
    prepareCreate(object) {
      const kept = without(object, status);
      return {
        ...(kept === object ? object : withDefaults(schema, kept)),
        metadata: { ...object.metadata, generation: 1 },
      };
    },
    prepareUpdate: (next, old, subresource) =>
      subresource === 'status'
        ? withStatusOnly(next, old)
        : withNextGeneration(status ? keepStatus(next, old) : next, old),
    validateCreate(object) {
      const wrong = typeErrors(object, type);
      if (wrong.length > 0)
        return addRuleFindings(schema, object, undefined, {
          errors: [...wrong, ...validateExtensions(schema, object)],
          warnings: [],
        });
      const errors = [
        ...validateMeta(object.metadata, rules),
        ...validateCustom(schema, object).errors,
        ...checkScale(scale, object, undefined),
      ];
      return addRuleFindings(schema, object, undefined, {
        errors,
        warnings: finalizerWarnings(object.metadata.finalizers ?? []),
      });
    },
    validateUpdate(next, old, subresource) {
      const wrong = typeErrors(next, type);
      if (wrong.length > 0)
        return addRuleFindings(schema, next, old, {
          errors: [...wrong, ...validateExtensions(schema, next, old, subresource)],
          warnings: [],
        });
      const errors = [
        ...validateMetaUpdate(next.metadata, old.metadata),
        ...validateCustom(schema, next, old, subresource).errors,
        ...checkScale(scale, next, subresource),
      ];
      const warnings =
        subresource === 'status' ? [] : finalizerWarnings(next.metadata.finalizers ?? [], old.metadata.finalizers);
      // Who calls this checks metadata of all objects besides; where that fails, nothing is said of finalizers.
      const isSaid = warnings.length > 0 && validateMeta(next.metadata, rules).length === 0;
      return addRuleFindings(schema, next, old, { errors, warnings: isSaid ? warnings : [] });
    },
    validateName: dns1123Subdomain,
    checksMetadata: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
  };
}

/** Custom resources say their type themselves, and are looked at in parts only where it is another one. */
function typeErrors(
  { kind, apiVersion }: KubeObject,
  type: { readonly kind: string; readonly apiVersion: string },
): FieldError[] {
  const errors: FieldError[] = [];
  if (kind !== type.kind) errors.push(invalidValue('kind', kind, `must be ${type.kind}`));
  if (apiVersion !== type.apiVersion) errors.push(invalidValue('apiVersion', apiVersion, `must be ${type.apiVersion}`));
  return errors;
}

const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Findings with those of the schema's rules, which need an object whose values are of their types. */
function addRuleFindings(
  schema: Schema,
  next: KubeObject,
  old: KubeObject | undefined,
  { errors, warnings }: ValidationResult,
): ValidationResult {
  if (validatorOf(schema, true) === undefined) return { errors, warnings: errors.length === 0 ? warnings : [] };
  if (blocksCel(errors)) return { errors: [...errors, invalidValue(NO_FIELD, null, NOT_CHECKED)], warnings: [] };
  const found = runRules(schema, next, old, { path: '' });
  const all = [...errors, ...found.errors];
  return { errors: all, warnings: [...found.warnings, ...(all.length === 0 ? warnings : [])] };
}

function without(object: KubeObject, status: boolean): KubeObject {
  if (!status || object.status === undefined) return object;
  const { status: _dropped, ...rest } = object;
  const { apiVersion, kind, metadata } = object;
  return { ...rest, apiVersion, kind, metadata };
}

function keepStatus(next: KubeObject, old: KubeObject): KubeObject {
  return old.status === undefined ? without(next, true) : { ...next, status: old.status };
}

/** By the status subresource nothing comes but the status, and who wrote it. */
function withStatusOnly(next: KubeObject, old: KubeObject): KubeObject {
  const { managedFields } = next.metadata;
  const { managedFields: _old, ...kept } = old.metadata;
  const metadata = managedFields === undefined ? kept : { ...kept, managedFields };
  return next.status === undefined ? { ...without(old, true), metadata } : { ...old, metadata, status: next.status };
}

/** One generation on where anything but metadata changes. */
function withNextGeneration(next: KubeObject, old: KubeObject): KubeObject {
  if (equal(withoutMetadata(next), withoutMetadata(old))) return next;
  return { ...next, metadata: { ...next.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

function withoutMetadata({ metadata: _metadata, ...rest }: KubeObject): JsonObject {
  return rest;
}
