import type { KubeObject, ManagedFieldsEntry } from '../object.js';
import { equal } from '../json.js';
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
  /** What the request makes of it, defaults filled in, as it is before the strategy prepares it. */
  readonly next: KubeObject;
  readonly manager: string;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly resource: FieldsResource;
  /** Ms since the epoch. */
  readonly now: number;
  /** Versions beside the request's in which owners may have named their fields, served or not. */
  readonly other?: (apiVersion: string) => OtherVersion | undefined;
}

/**
 * The object of a POST, PUT or PATCH (but apply) with its managedFields: what it changes is its manager's. The ones
 * that the body brings count when they can be read, so that a client may edit them; `[{}]` (and `[]` of built-in kinds) forget them all,
 * and from then on nobody is written down until somebody applies. Gives `live` when all is as it was.
 */
export function trackUpdate(request: TrackRequest): KubeObject {
  const { live, next, resource, subresource } = request;
  const owners = ownersOf(request);
  const bare = withoutEntries(next);
  if (owners.size === 0 && live !== undefined) return finish(request, undefined);
  const context = ownershipContext(request);
  const old = live === undefined ? zeroOf(resource.schema, bare) : withoutEntries(live);
  // The real server writes such an object without managedFields rather than refuse it here.
  if (
    schemaErrors(context.atom, bare, true) !== undefined ||
    (live === undefined ? schemaErrors(context.atom, old, true) : liveSchemaErrors(context.atom, live)) !== undefined
  )
    return finish(request, undefined);
  const by = { manager: request.manager, subresource, now: request.now };
  const updated = ownersOrNone(() => updateOwners(owners, { live: old, next: bare }, by, context));
  return finish(request, updated === undefined ? undefined : writeOwners(updated, entriesOf(live)));
}

function finish({ live, next }: TrackRequest, entries: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  // What a kind remembers of a request beside its fields would be lost with `next`.
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

/** What cannot be read or kept is forgotten: an update is never refused for it. */
function ownersOrNone(run: () => Owners): Owners | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * `next` with the time stamps of `live` in its managedFields when nothing but those differs: to be asked last, after
 * defaults and strategy, so that an apply that changes nothing writes nothing. Gives `live` in that case.
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
