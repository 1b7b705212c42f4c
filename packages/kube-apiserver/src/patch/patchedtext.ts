import { structFields, type GoType } from '@multicluster-engine/values/schema/builtin';
import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { JSON_SCHEMA } from '@multicluster-engine/values/schema/struct/scalar';
import { compareBytes, goJson } from '@multicluster-engine/values/text';

const OF_SCHEMA: GoType = { shape: 'struct', name: JSON_SCHEMA, pointer: false };
/** Fields of JSONSchemaProps that hold a schema or another type encode it as a struct. */
const SCHEMA_OR: readonly string[] = ['bool-or-schema', 'schema-or-strings', 'schema-or-list'];

/**
 * A patched object as the API server prints it: values that the patch did not touch keep their encoding, which for a
 * struct is the order of its fields; all other objects are sorted by key.
 * @param definition of the built-in kind; undefined for a custom resource, whose keys are always sorted.
 * @param patch a JSON merge patch; undefined for other patches, which create new values of everything that they touch.
 */
export function patchedText(definition: string | undefined, live: Json, value: Json, patch: Json | undefined): string {
  if (definition === undefined) return goJson(value);
  const untouched = new Map<Json, GoType>();
  recordTypes({ shape: 'struct', name: definition, pointer: false }, live, untouched);
  untouched.delete(live);
  return printed(value, patch, untouched);
}

/** Records the type of each object and list of the live object. */
function recordTypes(type: GoType, value: Json | undefined, into: Map<Json, GoType>): void {
  if (isArray(value)) {
    into.set(value, type);
    if (type.shape === 'list') for (const item of value) recordTypes(type.of, item, into);
  } else if (isObject(value)) {
    into.set(value, type);
    const fields = type.shape === 'struct' ? fieldTypes(type.name) : undefined;
    for (const [key, member] of Object.entries(value)) {
      const inner = type.shape === 'map' ? type.of : fields?.get(key);
      if (inner !== undefined) recordTypes(inner, member, into);
    }
  }
}

function printed(value: Json | undefined, patch: Json | undefined, untouched: ReadonlyMap<Json, GoType>): string {
  if ((!isObject(value) && !isArray(value)) || isArray(patch)) return goJson(value);
  const lookedInto = isObject(patch) && isObject(value);
  const type = lookedInto ? undefined : untouched.get(value);
  if (type !== undefined) return written(type, value);
  if (isArray(value)) return `[${value.map((item) => printed(item, undefined, untouched)).join(',')}]`;
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(compareBytes);
  return `{${keys.map((key) => `${goJson(key)}:${printed(value[key], lookedInto ? patch[key] : undefined, untouched)}`).join(',')}}`;
}

/** Encodes a value of a Go type. */
function written(type: GoType, value: Json | undefined): string {
  if (isArray(value) && type.shape === 'list') return `[${value.map((item) => written(type.of, item)).join(',')}]`;
  if (!isObject(value)) return goJson(value);
  if (type.shape === 'struct') return `{${members(type.name, value).join(',')}}`;
  if (type.shape === 'scalar' && type.name === 'fields') return asStored(value);
  if (type.shape === 'scalar' && SCHEMA_OR.includes(type.name)) return written(OF_SCHEMA, value);
  if (type.shape !== 'map') return goJson(value);
  const keys = Object.keys(value).sort(compareBytes);
  return `{${keys.map((key) => `${goJson(key)}:${written(type.of, value[key])}`).join(',')}}`;
}

/** Encodes fieldsV1 in its stored order. */
function asStored(value: Json | undefined): string {
  if (!isObject(value)) return goJson(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${goJson(key)}:${asStored(member)}`)
    .join(',')}}`;
}

function members(definition: string, value: JsonObject): string[] {
  const types = fieldTypes(definition);
  return [...types].flatMap(([name, type]) =>
    value[name] === undefined ? [] : [`${goJson(name)}:${written(type, value[name])}`],
  );
}

const known = new Map<string, ReadonlyMap<string, GoType>>();

/** The types of a struct's fields by name, in order, with those of inlined structs. */
function fieldTypes(definition: string): ReadonlyMap<string, GoType> {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const types = new Map<string, GoType>();
  for (const { name, type } of structFields(definition)) {
    if (name !== '') types.set(name, type);
    else if (type.shape === 'struct')
      for (const [inner, innerType] of fieldTypes(type.name)) types.set(inner, innerType);
  }
  known.set(definition, types);
  return types;
}
