import { equal, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { coerceEmbedded, validateEmbedded } from '@multicluster-engine/values/schema/custom/embedded';
import { child, invalidValue, key } from '@multicluster-engine/values/schema/field';
import { prune } from '@multicluster-engine/values/schema/custom/prune';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { checkDefaultKeywords } from '@multicluster-engine/values/schema/keywords/validate';
import { fieldAt, isTrue, namedSchemasAt, schemaAt, type RawSchema } from './rawschema.js';

/**
 * Runs the CEL rules of a schema on a default.
 * @param isWhole whether the default is that of a whole object
 */
export type CheckDefault = (schema: Schema, value: Json, path: string, isWhole: boolean) => readonly FieldError[];

/** A schema and its position in the object. */
interface Node {
  readonly schema: RawSchema;
  readonly path: string;
  /** The schema of the enclosing object: the root, or the nearest embedded resource. */
  readonly enclosing: RawSchema;
  /** Property names from that object down to the schema; undefined for list items. */
  readonly names: readonly (string | undefined)[];
  readonly insideMeta: boolean;
}

const META = ['metadata', 'apiVersion', 'kind'];

/** Checks that the defaults of a structural schema are valid values of it, without unknown fields. */
export function validateDefaults(schema: RawSchema, path: string, check: CheckDefault): FieldError[] {
  const whole: RawSchema = { ...schema, 'x-kubernetes-embedded-resource': true };
  return checkNode({ schema: whole, path, enclosing: whole, names: [], insideMeta: false }, check);
}

function checkNode(given: Node, check: CheckDefault): FieldError[] {
  const { schema, path } = given;
  const embedded = isTrue(schema, 'x-kubernetes-embedded-resource');
  const node = embedded ? { ...given, enclosing: schema, names: [], insideMeta: false } : given;
  const value = fieldAt(schema, 'default');
  const errors = value === undefined ? [] : checkValue(node, value, check);
  const items = schemaAt(schema, 'items');
  if (items !== undefined)
    errors.push(
      ...checkNode({ ...node, schema: items, path: child(path, 'items'), names: [...node.names, undefined] }, check),
    );
  for (const [name, property] of namedSchemasAt(schema, 'properties')) {
    const insideMeta = node.insideMeta || (embedded && META.includes(name));
    errors.push(
      ...checkNode(
        {
          ...node,
          schema: property,
          path: key(child(path, 'properties'), name),
          names: [...node.names, name],
          insideMeta,
        },
        check,
      ),
    );
  }
  return errors;
}

function checkValue(node: Node, value: Json, check: CheckDefault): FieldError[] {
  // The schema is structural, so it has the declared type.
  const schema = node.schema as Schema;
  const field = child(node.path, 'default');
  const unknown = node.insideMeta ? [] : unknownErrors(schema, value, field);
  const invalid = node.insideMeta ? metaErrors(node, value, field) : embeddedErrors(schema, value, field);
  if (invalid.length > 0) return [...unknown, ...invalid];
  const broken = checkDefaultKeywords(untyped(schema), value, field);
  return [...unknown, ...(broken.length > 0 ? broken : check(schema, value, field, node.schema === node.enclosing))];
}

/**
 * The schema without x-kubernetes-int-or-string: the API server ignores it when it checks defaults, so any value is
 * accepted.
 */
function untyped(schema: Schema): Schema {
  const { 'x-kubernetes-int-or-string': _ignored, items, properties, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(items === undefined ? {} : { items: untyped(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, untyped(property)]),
          ),
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'boolean' ? additionalProperties : untyped(additionalProperties),
        }),
  };
}

function unknownErrors(schema: Schema, value: Json, field: string): FieldError[] {
  const root = schema['x-kubernetes-embedded-resource'] === true;
  const isKnown = equal(prune(schema, value, { root }).value, value);
  return isKnown ? [] : [invalidValue(field, value, 'must not have unknown fields')];
}

/** Errors in the metadata of embedded resources. */
function embeddedErrors(schema: Schema, value: Json, field: string): readonly FieldError[] {
  const { error } = coerceEmbedded(schema, value, field);
  return error === undefined ? validateEmbedded(schema, value, field) : [error];
}

/** Errors of a default within metadata, which is checked as a part of the enclosing object. */
function metaErrors({ enclosing, names }: Node, value: Json, field: string): FieldError[] {
  const found = embeddedErrors(enclosing, embedInObject(value, names), '');
  if (found.length === 0) return [];
  const texts = found.map((one) => `${one.field}: ${one.message}`);
  const detail = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return [invalidValue(field, value, `must result in valid metadata: ${detail}`)];
}

function embedInObject(value: Json, names: readonly (string | undefined)[]): JsonObject {
  const whole = names.reduceRight<Json>(
    (inner, name) => (name === undefined ? [inner] : Object.fromEntries([[name, inner]])),
    value,
  );
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(isObject(whole) ? whole : {}) };
}
