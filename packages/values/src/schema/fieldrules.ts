import { load } from 'js-yaml';
import { isArray, isObject, own, type Json, type JsonObject } from '../json.js';
import type { KubeObject } from '../object.js';
import { readDefinition } from './custom/definition.js';
import { prune } from './custom/prune.js';
import type { CauseReason, FieldError } from './fielderror.js';
import type { Schema, ValidationRule } from './schema.js';
import { additionalOf, propertyOf } from './walk.js';
import { editDistance } from '../nearestword.js';
import { formatValue } from '../read/strict.js';
import { OBJECT_META } from './metadata/fields.js';

interface SchemaField {
  readonly node: Schema;
  readonly parent: Schema;
  readonly name: string;
}

/** The rules of fields of `metadata`, beside their types. */
const METADATA_RULES: ReadonlyMap<string, string> = new Map([
  ['metadata.name', 'must be a DNS subdomain: lower case letters, digits, "-" and "."'],
  ['metadata.generateName', 'must be the beginning of a DNS subdomain: lower case letters, digits, "-" and "."'],
  [
    'metadata.labels',
    'keys must be label keys (an optional DNS prefix and "/", then a name of at most 63 characters), values label values (empty, or letters, digits, "-", "_" and ".", at most 63)',
  ],
  ['metadata.annotations', 'keys must be those of labels, and all of it at most 256 KiB'],
  [
    'metadata.ownerReferences',
    'must hold owners with apiVersion, kind, name and uid, at most one of them with controller: true, and no Event',
  ],
  ['metadata.ownerReferences.apiVersion', 'must be set, as GROUP/VERSION or VERSION'],
  ['metadata.ownerReferences.kind', 'must be set'],
  ['metadata.ownerReferences.name', 'must be set'],
  ['metadata.ownerReferences.uid', 'must be set'],
  ['metadata.finalizers', 'must be names with a domain, such as example.com/cleanup'],
]);
const GENERIC_RULES: Readonly<Partial<Record<CauseReason, string>>> = {
  FieldValueNotFound: 'must name something that exists',
  FieldValueRequired: 'must be set',
  FieldValueDuplicate: 'must not be repeated',
  FieldValueInvalid: 'is not valid',
  FieldValueNotSupported: 'is not among the supported values',
  FieldValueForbidden: 'must not be set or changed this way',
  FieldValueTooLong: 'is too long',
  FieldValueTooMany: 'has too many items',
  FieldValueTypeInvalid: 'has the wrong type',
};
/** A CEL rule that forbids a field: the schema declares the field only to give it an error message. */
const FORBIDDEN_RULE = /^!has\(self\.(\w+)\)$/;

/** Whether a reason of the API server is one of metav1.CauseType that is known here. */
export function isKnownReason(reason: string): reason is CauseReason {
  return Object.hasOwn(GENERIC_RULES, reason);
}

/** No field is suggested for a longer name: comparing costs as much as its length times that of each field. */
const MAX_SUGGESTED = 64;

/**
 * The rules of each field, from the CustomResourceDefinitions. Error messages of the API server are never passed on to
 * clients; the message for a field and a reason is made here from the rule and the value that was sent.
 */
export class FieldRules {
  readonly #schemas = new Map<string, Schema>();
  readonly #known = new Map<string, readonly string[]>();

  /** `definitions`: the CustomResourceDefinitions, as YAML. */
  constructor(definitions: readonly string[]) {
    for (const text of definitions) {
      // They are files of this project.
      const { names, versions } = readDefinition(load(text) as KubeObject);
      const schema = versions[0]?.schema ?? {};
      this.#schemas.set(names.kind, schema);
      this.#known.set(names.kind, [
        ...Object.keys(OBJECT_META.properties).map((name) => `metadata.${name}`),
        'spec',
        'metadata',
        ...fieldPaths(schema.properties?.['spec'] ?? {}, 'spec'),
      ]);
    }
  }

  /** The cause for a field error: the value that was sent, and the rule. */
  describe(kind: string, { field, reason }: Omit<FieldError, 'message'>, sent: JsonObject): FieldError {
    const value = valueAt(sent, field);
    const rule = this.#rule(kind, field, reason) ?? GENERIC_RULES[reason] ?? 'is not valid';
    const plain = value === undefined || reason === 'FieldValueRequired';
    return { field, reason, message: plain ? rule : `${formatValue(value)}: ${rule}` };
  }

  /** The cause for a field that the kind does not have, with a similar one as suggestion. */
  unknownField(kind: string, field: string): FieldError {
    const meant = suggestField(field, this.#known.get(kind) ?? []);
    return {
      field,
      reason: 'FieldValueNotSupported',
      message: `is not a field of this kind${meant === undefined ? '' : `: perhaps ${meant} is meant`}`,
    };
  }

  /** The paths of the fields of an object that the kind does not have, in document order. */
  unknownFields(kind: string, object: JsonObject): readonly string[] {
    const schema = this.#schemas.get(kind) ?? {};
    const properties = { ...schema.properties, apiVersion: {}, kind: {}, metadata: OBJECT_META };
    return prune({ ...schema, properties }, object, { inOrder: true }).unknown;
  }

  /** Whether the schema declares the field only to forbid it. */
  isForbidden(kind: string, field: string): boolean {
    const place = this.#place(kind, field);
    return place !== undefined && forbiddenFields(place.parent).includes(place.name);
  }

  #rule(kind: string, field: string, reason: CauseReason): string | undefined {
    const place = this.#place(kind, field);
    const ofMetadata = METADATA_RULES.get(field);
    if (place === undefined) return reason === 'FieldValueInvalid' ? ofMetadata : undefined;
    // A value that a rule refuses is one of those that the schema lists.
    const isListed = reason === 'FieldValueInvalid' && place.node.enum !== undefined;
    const parts = isListed ? [ofMetadata] : [ofMetadata, typeRule(place.node)];
    const hasType = !['FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'].includes(reason);
    const stated = [
      ...ruleMessages(place.node, undefined, reason),
      ...ruleMessages(place.parent, `.${place.name}`, reason),
    ];
    const rules = [...(hasType ? parts : []), ...stated].filter((one) => one !== undefined);
    return rules.length === 0 ? undefined : [...new Set(rules)].join('; ');
  }

  #place(kind: string, field: string): SchemaField | undefined {
    let place: SchemaField = { node: this.#schemas.get(kind) ?? {}, parent: {}, name: '' };
    const steps = pathSegments(field);
    for (const [index, step] of steps.entries()) {
      const { node } = place;
      const property = typeof step === 'string' ? propertyOf(node, step) : undefined;
      if (typeof step === 'number') place = { node: node.items ?? {}, parent: {}, name: '' };
      else if (property !== undefined) place = { node: property, parent: node, name: step };
      else if (index > 0 && node.additionalProperties !== undefined)
        return { node: additionalOf(node) ?? {}, parent: {}, name: '' };
      else return undefined;
    }
    return place;
  }
}

