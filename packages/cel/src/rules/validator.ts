import type { Schema } from '@multicluster-engine/values/schema/schema';
import { withObjectMeta } from './declare.js';
import { compileNode, type CompiledRule } from './compile.js';

/** The compiled rules of a schema node and its subschemas; nodes without rules are omitted. */
export interface Validator {
  /** The schema of `self`; with metadata for a whole object. */
  readonly schema: Schema;
  readonly rules: readonly CompiledRule[];
  readonly items: Validator | undefined;
  readonly properties: ReadonlyMap<string, Validator>;
  readonly values: Validator | undefined;
}

const roots = new WeakMap<Schema, Validator | 'none'>();
const others = new WeakMap<Schema, Validator | 'none'>();

/**
 * The validator of a schema, cached.
 * @param kind `root`: the schema is that of a whole object
 */
export function validatorOf(schema: Schema, { root }: { readonly root: boolean }): Validator | undefined {
  const known = root ? roots : others;
  const found = known.get(schema);
  if (found !== undefined) return found === 'none' ? undefined : found;
  const made = hasRules(schema, new Set()) ? build(schema, root) : undefined;
  known.set(schema, made ?? 'none');
  return made;
}

/** Whether a schema has rules. The schemas of built-in kinds may have cycles. */
function hasRules(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  const { items, properties = {}, additionalProperties } = schema;
  const below = [
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  return below.some((inner) => hasRules(inner, seen));
}

function build(schema: Schema, root: boolean): Validator | undefined {
  const { items, properties = {}, additionalProperties } = schema;
  const rules = schema['x-kubernetes-validations'] ?? [];
  const compiled = rules.length === 0 ? [] : compileNode(schema, rules, root).rules;
  const inner = Object.entries(properties).flatMap(([name, property]): [string, Validator][] => {
    const validator = build(property, isEmbedded(property));
    return validator === undefined ? [] : [[name, validator]];
  });
  const validator: Validator = {
    schema: root ? withObjectMeta(schema) : schema,
    rules: compiled,
    items: items === undefined ? undefined : build(items, isEmbedded(items)),
    properties: new Map(inner),
    values:
      typeof additionalProperties === 'object'
        ? build(additionalProperties, isEmbedded(additionalProperties))
        : undefined,
  };
  const empty =
    compiled.length === 0 && inner.length === 0 && validator.items === undefined && validator.values === undefined;
  return empty ? undefined : validator;
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}
