import type { Json } from '../json.js';
import type { CauseReason, FieldError } from '../status.js';
import { goFloat, goJson, goQuote } from './go/text.js';

/**
 * Makers of the errors of fields, worded as `field.Error` of apimachinery. A path is text: `spec.list[0].name`,
 * `metadata.labels[a.b/c]`; '' is the root.
 */

/** The field of an error that belongs to no field. */
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

/** Errors of one kind that are told of one object, and characters of a path: an object may hold a million wrong values. */
export const MAX_ERRORS = 1000;
const MAX_PATH = 10_000;

/** A path that ends where it becomes absurd: its parts may be keys of megabytes, and it stands in every message. */
export function shortened(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}...` : path;
}

export function invalidValue(field: string, value: Json | undefined, detail: string): FieldError {
  return withValue('FieldValueInvalid', field, `Invalid value: ${goValue(value)}`, detail);
}

/** With a value that is text of JSON already: structs, whose fields are not in order of their names. */
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

/** The value is left out: it may be huge. */
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

/** A value inside of a message. */
export function goValue(value: Json | undefined): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goFloat(value) : goJson(value);
}

/**
 * One of them may stand among the findings of a kind about a change: here, and not before them, it repeats the checks of
 * metadata, of the change or of all of it. Told apart by being these very objects.
 */
export const CHANGED_METADATA: FieldError = { reason: 'FieldValueInvalid', field: 'metadata', message: '' };
export const ALL_METADATA: FieldError = { ...CHANGED_METADATA };
