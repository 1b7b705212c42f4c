import { load } from 'js-yaml';
import { isDataObject, shown, type Data, type DataObject } from './document.js';
import { likest } from './likeness.js';
import { META_FIELDS } from './metadata.js';
import { record, type Unknowns } from './record.js';
import type { FieldCause } from '../refusal.js';

/** What the API server says of one field: where, and what kind of fault. */
export interface Finding {
  readonly field: string;
  /** `FieldValueInvalid` and the like. */
  readonly reason: string;
}

interface Place {
  readonly node: Unknowns;
  readonly parent: Unknowns;
  readonly name: string;
}

/** Fields of `metadata` whose values have rules, beside their types. */
const META_RULES: ReadonlyMap<string, string> = new Map([
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
const PLAIN: Readonly<Record<string, string>> = {
  FieldValueNotFound: 'must name something that exists',
  FieldValueRequired: 'must be set',
  FieldValueDuplicate: 'must not stand twice',
  FieldValueInvalid: 'is not valid',
  FieldValueNotSupported: 'is not among the supported values',
  FieldValueForbidden: 'must not be set or changed this way',
  FieldValueTooLong: 'is too long',
  FieldValueTooMany: 'holds too many',
  FieldValueTypeInvalid: 'has the wrong type',
};
/** Rules which forbid a field whatever it holds: it stands in the schema only so that it is refused. */
const NEVER = /^!has\(self\.(\w+)\)$/;

/** Whether a word of the API server for a fault is one that is known. */
export function isReason(reason: string): boolean {
  return Object.hasOwn(PLAIN, reason);
}

/**
 * What the CustomResourceDefinitions demand of a field, in words. The API server's own words are never passed on; of what
 * it finds, place and kind are taken, and the rule and the client's own value are looked up here.
 */
export class Rulebook {
  readonly #schemas = new Map<string, Unknowns>();
  readonly #known = new Map<string, readonly string[]>();

  /** Of the texts of the CustomResourceDefinitions, as YAML. */
  constructor(definitions: readonly string[]) {
    for (const text of definitions) {
      const spec = record(record(load(text))['spec']);
      const versions = Array.isArray(spec['versions']) ? spec['versions'] : [];
      const schema = record(record(record(versions[0])['schema'])['openAPIV3Schema']);
      const kind = String(record(spec['names'])['kind']);
      this.#schemas.set(kind, schema);
      this.#known.set(kind, [
        ...META_FIELDS,
        'spec',
        'metadata',
        ...pathsOf(record(record(schema['properties'])['spec']), 'spec'),
      ]);
    }
  }

  /** A finding in words: the value that was sent, and the rule. */
  explain(kind: string, { field, reason }: Finding, sent: DataObject): FieldCause {
    const value = valueAt(sent, field);
    const rule = this.#rule(kind, field, reason) ?? PLAIN[reason] ?? 'is not valid';
    const plain = value === undefined || reason === 'FieldValueRequired';
    return { field, reason, message: plain ? rule : `${shown(value)}: ${rule}` };
  }

  /** A field that the kind does not have, with the one that is likely meant. */
  unknown(kind: string, field: string): FieldCause {
    const meant = likest(field, this.#known.get(kind) ?? []);
    return {
      field,
      reason: 'FieldValueNotSupported',
      message: `is not a field of this kind${meant === undefined ? '' : `: perhaps ${meant} is meant`}`,
    };
  }

  /** Whether the schema has the field only so that it is refused. */
  isNever(kind: string, field: string): boolean {
    const place = this.#place(kind, field);
    return place !== undefined && neverOf(place.parent).includes(place.name);
  }

  #rule(kind: string, field: string, reason: string): string | undefined {
    const place = this.#place(kind, field);
    const own = META_RULES.get(field);
    if (place === undefined) return reason === 'FieldValueInvalid' ? own : undefined;
    const stated = [...statedAt(place.node, undefined), ...statedAt(place.parent, `.${place.name}`)];
    const parts =
      reason === 'FieldValueForbidden' ? [] : [own, boundsOf(place.node)].filter((one) => one !== undefined);
    const rules = ['FieldValueInvalid', 'FieldValueForbidden'].includes(reason) ? [...parts, ...stated] : parts;
    return ['FieldValueRequired', 'FieldValueDuplicate'].includes(reason) || rules.length === 0
      ? undefined
      : rules.join('; ');
  }

  #place(kind: string, field: string): Place | undefined {
    let place: Place = { node: this.#schemas.get(kind) ?? {}, parent: {}, name: '' };
    const steps = stepsOf(field);
    for (const [index, step] of steps.entries()) {
      const { node } = place;
      const properties = record(node['properties']);
      if (typeof step === 'number') place = { node: record(node['items']), parent: {}, name: '' };
      else if (Object.hasOwn(properties, step)) place = { node: record(properties[step]), parent: node, name: step };
      else if (index > 0 && node['additionalProperties'] !== undefined)
        return { node: record(node['additionalProperties']), parent: {}, name: '' };
      else return undefined;
    }
    return place;
  }
}

