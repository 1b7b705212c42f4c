import { isObject, type Json } from '../../json.js';
import type { ObjectMeta, OwnerReference } from '../../object.js';
import type { FieldError } from '../fielderror.js';
import { child, forbiddenField, index, invalidRaw, invalidValue, MAX_ERRORS, required, tooLong } from '../field.js';
import { byteLength, compareBytes, goJson, goQuote } from '../../text.js';
import { dns1123Label, labelValue, maskTrailingDash, qualifiedName, type NameRule } from '../../formats.js';

const MAX_ANNOTATIONS = 256 * 1024;
const MAX_MANAGER = 128;
const MAX_SUBRESOURCE = 256;
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

interface MetaRules {
  readonly namespaced: boolean;
  readonly validateName: NameRule;
  /** The rule for generateName where it differs from that of names. */
  readonly validatePrefix?: NameRule;
  /** Core kinds reject finalizers that are neither standard nor `domain/name`; custom resources only get a warning. */
  readonly qualifiedFinalizers?: boolean;
}

/**
 * Validates the metadata of a new object with the checks and in the order of apimachinery's `ValidateObjectMeta`.
 * @param path of the metadata: `metadata`, or that of an embedded resource.
 */
export function validateMeta(meta: ObjectMeta, rules: MetaRules, path = 'metadata'): FieldError[] {
  const { generateName = '', name = '' } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '')
    errors.push(
      ...all(
        child(path, 'generateName'),
        generateName,
        (rules.validatePrefix ?? rules.validateName)(maskTrailingDash(generateName)),
      ),
    );
  if (name === '') errors.push(required(child(path, 'name'), 'name or generateName is required'));
  else errors.push(...all(child(path, 'name'), name, rules.validateName(name)));
  errors.push(...namespaceErrors(meta.namespace ?? '', rules.namespaced, child(path, 'namespace')));
  if ((meta.generation ?? 0) < 0)
    errors.push(invalidValue(child(path, 'generation'), meta.generation, 'must be greater than or equal to 0'));
  errors.push(...validateLabels(meta.labels ?? {}, child(path, 'labels')));
  errors.push(...validateAnnotations(meta.annotations ?? {}, child(path, 'annotations')));
  errors.push(...ownerErrors(meta.ownerReferences ?? [], child(path, 'ownerReferences')));
  errors.push(...finalizerErrors(meta.finalizers ?? [], child(path, 'finalizers'), rules.qualifiedFinalizers ?? false));
  errors.push(...managedFieldsErrors(meta, child(path, 'managedFields')));
  return errors;
}

/**
 * Validates the metadata of an update against the stored object, as `ValidateObjectMetaUpdate` does. The API server
 * runs this twice for most kinds and reports each cause twice; the caller repeats it where needed.
 */
export function validateMetaUpdate(next: ObjectMeta, old: ObjectMeta, path = 'metadata'): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined)
    errors.push(...newFinalizers(next.finalizers ?? [], old.finalizers ?? [], child(path, 'finalizers')));
  if ((next.resourceVersion ?? '') === '')
    errors.push(invalidValue(child(path, 'resourceVersion'), '', 'must be specified for an update'));
  if ((next.generation ?? 0) < (old.generation ?? 0))
    errors.push(invalidValue(child(path, 'generation'), next.generation ?? 0, 'must not be decremented'));
  for (const field of IMMUTABLE_TEXTS) {
    if ((next[field] ?? '') !== (old[field] ?? '')) errors.push(immutable(child(path, field), next[field] ?? ''));
  }
  for (const field of IMMUTABLE_OPTIONALS) {
    if (next[field] !== old[field]) errors.push(immutable(child(path, field), next[field]));
  }
  errors.push(...validateLabels(next.labels ?? {}, child(path, 'labels')));
  errors.push(...validateAnnotations(next.annotations ?? {}, child(path, 'annotations')));
  errors.push(...ownerErrors(next.ownerReferences ?? [], child(path, 'ownerReferences')));
  errors.push(...managedFieldsErrors(next, child(path, 'managedFields')));
  return errors;
}

const IMMUTABLE_TEXTS = ['name', 'namespace', 'uid'] as const;
/** Times and pointers: absent values are formatted as null. */
const IMMUTABLE_OPTIONALS = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function immutable(field: string, value: Json | undefined): FieldError {
  return invalidValue(field, value, 'field is immutable');
}

/**
 * Warnings for the finalizers of a custom resource that an update adds (all of them on a create) and that may conflict
 * with those of other writers.
 */
