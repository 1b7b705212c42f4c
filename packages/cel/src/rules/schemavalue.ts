import { isArray, isObject, own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { goType } from '@multicluster-engine/values/schema/go/format';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import {
  type Budget,
  same,
  EvaluationError,
  noSuchOverload,
  jsonValue,
  List,
  Opaque,
  ValueList,
  ValueMap,
  type Value,
} from '../index.js';
import { withObjectMeta } from './declare.js';
import { escapeName, unescapeName } from './escape.js';
import { formattedValue } from './formatvalue.js';

/**
 * Converts a JSON value with a schema to a CEL value.
 * @throws EvaluationError where the data does not match the schema.
 */
export function schemaValue(value: Json, schema: Schema): Value {
  if (value === null) {
    if (schema.nullable === true) return null;
    throw new EvaluationError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string'] === true) return intOrString(value);
  switch (schema.type) {
    case 'object':
      return objectValue(value, schema);
    case 'array':
      return listValue(value, schema);
    case 'string':
      return textValue(value, schema);
    case 'number':
      return numberOf(value);
    case 'integer':
      return integerOf(value);
    case 'boolean':
      return booleanOf(value);
    default:
      return new Preserved(value);
  }
}

function intOrString(value: Json): Value {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new EvaluationError('invalid data, expected XIntOrString value to be either a string or integer');
}

function objectValue(value: Json, schema: Schema): Value {
  if (!isObject(value))
    throw new EvaluationError('invalid data, expected a map for the provided schema with type=object');
  return new SchemaMap(value, schema['x-kubernetes-embedded-resource'] === true ? withObjectMeta(schema) : schema);
}

function listValue(value: Json, schema: Schema): Value {
  if (!isArray(value))
    throw new EvaluationError('invalid data, expected an array for the provided schema with type=array');
  if (schema.items === undefined)
    throw new EvaluationError('invalid array type, expected Items with a non-empty Schema');
  return new SchemaList(value, schema, schema.items);
}

function textValue(value: Json, { format }: Schema): Value {
  if (typeof value !== 'string') throw new EvaluationError(`invalid data, expected string, got ${goType(value)}`);
  return formattedValue(value, format);
}

function numberOf(value: Json): Value {
  if (typeof value === 'number') return value;
  throw new EvaluationError(`invalid data, expected float, got ${goType(value)}`);
}

function integerOf(value: Json): Value {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new EvaluationError(`invalid data, expected int, got ${goType(value)}`);
}

function booleanOf(value: Json): Value {
  if (typeof value === 'boolean') return value;
  throw new EvaluationError(`invalid data, expected bool, got ${goType(value)}`);
}

/** Data without a schema: it supports only equality. */
class Preserved extends Opaque {
  readonly typeName = 'unknown';
  readonly data: Json;

  constructor(data: Json) {
    super();
    this.data = data;
  }

  equals(other: Opaque, budget: Budget): boolean {
    return other instanceof Preserved && same(jsonValue(this.data), jsonValue(other.data), budget);
  }
}

/** An object with properties (escaped names, null means absent), or a map. */
class SchemaMap extends ValueMap {
  readonly data: JsonObject;
  private readonly schema: Schema;
  private readonly views = new Map<string, Value>();
  private known: string[] | undefined;

  constructor(data: JsonObject, schema: Schema) {
    super();
    this.data = data;
    this.schema = schema;
  }

  get size(): number {
    return this.names().length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    const { properties } = this.schema;
    const name = properties === undefined ? key : unescapeName(key);
    const value = name === undefined ? undefined : own(this.data, name);
    if (name === undefined || value === undefined || (properties !== undefined && value === null)) return undefined;
    const schema = this.schemaOf(name);
    return schema === undefined ? undefined : this.view(name, value, schema);
  }

  keys(): readonly Value[] {
    const known = this.names().filter((name) => this.schemaOf(name) !== undefined);
    return this.schema.properties === undefined ? known : known.map((name) => escapeName(name) ?? name);
  }

  override withoutSchema(): Value {
    return jsonValue(this.data);
  }

  override jsonKey(key: Value): Value {
    return typeof key === 'string' && this.schema.properties !== undefined ? (unescapeName(key) ?? key) : key;
  }

  /** Compares the undeclared fields that both objects have. */
  override sameUndeclared(other: ValueMap, budget: Budget): boolean {
    if (!(other instanceof SchemaMap)) return true;
    return this.names().every((name) => {
      if (this.schemaOf(name) !== undefined) return true;
      const value = own(other.data, name);
      return value === undefined || same(jsonValue(own(this.data, name) ?? null), jsonValue(value), budget);
    });
  }

  /** Views of lists and maps are cached: they cache derived data themselves. */
  private view(name: string, value: Json, schema: Schema): Value {
    const known = this.views.get(name);
    if (known !== undefined) return known;
    const view = schemaValue(value, schema);
    if (view instanceof List || view instanceof ValueMap) this.views.set(name, view);
    return view;
  }

  private names(): string[] {
    this.known ??= Object.keys(this.data).filter((name) => this.data[name] !== undefined);
    return this.known;
  }

  private schemaOf(name: string): Schema | undefined {
    const { properties, additionalProperties } = this.schema;
    if (properties !== undefined) return Object.hasOwn(properties, name) ? properties[name] : undefined;
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }
}

/** The result of merging lists of type `set` or `map`, which keeps the list type. */
class MergedList extends ValueList {
  private readonly like: SchemaList;

  constructor(values: Value[], like: SchemaList) {
    super(values);
    this.like = like;
    this.equals = (other, alike) => like.sameItems(this, other, alike);
  }

  override concat(other: List): List {
    return this.like.merge(this, other);
  }
}

/** A list of a schema: lists of type `set` and `map` compare without order, and merge when concatenated. */
class SchemaList extends List {
  readonly data: readonly Json[];
  private readonly schema: Schema;
  private readonly element: Schema;
  private known: Value[] | undefined;

  constructor(data: readonly Json[], schema: Schema, element: Schema) {
    super();
    this.data = data;
    this.schema = schema;
    this.element = element;
    const type = schema['x-kubernetes-list-type'];
    if (type === 'set' || type === 'map') this.equals = (other, alike) => this.sameItems(this, other, alike);
  }

  get size(): number {
    return this.data.length;
  }

  at(index: number): Value {
    return schemaValue(this.data[index] ?? null, this.element);
  }

  override items(): Value[] {
    this.known ??= super.items();
    return this.known;
  }

  override withoutSchema(): Value {
    return jsonValue(this.data);
  }

  override concat(other: List): List {
    return this.equals === undefined ? super.concat(other) : this.merge(this, other);
  }

  /** Concatenates lists by their list type: items with equal keys are merged. */
  merge(one: List, other: List): List {
    const merged = new Map(one.items().map((item) => [this.keyOf(item), item]));
    for (const item of other.items()) {
      const key = this.keyOf(item);
      if (this.schema['x-kubernetes-list-type'] === 'map' || !merged.has(key)) merged.set(key, item);
    }
    return new MergedList([...merged.values()], this);
  }

  /** Whether two lists of equal length have the same items, in any order. */
  sameItems(one: List, other: List, alike: (a: Value, b: Value) => boolean): boolean {
    const byKey = new Map(one.items().map((item) => [this.keyOf(item), item]));
    return other.items().every((item) => {
      const match = byKey.get(this.keyOf(item));
      return match !== undefined && alike(match, item);
    });
  }

  /** The identity of an item: the keys for a list of type `map`, otherwise the value. */
  private keyOf(item: Value): string {
    const names = this.schema['x-kubernetes-list-map-keys'];
    if (this.schema['x-kubernetes-list-type'] !== 'map' || names === undefined || !(item instanceof ValueMap))
      return valueKey(item);
    return names.map((name) => valueKey(item.find(escapeName(name) ?? name) ?? null)).join('\n');
  }
}

function valueKey(value: Value): string {
  return JSON.stringify([typeof value, typeof value === 'object' ? '' : String(value)]);
}
