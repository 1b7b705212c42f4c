import { asRecord, field, isRecord, type JsonRecord } from '../vocabulary/json.js';
import { isFailure } from '../errors.js';

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