export function finalizerWarnings(finalizers: readonly string[], old: readonly string[] = []): string[] {
  const added = [...new Set(finalizers)].filter((name) => !old.includes(name)).sort(compareBytes);
  return added.flatMap((name) => {
    const problems = qualifiedName(name).map((text) => `metadata.finalizers: ${goQuote(name)}: ${text}`);
    if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return problems;
    const path = name.includes('.') ? ' including a path (/)' : '';
    return [
      ...problems,
      `metadata.finalizers: ${goQuote(name)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}

function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(labels)) {
    if (errors.length >= MAX_ERRORS) break;
    errors.push(...all(field, name, qualifiedName(name)), ...all(field, value, labelValue(value)));
  }
  return errors;
}

export function validateAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [name, value] of Object.entries(annotations)) {
    if (errors.length < MAX_ERRORS) errors.push(...all(field, name, qualifiedName(name.toLowerCase())));
    size += byteLength(name) + byteLength(value);
  }
  return size > MAX_ANNOTATIONS ? [...errors, tooLong(field, MAX_ANNOTATIONS)] : errors;
}

function namespaceErrors(namespace: string, namespaced: boolean, field: string): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbiddenField(field, 'not allowed on this type')];
  return namespace === '' ? [required(field)] : all(field, namespace, dns1123Label(namespace));
}

function ownerErrors(references: readonly OwnerReference[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references.slice(0, MAX_ERRORS)) {
    errors.push(...ownerReferenceErrors(reference, field));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else
      errors.push(
        invalidRaw(
          field,
          `[${references.map(asStruct).join(',')}]`,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
  }
  return errors;
}

function ownerReferenceErrors(reference: OwnerReference, field: string): FieldError[] {
  const { apiVersion, kind, name, uid } = reference;
  const errors: FieldError[] = [];
  if (versionOf(apiVersion) === '')
    errors.push(invalidValue(child(field, 'apiVersion'), apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(invalidValue(child(field, 'kind'), kind, 'must not be empty'));
  if (name === '') errors.push(invalidValue(child(field, 'name'), name, 'must not be empty'));
  if (uid === '') errors.push(invalidValue(child(field, 'uid'), uid, 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event')
    errors.push(invalidRaw(field, asStruct(reference), '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

/** The version of an apiVersion as Go's ParseGroupVersion parses it; '' where it is invalid. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : (parts.at(-1) ?? '');
}

/** The struct as Go encodes it: fields in the order of their declaration. */
function asStruct({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  const fields = Object.entries({ apiVersion, kind, name, uid, controller, blockOwnerDeletion });
  return `{${fields
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${goJson(field)}:${goJson(value)}`)
    .join(',')}}`;
}

/** Errors for finalizers that are neither standard nor `domain/name`: core kinds reject them. */
export function unqualifiedFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  return finalizers.slice(0, MAX_ERRORS).flatMap((name, at) => {
    if (name.includes('/') || STANDARD_FINALIZERS.includes(name)) return [];
    return [
      invalidValue(index(field, at), name, 'name is neither a standard finalizer name nor is it fully qualified'),
    ];
  });
}

function finalizerErrors(finalizers: readonly string[], field: string, qualified: boolean): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of finalizers.slice(0, MAX_ERRORS)) errors.push(...all(field, name, qualifiedName(name)));
  if (qualified) errors.push(...unqualifiedFinalizers(finalizers, field));
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return errors;
  return [
    ...errors,
    invalidValue(field, [...finalizers], 'finalizer orphan and foregroundDeletion cannot be both set'),
  ];
}

function newFinalizers(next: readonly string[], old: readonly string[], field: string): FieldError[] {
  const extra = [...new Set(next)].filter((name) => !old.includes(name)).sort(compareBytes);
  if (extra.length === 0) return [];
  const list = `[]string{${extra.map(goQuote).join(', ')}}`;
  return [
    forbiddenField(
      field,
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ];
}

function managedFieldsErrors(meta: ObjectMeta, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [at, entry] of (meta.managedFields ?? []).slice(0, MAX_ERRORS).entries()) {
    const field = index(path, at);
    if (!isObject(entry)) continue;
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update')
      errors.push(invalidValue(child(field, 'operation'), operation, 'must be `Apply` or `Update`'));
    if (fieldsType !== '' && fieldsType !== 'FieldsV1')
      errors.push(invalidValue(child(field, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
    errors.push(...managerErrors(manager, child(field, 'manager')));
    if (byteLength(subresource) > MAX_SUBRESOURCE) errors.push(tooLong(child(field, 'subresource'), MAX_SUBRESOURCE));
  }
  return errors;
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/** Validates a field manager, in managedFields and in the query parameter. */
export function managerErrors(manager: string, field: string): FieldError[] {
  const errors = byteLength(manager) > MAX_MANAGER ? [tooLong(field, MAX_MANAGER)] : [];
  if (PRINTABLE.test(manager)) return errors;
  let at = 0;
  for (const char of manager) {
    if (!PRINTABLE.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidValue(field, manager, `invalid character U+${code} (at position ${at})`));
    }
    at += byteLength(char);
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}

function all(field: string, value: string, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalidValue(field, value, message));
}
