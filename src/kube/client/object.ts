import type { KubeObject, ResourceType } from '../../api/meta.js';
import { apiVersionOf } from '../../api/resources.js';
import type { FailedCall } from '../../runtime/errors.js';
import { malformed } from '../apierror.js';
import type { JsonRecord } from '../json.js';
import { isRecord, textField } from '../json.js';

/** How JSON of the server becomes an object of a type. */
export interface Shape {
  readonly type: ResourceType;
  readonly metadataOnly?: boolean | undefined;
}

/**
 * JSON of the server as an object: kind and apiVersion filled in (items of a list lack them), nothing else changed.
 * With metadata only, whatever else came is left out, and kind and apiVersion are those of the type, not `PartialObjectMetadata`.
 * @throws ApiError Malformed without a name, or when it is of another kind.
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

/** The one place where the server's word is taken for the type: its schema vouches for the fields, the callers for their absence. */
function trusted<T extends KubeObject>(value: JsonRecord): T {
  return value as unknown as T;
}

/** An object as the body of a write: kind and apiVersion always stand in it. */
export function bodyOf(object: KubeObject, type: ResourceType): string {
  return JSON.stringify({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
}

/** A copy without managedFields, which nobody here reads and which are half the size of many objects. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
