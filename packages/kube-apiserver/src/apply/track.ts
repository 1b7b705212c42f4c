import type { KubeObject, ManagedFieldsEntry } from '@multicluster-engine/values/object';
import { equal } from '@multicluster-engine/values/json';
import { ownershipContext } from './apply.js';
import { liveSchemaErrors, schemaErrors } from './typed/validate.js';
import { entriesOf, withEntries, withoutEntries } from './managedfields/entries.js';
import type { Owners } from './managedfields/owners.js';
import { readOwners, writeOwners } from './managedfields/owners.js';
import type { FieldsResource, OtherVersion } from './resource.js';
import { updateOwners } from './managedfields/update.js';
import { zeroOf } from './typed/zero.js';

export interface TrackRequest {
  /** The stored object in the version of the request; undefined when it is being created. */
  readonly live: KubeObject | undefined;
  /** The object that the request asks for, with defaults, before the strategy prepares it. */
  readonly next: KubeObject;
  readonly manager: string;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly resource: FieldsResource;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Looks up other versions of the resource, served or not: managedFields may name their fields in them. */
  readonly other?: (apiVersion: string) => OtherVersion | undefined;
}

/**
 * Updates managedFields for a POST, PUT or PATCH other than apply: the manager becomes the owner of the fields that it
 * changes. Readable managedFields of the body are used, so a client may edit them; `[{}]` (and `[]` for built-in kinds)
 * clears them, and no managers are recorded until the next apply. Returns `live` when nothing changes.
 */
export function trackUpdate(request: TrackRequest): KubeObject {
  const { live, next, resource, subresource } = request;
  const owners = ownersOf(request);
  const bare = withoutEntries(next);
  if (owners.size === 0 && live !== undefined) return finish(request, undefined);
  const context = ownershipContext(request);
  const old = live === undefined ? zeroOf(resource.schema, bare) : withoutEntries(live);
  // The API server stores such an object without managedFields instead of rejecting it here.
  if (
    schemaErrors(context.atom, bare, { allowDuplicates: true }) !== undefined ||
    (live === undefined
      ? schemaErrors(context.atom, old, { allowDuplicates: true })
      : liveSchemaErrors(context.atom, live)) !== undefined
  )
    return finish(request, undefined);
  const by = { manager: request.manager, subresource, now: request.now };
  const updated = ownersOrNone(() => updateOwners(owners, { live: old, next: bare }, by, context));
  return finish(request, updated === undefined ? undefined : writeOwners(updated, entriesOf(live)));
}

function finish({ live, next }: TrackRequest, entries: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  // Symbols on `next` carry data of the request that would be lost.
  const unmarked = Object.getOwnPropertySymbols(next).length === 0;
  if (
    live !== undefined &&
    unmarked &&
    entries === entriesOf(live) &&
    equal(withoutEntries(live), withoutEntries(next))
  )
    return live;
  return entries === entriesOf(next) ? next : withEntries(next, entries);
}

function ownersOf({ live, next, subresource, resource }: TrackRequest): Owners {
  const given = entriesOf(next);
  // Decoding a custom resource drops an empty list.
  if (subresource !== '' || given === undefined || (resource.custom && given.length === 0))
    return ownersOrNone(() => readOwners(entriesOf(live))) ?? new Map();
  if (isReset(given)) return new Map();
  const owners = ownersOrNone(() => readOwners(given));
  return owners === undefined || owners.size === 0
    ? (ownersOrNone(() => readOwners(entriesOf(live))) ?? new Map())
    : owners;
}

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return first === undefined || (entries.length === 1 && Object.values(first).every((value) => value === undefined));
}

/** Runs a computation of owners; undefined when it fails: an update is never rejected because of managedFields. */
function ownersOrNone(run: () => Owners): Owners | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * Returns `live` when `next` differs from it only in timestamps of managedFields, otherwise `next`. Called last, after
 * defaulting and the strategy, so an apply without changes is not stored.
 */
export function keepUnchangedTimes(next: KubeObject, live: KubeObject): KubeObject {
  const [after, before] = [entriesOf(next) ?? [], entriesOf(live) ?? []];
  if (next === live || after.length === 0 || after.length !== before.length) return next;
  if (!after.every((entry, index) => equal(untimed(entry), untimed(before[index] ?? {})))) return next;
  return equal(withoutEntries(next), withoutEntries(live)) ? live : next;
}

function untimed({ time: _time, ...rest }: ManagedFieldsEntry): Omit<ManagedFieldsEntry, 'time'> {
  return rest;
}
