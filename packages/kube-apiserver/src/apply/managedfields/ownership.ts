import { isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Atom } from '../typed/atom.js';
import { rootAtom } from '../typed/atom.js';
import type { Comparison } from '../typed/compare.js';
import { compare } from '../typed/compare.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { difference, intersection, isEmpty, setOf, union } from '../fieldpath/fieldset.js';
import { reconcileWithSchema } from '../typed/reconcile.js';
import type { Owner, Owners } from './owners.js';
import { withoutReset } from './resetfields.js';
import { withConversionContext, type OtherVersion } from '../resource.js';
import { unknownError } from '../../status.js';

/** Fields that have no owner. */
const NEVER_OWNED = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/** The inputs to ownership that are the same for a whole request. */
export interface OwnershipContext {
  readonly apiVersion: string;
  readonly atom: Atom;
  readonly reset: FieldSet;
  readonly other: (apiVersion: string) => OtherVersion | undefined;
  /** Whether an owner in an unknown version is an error (custom resources) or is dropped. */
  readonly strict: boolean;
}

export interface Change {
  readonly live: JsonObject;
  readonly next: JsonObject;
}

/** The fields of one owner that a change sets. */
export interface OwnerConflict {
  readonly id: string;
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export interface Transfer {
  readonly owners: Owners;
  readonly conflicts: readonly OwnerConflict[];
  readonly comparison: Comparison;
}

/** The set without the fields that have no owner. */
export function withoutUnownable(set: FieldSet): FieldSet {
  return difference(set, NEVER_OWNED);
}

/**
 * Adapts the sets of all owners to the current schemas; owners in unknown versions are dropped.
 *
 * @throws StatusError 500 for an unknown version of a custom resource.
 */
export function reconcileOwners(owners: Owners, context: OwnershipContext): Map<string, Owner> {
  const fitted = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const atom = atomFor(owner.apiVersion, context);
    if (atom === undefined) {
      if (context.strict) throw unknownError(`request to convert CR to an invalid group/version: ${owner.apiVersion}`);
      continue;
    }
    const fields = reconcileWithSchema(owner.fields, atom);
    fitted.set(id, fields === owner.fields ? owner : { ...owner, fields });
  }
  return fitted;
}

/**
 * Removes the fields that a change sets or deletes from all owners except `self`, and returns the conflicts: owned
 * fields that the change sets.
 */
export function transferOwnership(owners: Owners, self: string, change: Change, context: OwnershipContext): Transfer {
  const comparisons = new Map<string, Comparison | undefined>();
  const comparison = compareIn(context.apiVersion, change, context) ?? NO_CHANGE;
  comparisons.set(context.apiVersion, comparison);
  const remaining = new Map<string, Owner>();
  const conflicts: OwnerConflict[] = [];
  for (const [id, owner] of owners) {
    if (id === self) {
      setOwner(remaining, id, owner, owner.fields);
      continue;
    }
    if (!comparisons.has(owner.apiVersion))
      comparisons.set(owner.apiVersion, compareIn(owner.apiVersion, change, context));
    const changes = comparisons.get(owner.apiVersion);
    if (changes === undefined) continue;
    const conflicting = intersection(owner.fields, union(changes.modified, changes.added));
    if (!isEmpty(conflicting)) conflicts.push({ id, owner, fields: conflicting });
    setOwner(remaining, id, owner, difference(difference(owner.fields, conflicting), changes.removed));
  }
  return { owners: remaining, conflicts, comparison };
}

const NOTHING: FieldSet = setOf();
const NO_CHANGE: Comparison = { added: NOTHING, modified: NOTHING, removed: NOTHING };

function setOwner(owners: Map<string, Owner>, id: string, owner: Owner, fields: FieldSet): void {
  if (!isEmpty(fields)) owners.set(id, fields === owner.fields ? owner : { ...owner, fields });
}

function compareIn(apiVersion: string, { live, next }: Change, context: OwnershipContext): Comparison | undefined {
  const atom = atomFor(apiVersion, context);
  if (atom === undefined) return undefined;
  const before = withConversionContext('failed to convert old object', () => convert(live, apiVersion, context));
  const after = withConversionContext('failed to convert new object', () => convert(next, apiVersion, context));
  const { added, modified, removed } = compare(atom, before, after);
  return {
    added: withoutReset(added, context.reset),
    modified: withoutReset(modified, context.reset),
    removed: withoutReset(removed, context.reset),
  };
}

/** The atom of a version; undefined when the version is not served. */
export function atomFor(apiVersion: string, context: OwnershipContext): Atom | undefined {
  if (apiVersion === context.apiVersion) return context.atom;
  const other = context.other(apiVersion);
  return other === undefined ? undefined : rootAtom(other.schema);
}

export function convert(object: JsonObject, apiVersion: string, context: OwnershipContext): JsonObject {
  return apiVersion === context.apiVersion ? object : (context.other(apiVersion)?.convert(object) ?? object);
}

export function restore(object: Json, apiVersion: string, context: OwnershipContext): Json {
  if (apiVersion === context.apiVersion || !isObject(object)) return object;
  return context.other(apiVersion)?.restore(object) ?? object;
}
