import type { KubeObject, ResourceType } from '../vocabulary/meta.js';
import { apiVersionOf } from '../vocabulary/kinds.js';
import type { FailedCall } from '../errors.js';
import { malformed } from '../transport/apierror.js';
import { isRecord, textField, type JsonRecord } from '../vocabulary/json.js';

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
