import { textAt } from '@multicluster-engine/values/fields';
import { apiVersionOf } from '../apiversion.js';
import { equal, isArray, isObject, own as memberOf } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { timestamp } from '@multicluster-engine/values/time';
import { jsonType } from '@multicluster-engine/values/schema/go/format';
import { badRequest, unknownError } from '../status.js';
import { rootAtom } from './typed/atom.js';
import { liveSchemaErrors, schemaErrors } from './typed/validate.js';
import type { Conflict } from './managedfields/conflict.js';
import { applyConflict, conflictsOf, conflictsOutside } from './managedfields/conflict.js';
import { isEmpty, sameFields } from './fieldpath/fieldset.js';
import { KUBECTL, lastAppliedFields, withLastApplied } from './managedfields/lastapplied.js';
import { merge } from './typed/merge.js';
import { fractionalIntegerType } from './typed/fraction.js';
import { entriesOf, withEntries, withoutEntries } from './managedfields/entries.js';
import type { Owner, Owners } from './managedfields/owners.js';
import { ownerId, readOwners, writeOwners } from './managedfields/owners.js';
import type { OwnershipContext } from './managedfields/ownership.js';
import { reconcileOwners, withoutUnownable, transferOwnership } from './managedfields/ownership.js';
import { prune } from './managedfields/prune.js';
import { resetFields, withoutReset } from './managedfields/resetfields.js';
import type { FieldsResource, OtherVersion } from './resource.js';
import { kindText } from './resource.js';
import { toFieldSet } from './typed/tofieldset.js';
import { updateOwners } from './managedfields/update.js';
import { zeroOf } from './typed/zero.js';

export interface ApplyRequest {
  /** The stored object in the version of the request; undefined when there is none. */
  readonly live: KubeObject | undefined;
  /** The configuration in the request body. */
  readonly applied: Json;
  readonly manager: string;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly force: boolean;
  readonly resource: FieldsResource;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Looks up other versions of the resource, served or not: managedFields may name their fields in them. */
  readonly other?: (apiVersion: string) => OtherVersion | undefined;
}

/** The manager of all fields of an object that had no managedFields when it was first applied. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Computes the object after a server-side apply, with its managedFields and before defaulting. Fields of the
 * configuration are merged in; fields that this manager applied before, no longer applies and shares with nobody are
 * removed. Returns `live` itself when nothing changes.
 *
 * @throws StatusError 400 for a configuration of another kind or with managedFields, 409 for conflicts without `force`,
 *   500 (without a reason) for a configuration that does not match the schema or has duplicate items.
 */
export function serverSideApply(request: ApplyRequest): KubeObject {
  const { live, manager, force, resource } = request;
  const applied = bodyOf(request.applied);
  const context = ownershipContext(request);
  const bare = live === undefined ? { apiVersion: context.apiVersion, kind: resource.kind } : withoutEntries(live);
  const owners = ownersOf(request, bare, context);
  checkBody(applied, resource);
  checkTypes(applied, live ?? bare, context);
  const state = { request, applied, bare, owners, context };
  let result = applyOnce(state, force);
  if ('conflicts' in result && manager === KUBECTL) result = adoptClientSideApply(state, result.conflicts);
  if ('conflicts' in result) throw applyConflict(result.conflicts);
  checkNumbers(applied, resource);
  const object = manager === KUBECTL ? withLastApplied(result.object, applied) : result.object;
  const old = entriesOf(live);
  const entries = writeOwners(result.owners, old);
  return live !== undefined && object === bare && entries === old ? live : withEntries(object, entries);
}

/** The inputs to ownership that are the same for the whole request. */
export function ownershipContext({
  resource,
  subresource,
  other,
}: Pick<ApplyRequest, 'resource' | 'subresource' | 'other'>): OwnershipContext {
  return {
    apiVersion: apiVersionOf(resource),
    atom: rootAtom(resource.schema),
    reset: resetFields(resource, subresource),
    other: other ?? (() => undefined),
    strict: resource.custom,
  };
}

