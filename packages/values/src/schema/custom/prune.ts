import { isArray, isObject, type Json } from '../../json.js';
import { child, index, MAX_ERRORS, shortened } from '../field.js';
import { compareBytes } from '../../text.js';
import type { Schema } from '../schema.js';
import { additionalOf, mapFields, mapItems, propertyOf } from '../walk.js';

export interface Pruned {
  /** The value without unknown fields; the same value when there are none. */
  readonly value: Json;
  /** Paths of unknown fields such as `spec.list[0].x`; at most 1,000. */
  readonly unknown: readonly string[];
}

interface PruneOptions {
  /**
   * Whether the schema describes a whole object: apiVersion, kind and metadata are kept then (metadata is checked by
   * {@link decodeMeta}).
   */
  readonly root?: boolean;
  /**
   * Whether the schema is the published one of a built-in kind: a schema without properties is opaque there, and paths
   * are reported in document order, not sorted.
   */
  readonly builtin?: boolean;
  /** Whether the paths of any schema are reported in document order. */
  readonly inOrder?: boolean;
}

const META_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Drops fields that a schema does not describe and reports their paths. */
export function prune(schema: Schema, value: Json, options: PruneOptions = {}): Pruned {
  const { root = false, builtin = false, inOrder = builtin } = options;
  const start = root && schema['x-kubernetes-embedded-resource'] !== true ? asRoot(schema) : schema;
  const pruned = pruneValue(start, value, builtin);
  if (pruned === value) return { value, unknown: [] };
  const unknown: string[] = [];
  collect({ builtin, unknown }, start, value, '');
  return { value: pruned, unknown: inOrder ? unknown : unknown.sort(compareBytes) };
}

const roots = new WeakMap<Schema, Schema>();

function asRoot(schema: Schema): Schema {
  const known = roots.get(schema);
  if (known !== undefined) return known;
  const root: Schema = { ...schema, 'x-kubernetes-embedded-resource': true };
  roots.set(schema, root);
  return root;
}

/** What pruning does with a field: keep it unchanged, prune it with a schema, or drop it. */
type FieldAction = 'keep' | 'drop' | { readonly below: Schema | undefined };

function actionFor(schema: Schema | undefined, key: string, builtin: boolean): FieldAction {
  if (schema === undefined) return 'drop';
  if (schema['x-kubernetes-embedded-resource'] === true && META_FIELDS.includes(key)) return 'keep';
  const property = propertyOf(schema, key);
  if (property !== undefined) return { below: property };
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined)
    return builtin && additionalProperties === true ? 'keep' : { below: additionalOf(schema) };
  return preservesUnknown(schema, builtin) ? 'keep' : 'drop';
}

function preservesUnknown(schema: Schema, builtin: boolean): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || (builtin && schema.properties === undefined);
}

/** The schema of list items. Items of a list that preserves unknown fields preserve theirs too. */
function itemsOf(schema: Schema | undefined, builtin: boolean): Schema | undefined | 'keep' {
  const items = schema?.items;
  if (schema === undefined || !preservesUnknown(schema, builtin)) return items;
  if (items === undefined || builtin) return items ?? 'keep';
  return items['x-kubernetes-preserve-unknown-fields'] === true ? items : preservingUnknown(items);
}

const preserving = new WeakMap<Schema, Schema>();

function preservingUnknown(schema: Schema): Schema {
  const known = preserving.get(schema);
  if (known !== undefined) return known;
  const open: Schema = { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
  preserving.set(schema, open);
  return open;
}

function pruneValue(schema: Schema | undefined, value: Json, builtin: boolean): Json {
  if (isArray(value)) {
    const items = itemsOf(schema, builtin);
    return items === 'keep' ? value : mapItems(value, (item) => pruneValue(items, item, builtin));
  }
  if (!isObject(value)) return value;
  return mapFields(value, (field, key) => {
    const fate = actionFor(schema, key, builtin);
    if (fate === 'keep') return field;
    return fate === 'drop' ? undefined : pruneValue(fate.below, field, builtin);
  });
}

interface Collection {
  readonly builtin: boolean;
  readonly unknown: string[];
}

function collect(into: Collection, schema: Schema | undefined, value: Json, path: string): void {
  if (isArray(value)) {
    const items = itemsOf(schema, into.builtin);
    if (items === 'keep') return;
    for (const [at, item] of value.entries()) collect(into, items, item, index(path, at));
    return;
  }
  if (!isObject(value)) return;
  for (const [key, field] of Object.entries(value)) {
    const fate = field === undefined ? 'keep' : actionFor(schema, key, into.builtin);
    if (into.unknown.length >= MAX_ERRORS) return;
    const below = child(path, key);
    if (fate === 'drop') into.unknown.push(shortened(below));
    else if (fate !== 'keep' && field !== undefined) collect(into, fate.below, field, below);
  }
}
