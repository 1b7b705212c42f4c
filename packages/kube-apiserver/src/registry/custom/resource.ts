import { runRules } from '../../cel/rules.js';
import { validatorOf } from '../../cel/rules/validator.js';
import { conditionOf } from '../../conditions.js';
import { builtinSchema } from '../../schema/builtin.js';
import { equal, isObject } from '../../json.js';
import type { Json, JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { ValidationResult, Resource, Strategy } from '../../resource.js';
import { fillDefaults, pruneNulls } from '../../schema/custom/defaults.js';
import { withoutEmptyMembers } from '../../schema/metadata/decode.js';
import { NO_FIELD, invalidValue } from '../../schema/field.js';
import { finalizerWarnings, validateMeta, validateMetaUpdate } from '../../schema/metadata/validate.js';
import { dns1123Subdomain } from '@multicluster-engine/cel/formats';
import { prune } from '../../schema/custom/prune.js';
import type { Schema } from '../../schema/schema.js';
import type { FieldError } from '../../status.js';
import { customColumns } from '../../table/custom.js';
import { checkScale, customScale } from './scale.js';
import { readDefinition, definesSameResources } from './definition.js';
import type { Definition, DefinitionVersion } from './definition.js';
import { decodeCustom } from '../../schema/custom/decode.js';
import { blocksCel, validateCustom, validateExtensions } from '../../schema/custom/validate.js';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS = { name: 'status', verbs: ['get', 'patch', 'update'] };
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

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

/** The resources of a definition that need not be stored. */
export function servedResources(crd: KubeObject): readonly Resource[] {
  return buildResources(readDefinition(crd));
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
    decode: (value, applied) => decodeCustom(version.schema, value, { keepNulls: applied }),
    ...(version.deprecation === undefined ? {} : { deprecation: version.deprecation }),
  };
}

/** The schema with apiVersion, kind and metadata, which replace declarations of the author. */
function withObjectFields(schema: Schema): Schema {
  const meta = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: builtinSchema(OBJECT_META),
  } as const;
  return { ...schema, type: 'object', properties: { ...schema.properties, ...meta } };
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

function withDefaults(schema: Schema, object: KubeObject): KubeObject {
  return replaceFields(object, fillDefaults(schema, object));
}

function replaceFields(object: KubeObject, value: Json): KubeObject {
  if (value === object || !isObject(value)) return object;
  const { apiVersion, kind, metadata } = object;
  return { ...value, apiVersion, kind, metadata };
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

function strategyOf(
  { group, names, namespaced }: Definition,
  { name, schema, status, scale }: DefinitionVersion,
): Strategy {
  const validation: Validation = {
    schema,
    scale,
    type: { kind: names.kind, apiVersion: `${group}/${name}` },
    metaRules: { namespaced, validateName: dns1123Subdomain },
  };
  return {
    default: (object) => withDefaults(schema, object),
    // The dropped status gets its defaults again: kube-apiserver applies them when it reads the stored object.
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
    validateCreate: (object) => validateCreate(validation, object),
    validateUpdate: (next, old, subresource) => validateUpdate(validation, next, old, subresource),
    validateName: dns1123Subdomain,
    checksMetadata: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
  };
}

/** What the objects of a version are validated against. */
interface Validation {
  readonly schema: Schema;
  readonly scale: DefinitionVersion['scale'];
  readonly type: { readonly kind: string; readonly apiVersion: string };
  readonly metaRules: Parameters<typeof validateMeta>[1];
}

function validateCreate({ schema, scale, type, metaRules }: Validation, object: KubeObject): ValidationResult {
  const wrongType = typeErrors(object, type);
  if (wrongType.length > 0) {
    const errors = [...wrongType, ...validateExtensions(schema, object)];
    return addRuleFindings(schema, object, undefined, { errors, warnings: [] });
  }
  const errors = [
    ...validateMeta(object.metadata, metaRules),
    ...validateCustom(schema, object).errors,
    ...checkScale(scale, object, undefined),
  ];
  const warnings = finalizerWarnings(object.metadata.finalizers ?? []);
  return addRuleFindings(schema, object, undefined, { errors, warnings });
}

function validateUpdate(
  { schema, scale, type, metaRules }: Validation,
  next: KubeObject,
  old: KubeObject,
  subresource: string | undefined,
): ValidationResult {
  const wrongType = typeErrors(next, type);
  if (wrongType.length > 0) {
    const errors = [...wrongType, ...validateExtensions(schema, next, old, subresource)];
    return addRuleFindings(schema, next, old, { errors, warnings: [] });
  }
  const errors = [
    ...validateMetaUpdate(next.metadata, old.metadata),
    ...validateCustom(schema, next, old, subresource).errors,
    ...checkScale(scale, next, subresource),
  ];
  const warnings =
    subresource === 'status' ? [] : finalizerWarnings(next.metadata.finalizers ?? [], old.metadata.finalizers);
  // The caller validates metadata too; where that fails, kube-apiserver sends no warnings about finalizers.
  const isWarned = warnings.length > 0 && validateMeta(next.metadata, metaRules).length === 0;
  return addRuleFindings(schema, next, old, { errors, warnings: isWarned ? warnings : [] });
}

/** Errors of an object whose apiVersion or kind is not that of the resource. */
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

/** Adds the findings of CEL rules, which run only on an object whose values have the declared types. */
function addRuleFindings(
  schema: Schema,
  next: KubeObject,
  old: KubeObject | undefined,
  { errors, warnings }: ValidationResult,
): ValidationResult {
  if (validatorOf(schema, { root: true }) === undefined)
    return { errors, warnings: errors.length === 0 ? warnings : [] };
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

/** The result of a write to the status subresource: only status and managedFields are taken from the request. */
function withStatusOnly(next: KubeObject, old: KubeObject): KubeObject {
  const { managedFields } = next.metadata;
  const { managedFields: _old, ...kept } = old.metadata;
  const metadata = managedFields === undefined ? kept : { ...kept, managedFields };
  return next.status === undefined ? { ...without(old, true), metadata } : { ...old, metadata, status: next.status };
}

/** Increments metadata.generation where anything but metadata changed. */
function withNextGeneration(next: KubeObject, old: KubeObject): KubeObject {
  if (equal(withoutMetadata(next), withoutMetadata(old))) return next;
  return { ...next, metadata: { ...next.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

function withoutMetadata({ metadata: _metadata, ...rest }: KubeObject): JsonObject {
  return rest;
}
