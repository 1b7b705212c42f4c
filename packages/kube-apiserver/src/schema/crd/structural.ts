import { textAt } from '@multicluster-engine/values/fields';
import { equal, type Json } from '@multicluster-engine/values/json';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { child, forbiddenField, index, invalidValue, key, required } from '@multicluster-engine/values/schema/field';
import { compareBytes } from '@multicluster-engine/values/text';
import { PatternError, regexp } from '@multicluster-engine/values/re2';
import { checkCompleteness } from './completeness.js';
import { fieldAt, subschemas, isTrue, namedSchemasAt, schemaAt, schemasAt, type RawSchema } from './rawschema.js';

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
];

/** The first keyword that cannot be converted to a structural schema, as a message; undefined where there is none. */
export function unsupportedKeyword(schema: RawSchema): string | undefined {
  for (const [name, shown] of UNSUPPORTED) {
    const value = fieldAt(schema, name);
    const isPointer = name === 'additionalItems' && value !== undefined;
    if (isPointer || (!isZero(value) && !(typeof value === 'object' && Object.keys(value ?? {}).length === 0)))
      return `OpenAPIV3Schema '${shown}' is not supported`;
  }
  if (fieldAt(schema, 'x-kubernetes-preserve-unknown-fields') === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (schemasAt(schema, 'items').length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const inner of subschemas(schema)) {
    const found = unsupportedKeyword(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Level = 'root' | 'item' | 'field';

/** Errors that keep a schema from being structural: types must be specified outside of alternatives. Sorted by text. */
export function validateStructural(schema: RawSchema, path: string): FieldError[] {
  const errors = [...checkNode(schema, 'root', path), ...checkCompleteness(schema, path)];
  return errors.sort((a, b) => compareBytes(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`));
}

function checkNode(schema: RawSchema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = schemaAt(schema, 'items');
  if (textAt(schema, 'type') === 'array' && fieldAt(schema, 'items') === undefined)
    errors.push(required(child(path, 'items'), 'must be specified'));
  if (items !== undefined) errors.push(...checkNode(items, 'item', child(path, 'items')));
  for (const [name, property] of namedSchemasAt(schema, 'properties'))
    errors.push(...checkNode(property, 'field', key(child(path, 'properties'), name)));
  const additional = child(path, 'additionalProperties');
  if (fieldAt(schema, 'additionalProperties') !== undefined && level === 'root')
    errors.push(forbiddenField(additional, 'must not be used at the root'));
  const values = schemaAt(schema, 'additionalProperties');
  if (values !== undefined) errors.push(...checkNode(values, 'field', additional));
  errors.push(
    ...checkExtensions(schema, path),
    ...checkValues(schema, {
      path,
      skipAny: isIntOrString(schema),
      skipAllAny: isIntOrString(schemasAt(schema, 'allOf')[0]),
    }),
  );
  errors.push(...checkType(schema, level, path));
  errors.push(...checkMeta(schema, level, path));
  return errors;
}

const INT_OR_STRING: Json = [{ type: 'integer' }, { type: 'string' }];

/** `anyOf: [{type: integer}, {type: string}]`: the only alternative that may specify types. */
function isIntOrString(schema: RawSchema | undefined): boolean {
  return schema !== undefined && equal(fieldAt(schema, 'anyOf'), INT_OR_STRING);
}

function checkExtensions(schema: RawSchema, path: string): FieldError[] {
  if (!isTrue(schema, 'x-kubernetes-int-or-string')) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((name) => isTrue(schema, name))
    .map((name) => invalidValue(child(path, name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

const WHERE: Readonly<Record<Level, string>> = {
  root: 'at the root',
  item: 'for specified array items',
  field: 'for specified object fields',
};

function checkType(schema: RawSchema, level: Level, path: string): FieldError[] {
  const type = textAt(schema, 'type');
  const field = child(path, 'type');
  const embedded = isTrue(schema, 'x-kubernetes-embedded-resource');
  const errors: FieldError[] = [];
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(field, detail) : invalidValue(field, type, detail));
  } else if (
    type === '' &&
    !isTrue(schema, 'x-kubernetes-int-or-string') &&
    !isTrue(schema, 'x-kubernetes-preserve-unknown-fields')
  ) {
    errors.push(required(field, `must not be empty ${WHERE[level]}`));
  }
  if (embedded && fieldAt(schema, 'additionalProperties') !== undefined)
    errors.push(
      forbiddenField(child(path, 'additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalidValue(field, type, 'must be object at the root'));
  return errors;
}

function checkMeta(schema: RawSchema, level: Level, path: string): FieldError[] {
  const embedded = isTrue(schema, 'x-kubernetes-embedded-resource');
  const properties = new Map(namedSchemasAt(schema, 'properties'));
  const errors: FieldError[] = [];
  const whole = level === 'root' || embedded;
  for (const name of ['kind', 'apiVersion']) {
    const property = properties.get(name);
    if (!whole || property === undefined || textAt(property, 'type') === 'string') continue;
    errors.push(
      invalidValue(child(key(child(path, 'properties'), name), 'type'), textAt(property, 'type'), 'must be string'),
    );
  }
  const metadata = properties.get('metadata');
  if (metadata !== undefined)
    errors.push(...checkMetadata(metadata, whole, level, key(child(path, 'properties'), 'metadata')));
  if (embedded && !isTrue(schema, 'x-kubernetes-preserve-unknown-fields') && properties.size === 0) {
    errors.push(
      required(
        child(path, 'properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    );
  }
  return errors;
}

function checkMetadata(metadata: RawSchema, whole: boolean, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (whole && textAt(metadata, 'type') !== 'object')
    errors.push(invalidValue(child(path, 'type'), textAt(metadata, 'type'), 'must be object'));
  if (level !== 'root' || restrictsNamesOnly(metadata)) return errors;
  return [
    ...errors,
    forbiddenField(
      path,
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    ),
  ];
}

function restrictsNamesOnly(metadata: RawSchema): boolean {
  const names = namedSchemasAt(metadata, 'properties').map(([name]) => name);
  const others = Object.keys(metadata).filter(
    (name) => !['type', 'default', 'properties'].includes(name) && fieldAt(metadata, name) !== undefined,
  );
  return others.length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

interface ValueContext {
  readonly path: string;
  /** Whether `anyOf` is skipped: that of int-or-string. */
  readonly skipAny: boolean;
  /** The same for `anyOf` in the first item of `allOf`. */
  readonly skipAllAny: boolean;
}

function checkValues(schema: RawSchema, { path, skipAny, skipAllAny }: ValueContext): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ['anyOf', 'allOf', 'oneOf']) {
    if (name === 'anyOf' && skipAny) continue;
    for (const [position, inner] of schemasAt(schema, name).entries()) {
      errors.push(
        ...checkNested(inner, {
          path: index(child(path, name), position),
          skipAny: name === 'allOf' && position === 0 && skipAllAny,
          skipAllAny: false,
        }),
      );
    }
  }
  const not = schemaAt(schema, 'not');
  if (not !== undefined)
    errors.push(...checkNested(not, { path: child(path, 'not'), skipAny: false, skipAllAny: false }));
  return [...errors, ...checkPattern(schema, path)];
}

function checkPattern(schema: RawSchema, path: string): FieldError[] {
  const pattern = textAt(schema, 'pattern');
  if (pattern === '') return [];
  try {
    regexp(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [
      invalidValue(child(path, 'pattern'), pattern, `must be a valid regular expression, but isn't: ${error.message}`),
    ];
  }
}

/** The rule for pointer fields, which count as set even if empty. */
const POINTER = 'must be undefined';

/** Keywords that are forbidden within alternatives, with the message. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['type', 'must be empty'],
  ['default', 'must be undefined'],
  ['title', 'must be empty'],
  ['description', 'must be empty'],
  ['nullable', 'must be false'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false'],
  ['x-kubernetes-embedded-resource', 'must be false'],
  ['x-kubernetes-int-or-string', 'must be false'],
  ['x-kubernetes-list-map-keys', 'must be empty'],
  ['x-kubernetes-list-type', 'must be undefined'],
  ['x-kubernetes-map-type', 'must be undefined'],
  ['x-kubernetes-validations', 'must be empty'],
];

function checkNested(schema: RawSchema, place: ValueContext): FieldError[] {
  const { path } = place;
  const plain = (inner: string): ValueContext => ({ path: inner, skipAny: false, skipAllAny: false });
  const errors = checkValues(schema, place);
  const items = schemaAt(schema, 'items');
  if (items !== undefined) errors.push(...checkNested(items, plain(child(path, 'items'))));
  for (const [name, property] of namedSchemasAt(schema, 'properties')) {
    errors.push(...checkNested(property, plain(key(child(path, 'properties'), name))));
    if (name === 'metadata')
      errors.push(forbiddenField(key(child(path, 'properties'), name), 'must not be specified in a nested context'));
  }
  const additional = fieldAt(schema, 'additionalProperties');
  if (additional !== undefined && additional !== false)
    errors.push(forbiddenField(child(path, 'additionalProperties'), 'must be undefined to be structural'));
  for (const [name, rule] of FORBIDDEN) {
    const value = fieldAt(schema, name);
    if (!isZero(value) || (value === '' && rule === POINTER))
      errors.push(forbiddenField(child(path, name), `${rule} to be structural`));
  }
  return errors;
}

function isZero(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  );
}
