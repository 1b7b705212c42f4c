import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { PAUSED_ANNOTATION } from '../../../src/api/names.js';
import { MultiClusterEngines } from '../../../src/api/resources.js';
import { at, itemsAt, textAt } from '../../../src/domain/engine/manifest/manifest.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import { parseJson } from '../../../src/runtime/vocabulary/json.js';
import type { KubeObject, OwnerReference } from '../../../src/runtime/vocabulary/meta.js';

/** Scenarios mark so what belongs to somebody else. */
export const OTHERS = 'example.com/owner';

/** What a controller of engines makes by a plain create: all other objects are applied. */
const CREATED = /\/(managedclusters|events|selfsubjectaccessreviews)$/;
const LEASES = /\/leases(\/|$)/;
/** What is written about a paused engine. */
const TOLD = /\/status$|\/events(\/|$)/;
const APPLY = 'application/apply-patch+yaml';

/**
 * Judges each write of a controller of engines when it reaches the server, with what is stored at that moment:
 * - `unconditional`: no server-side apply, or one that forces without the uid that was read, and no uid and resourceVersion
 *   as preconditions;
 * - `others`: it would change or delete an object of another controller or engine, or one that a scenario has marked as
 *   somebody's;
 * - `paused`: it is no status, and an engine is paused.
 */
export function reviewEngineWrite(
  server: MemoryServer,
  call: Call,
  violations: (rule: string, detail: string) => void,
): void {
  const { method, path } = call;
  if (method === 'GET' || LEASES.test(path)) return;
  const title = `${call.target.verb} ${path}`;
  const body = parseJson(call.body ?? '');
  if (method === 'POST') {
    if (!CREATED.test(path)) violations('unconditional', `${title} is a plain create`);
    return;
  }
  const precondition = method === 'DELETE' ? at(body, 'preconditions') : at(body, 'metadata');
  const [uid, version] = [textAt(precondition, 'uid'), textAt(precondition, 'resourceVersion')];
  const isApply = call.contentType === APPLY && (call.query?.['force'] !== 'true' || uid !== '' || version !== '');
  const isGuarded = version !== '' && (uid !== '' || method === 'PUT');
  if (!isApply && !isGuarded) violations('unconditional', `${title}: ${call.body?.slice(0, 200)}`);
  const engines = server.store.list(resourceOf(MultiClusterEngines), '').map(({ object }) => object);
  const isPaused = engines.some(({ metadata }) => metadata.annotations?.[PAUSED_ANNOTATION] === 'true');
  if (isPaused && !TOLD.test(path)) violations('paused', title);
  const stored = storedAt(server, call);
  if (stored === undefined || isRefused(stored, { uid, version })) return;
  const [owner] = itemsAt(body, 'metadata', 'ownerReferences');
  const isOfEngine = engines.some(({ metadata }) => controllerOf(stored)?.uid === metadata.uid);
  const isTaken = owner !== undefined && isOfEngine && controllerOf(stored)?.uid !== owner['uid'];
  if (!isTaken && !isOthers(stored)) return;
  violations('others', `${title}, which belongs to somebody else`);
}

/** Whether the server will find that the object has changed since it was read. */
function isRefused(
  { metadata }: KubeObject,
  { uid, version }: { readonly uid: string; readonly version: string },
): boolean {
  return (uid !== '' && uid !== metadata.uid) || (version !== '' && version !== metadata.resourceVersion);
}

function isOthers(stored: KubeObject): boolean {
  const controller = controllerOf(stored);
  const isControlled = controller !== undefined && controller.kind !== MultiClusterEngines.kind;
  return isControlled || stored.metadata.annotations?.[OTHERS] !== undefined;
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((one) => one.controller === true);
}

function storedAt(server: MemoryServer, { target }: Call): KubeObject | undefined {
  const { resource, namespace, name = '' } = target;
  const [collection = ''] = resource.split('/');
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return server.store.get(collection, key)?.object as KubeObject | undefined;
}
