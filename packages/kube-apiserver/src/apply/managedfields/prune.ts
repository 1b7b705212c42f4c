import { isObject } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Atom } from '../typed/atom.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { difference, intersection, isEmpty, NO_FIELDS, union } from '../fieldpath/fieldset.js';
import { withStructs } from '../typed/reconcile.js';
import type { Owner, Owners } from './owners.js';
import { atomFor, convert, restore } from './ownership.js';
import type { OwnershipContext } from './ownership.js';
import { remove } from '../typed/remove.js';
import { withConversionContext } from '../resource.js';
import { toFieldSet } from '../typed/tofieldset.js';

/**
 * Removes the fields that the manager applied last time and does not apply now, unless they have another owner.
 * `owners` contains the new set of the manager.
 */
export function prune(
  merged: JsonObject,
  last: Owner | undefined,
  owners: Owners,
  context: OwnershipContext,
): JsonObject {
  if (last === undefined || isEmpty(last.fields)) return merged;
  const atom = atomFor(last.apiVersion, context);
  if (atom === undefined) return merged;
  const converted = withConversionContext(
    'failed to prune fields: failed to convert merged object to last applied version',
    () => convert(merged, last.apiVersion, context),
  );
  const lastFields = withStructs(last.fields, atom);
  const pruned = remove(atom, converted, lastFields);
  if (pruned === converted) return merged;
  const kept = fieldsOf(atom, addBackOwned(converted, pruned, { owners, version: last.apiVersion, context }));
  const removed = intersection(difference(fieldsOf(atom, converted), kept), lastFields);
  if (isEmpty(removed)) return merged;
  const result = restore(remove(atom, converted, removed), last.apiVersion, context);
  return isObject(result) ? result : merged;
}

function fieldsOf(atom: Atom, value: Json): FieldSet {
  return withStructs(toFieldSet(atom, value), atom);
}

interface AddBackContext {
  readonly owners: Owners;
  readonly version: string;
  readonly context: OwnershipContext;
}

/**
 * Restores the fields that any owner has, version by version, beginning with the version of the removal. Returns the
 * object in that version.
 */
function addBackOwned(merged: JsonObject, pruned: Json, { owners, version, context }: AddBackContext): Json {
  const owned = ownedByVersion(owners, version);
  let kept = pruned;
  for (const [other, fields] of owned) {
    const atom = atomFor(other, context);
    if (atom === undefined) continue;
    const whole = convertBetween(merged, version, other, context);
    const part = fieldsOf(atom, convertBetween(kept, version, other, context));
    const removed = difference(fieldsOf(atom, whole), union(part, withStructs(fields, atom)));
    kept = convertBetween(remove(atom, whole, removed), other, version, context);
  }
  return kept;
}

function ownedByVersion(owners: Owners, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, NO_FIELDS]]);
  for (const { apiVersion, fields } of owners.values())
    owned.set(apiVersion, union(owned.get(apiVersion) ?? NO_FIELDS, fields));
  return owned;
}

function convertBetween(value: Json, from: string, to: string, context: OwnershipContext): Json {
  const plain = restore(value, from, context);
  return isObject(plain) ? convert(plain, to, context) : plain;
}
