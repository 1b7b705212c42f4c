import { keepUnchangedTimes } from '../../apply/track.js';
import { equal, isArray, isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { MODIFIED, conflict, internalError, invalid, notFound, unknownError } from '../../status.js';
import { goQuote } from '@multicluster-engine/values/text';
import { invalidValue } from '@multicluster-engine/values/schema/field';
import type { Entry } from '../../store/store.js';
import { checkUpdate } from './validate.js';
import { admissionRequest, copied, newest, versioned, visible } from '../context.js';
import type { Context } from '../context.js';
import { withOwnersOnce } from '../metadata.js';
import { withMeta } from '@multicluster-engine/values/object';
import { renamed } from '../options.js';
import type { WriteOptions } from '../options.js';
import { preconditionMessage, preconditionConflict } from '../storagekey.js';
import type { Caller, Target, Written } from '../verbs.js';
import { strategyOf, viewOf } from '../view.js';
import { put, remove, store } from './persist.js';

/** A change of one object: how its next state follows from the current one. */
export interface Edit {
  readonly target: Target;
  readonly options: WriteOptions;
  readonly caller: Caller;
  /**
   * Computes the next state, managedFields included; undefined means that there is no object. Throws errors of the
   * request.
   */
  readonly next: (live: KubeObject | undefined) => KubeObject;
  /** The UID precondition, where the request has one. */
  readonly uid: string | undefined;
  /** Whether a missing object is created. */
  readonly creates: boolean;
}

/** Reads, computes the next state, validates and writes it, atomically. Resolves when the change is durable. */
export async function change(context: Context, edit: Edit): Promise<Written> {
  const { code, object } = await changeObject(context, edit);
  return { code, object: shown(edit.target, object) };
}

function changeObject(context: Context, edit: Edit): Promise<Written> {
  const { target, creates, uid } = edit;
  const entry = newest(context, target);
  const live = entry === undefined ? undefined : versioned(target.resource, entry.object);
  if (live === undefined && !creates) throw notFound(target.resource, target.name);
  if (uid !== undefined && uid !== '') checkUid(edit, uid, live);
  const next = admitted(context, edit, live);
  checkRevision(next);
  if (entry === undefined || live === undefined) {
    return store(context, { target, object: next, options: edit.options, caller: edit.caller, byUpdate: true });
  }
  return replace(context, edit, { entry, live, next });
}

/** The object after the request, as it is to be stored; the request may change a view of it. */
function edited({ target, next }: Edit, live: KubeObject | undefined): KubeObject {
  const view = viewOf(target);
  return view === undefined || live === undefined ? next(live) : view.change(live, next);
}

/** The object for validating admission: the view that the request changes. */
function shown(target: Target, object: KubeObject): KubeObject {
  return viewOf(target)?.read(object) ?? object;
}

function admitted(context: Context, edit: Edit, live: KubeObject | undefined): KubeObject {
  const { target, options, caller } = edit;
  const object = edited(edit, live);
  const operation = live === undefined ? 'CREATE' : 'UPDATE';
  const seen = {
    operation,
    object,
    oldObject: live,
    dryRun: options.dryRun,
    options: renamed(options, live === undefined ? 'CreateOptions' : 'UpdateOptions'),
  } as const;
  const after = context.admission.admit(admissionRequest(target, caller, seen), caller.warn) ?? object;
  return withOwnersOnce(after, caller.warn, 'admitted');
}

interface States {
  readonly entry: Entry;
  readonly live: KubeObject;
  readonly next: KubeObject;
}

async function replace(context: Context, edit: Edit, { entry, live, next }: States): Promise<Written> {
  const { target, options, caller } = edit;
  const { resource } = target;
  const revised = withRevisionChecked(edit, next, live);
  if (resource.custom && revised.apiVersion === '')
    throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const prepared = prepare(target, revised, live);
  checkUpdate(target, prepared, live, caller.warn);
  const object = keepUnchangedTimes(prepared, live);
  const seen = {
    operation: 'UPDATE',
    object: shown(target, object),
    oldObject: shown(target, live),
    dryRun: options.dryRun,
    options: renamed(options, 'UpdateOptions'),
  } as const;
  context.admission.validate(admissionRequest(target, caller, seen), caller.warn);
  if (removesLastFinalizer(object, live, resource.kind)) {
    if (!options.dryRun) await remove(context, { target, object: live });
    // The only response with all fields.
    return { code: 200, object };
  }
  return { code: 200, object: visible(resource, await written(context, edit, { entry, live, next: object })) };
}

/** The object as it is stored from now on; the live one where nothing changes. */
async function written(
  context: Context,
  { target, options }: Edit,
  { entry, live, next }: States,
): Promise<KubeObject> {
  const { resource } = target;
  if (options.dryRun) return copied(resource, next);
  const object = withMeta(next, { selfLink: undefined });
  if (!isStored(resource, object, { entry, live })) return put(context, { target, object });
  await context.store.durable(entry.revision);
  return live;
}

/**
 * Whether the result is stored already. An equal object is not enough: the definition's schema or its storage version
 * may have changed, and an applied object is stored with fields that reading removes.
 */
function isStored(
  { convert }: Target['resource'],
  object: KubeObject,
  { entry, live }: Pick<States, 'entry' | 'live'>,
): boolean {
  return convert === undefined ? object === live || equal(object, live) : equal(convert.toStored(object), entry.object);
}

const REVISION = /^\d+$/;

function checkRevision({ metadata: { resourceVersion: requested = '' } }: KubeObject): void {
  if (requested !== '' && !REVISION.test(requested))
    throw unknownError(`strconv.ParseUint: parsing ${goQuote(requested)}: invalid syntax`);
  if (Number(requested) >= 2 ** 64)
    throw unknownError(`strconv.ParseUint: parsing ${goQuote(requested)}: value out of range`);
}

/** The object with the resourceVersion that it is based on. Throws 409 where that is not the newest. */
function withRevisionChecked({ target: { resource, name } }: Edit, next: KubeObject, live: KubeObject): KubeObject {
  const { resourceVersion: requested = '' } = next.metadata;
  if (requested === '' || Number(requested) === 0) {
    if (resource.strategy.unconditionalUpdate)
      return withMeta(next, { resourceVersion: live.metadata.resourceVersion });
    const missing = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    throw invalid({ group: resource.group, kind: resource.plural }, name, [missing]);
  }
  if (requested !== live.metadata.resourceVersion) throw conflict(resource, name, MODIFIED);
  return next;
}

/** The kind's preparation of a change, then the system fields, which no change can modify. */
function prepare(target: Target, next: KubeObject, live: KubeObject): KubeObject {
  const { resource } = target;
  const { generation, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = live.metadata;
  const stripped = withMeta(next, { generation });
  const prepared = resource.strategy.prepareUpdate(stripped, live, strategyOf(target));
  const requested = prepared.metadata;
  return withMeta(prepared, {
    uid: requested.uid === undefined || requested.uid === '' ? uid : requested.uid,
    creationTimestamp: creationTimestamp ?? requested.creationTimestamp,
    deletionTimestamp: deletionTimestamp ?? requested.deletionTimestamp,
    deletionGracePeriodSeconds: requested.deletionGracePeriodSeconds ?? deletionGracePeriodSeconds,
  });
}

/** Whether a change removes the last finalizer of an object that is being deleted. */
function removesLastFinalizer(next: KubeObject, live: KubeObject, kind: string): boolean {
  if ((next.metadata.finalizers ?? []).length > 0 || live.metadata.deletionTimestamp === undefined) return false;
  if ((live.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  return kind !== 'Namespace' || !hasSpecFinalizers(next);
}

export function hasSpecFinalizers({ spec }: KubeObject): boolean {
  return isObject(spec) && isArray(spec.finalizers) && spec.finalizers.length > 0;
}

function checkUid({ target, options }: Edit, uid: string, live: KubeObject | undefined): void {
  const found = live?.metadata.uid ?? '';
  if (found !== uid) throw preconditionConflict(target, options.dryRun, preconditionMessage('UID', uid, found));
}
