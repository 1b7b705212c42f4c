import { equal } from '@multicluster-engine/values/json';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { conflict, methodNotAllowed, notFound } from '../status.js';
import { hasSpecFinalizers } from './write/change.js';
import { admissionRequest, newest, versioned, visible } from './context.js';
import type { Context } from './context.js';
import { deletionFinalizers, marked } from './write/finalizers.js';
import { gracefulDeletion } from './write/graceful.js';
import { withMeta } from '@multicluster-engine/values/object';
import { deleteOptions } from './options.js';
import type { DeleteOptions } from './options.js';
import { preconditionMessage, preconditionConflict } from './storagekey.js';
import { markerOf } from './write/terminating.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, Query, Target } from './verbs.js';
import { put, remove } from './write/persist.js';

export interface Deletion {
  readonly target: Target;
  readonly options: DeleteOptions;
  readonly caller: Caller;
  /** Whether the deletion is part of a deletecollection: admission then gets no name. */
  readonly collective?: true;
}

interface Found extends Deletion {
  readonly live: KubeObject;
  readonly revision: number;
}

/** DELETE of one object. */
export function deleteObject(
  context: Context,
  target: Target,
  body: Body | undefined,
  request: { readonly query: Query; readonly caller: Caller },
): Promise<JsonObject> {
  const { query, caller } = request;
  if (!target.resource.verbs.includes('delete') || target.subresource !== '')
    throw methodNotAllowed(target.resource, 'delete');
  return deleteWith(context, { target, options: deleteOptions(body, query), caller });
}

/**
 * Returns the object while finalizers hold it, otherwise a Status of success; when it is durable. Throws 404, 409, and
 * errors of admission.
 */
export function deleteWith(context: Context, deletion: Deletion): Promise<JsonObject> {
  const { target } = deletion;
  const entry = newest(context, target);
  if (entry === undefined) throw notFound(target.resource, target.name);
  const found = { ...deletion, live: versioned(target.resource, entry.object), revision: entry.revision };
  const mark = markerOf(target.resource);
  if (mark === undefined) return deleteFound(context, found);
  // In a deletecollection, the kind itself checks no preconditions.
  if (deletion.collective !== true) checkPreconditions(found, target.resource.plural, preconditionMessage);
  else checkPreconditions(found, target.resource.kind, mismatch);
  if (found.live.metadata.deletionTimestamp === undefined) {
    admit(context, found);
    return write(context, found, mark(found.live, found.options, context.clock.now()));
  }
  if (target.resource.kind === 'Namespace' && hasSpecFinalizers(found.live)) return unchanged(context, found);
  return deleteFound(context, found);
}

function deleteFound(context: Context, found: Found): Promise<JsonObject> {
  const {
    target: { resource },
    live,
    options,
  } = found;
  checkPreconditions(found, resource.kind, mismatch);
  admit(context, found);
  const now = context.clock.now();
  const graceful = gracefulDeletion(resource, live, options, now);
  if (graceful.kind === 'pending') return unchanged(context, found);
  const finalizers = deletionFinalizers(resource, live, options);
  if (graceful.kind === 'marked') {
    const kept = finalizers.length === 0 ? undefined : finalizers;
    return write(context, found, withMeta(graceful.object, { finalizers: kept }));
  }
  if (finalizers.length === 0) {
    if (!options.dryRun) checkReleased(found);
    return end(context, { ...found, live: graceful.object });
  }
  const next = marked(graceful.object, finalizers, now);
  return equal(next, live) ? unchanged(context, found) : write(context, found, next);
}

/**
 * With a resourceVersion, a request cannot remove the garbage collector's finalizers and delete the object at once:
 * kube-apiserver then compares with an empty resourceVersion.
 */
function checkReleased({
  target,
  live: {
    metadata: { finalizers = [], resourceVersion = '' },
  },
  options,
}: Found): void {
  if (finalizers.length === 0 || options.resourceVersion === undefined) return;
  throw preconditionConflict(target, options.dryRun, preconditionMessage('ResourceVersion', '', resourceVersion));
}

/** Kinds that respond with the last state. */
const RETURNED: readonly string[] = ['namespaces', 'pods', 'podtemplates', 'serviceaccounts', 'services'];

async function end(context: Context, { target, live, options }: Found): Promise<JsonObject> {
  const removed = options.dryRun ? visible(target.resource, live) : await remove(context, { target, object: live });
  const {
    resource: { group, plural },
    name,
  } = target;
  if (group === '' && RETURNED.includes(plural)) return removed;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: live.metadata.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** An object held by finalizers is returned with all stored fields. */
async function write(context: Context, { target, options }: Found, object: KubeObject): Promise<JsonObject> {
  return options.dryRun ? object : await put(context, { target, object });
}

async function unchanged({ store }: Context, { live, revision }: Found): Promise<JsonObject> {
  await store.durable(revision);
  return live;
}

function admit({ admission }: Context, { target, options, caller, live, collective }: Found): void {
  const seen = {
    operation: 'DELETE',
    object: undefined,
    oldObject: live,
    dryRun: options.dryRun,
    options: options.object,
  } as const;
  const request = admissionRequest(collective === true ? { ...target, name: '' } : target, caller, seen);
  admission.admit(request, caller.warn);
  admission.validate(request, caller.warn);
}

type Wording = (what: 'UID' | 'ResourceVersion', expected: string, is: string) => string;

const WHY = { UID: 'deleted and then recreated', ResourceVersion: 'modified' };

const mismatch: Wording = (what, expected, is) =>
  `the ${what} in the precondition (${expected}) does not match the ${what} in record (${is}). The object might have been ${WHY[what]}`;

function checkPreconditions({ target, live, options }: Found, plural: string, wording: Wording): void {
  // The store has the Events of both groups in one collection.
  const group = target.resource.collection === 'events' ? '' : target.resource.group;
  const { uid = '', resourceVersion = '' } = live.metadata;
  if (options.uid !== undefined && options.uid !== uid)
    throw conflict({ group, plural }, target.name, wording('UID', options.uid, uid));
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw conflict(
      { group, plural },
      target.name,
      wording('ResourceVersion', options.resourceVersion, resourceVersion),
    );
  }
}
