import { isArray, isObject, own, type Json, type JsonObject } from '../../json.js';
import type { FieldError } from '../fielderror.js';
import { child, index, invalidValue, key, MAX_ERRORS, required } from '../field.js';
import { decodeMeta } from '../metadata/decode.js';
import { dns1035Label, pathSegment, pathSegmentPart } from '../../formats.js';
import { validateMeta } from '../metadata/validate.js';
import type { Schema } from '../schema.js';
import { additionalOf, mapFields, mapItems, propertyOf, schemaSearch } from '../walk.js';

const hasEmbedded = schemaSearch((schema) => schema['x-kubernetes-embedded-resource'] === true);

/** Validates apiVersion, kind and metadata of embedded resources. */
export function validateEmbedded(schema: Schema | undefined, value: Json, path: string): FieldError[] {
  if (schema === undefined || !hasEmbedded(schema)) return [];
  if (isArray(value)) return itemErrors(schema.items, value, path);
  if (!isObject(value)) return [];
  const errors = schema['x-kubernetes-embedded-resource'] === true ? resourceErrors(value, path) : [];
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const property = propertyOf(schema, name);
    if (property !== undefined) errors.push(...validateEmbedded(property, field, child(path, name)));
    else errors.push(...validateEmbedded(additionalOf(schema), field, key(path, name)));
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}

function itemErrors(schema: Schema | undefined, items: readonly Json[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [at, item] of items.entries()) {
    if (errors.length >= MAX_ERRORS) break;
    errors.push(...validateEmbedded(schema, item, index(path, at)));
  }
  return errors;
}

function resourceErrors(resource: JsonObject, path: string): FieldError[] {
  const [apiVersion, kind, metadata] = [own(resource, 'apiVersion'), own(resource, 'kind'), own(resource, 'metadata')];
  const errors: FieldError[] = [];
  if (apiVersion === undefined) errors.push(required(child(path, 'apiVersion')));
  if (kind === undefined) errors.push(required(child(path, 'kind')));
  if (apiVersion !== undefined) errors.push(...textErrors(apiVersion, child(path, 'apiVersion'), apiVersionProblem));
  if (kind !== undefined) errors.push(...textErrors(kind, child(path, 'kind'), kindProblem));
  if (metadata === undefined) return errors;
  const decoded = decodeMeta(metadata);
  if ('problem' in decoded) return [...errors, invalidValue(child(path, 'metadata'), metadata, decoded.problem)];
  const meta = (decoded.meta.name ?? '') === '' ? { ...decoded.meta, name: 'fakename' } : decoded.meta;
  return [
    ...errors,
    ...validateMeta(
      meta,
      { namespaced: (meta.namespace ?? '') !== '', validateName: pathSegment, validatePrefix: pathSegmentPart },
      child(path, 'metadata'),
    ),
  ];
}

function textErrors(value: Json, path: string, problemOf: (text: string) => string | undefined): FieldError[] {
  if (typeof value !== 'string') return [invalidValue(path, value, 'must be a string')];
  const problem = value === '' ? 'must not be empty' : problemOf(value);
  return problem === undefined ? [] : [invalidValue(path, value, problem)];
}

function apiVersionProblem(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

function kindProblem(text: string): string | undefined {
  const problems = dns1035Label(text.toLowerCase());
  return problems.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}

export interface Coerced {
  /** The value with the metadata of embedded resources decoded: without unknown fields and without nulls. */
  readonly value: Json;
  readonly unknown: readonly string[];
  /** The first metadata that cannot be decoded: the request fails with it. */
  readonly error: FieldError | undefined;
}

/** Decodes the metadata of the embedded resources of a custom resource. Runs after pruning. */
export function coerceEmbedded(schema: Schema, value: Json, path = ''): Coerced {
  const state: { unknown: string[]; error: FieldError | undefined } = { unknown: [], error: undefined };
  const coerced = coerce(schema, value, path, state);
  return { value: coerced, ...state };
}

interface State {
  readonly unknown: string[];
  error: FieldError | undefined;
}

function coerce(schema: Schema | undefined, value: Json, path: string, state: State): Json {
  if (schema === undefined || !hasEmbedded(schema)) return value;
  if (isArray(value)) return mapItems(value, (item, at) => coerce(schema.items, item, index(path, at), state));
  if (!isObject(value)) return value;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  return mapFields(value, (field, name) => {
    const property = propertyOf(schema, name);
    const below = property === undefined ? key(path, name) : child(path, name);
    const decoded = embedded ? coerceTypeMeta(field, name, path, state) : field;
    return coerce(property ?? additionalOf(schema), decoded, below, state);
  });
}

function coerceTypeMeta(field: Json, name: string, path: string, state: State): Json {
  if ((name === 'apiVersion' || name === 'kind') && typeof field !== 'string')
    state.error ??= invalidValue(child(path, name), field, 'must be a string');
  if (name !== 'metadata') return field;
  const decoded = decodeMeta(field);
  if ('problem' in decoded) {
    state.error ??= invalidValue(child(path, name), field, decoded.problem);
    return field;
  }
  if (state.unknown.length < MAX_ERRORS)
    state.unknown.push(...decoded.unknown.map((unknown) => `${child(path, name)}.${unknown}`));
  return decoded.meta;
}