function bodyOf(given: Json): JsonObject {
  const applied = given ?? {};
  if (!isObject(applied)) {
    const type = 'json: cannot unmarshal ' + jsonType(applied) + ' into Go value of type map[string]interface {}';
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${type}`);
  }
  return applied;
}

function checkBody(applied: JsonObject, resource: FieldsResource): void {
  const kind = kindText(textAt(applied, 'apiVersion'), textAt(applied, 'kind'));
  if (kind !== kindText(apiVersionOf(resource), resource.kind)) throw badRequest(`invalid object type: ${kind}`);
  const metadata = memberOf(applied, 'metadata');
  const entries = isObject(metadata) ? memberOf(metadata, 'managedFields') : undefined;
  if (isArray(entries) && entries.every(isObject)) throw badRequest('metadata.managedFields must be nil');
}

function ownersOf(
  { live, resource, subresource, now }: ApplyRequest,
  bare: JsonObject,
  context: OwnershipContext,
): Owners {
  const owners = storedOwners(live);
  if (owners.size > 0 || live === undefined) return owners;
  const stored = liveSchemaErrors(context.atom, live);
  if (stored !== undefined)
    throw unknownError(
      `failed to create manager for existing fields: failed to convert new object (${nameOf(live)}) to smd typed: ${stored}`,
    );
  const zero = zeroOf(resource.schema, bare);
  return updateOwners(owners, { live: zero, next: bare }, { manager: BEFORE_FIRST_APPLY, subresource, now }, context);
}

function storedOwners(live: KubeObject | undefined): Owners {
  try {
    return readOwners(entriesOf(live));
  } catch (error) {
    throw unknownError(`failed to decode managed fields: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkTypes(applied: JsonObject, live: JsonObject, { atom }: OwnershipContext): void {
  const problem = schemaErrors(atom, applied);
  if (problem !== undefined) throw unknownError(`failed to create typed patch object (${nameOf(applied)}): ${problem}`);
  const stored = liveSchemaErrors(atom, live);
  if (stored !== undefined) throw unknownError(`failed to create typed live object (${nameOf(live)}): ${stored}`);
}

/** A fraction passes schema validation as a number; the conversion to a Go struct rejects it. */
function checkNumbers(applied: JsonObject, { schema }: FieldsResource): void {
  const type = fractionalIntegerType(schema, applied);
  if (type === undefined) return;
  const kind = kindText(textAt(applied, 'apiVersion'), textAt(applied, 'kind'));
  const why = `unable to convert unstructured object to ${kind}: cannot convert float64 to ${type}`;
  throw unknownError(`failed to convert new object (${nameOf(applied)}) to proper version: ${why}`);
}

/** `namespace/name; apps/v1, Kind=Deployment` of an object. */
function nameOf(object: JsonObject): string {
  const metadata = memberOf(object, 'metadata');
  const known = isObject(metadata) ? metadata : {};
  return `${textAt(known, 'namespace')}/${textAt(known, 'name')}; ${kindText(textAt(object, 'apiVersion'), textAt(object, 'kind'))}`;
}

interface ApplyState {
  readonly request: ApplyRequest;
  readonly applied: JsonObject;
  /** The live object without managedFields. */
  readonly bare: JsonObject;
  readonly owners: Owners;
  readonly context: OwnershipContext;
}

type Result = { readonly object: JsonObject; readonly owners: Owners } | { readonly conflicts: readonly Conflict[] };

function applyOnce({ request, applied, bare, owners, context }: ApplyState, force: boolean): Result {
  const { manager, subresource, now } = request;
  const fields = withoutReset(toFieldSet(context.atom, applied), context.reset);
  const self: Owner = {
    manager,
    operation: 'Apply',
    apiVersion: context.apiVersion,
    subresource,
    time: undefined,
    fields,
  };
  const id = ownerId(self);
  const fitted = reconcileOwners(owners, context);
  const last = fitted.get(id);
  fitted.set(id, { ...self, time: last?.time });
  const ownable = withoutUnownable(fields);
  const same = last !== undefined && sameFields(last.fields, ownable);
  const merged = merge(context.atom, bare, applied);
  const whole = isObject(merged) ? merged : bare;
  const pruned = same ? whole : prune(whole, last, fitted, context);
  const object = pruned !== bare && equal(pruned, bare) ? bare : pruned;
  const { owners: transferred, conflicts } = transferOwnership(fitted, id, { live: bare, next: object }, context);
  if (!force && conflicts.length > 0) return { conflicts: conflictsOf(conflicts) };
  const final = new Map(transferred);
  const own = same ? last.fields : ownable;
  if (isEmpty(own)) final.delete(id);
  else final.set(id, { ...self, fields: own, time: object === bare ? last?.time : timestamp(now) });
  return { object, owners: final };
}

/** Applies again with force when all conflicts are about fields that kubectl set by client-side apply. */
function adoptClientSideApply(state: ApplyState, conflicts: readonly Conflict[]): Result {
  const { context, bare } = state;
  const others = conflictsOutside(conflicts, lastAppliedFields(context.atom, bare, context.apiVersion));
  return others.length > 0 ? { conflicts: others } : applyOnce(state, true);
}