/** Messages of the rules that a node of a schema has for the field below it, or for itself. */
function statedAt(node: Unknowns, fieldPath: string | undefined): string[] {
  return validationsOf(node)
    .filter((one) => one['fieldPath'] === fieldPath)
    .map((one) => String(one['message']));
}

function neverOf(node: Unknowns): string[] {
  return validationsOf(node).map((one) => NEVER.exec(String(one['rule']))?.[1] ?? '');
}

function validationsOf(node: Unknowns): readonly Unknowns[] {
  const validations = node['x-kubernetes-validations'];
  return Array.isArray(validations) ? validations.map(record) : [];
}

/** What a schema says of a value itself; undefined where it says nothing. */
function boundsOf(node: Unknowns): string | undefined {
  if (Array.isArray(node['enum'])) return `must be one of ${node['enum'].map((one) => JSON.stringify(one)).join(', ')}`;
  switch (node['type']) {
    case 'integer':
      return `must be a whole number${bound(node, 'minimum', ' from N')}${bound(node, 'maximum', ' to N')}`;
    case 'boolean':
      return 'must be true or false';
    case 'string':
      return `must be a string${bound(node, 'minLength', ', at least N long')}${bound(node, 'maxLength', ', at most N long')}`;
    case 'array':
      return `must be a list${bound(node, 'maxItems', ' of at most N')}`;
    case 'object':
      return `must be an object${bound(node, 'maxProperties', ' of at most N fields')}`;
    default:
      return undefined;
  }
}

/** The words with the number that stands under `keyword`; nothing where none does. */
function bound(node: Unknowns, keyword: string, words: string): string {
  const limit = node[keyword];
  return typeof limit === 'number' ? words.replace('N', String(limit)) : '';
}

/** Every field below a node, without the numbers of items: `spec.predicates[].requiredClusterSelector`. */
function pathsOf(node: Unknowns, path: string): string[] {
  if (node['items'] !== undefined) return pathsOf(record(node['items']), `${path}[]`);
  const never = neverOf(node);
  const names = Object.entries(record(node['properties'])).filter(([name]) => !never.includes(name));
  return names.flatMap(([name, child]) => [`${path}.${name}`, ...pathsOf(record(child), `${path}.${name}`)]);
}

/** `spec.tolerations[0].key` as `spec`, `tolerations`, 0, `key`. */
function stepsOf(field: string): (number | string)[] {
  return [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  );
}

function valueAt(sent: DataObject, field: string): Data | undefined {
  let here: Data | undefined = sent;
  for (const step of stepsOf(field)) {
    if (typeof step === 'number') here = Array.isArray(here) ? here[step] : undefined;
    else here = isDataObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}
