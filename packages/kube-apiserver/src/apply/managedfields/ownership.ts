import { isObject } from '../../json.js';
import type { Json, JsonObject } from '../../json.js';
import type { Atom } from '../typed/atom.js';
import { rootAtom } from '../typed/atom.js';
import type { Comparison } from '../typed/compare.js';
import { compare } from '../typed/compare.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { difference, intersection, isEmpty, setOf, union } from '../fieldpath/fieldset.js';
import { fitSchema } from '../typed/reconcile.js';
import type { Owner, Owners } from './owners.js';
import { withoutReset } from './resetfields.js';
import { converting, type OtherVersion } from '../resource.js';
import { unknownError } from '../../status.js';

/** Fields that nobody owns. */
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

/** What is the same for a whole request. */
export interface Terms {
  readonly apiVersion: string;
  readonly atom: Atom;
  readonly reset: FieldSet;
  readonly other: (apiVersion: string) => OtherVersion | undefined;
  /** Whether owners in a version that is not known are an error, as of custom resources, or are forgotten. */
  readonly strict: boolean;
}

export interface Change {
  readonly live: JsonObject;
  readonly next: JsonObject;
}

/** Fields of one owner that a change wants to have. */
export interface Dispute {
  readonly id: string;
  readonly owner: Owner;
  readonly fields: FieldSet;
}

export interface Outcome {
  readonly owners: Owners;
  readonly disputes: readonly Dispute[];
  readonly comparison: Comparison;
}

/** The set without what nobody can own. */
export function ownable(set: FieldSet): FieldSet {
  return difference(set, NEVER_OWNED);
}

/**
 * Owners with their sets as the present schemas see them; those of versions that are no more are gone.
 *
 * @throws StatusError 500 for such a version of a custom resource.
 */
export function fitOwners(owners: Owners, terms: Terms): Map<string, Owner> {
  const fitted = new Map<string, Owner>();
  for (const [id, owner] of owners) {
    const atom = atomFor(owner.apiVersion, terms);
    if (atom === undefined) {
      if (terms.strict) throw unknownError(`request to convert CR to an invalid group/version: ${owner.apiVersion}`);
      continue;
    }
    const fields = fitSchema(owner.fields, atom);
    fitted.set(id, fields === owner.fields ? owner : { ...owner, fields });
  }
  return fitted;
}

/**
 * Takes from everybody but `self` what a change gives another value or takes away, and says what was in dispute: fields
 * that were theirs and got a value now.
 */
export function settle(owners: Owners, self: string, change: Change, terms: Terms): Outcome {
  const comparisons = new Map<string, Comparison | undefined>();
  const comparison = compareIn(terms.apiVersion, change, terms) ?? NO_CHANGE;
  comparisons.set(terms.apiVersion, comparison);
  const settled = new Map<string, Owner>();
  const disputes: Dispute[] = [];
  for (const [id, owner] of owners) {
    if (id === self) {
      keep(settled, id, owner, owner.fields);
      continue;
    }
    if (!comparisons.has(owner.apiVersion))
      comparisons.set(owner.apiVersion, compareIn(owner.apiVersion, change, terms));
    const seen = comparisons.get(owner.apiVersion);
    if (seen === undefined) continue;
    const wanted = intersection(owner.fields, union(seen.modified, seen.added));
    if (!isEmpty(wanted)) disputes.push({ id, owner, fields: wanted });
    keep(settled, id, owner, difference(difference(owner.fields, wanted), seen.removed));
  }
  return { owners: settled, disputes, comparison };
}

const NOTHING: FieldSet = setOf();
const NO_CHANGE: Comparison = { added: NOTHING, modified: NOTHING, removed: NOTHING };

function keep(owners: Map<string, Owner>, id: string, owner: Owner, fields: FieldSet): void {
  if (!isEmpty(fields)) owners.set(id, fields === owner.fields ? owner : { ...owner, fields });
}

function compareIn(apiVersion: string, { live, next }: Change, terms: Terms): Comparison | undefined {
  const atom = atomFor(apiVersion, terms);
  if (atom === undefined) return undefined;
  const before = converting('failed to convert old object', () => convert(live, apiVersion, terms));
  const after = converting('failed to convert new object', () => convert(next, apiVersion, terms));
  const { added, modified, removed } = compare(atom, before, after);
  return {
    added: withoutReset(added, terms.reset),
    modified: withoutReset(modified, terms.reset),
    removed: withoutReset(removed, terms.reset),
  };
}

/** How objects of a version are merged; undefined when that version is not served. */
export function atomFor(apiVersion: string, terms: Terms): Atom | undefined {
  if (apiVersion === terms.apiVersion) return terms.atom;
  const other = terms.other(apiVersion);
  return other === undefined ? undefined : rootAtom(other.schema);
}

export function convert(object: JsonObject, apiVersion: string, terms: Terms): JsonObject {
  return apiVersion === terms.apiVersion ? object : (terms.other(apiVersion)?.convert(object) ?? object);
}

export function restore(object: Json, apiVersion: string, terms: Terms): Json {
  if (apiVersion === terms.apiVersion || !isObject(object)) return object;
  return terms.other(apiVersion)?.restore(object) ?? object;
}
