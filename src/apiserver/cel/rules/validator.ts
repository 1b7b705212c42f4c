import type { Schema } from '../../schema/schema.js';
import { withObjectMeta } from './declare.js';
import { compileNode, type CompiledRule } from './compile.js';

/** The rules of a node of a schema and of those below it; nodes without any are left out. */
export interface Validator {
  /** How `self` is seen; of a whole object with its metadata. */
  readonly schema: Schema;
  readonly rules: readonly CompiledRule[];
  readonly usesOldSelf: boolean;
  readonly items: Validator | undefined;
  readonly properties: ReadonlyMap<string, Validator>;
  readonly values: Validator | undefined;
  readonly allOf: readonly Validator[];
}

const roots = new WeakMap<Schema, Validator | 'none'>();
const others = new WeakMap<Schema, Validator | 'none'>();

/** The validator of a schema, made once. @param root whether it is that of a whole object */
export function validatorOf(schema: Schema, root: boolean): Validator | undefined {
  const known = root ? roots : others;
  const found = known.get(schema);
  if (found !== undefined) return found === 'none' ? undefined : found;
  const made = hasRules(schema, new Set()) ? build(schema, schema, root) : undefined;
  known.set(schema, made ?? 'none');
  return made;
}

/** Graphs of built-in kinds have cycles. */
function hasRules(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  return below(schema).some((inner) => hasRules(inner, seen));
}

function below({ items, properties = {}, additionalProperties, allOf = [] }: Schema): Schema[] {
  const values = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  return [...(items === undefined ? [] : [items]), ...Object.values(properties), ...values, ...allOf];
}

/** @param source where rules stand: the node itself, or a part of its allOf, which has no types of its own */
function build(source: Schema, node: Schema, root: boolean): Validator | undefined {
  const validator: Validator = {
    ...nodeRules(source, node, root),
    schema: root ? withObjectMeta(node) : node,
    items: source.items === undefined || node.items === undefined ? undefined : build(source.items, node.items, isEmbedded(node.items)),
    properties: buildProperties(source, node),
    values: buildValues(source, node),
    allOf: (source.allOf ?? []).map((part) => build(part, node, root)).filter((part) => part !== undefined),
  };
  const { rules, items, properties, values, allOf } = validator;
  const empty = rules.length === 0 && items === undefined && properties.size === 0 && values === undefined && allOf.length === 0;
  return empty ? undefined : validator;
}

function nodeRules(source: Schema, node: Schema, root: boolean): Pick<Validator, 'rules' | 'usesOldSelf'> {
  const rules = source['x-kubernetes-validations'] ?? [];
  const compiled = rules.length === 0 ? [] : compileNode(node, rules, root).rules;
  return { rules: compiled, usesOldSelf: compiled.some((rule) => rule.usesOldSelf) };
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function buildProperties(source: Schema, node: Schema): ReadonlyMap<string, Validator> {
  const found = new Map<string, Validator>();
  for (const [name, part] of Object.entries(source.properties ?? {})) {
    const { properties = {} } = node;
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const validator = inner === undefined ? undefined : build(part, inner, isEmbedded(inner));
    if (validator !== undefined) found.set(name, validator);
  }
  return found;
}

function buildValues(source: Schema, node: Schema): Validator | undefined {
  const [part, inner] = [source.additionalProperties, node.additionalProperties];
  return typeof part === 'object' && typeof inner === 'object' ? build(part, inner, isEmbedded(inner)) : undefined;
}
