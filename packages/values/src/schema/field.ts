import type { Json } from '../json.js';
import type { CauseReason, FieldError } from './fielderror.js';
import { goFloat, goJson, goQuote } from '../text.js';

/**
 * Constructors of field errors with the messages of apimachinery's `field.Error`. Paths are strings such as
 * `spec.list[0].name` and `metadata.labels[a.b/c]`; '' is the root.
 */

/** The field name of an error that has no field. */
export const NO_FIELD = '<nil>';

export function child(path: string, name: string): string {
  return path === '' ? name : shortened(`${path}.${name}`);
}

export function index(path: string, at: number): string {
  return shortened(`${path}[${at}]`);
}

/** A key of a map: `path[key]`. */
export function key(path: string, name: string): string {
  return shortened(`${path}[${name}]`);
}

/** Limits: errors of one kind per object, and characters of a path. An object may hold a million invalid values. */
export const MAX_ERRORS = 1000;
const MAX_PATH = 10_000;

/** Truncates a path: its segments may be keys of megabytes, and every message contains it. */
export function shortened(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}...` : path;
}

export function invalidValue(field: string, value: Json | undefined, detail: string): FieldError {
  return withValue('FieldValueInvalid', field, `Invalid value: ${goValue(value)}`, detail);
}

/** The value is given as JSON text: for structs, whose fields are not sorted by name. */
export function invalidRaw(field: string, json: string, detail: string): FieldError {
  return withValue('FieldValueInvalid', field, `Invalid value: ${json}`, detail);
}

export function typeInvalid(field: string, value: Json | undefined, detail: string): FieldError {
  return withValue('FieldValueTypeInvalid', field, `Invalid value: ${goValue(value)}`, detail);
}

export function required(field: string, detail = ''): FieldError {
  return withValue('FieldValueRequired', field, 'Required value', detail);
}

export function forbiddenField(field: string, detail: string): FieldError {
  return withValue('FieldValueForbidden', field, 'Forbidden', detail);
}

export function duplicate(field: string, value: Json | undefined): FieldError {
  return withValue('FieldValueDuplicate', field, `Duplicate value: ${goValue(value)}`, '');
}

export function notFoundValue(field: string, value: Json | undefined): FieldError {
  return withValue('FieldValueNotFound', field, `Not found: ${goValue(value)}`, '');
}

export function notSupported(field: string, value: Json | undefined, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return withValue('FieldValueNotSupported', field, `Unsupported value: ${goValue(value)}`, detail);
}

export function internalField(field: string, detail: string): FieldError {
  return withValue('InternalError', field, 'Internal error', detail);
}

/** The message does not contain the value: it may be huge. */
export function tooLong(field: string, most: number): FieldError {
  return withValue(
    'FieldValueTooLong',
    field,
    'Too long',
    `may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`,
  );
}

export function tooMany(field: string, count: number, most: number): FieldError {
  return withValue(
    'FieldValueTooMany',
    field,
    `Too many: ${count}`,
    `must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
  );
}

function withValue(reason: CauseReason, field: string, text: string, detail: string): FieldError {
  return { reason, field, message: detail === '' ? text : `${text}: ${detail}` };
}

/** A value as error messages write it. */
function goValue(value: Json | undefined): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goFloat(value) : goJson(value);
}

/**
 * A marker in the validation errors of an update: at this position, and not before the other errors, the metadata
 * checks of the change (or of the whole object) are repeated. Compared by identity.
 */
export const CHANGED_METADATA: FieldError = { reason: 'FieldValueInvalid', field: 'metadata', message: '' };
export const ALL_METADATA: FieldError = { ...CHANGED_METADATA };
