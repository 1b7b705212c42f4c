import { isRecord, sameJson } from '../../src/runtime/vocabulary/json.js';

/** A JSON Schema of dialect 2020-12, the one of OpenAPI 3.1. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** A schema of the OpenAPI document, by its name. */
export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Keywords that say something together: those of two schemas cannot be merged. */
const UNITS = [['if', 'then', 'else'], ['anyOf'], ['not']];

/**
 * Both schemas in one: keywords of `other` replace those of `one`, objects such as `properties` are merged. Another condition,
 * choice or negation than that of `one` is kept beside it, in `allOf`.
 */
export function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged: JsonSchema = { ...one };
  const { own, apart } = separated(one, other);
  for (const [keyword, value] of Object.entries(own)) {
    const before = merged[keyword];
    if (isRecord(before) && isRecord(value)) merged[keyword] = mergeSchemas(before, value);
    else if (keyword === 'allOf' && Array.isArray(before) && Array.isArray(value))
      merged[keyword] = [...before, ...value];
    else merged[keyword] = value;
  }
  return apart.length === 0 ? merged : mergeSchemas(merged, { allOf: apart });
}

/** The keywords of `other` that can be merged into `one`, and the units that cannot. */
function separated(one: JsonSchema, other: JsonSchema): { readonly own: JsonSchema; readonly apart: JsonSchema[] } {
  const own: JsonSchema = { ...other };
  const apart: JsonSchema[] = [];
  for (const unit of UNITS) {
    const [first = ''] = unit;
    if (!(first in one) || !(first in other) || sameJson(one[first], other[first])) continue;
    apart.push(
      Object.fromEntries(unit.filter((keyword) => keyword in other).map((keyword) => [keyword, other[keyword]])),
    );
    for (const keyword of unit) delete own[keyword];
  }
  return { own, apart };
}
