import type { Json } from '@multicluster-engine/values/json';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import { OBJECT_META, TEXT } from './objectmeta.js';
import { zeroKey } from './zero.js';

/**
 * The types that a value may have, for merging. One part for a known type, all three for an unknown one. Named after
 * structured-merge-diff.
 */
export interface Atom {
  readonly scalar?: Scalar;
  readonly list?: ListAtom;
  readonly map?: MapAtom;
}

export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListAtom {
  /** `atomic`: owned as a whole. `keyed`: items are identified by their keys, or by value when there are none. */
  readonly relation: 'atomic' | 'keyed';
  readonly keys: readonly string[];
  readonly item: () => Atom;
}

export interface MapAtom {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** The type of members that are not declared fields; undefined where those are not allowed. */
  readonly member: (() => Atom) | undefined;
  /** Whether nothing is known about its members. */
  readonly deduced: boolean;
}

export interface Field {
  readonly type: () => Atom;
  readonly default: Json | undefined;
}

/** A value of unknown type that is owned as a whole. */
const UNTYPED: Atom = {
  scalar: 'untyped',
  list: { relation: 'atomic', keys: [], item: () => UNTYPED },
  map: { atomic: true, fields: new Map(), member: () => UNTYPED, deduced: false },
};

/** A value of unknown type: objects are merged by member, lists are owned as a whole. */
const DEDUCED: Atom = {
  scalar: 'untyped',
  list: { relation: 'atomic', keys: [], item: () => UNTYPED },
  map: { atomic: false, fields: new Map(), member: () => DEDUCED, deduced: true },
};

const roots = new WeakMap<Schema, Atom>();
const pruned = new WeakMap<Schema, Atom>();
const preserved = new WeakMap<Schema, Atom>();

/** The atom of a top-level object. Its metadata is always ObjectMeta. */
export function rootAtom(schema: Schema): Atom {
  let atom = roots.get(schema);
  if (atom === undefined) {
    atom = atomOf(withMeta(schema), false);
    roots.set(schema, atom);
  }
  return atom;
}

/**
 * @param preserve whether an ancestor sets `x-kubernetes-preserve-unknown-fields`, which applies to all its
 *   descendants.
 */
function atomOf(schema: Schema, preserve: boolean): Atom {
  const keeps = preserve || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const cache = keeps ? preserved : pruned;
  let atom = cache.get(schema);
  if (atom === undefined) {
    atom = makeAtom(schema['x-kubernetes-embedded-resource'] === true ? withMeta(schema) : schema, keeps);
    cache.set(schema, atom);
  }
  return atom;
}

function makeAtom(schema: Schema, preserve: boolean): Atom {
  switch (schema.type) {
    case undefined:
      return { scalar: 'untyped', list: listAtom(schema, preserve), map: mapAtom(schema, preserve) };
    case 'object':
      return { map: mapAtom(schema, preserve) };
    case 'array':
      return { list: listAtom(schema, preserve) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return {
        scalar: schema.format === undefined || schema.format === '' || schema.format === 'byte' ? 'string' : 'untyped',
      };
  }
}

function mapAtom(schema: Schema, preserve: boolean): MapAtom {
  // The schema of metadata is known even where unknown fields are preserved.
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Field] => [
    name,
    { type: () => atomOf(field, preserve && field !== OBJECT_META), default: field.default ?? zeroKey(schema, name) },
  ]);
  const member = memberOf(schema, preserve);
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  return { atomic, fields: new Map(fields), member, deduced: fields.length === 0 && member === deduced };
}

const deduced = (): Atom => DEDUCED;

function memberOf(schema: Schema, preserve: boolean): (() => Atom) | undefined {
  const additional = schema.additionalProperties;
  if (additional === undefined)
    return preserve || Object.keys(schema.properties ?? {}).length === 0 ? deduced : undefined;
  if (typeof additional === 'boolean') return additional ? deduced : undefined;
  return () => atomOf(additional, preserve);
}

function listAtom(schema: Schema, preserve: boolean): ListAtom {
  const items = schema.items;
  return { ...relationOf(schema), item: items === undefined ? () => UNTYPED : () => atomOf(items, preserve) };
}

function relationOf(schema: Schema): Pick<ListAtom, 'relation' | 'keys'> {
  switch (schema['x-kubernetes-list-type']) {
    case 'atomic':
      return { relation: 'atomic', keys: [] };
    case 'set':
      return { relation: 'keyed', keys: [] };
    case 'map':
      return { relation: 'keyed', keys: schema['x-kubernetes-list-map-keys'] ?? [] };
    default:
      break;
  }
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return { relation: 'atomic', keys: [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  return { relation: 'keyed', keys: key === undefined ? [] : [key] };
}

/** The schema with apiVersion, kind and metadata, which the author of a CRD may have left out. */
function withMeta(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: OBJECT_META } };
}

/**
 * The part of an atom that matches the type of a value; all parts when none matches, so that validation reports the
 * mismatch.
 */
export function deduce(atom: Atom, value: Json | undefined): Atom {
  if (value === undefined || value === null || atom.map === undefined || atom.list === undefined) return atom;
  if (typeof value !== 'object') return atom.scalar === undefined ? atom : { scalar: atom.scalar };
  return Array.isArray(value) ? { list: atom.list } : { map: atom.map };
}

export function sameParts(a: Atom, b: Atom): boolean {
  return (
    (a.scalar === undefined) === (b.scalar === undefined) &&
    (a.list === undefined) === (b.list === undefined) &&
    (a.map === undefined) === (b.map === undefined)
  );
}

const NO_ATOM: Atom = {};

/** The atom of a member of an object; an atom without parts where the member is not allowed. */
export function memberAtom(map: MapAtom, name: string): Atom {
  return map.fields.get(name)?.type() ?? map.member?.() ?? NO_ATOM;
}
