import { textAt, textsAt } from '@multicluster-engine/values/fields';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import {
  child,
  forbiddenField,
  invalidRaw,
  invalidValue,
  key,
  required,
} from '@multicluster-engine/values/schema/field';
import { fieldAt, isTrue, namedSchemasAt, schemaAt, schemasAt, type RawSchema } from './rawschema.js';

const KEYS = 'x-kubernetes-list-map-keys';
const LIST_TYPE = 'x-kubernetes-list-type';

/** Checks x-kubernetes-list-map-keys: the keys must be scalar properties of the items. */
export function checkListMapKeys(schema: RawSchema, path: string): FieldError[] {
  const listType = fieldAt(schema, LIST_TYPE);
  const keys = textsAt(schema, KEYS);
  const errors: FieldError[] = [];
  const detail = `must be map if ${KEYS} is non-empty`;
  if (keys.length > 0 && listType === undefined) errors.push(required(child(path, LIST_TYPE), detail));
  else if (keys.length > 0 && listType !== 'map') errors.push(invalidValue(child(path, LIST_TYPE), listType, detail));
  if (listType !== 'map') return errors;
  if (keys.length === 0) errors.push(required(child(path, KEYS), `must not be empty if ${LIST_TYPE} is map`));
  return [...errors, ...checkItems(schema, path, keys)];
}

function checkItems(schema: RawSchema, path: string, keys: readonly string[]): FieldError[] {
  const field = child(path, 'items');
  const items = schemaAt(schema, 'items');
  if (items === undefined && schemasAt(schema, 'items').length > 0)
    return [invalidValue(field, fieldAt(schema, 'items'), `must only have a single schema if ${LIST_TYPE} is map`)];
  if (items === undefined) return [required(field, `must have a schema if ${LIST_TYPE} is map`)];
  const type = textAt(items, 'type');
  if (type !== 'object')
    return [invalidValue(child(field, 'type'), type, `must be object if parent array's ${LIST_TYPE} is map`)];
  const properties = new Map(namedSchemasAt(items, 'properties'));
  return keys.flatMap((name, position) => {
    const property = properties.get(name);
    const errors: FieldError[] = [];
    if (property === undefined)
      errors.push(invalidValue(child(path, KEYS), [...keys], 'entries must all be names of item properties'));
    else if (['array', 'object'].includes(textAt(property, 'type'))) {
      errors.push(
        invalidValue(
          child(key(child(field, 'properties'), name), 'type'),
          type,
          `must be a scalar type if parent array's ${LIST_TYPE} is map`,
        ),
      );
    }
    if (keys.indexOf(name) < position)
      errors.push(invalidRaw(child(path, KEYS), JSON.stringify(keys), 'must not contain duplicate entries'));
    return errors;
  });
}

/** Checks that items of sets and maps are not nullable, and that the keys of a map are required or have a default. */
export function checkMapKeys(schema: RawSchema, path: string): FieldError[] {
  const items = schemaAt(schema, 'items');
  const listType = textAt(schema, LIST_TYPE);
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const field = child(path, 'items');
  const errors = isTrue(items, 'nullable')
    ? [forbiddenField(child(field, 'nullable'), `cannot be nullable when ${LIST_TYPE} is ${listType}`)]
    : [];
  if (listType === 'set') return errors;
  const properties = new Map(namedSchemasAt(items, 'properties'));
  for (const name of textsAt(schema, KEYS)) {
    const property = properties.get(name);
    if (property === undefined) continue;
    const where = key(child(field, 'properties'), name);
    const subject = `this property is in ${KEYS}, so it`;
    if (!textsAt(items, 'required').includes(name) && fieldAt(property, 'default') === undefined)
      errors.push(required(child(where, 'default'), `${subject} must have a default or be a required property`));
    if (isTrue(property, 'nullable'))
      errors.push(forbiddenField(child(where, 'nullable'), `${subject} cannot be nullable`));
  }
  return errors;
}
