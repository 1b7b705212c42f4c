import { structOf } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { membersOf } from './items.js';

/**
 * The Go type of the first integer field of a built-in kind whose value is a fraction, such as `int32`; undefined when
 * there is none.
 */
export function fractionalIntegerType(schema: Schema, value: Json): string | undefined {
  return structOf(schema) === undefined ? undefined : search(schema, value);
}

function search(schema: Schema, value: Json): string | undefined {
  if (typeof value === 'number') {
    return schema.type === 'integer' && !Number.isInteger(value) ? (schema.format ?? 'int64') : undefined;
  }
  for (const [childSchema, child] of childrenOf(schema, value)) {
    const found = childSchema === undefined ? undefined : search(childSchema, child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function childrenOf(schema: Schema, value: Json): [Schema | undefined, Json][] {
  if (isArray(value)) return value.map((item) => [schema.items, item]);
  if (!isObject(value)) return [];
  const { properties, additionalProperties } = schema;
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return membersOf(value).map(([name, child]) => [
    properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : rest,
    child,
  ]);
}
