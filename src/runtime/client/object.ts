import type { KubeObject, ResourceType } from '../vocabulary/meta.js';
import { apiVersionOf } from '../vocabulary/kinds.js';
import { isFailure, type FailedCall } from '../errors.js';
import { malformed } from '../transport/apierror.js';
import { isRecord, textField, asRecord, field, type JsonRecord } from '../vocabulary/json.js';

/** The type that an object from the server must have. */
export interface Shape {
  readonly type: ResourceType;
  readonly metadataOnly?: boolean | undefined;
}

/**
 * Parsed JSON from the server as an object. Kind and apiVersion are filled in, since items of a list lack them. With
 * `metadataOnly` all else is dropped, and kind and apiVersion are those of the type, not `PartialObjectMetadata`.
 * @throws ApiError Malformed for an object without a name or of another kind.
 */
export function objectOf<T extends KubeObject>(value: unknown, shape: Shape, call: FailedCall): T {
  if (!isRecord(value)) throw malformed(call, 'an object was expected');
  const { type, metadataOnly } = shape;
  const metadata = value['metadata'];
  if (!isRecord(metadata) || textField(metadata, 'name') === '')
    throw malformed(call, 'an object without metadata.name');
  const kind = textField(value, 'kind');
  if (kind !== '' && kind !== type.kind && kind !== 'PartialObjectMetadata')
    throw malformed(call, `kind "${kind}" where ${type.kind} was expected`);
  const head = { apiVersion: apiVersionOf(type), kind: type.kind };
  return trusted<T>(metadataOnly === true ? { ...head, metadata } : { ...value, ...head });
}

/** The only cast to the object's type: the CRD's schema guarantees the fields, and callers treat them as optional. */
function trusted<T extends KubeObject>(value: JsonRecord): T {
  return value as unknown as T;
}

/** The request body for an object, always with kind and apiVersion. */
export function bodyOf(object: KubeObject, type: ResourceType): string {
  return JSON.stringify({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
}

/** A copy without managedFields, which are unused here and half the size of many objects. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * Server-side apply takes away what its manager does not apply any more. When the last item of a list goes, or the last field
 * of an object, and any manager owns the list or the object itself, the API server leaves null in its place, and then refuses
 * its own result: `status: must be of type object: "null"`. No apply can empty such a field. A merge patch can.
 */

const PATH = /^(spec|status)(\.[A-Za-z][A-Za-z0-9]*)*$/;
const NULL_REASON = 'FieldValueTypeInvalid';

/**
 * The merge patch that removes the fields which the apply of `applied` has left as null; undefined for another refusal. All
 * that they hold was to go, as long as the object is the one that the apply has met.
 */
export function removalOf(error: unknown, applied: object): JsonRecord | undefined {
  if (!isFailure(error, 'Invalid')) return undefined;
  const paths = error.causes
    .filter((cause) => cause.reason === NULL_REASON && PATH.test(cause.field))
    .map((cause) => cause.field.split('.'))
    .filter((path) => isEmpty(path.reduce<unknown>(field, applied)));
  return paths.length === 0 ? undefined : paths.reduce<JsonRecord>(withNull, {});
}

/** Whether it cannot be the applied value that has the wrong type. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || (isRecord(value) && Object.keys(value).length === 0);
}

function withNull(patch: JsonRecord, [first = '', ...rest]: readonly string[]): JsonRecord {
  return { ...patch, [first]: rest.length === 0 ? null : withNull(asRecord(patch[first]), rest) };
}
