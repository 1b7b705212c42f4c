import { textAt } from '@multicluster-engine/values/fields';
import { isArray, type Json } from '@multicluster-engine/values/json';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import {
  child,
  forbiddenField,
  index,
  invalidValue,
  key,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { checkListMapKeys, checkMapKeys } from './listmapkeys.js';
import { fieldAt, isTrue, namedSchemasAt, schemaAt, schemasAt, type RawSchema } from './rawschema.js';
import { unsupportedKeyword } from './structural.js';

/**
 * Checks the fields of the CEL rules of one node.
 * @param kind `structural`: whether the schema can be converted to a structural one; if not, fieldPath is not checked.
 */
export type CheckRules = (
  schema: Schema,
  path: string,
  kind: { readonly structural: boolean },
) => readonly FieldError[];

interface Context {
  readonly checkRules: CheckRules;
  /** Why defaults are forbidden here, such as `in top-level metadata`; undefined where they are allowed. */
  readonly noDefaults: string | undefined;
  readonly insideMeta: boolean;
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const META = ['metadata', 'kind', 'apiVersion'];

/** Validates the keywords of a schema and of all its subschemas, except for the rules of structural schemas. */
export function validateKeywords(schema: RawSchema, path: string, checkRules: CheckRules): FieldError[] {
  return checkNode({ schema, path, root: true }, { checkRules, noDefaults: undefined, insideMeta: false });
}

interface Node {
  readonly schema: RawSchema;
  readonly path: string;
  readonly root: boolean;
}

function checkNode(node: Node, context: Context): FieldError[] {
  const { schema, path } = node;
  const errors = checkSupported(schema, path, context);
  if (isTrue(schema, 'uniqueItems'))
    errors.push(
      forbiddenField(
        child(path, 'uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  errors.push(...checkAdditional(schema, path, context));
  errors.push(...checkProperties(node, context), ...checkInner(schema, path, context));
  errors.push(
    ...checkMapType(schema, path),
    ...checkListType(schema, path),
    ...checkListMapKeys(schema, path),
    ...checkMapKeys(schema, path),
  );
  // The types of these keywords were checked when the definition was decoded.
  if (fieldAt(schema, 'x-kubernetes-validations') === undefined) return errors;
  return [...errors, ...context.checkRules(schema, path, { structural: unsupportedKeyword(schema) === undefined })];
}

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ['id', 'id'],
  ['additionalItems', 'additionalItems'],
  ['patternProperties', 'patternProperties'],
  ['definitions', 'definitions'],
  ['dependencies', 'dependencies'],
  ['$ref', '$ref'],
];

function checkSupported(schema: RawSchema, path: string, { noDefaults, insideMeta }: Context): FieldError[] {
  const type = textAt(schema, 'type');
  const errors: FieldError[] = [];
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(child(path, 'type'), type, TYPES));
  if (fieldAt(schema, 'default') !== undefined && noDefaults !== undefined)
    errors.push(forbiddenField(child(path, 'default'), `must not be set ${noDefaults}`));
  for (const [name] of UNSUPPORTED) {
    if (isSet(fieldAt(schema, name), name)) errors.push(forbiddenField(child(path, name), `${name} is not supported`));
  }
  if (type === 'null')
    errors.push(forbiddenField(child(path, 'type'), 'type cannot be set to null, use nullable as an alternative'));
  const { items } = schema;
  if (isArray(items) && items.length > 0)
    errors.push(forbiddenField(child(path, 'items'), 'items must be a schema object and not an array'));
  if (insideMeta && isTrue(schema, 'x-kubernetes-embedded-resource'))
    errors.push(
      forbiddenField(child(path, 'x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'),
    );
  return errors;
}

function isSet(value: Json | undefined, name: string): boolean {
  if (value === undefined || (value === '' && name !== '$ref')) return false;
  const mayBeEmpty = name === 'additionalItems' || name === 'dependencies' || name === '$ref';
  return mayBeEmpty || typeof value !== 'object' || Object.keys(value ?? {}).length > 0;
}

function checkAdditional(schema: RawSchema, path: string, context: Context): FieldError[] {
  const additional = fieldAt(schema, 'additionalProperties');
  if (additional === undefined) return [];
  const field = child(path, 'additionalProperties');
  const errors: FieldError[] = [];
  if (additional !== true && namedSchemasAt(schema, 'properties').length > 0)
    errors.push(forbiddenField(field, 'additionalProperties and properties are mutual exclusive'));
  const values = schemaAt(schema, 'additionalProperties');
  if (values === undefined) return errors;
  const inner = context.insideMeta
    ? { ...context, noDefaults: 'inside additionalProperties applying to object metadata' }
    : context;
  return [...errors, ...checkNode({ schema: values, path: field, root: false }, inner)];
}

function checkProperties({ schema, path, root }: Node, context: Context): FieldError[] {
  const whole = root || isTrue(schema, 'x-kubernetes-embedded-resource');
  return namedSchemasAt(schema, 'properties').flatMap(([name, property]) => {
    const meta = whole && META.includes(name);
    const inner = meta
      ? { ...context, insideMeta: true, noDefaults: root ? `in top-level ${name}` : context.noDefaults }
      : context;
    return checkNode({ schema: property, path: key(child(path, 'properties'), name), root: false }, inner);
  });
}

function checkInner(schema: RawSchema, path: string, context: Context): FieldError[] {
  const found: Node[] = [];
  const not = schemaAt(schema, 'not');
  if (not !== undefined) found.push({ schema: not, path: child(path, 'not'), root: false });
  for (const name of ['allOf', 'oneOf', 'anyOf']) {
    for (const [position, inner] of schemasAt(schema, name).entries())
      found.push({ schema: inner, path: index(child(path, name), position), root: false });
  }
  for (const [name, inner] of namedSchemasAt(schema, 'definitions'))
    found.push({ schema: inner, path: key(child(path, 'definitions'), name), root: false });
  const items = schemaAt(schema, 'items');
  if (items !== undefined) found.push({ schema: items, path: child(path, 'items'), root: false });
  for (const [position, inner] of schemasAt(schema, 'items').entries())
    found.push({ schema: inner, path: index(child(path, 'items'), position), root: false });
  return found.flatMap((node) => checkNode(node, context));
}

function checkMapType(schema: RawSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const preserve = 'x-kubernetes-preserve-unknown-fields';
  if (fieldAt(schema, preserve) === false)
    errors.push(invalidValue(child(path, preserve), false, 'must be true or undefined'));
  const mapType = fieldAt(schema, 'x-kubernetes-map-type');
  if (mapType === undefined) return errors;
  errors.push(...typeErrors(schema, path, 'object', 'x-kubernetes-map-type'));
  if (mapType !== 'atomic' && mapType !== 'granular')
    errors.push(notSupported(child(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  return errors;
}

function typeErrors(schema: RawSchema, path: string, type: string, keyword: string): FieldError[] {
  const actual = textAt(schema, 'type');
  const detail = `must be ${type} if ${keyword} is specified`;
  if (actual === type) return [];
  return [actual === '' ? required(child(path, 'type'), detail) : invalidValue(child(path, 'type'), actual, detail)];
}

function checkListType(schema: RawSchema, path: string): FieldError[] {
  const listType = fieldAt(schema, 'x-kubernetes-list-type');
  if (listType === undefined) return [];
  const errors = typeErrors(schema, path, 'array', 'x-kubernetes-list-type');
  const items = schemaAt(schema, 'items');
  if (errors.length === 0 && listType === 'set' && items !== undefined)
    errors.push(...checkSetItems(items, child(path, 'items')));
  if (listType !== 'atomic' && listType !== 'set' && listType !== 'map')
    errors.push(notSupported(child(path, 'x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
  return errors;
}

function checkSetItems(items: RawSchema, path: string): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = fieldAt(items, 'x-kubernetes-list-type');
  if (textAt(items, 'type') === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalidValue(child(path, 'x-kubernetes-list-type'), listType, detail)];
  if (textAt(items, 'type') !== 'object' || fieldAt(items, 'x-kubernetes-map-type') === 'atomic') return [];
  return [invalidValue(child(path, 'x-kubernetes-map-type'), listType, detail)];
}
