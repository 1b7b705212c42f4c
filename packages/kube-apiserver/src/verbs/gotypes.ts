import { isArray } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';

/** How Go prints the type that it first decodes a body into, to read its kind. */
export const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The name that Go's JSON decoder has for a type of value. */
export function goKind(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return isArray(value) ? 'array' : typeof value;
}
