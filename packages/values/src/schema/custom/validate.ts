import type { Json } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { FieldError } from '../fielderror.js';
import { validateEmbedded } from './embedded.js';
import { validateLists } from './listtypes.js';
import type { Schema } from '../schema.js';
import { checkKeywords } from '../keywords/validate.js';

export interface Validation {
  /** In document order. */
  readonly errors: readonly FieldError[];
  /** Whether one of the errors keeps the API server from running the CEL rules. */
  readonly skipCel: boolean;
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Whether one of the errors keeps the CEL rules from running. */
export function blocksCel(errors: readonly FieldError[]): boolean {
  return errors.some(({ reason }) => BLOCKING.has(reason));
}

/**
 * Validates a value against a structural schema: all keywords, embedded resources and list types, in the order of the
 * API server, except for the metadata of the whole object and the CEL rules. Problems of values that did not change
 * since `old` are ignored (ratcheting). The time for patterns is bounded.
 * @param old the stored value; undefined for a new object.
 * @param base path of the value; '' for a whole object, `status` for the status alone.
 */
export function validateSchema(schema: Schema, value: Json, old?: Json, base = ''): Validation {
  const errors = checkKeywords(schema, value, old, base);
  if (base === '') errors.push(...validateEmbedded(schema, value, base));
  if (old === undefined || validateLists(schema, old, base).length === 0)
    errors.push(...validateLists(schema, value, base));
  return { errors, skipCel: blocksCel(errors) };
}

/**
 * Validates a custom resource except for its metadata and its CEL rules.
 * @param schema as the author of the definition wrote it.
 * @param subresource for `status` only the status is validated, as in the API server.
 */
export function validateCustom(schema: Schema, next: KubeObject, old?: KubeObject, subresource?: string): Validation {
  if (subresource !== 'status' || old === undefined) return validateSchema(schema, next, old);
  const { status } = next;
  const below = schema.properties?.['status'];
  const errors =
    status === undefined || below === undefined ? [] : checkKeywords(below, status, old['status'] ?? null, 'status');
  if (validateLists(schema, old, '').length === 0) errors.push(...validateLists(schema, next, ''));
  return { errors, skipCel: blocksCel(errors) };
}

/** Validates embedded resources and list types only. Embedded resources are not checked on a write to `status`. */
export function validateExtensions(
  schema: Schema,
  next: KubeObject,
  old?: KubeObject,
  subresource?: string,
): readonly FieldError[] {
  const embedded = subresource === 'status' ? [] : validateEmbedded(schema, next, '');
  const lists = old !== undefined && validateLists(schema, old, '').length > 0 ? [] : validateLists(schema, next, '');
  return [...embedded, ...lists];
}
