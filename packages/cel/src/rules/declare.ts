import type { Json } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  listOf,
  mapOf,
  struct,
  type CelType,
} from '../index.js';
import { escapeName, unescapeName } from './escape.js';

/** The CEL type of a schema, with the sizes for cost estimates. */
export interface DeclaredType {
  readonly type: CelType;
  /** The minimum number of JSON bytes of a value. */
  readonly minSize: number;
  /** The maximum number of characters, bytes, items or entries of a value; 0 for types without a size. */
  readonly maxElements: number;
  /** Fields by escaped name, for objects with properties. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  readonly key?: DeclaredType;
  readonly element?: DeclaredType;
}

/** The largest request in bytes. */
export const MAX_REQUEST = 3 * 1024 * 1024;

const META_NAME: Schema = { type: 'string' };

/** The fields that every object with metadata has in expressions, whatever its schema. */
const OBJECT_META: Readonly<Record<string, Schema>> = {
  apiVersion: META_NAME,
  kind: META_NAME,
  metadata: { type: 'object', properties: { name: META_NAME, generateName: META_NAME } },
};

/**
 * The CEL type of a schema; undefined for a schema that expressions cannot access: it, or a part of it, has no type.
 * @param name the name of an object type; the types of its parts are named after it
 * @param root whether the value has apiVersion, kind and metadata
 */
export function declareType(schema: Schema, name: string, root = false): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return sized(DYN, 1, schema.maxLength === undefined ? MAX_REQUEST - 2 : codeBytes(schema.maxLength));
  if (root) return declareObject(withObjectMeta(schema), name);
  switch (schema.type) {
    case 'array':
      return declareList(schema, name);
    case 'object':
      return schema.additionalProperties === undefined || typeof schema.additionalProperties === 'boolean'
        ? declareObject(schema, name)
        : declareMap(schema, schema.additionalProperties, name);
    case 'string':
      return declareText(schema);
    case 'boolean':
      return sized(BOOL, 4, 0);
    case 'number':
      return sized(DOUBLE, 1, 0);
    case 'integer':
      return sized(INT, 1, 0);
    case undefined:
      return undefined;
  }
}

/** The schema of a whole object in expressions: apiVersion, kind and the names in metadata are always present. */
export function withObjectMeta(schema: Schema): Schema {
  return { ...schema, type: 'object', properties: { ...schema.properties, ...OBJECT_META } };
}

function sized(type: CelType, minSize: number, maxElements: number): DeclaredType {
  return { type, minSize, maxElements };
}

/** maxLength counts code points; costs count bytes. */
function codeBytes(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function declareList({ items, maxItems }: Schema, name: string): DeclaredType | undefined {
  const element = items === undefined ? undefined : declareType(items, `${name}.@idx`, isEmbedded(items));
  if (element === undefined) return undefined;
  const most = maxItems === undefined ? Math.floor((MAX_REQUEST - 2) / (element.minSize + 1)) : Math.max(0, maxItems);
  return { ...sized(listOf(element.type), 2, most), element };
}

const KEY = sized(STRING, 2, 0);

function declareMap({ maxProperties }: Schema, values: Schema, name: string): DeclaredType | undefined {
  const element = declareType(values, `${name}.@elem`, isEmbedded(values));
  if (element === undefined) return undefined;
  const most =
    maxProperties === undefined ? Math.floor((MAX_REQUEST - 2) / (element.minSize + 6)) : Math.max(0, maxProperties);
  return { ...sized(mapOf(STRING, element.type), 2, most), key: KEY, element };
}

function declareObject({ properties = {}, required = [] }: Schema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minSize = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const escaped = escapeName(property);
    const declared = declareType(schema, `${name}.${escaped ?? property}`, isEmbedded(schema));
    if (declared === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, declared);
    if (required.includes(property) && schema.default === undefined)
      minSize += Buffer.byteLength(property) + declared.minSize + 4;
  }
  return { ...sized(struct(name), minSize, 0), fields };
}

function declareText(schema: Schema): DeclaredType {
  switch (schema.format) {
    case 'byte':
      return sized(BYTES, 2, schema.maxLength === undefined ? MAX_REQUEST - 2 : Math.max(0, schema.maxLength));
    case 'duration':
      return sized(DURATION, 3, 32);
    case 'date':
      return sized(TIMESTAMP, 12, 12);
    case 'date-time':
      return sized(TIMESTAMP, 21, 32);
    default:
      return sized(STRING, 2, longestText(schema));
  }
}

function longestText({ maxLength, enum: values }: Schema): number {
  if (maxLength !== undefined) return codeBytes(maxLength);
  if (values === undefined || values.length === 0) return MAX_REQUEST - 2;
  const lengths = values.map((value: Json) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  return Math.max(0, ...lengths);
}

/**
 * The fields of all struct types within a type, by type name. Reserved words such as `namespace` may be used unescaped.
 */
export function fieldTypes(declared: DeclaredType): ReadonlyMap<string, ReadonlyMap<string, CelType>> {
  const found = new Map<string, ReadonlyMap<string, CelType>>();
  const pending = [declared];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.element !== undefined) pending.push(next.element);
    if (next.fields === undefined) continue;
    const plain = [...next.fields].flatMap(([name, field]): [string, CelType][] =>
      name.startsWith('__') ? [[unescapeName(name) ?? name, field.type]] : [],
    );
    found.set(
      next.type.name,
      new Map([...plain, ...[...next.fields].map(([name, field]): [string, CelType] => [name, field.type])]),
    );
    for (const field of next.fields.values()) pending.push(field);
  }
  return found;
}
