import type { Json } from '../json.js';
import type { Schema } from './schema.js';
import { DEFINITIONS } from '../data/definitions.js';
import { STRUCTS } from '../data/structs.js';

/**
 * Access to the generated tables. Everything is parsed when it is first asked for and kept.
 *
 * Names of definitions are those of the published documents: `io.k8s.api.apps.v1.Deployment`.
 */

/** A field of a Go struct, as it is written in JSON and protobuf. */
export interface StructField {
  /** Name in JSON; '' for a struct whose fields stand among those of its parent (it is a message of its own in protobuf). */
  readonly name: string;
  readonly type: GoType;
  /** Name of the Go type as errors of decoding say it: `int32`, `v1.Protocol`, `map[string]string`. */
  readonly goName: string;
  /** Field number in protobuf; 0 where the field is not part of it. */
  readonly number: number;
  /** When JSON leaves it out: never, when it is empty (a struct never is), or when it is zero (a struct of zeros too). */
  readonly omit: 'never' | 'empty' | 'zero';
}

/**
 * A Go type. `name` of a scalar: string, bool, int32, int64, float64, bytes (base64), time, micro (time with six digits),
 * quantity, intstr, raw (any object), fields (FieldsV1), json (anything), bool-or-schema, schema-or-list,
 * schema-or-strings, strings (a list of strings that is a message in protobuf). Keys of maps are strings.
 */
export type GoType =
  | { readonly shape: 'scalar'; readonly name: string; readonly pointer: boolean }
  | { readonly shape: 'struct'; readonly name: string; readonly pointer: boolean }
  | { readonly shape: 'list'; readonly of: GoType; readonly pointer: boolean }
  | { readonly shape: 'map'; readonly of: GoType; readonly pointer: boolean };

interface Node {
  readonly $ref?: string;
  readonly type?: Schema['type'];
  readonly format?: string;
  readonly default?: Schema['default'];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node;
  readonly items?: Node;
  readonly allOf?: readonly Node[];
  readonly required?: readonly string[];
  readonly 'x-kubernetes-patch-strategy'?: string;
}

const REFERENCE = '#/components/schemas/';
const EXTENSION_TYPES = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';
const KEPT = [
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
];
/** What publishing loses: the true rule of types that JSON Schema cannot name. */
const SPECIAL: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { format: 'quantity', 'x-kubernetes-int-or-string': true },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { format: 'int-or-string', 'x-kubernetes-int-or-string': true },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  [`${EXTENSION_TYPES}JSON`]: { 'x-kubernetes-preserve-unknown-fields': true },
  [`${EXTENSION_TYPES}JSONSchemaPropsOrArray`]: { 'x-kubernetes-preserve-unknown-fields': true },
  [`${EXTENSION_TYPES}JSONSchemaPropsOrBool`]: { 'x-kubernetes-preserve-unknown-fields': true },
  [`${EXTENSION_TYPES}JSONSchemaPropsOrStringArray`]: { 'x-kubernetes-preserve-unknown-fields': true },
};

const resolved = new Map<string, Schema>();
const structNames = new WeakMap<Schema, string>();
const structs = new Map<string, readonly StructField[]>();

/**
 * The schema of a built-in definition with references resolved: each definition is one node wherever it is used (but for
 * fields that patches treat in their own way), so the graph of JSONSchemaProps has cycles. Descriptions, enums and the
 * defaults of structs are left out, those of scalars are there also where they are only Go's zero values;
 * quantities have format `quantity` and may be strings or numbers (fractions too).
 * Throws where there is no such definition.
 */
export function builtinSchema(definition: string): Schema {
  const known = SPECIAL[definition] ?? resolved.get(definition);
  if (known !== undefined) return known;
  const node = parse<Node>(DEFINITIONS, definition);
  const schema: Record<string, unknown> = {};
  resolved.set(definition, schema);
  if (Object.hasOwn(STRUCTS, definition)) structNames.set(schema, definition);
  Object.assign(schema, convert(node));
  return schema;
}

/** The published schema of a definition, as JSON text with references in it: for OpenAPI documents. */
export function definitionText(definition: string): string | undefined {
  return Object.hasOwn(DEFINITIONS, definition) ? DEFINITIONS[definition] : undefined;
}

/** The fields of the Go struct behind a definition, in their order. Throws where there is no such struct. */
export function structFields(definition: string): readonly StructField[] {
  const known = structs.get(definition);
  if (known !== undefined) return known;
  const rows = parse<readonly { n: string; t: string; g?: string; p?: number; o?: number }[]>(STRUCTS, definition);
  const fields = rows.map(({ n, t, g, p, o }): StructField => ({
    name: n,
    type: parseType(t),
    goName: g ?? t,
    number: p ?? 0,
    omit: o === 2 ? 'zero' : o === 1 ? 'empty' : 'never',
  }));
  structs.set(definition, fields);
  return fields;
}

/** Which struct a node of {@link builtinSchema} describes, if it is one. */
export function structOf(schema: Schema): string | undefined {
  return structNames.get(schema);
}

function parse<T>(table: Readonly<Record<string, string>>, name: string): T {
  const text = Object.hasOwn(table, name) ? table[name] : undefined;
  if (text === undefined) throw new Error(`no definition ${name}`);
  return JSON.parse(text) as T;
}

function convert(node: Node): Schema {
  const target = node.$ref ?? node.allOf?.[0]?.$ref;
  if (target !== undefined)
    return withStrategy(builtinSchema(target.slice(REFERENCE.length)), node['x-kubernetes-patch-strategy']);
  const schema: Record<string, unknown> = {};
  for (const key of ['type', 'format', 'required'] as const) if (node[key] !== undefined) schema[key] = node[key];
  if (isScalarDefault(node.default)) schema['default'] = node.default;
  for (const key of KEPT) if (Object.hasOwn(node, key)) schema[key] = (node as Readonly<Record<string, unknown>>)[key];
  if (node.properties !== undefined) {
    schema['properties'] = Object.fromEntries(
      Object.entries(node.properties).map(([name, inner]) => [name, convert(inner)]),
    );
  }
  if (node.items !== undefined) schema['items'] = convert(node.items);
  if (node.additionalProperties !== undefined) schema['additionalProperties'] = convert(node.additionalProperties);
  return schema;
}

/** How patches treat a field is said beside the reference to its type. `retainKeys` only says what clients may send. */
function withStrategy(schema: Schema, strategy: string | undefined): Schema {
  if (strategy === undefined || strategy === 'retainKeys') return schema;
  const own: Schema = { ...schema, 'x-kubernetes-patch-strategy': strategy };
  const struct = structNames.get(schema);
  if (struct !== undefined) structNames.set(own, struct);
  return own;
}

/** Defaults of structs and lists are empty: they say only that a field is not a pointer. */
function isScalarDefault(value: Node['default']): boolean {
  return value !== undefined && typeof value !== 'object';
}

function parseType(text: string): GoType {
  if (text.startsWith('*')) return { ...parseType(text.slice(1)), pointer: true };
  if (text.startsWith('[]')) return { shape: 'list', of: parseType(text.slice(2)), pointer: false };
  if (text.startsWith('{}')) return { shape: 'map', of: parseType(text.slice(2)), pointer: false };
  return { shape: text.includes('.') ? 'struct' : 'scalar', name: text, pointer: false };
}

/** The zero value of a scalar as JSON has it; null for what is written as null when it is empty. */
export function zeroScalar({ name }: { readonly name: string }): Json {
  switch (name) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intstr':
      return 0;
    case 'quantity':
      return '0';
    default:
      return null;
  }
}
