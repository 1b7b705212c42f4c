import { builtinSchema } from '../builtin.js';
import { equal, isObject, type Json, type JsonObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { dns1123Subdomain } from '../../formats.js';
import type { Definition, DefinitionVersion } from './definition.js';
import { checkScale } from './scalerules.js';
import { invalidValue, NO_FIELD } from '../field.js';
import type { FieldError, ValidationResult } from '../fielderror.js';
import { finalizerWarnings, validateMeta, validateMetaUpdate } from '../metadata/validate.js';
import type { Schema } from '../schema.js';
import { fillDefaults } from './defaults.js';
import { blocksCel, validateCustom, validateExtensions } from './validate.js';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The CEL rules of a schema on a new object, or on a change of `old`. */
export type ObjectRules = (next: KubeObject, old: KubeObject | undefined) => ValidationResult;
/** The CEL rules of the schema of a whole object; undefined where it has none. */
export type RulesOf = (schema: Schema) => ObjectRules | undefined;

/** What becomes of the objects of a version of a definition before they are stored, and what is refused. Pure. */
export interface KindRules {
  /** Fills defaults. */
  readonly default: (object: KubeObject) => KubeObject;
  /** The stored form of a new object: drops the status where it is a subresource, and sets generation. */
  readonly prepareCreate: (object: KubeObject) => KubeObject;
  /** The stored form of a change; `status` names the status subresource. Sets generation. */
  readonly prepareUpdate: (next: KubeObject, old: KubeObject, subresource: string | undefined) => KubeObject;
  /** Schema, metadata and CEL rules. */
  readonly validateCreate: (object: KubeObject) => ValidationResult;
  readonly validateUpdate: (next: KubeObject, old: KubeObject, subresource: string | undefined) => ValidationResult;
  /** Validates metadata.name: the problems in order, none for a valid name. */
  readonly validateName: (name: string) => readonly string[];
}

export function kindRules(
  { group, names, namespaced }: Definition,
  { name, schema, status, scale }: DefinitionVersion,
  rulesOf: RulesOf,
): KindRules {
  const validation: Validation = {
    schema,
    scale,
    type: { kind: names.kind, apiVersion: `${group}/${name}` },
    metaRules: { namespaced, validateName: dns1123Subdomain },
    rulesOf,
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
  };
}

/** The schema with apiVersion, kind and metadata, which replace declarations of the author. */
export function withObjectFields(schema: Schema): Schema {
  const meta = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: builtinSchema(OBJECT_META),
  } as const;
  return { ...schema, type: 'object', properties: { ...schema.properties, ...meta } };
}

/** The object with the defaults of its schema. */
export function withDefaults(schema: Schema, object: KubeObject): KubeObject {
  return replaceFields(object, fillDefaults(schema, object));
}

/** The object with the fields of `value`, and its own type and metadata. */
export function replaceFields(object: KubeObject, value: Json): KubeObject {
  if (value === object || !isObject(value)) return object;
  const { apiVersion, kind, metadata } = object;
  return { ...value, apiVersion, kind, metadata };
}

/** What the objects of a version are validated against. */
interface Validation {
  readonly schema: Schema;
  readonly scale: DefinitionVersion['scale'];
  readonly type: { readonly kind: string; readonly apiVersion: string };
  readonly metaRules: Parameters<typeof validateMeta>[1];
  readonly rulesOf: RulesOf;
}

function validateCreate({ schema, scale, type, metaRules, rulesOf }: Validation, object: KubeObject): ValidationResult {
  const wrongType = typeErrors(object, type);
  if (wrongType.length > 0) {
    const errors = [...wrongType, ...validateExtensions(schema, object)];
    return addRuleFindings(rulesOf(schema), object, undefined, { errors, warnings: [] });
  }
  const errors = [
    ...validateMeta(object.metadata, metaRules),
    ...validateCustom(schema, object).errors,
    ...checkScale(scale, object, undefined),
  ];
  const warnings = finalizerWarnings(object.metadata.finalizers ?? []);
  return addRuleFindings(rulesOf(schema), object, undefined, { errors, warnings });
}

function validateUpdate(
  { schema, scale, type, metaRules, rulesOf }: Validation,
  next: KubeObject,
  old: KubeObject,
  subresource: string | undefined,
): ValidationResult {
  const wrongType = typeErrors(next, type);
  if (wrongType.length > 0) {
    const errors = [...wrongType, ...validateExtensions(schema, next, old, subresource)];
    return addRuleFindings(rulesOf(schema), next, old, { errors, warnings: [] });
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
  return addRuleFindings(rulesOf(schema), next, old, { errors, warnings: isWarned ? warnings : [] });
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
  run: ObjectRules | undefined,
  next: KubeObject,
  old: KubeObject | undefined,
  { errors, warnings }: ValidationResult,
): ValidationResult {
  if (run === undefined) return { errors, warnings: errors.length === 0 ? warnings : [] };
  if (blocksCel(errors)) return { errors: [...errors, invalidValue(NO_FIELD, null, NOT_CHECKED)], warnings: [] };
  const found = run(next, old);
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