/** Messages of the CEL rules with the reason that a schema has for its field `fieldPath`, or for itself. */
function ruleMessages(node: Schema, fieldPath: string | undefined, reason: CauseReason): string[] {
  return rulesOf(node)
    .filter((one) => one.fieldPath === fieldPath && (one.reason ?? 'FieldValueInvalid') === reason)
    .map((one) => String(one.message));
}

/** The fields that a schema of a CRD declares only to forbid them. */
export function forbiddenFields(node: Schema): string[] {
  return rulesOf(node).flatMap(({ rule }) => FORBIDDEN_RULE.exec(rule)?.[1] ?? []);
}

function rulesOf(node: Schema): readonly ValidationRule[] {
  return node['x-kubernetes-validations'] ?? [];
}

/** The type and the limits of a schema in words; undefined for a schema without a type. */
function typeRule(node: Schema): string | undefined {
  if (node.enum !== undefined) return `must be one of ${node.enum.map((one) => JSON.stringify(one)).join(', ')}`;
  switch (node.type) {
    case 'integer':
      return `must be a whole number${limitText(node, 'minimum', ' from N')}${limitText(node, 'maximum', ' to N')}`;
    case 'number':
      return `must be a number${limitText(node, 'minimum', ' from N')}${limitText(node, 'maximum', ' to N')}`;
    case 'boolean':
      return 'must be true or false';
    case 'string':
      return `must be a string${limitText(node, 'minLength', ', at least N long')}${limitText(node, 'maxLength', ', at most N long')}`;
    case 'array':
      return `must be a list${limitText(node, 'maxItems', ' of at most N')}`;
    case 'object':
      return `must be an object${limitText(node, 'maxProperties', ' of at most N fields')}`;
    default:
      return undefined;
  }
}

type Limit = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'maxItems' | 'maxProperties';

/** `words` with the value of `keyword` for N; '' when the schema does not have the keyword. */
function limitText(node: Schema, keyword: Limit, words: string): string {
  const limit = node[keyword];
  return typeof limit === 'number' ? words.replace('N', String(limit)) : '';
}

/** The paths of all fields of a schema, with `[]` for items: `spec.predicates[].requiredClusterSelector`. */
function fieldPaths(node: Schema, path: string): string[] {
  if (node.items !== undefined) return fieldPaths(node.items, `${path}[]`);
  const forbidden = forbiddenFields(node);
  const names = Object.entries(node.properties ?? {}).filter(([name]) => !forbidden.includes(name));
  return names.flatMap(([name, child]) => [`${path}.${name}`, ...fieldPaths(child, `${path}.${name}`)]);
}

/** `spec.tolerations[0].key` as `spec`, `tolerations`, 0, `key`. */
export function pathSegments(field: string): (number | string)[] {
  return [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  );
}

/** The value at such a path; undefined where there is none. */
export function valueAt(sent: JsonObject, field: string): Json | undefined {
  let here: Json | undefined = sent;
  for (const step of pathSegments(field)) {
    if (typeof step === 'number') here = isArray(here) ? here[step] : undefined;
    else here = isObject(here) ? own(here, step) : undefined;
  }
  return here;
}

/**
 * The existing field to suggest for one that does not exist; undefined when none is similar. Names are compared without
 * regard to case and may differ by at most two edits, names of up to five characters by one. The smallest distance
 * wins, then a field with the same parent, then the first one. `known`: paths with `[]` for the index of an item.
 */
export function suggestField(field: string, known: readonly string[]): string | undefined {
  const wanted = field.replaceAll(/\[\d+\]/g, '[]');
  const [parent, name] = splitPath(wanted);
  if (name.length > MAX_SUGGESTED) return undefined;
  let best: { readonly path: string; readonly cost: number } | undefined;
  for (const path of known) {
    const [otherParent, otherName] = splitPath(path);
    const distance = editDistance(name.toLowerCase(), otherName.toLowerCase());
    if (distance > (name.length > 5 ? 2 : 1)) continue;
    const cost = distance * 2 + (parent === otherParent ? 0 : 1);
    if (best === undefined || cost < best.cost) best = { path, cost };
  }
  return best?.path;
}

function splitPath(path: string): [parent: string, name: string] {
  const dot = path.lastIndexOf('.');
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
}
