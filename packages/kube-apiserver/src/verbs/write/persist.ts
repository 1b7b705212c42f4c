import type { KubeObject } from '@multicluster-engine/values/object';
import { keyOf } from '../../registry/reader.js';
import { MODIFIED, StatusError, alreadyExists, conflict, unknownError } from '../../status.js';
import type { Entry } from '../../store/store.js';
import { forbiddenBy } from '../../auth/forbidden.js';
import { admissionRequest, copied, newest, served, storable, versioned, visible } from '../context.js';
import type { Context } from '../context.js';
import { checkCreate } from './validate.js';
import { generateName } from './generatename.js';
import { timestamp } from '@multicluster-engine/values/time';
import { withOwnersOnce } from '../metadata.js';
import { withMeta } from '@multicluster-engine/values/object';
import { renamed } from '../options.js';
import type { WriteOptions } from '../options.js';
import type { Caller, Target, Written } from '../verbs.js';

const NAME_TRIES = 8;

export interface Creation {
  readonly target: Target;
  readonly object: KubeObject;
  readonly options: WriteOptions;
  readonly caller: Caller;
  /** Whether a verb other than create creates it, which then requires the right to create too. */
  readonly byUpdate: boolean;
}

/**
 * Stores a new object after mutating admission: sets the system fields, runs the kind's preparation and validation,
 * then validating admission, then checks that the name is free. A generated name is tried up to eight times.
 */
export function store(context: Context, creation: Creation): Promise<Written> {
  const { name, generateName: base } = creation.object.metadata;
  if (base === undefined || base === '' || (name !== undefined && name !== '')) return storeNamed(context, creation);
  for (let left = NAME_TRIES; ; left -= 1) {
    const named = withMeta(creation.object, { name: generateName(base, context.random) });
    if (left > 1 && exists(context, creation.target, named)) continue;
    return storeNamed(context, { ...creation, object: named });
  }
}

function exists({ store: objects }: Context, { resource, namespace }: Target, { metadata }: KubeObject): boolean {
  return objects.newest(resource.collection, keyOf(namespace, metadata.name ?? '')) !== undefined;
}

function storeNamed(context: Context, creation: Creation): Promise<Written> {
  const { target, options, caller } = creation;
  const { resource } = target;
  const object = prepared(context, creation);
  const name = object.metadata.name ?? '';
  const named = { ...target, name };
  checkCreate(resource, object, caller.warn);
  if (creation.byUpdate) authorizeCreate(context, named, caller);
  const admitted = {
    operation: 'CREATE',
    object,
    oldObject: undefined,
    dryRun: options.dryRun,
    options: renamed(options, 'CreateOptions'),
  } as const;
  context.admission.validate(admissionRequest(named, caller, admitted), caller.warn);
  if (!options.dryRun && !creation.byUpdate) checkNoRevision(object);
  const live = newest(context, named);
  if (live !== undefined) throw nameTaken(creation, name, live.object);
  if (options.dryRun) return Promise.resolve({ code: 201, object: visible(resource, copied(resource, object)) });
  return put(context, { target: named, object }).then((written) => ({ code: 201, object: visible(resource, written) }));
}

function prepared(context: Context, { target: { resource }, object, caller }: Creation): KubeObject {
  const once = withOwnersOnce(object, caller.warn, 'admitted');
  const filled = withMeta(once, { creationTimestamp: timestamp(context.clock.now()), uid: context.uuid() });
  return resource.strategy.prepareCreate(filled);
}

function checkNoRevision({ metadata: { resourceVersion } }: KubeObject): void {
  // A number beyond 64 bits is ignored.
  if (
    resourceVersion === undefined ||
    !/^\d+$/.test(resourceVersion) ||
    Number(resourceVersion) === 0 ||
    Number(resourceVersion) >= 2 ** 64
  )
    return;
  throw unknownError('resourceVersion should not be set on objects to be created');
}

function nameTaken({ target: { resource }, object }: Creation, name: string, live: KubeObject): StatusError {
  const { message, details } = alreadyExists(resource, name);
  const generated = (object.metadata.generateName ?? '') !== '';
  const deleting = live.metadata.deletionTimestamp !== undefined ? 'object is being deleted: ' : '';
  const unique = generated ? ', the server was not able to generate a unique name for the object' : '';
  const more = { ...details, ...(generated ? { retryAfterSeconds: 1 } : {}) };
  return new StatusError(409, `${deleting}${message}${unique}`, { reason: 'AlreadyExists', details: more });
}

function authorizeCreate(
  { authorizer }: Context,
  { resource, subresource, namespace, name }: Target,
  { user }: Caller,
): void {
  const { group, version, plural } = resource;
  const attributes = { user, verb: 'create', group, version, resource: plural, subresource, namespace, name };
  const decision = authorizer.authorize(attributes);
  if (!decision.allowed) throw forbiddenBy(attributes, decision.reason);
}

export interface Put {
  readonly target: Target;
  /** In the version of the resource. */
  readonly object: KubeObject;
}

/**
 * Writes an object with its new revision. Where it is too large, it is written without managedFields.
 * @returns the whole object in the version of the resource, when it is durable
 */
export async function put({ store: objects }: Context, { target, object }: Put): Promise<KubeObject> {
  const { resource, namespace, name } = target;
  const key = keyOf(namespace, name);
  const form = storable(resource, withMeta(object, { resourceVersion: undefined, selfLink: undefined }));
  const before = objects.newest(resource.collection, key);
  const write = (what: KubeObject): Promise<Entry> =>
    objects.put(resource.collection, key, (revision) => withRevision(what, revision));
  const entry = await write(form).catch((error: unknown) => {
    if (!isTooLarge(error) || form.metadata.managedFields === undefined) throw error;
    if (objects.newest(resource.collection, key) !== before) throw conflict(resource, name, MODIFIED);
    return write(withMeta(form, { managedFields: undefined }));
  });
  resource.convert?.trust?.(entry.object);
  return versioned(resource, entry.object);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof StatusError && error.message === 'etcdserver: request is too large';
}

export async function remove({ store: objects }: Context, { target, object }: Put): Promise<KubeObject> {
  const { resource, namespace, name } = target;
  const form = storable(resource, object);
  const entry = await objects.remove(resource.collection, keyOf(namespace, name), (revision) =>
    withRevision(form, revision),
  );
  return served(resource, entry.object);
}

function withRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
