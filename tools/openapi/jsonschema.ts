import { isRecord } from '../../src/runtime/vocabulary/json.js';

/** A JSON Schema of dialect 2020-12, the one of OpenAPI 3.1. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** A schema of the OpenAPI document, by its name. */
export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Both schemas in one: keywords of `other` replace those of `one`, objects such as `properties` are merged. */
export function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const before = merged[keyword];
    if (isRecord(before) && isRecord(value)) merged[keyword] = mergeSchemas(before, value);
    else if (keyword === 'allOf' && Array.isArray(before) && Array.isArray(value))
      merged[keyword] = [...before, ...value];
    else merged[keyword] = value;
  }
  return merged;
}
