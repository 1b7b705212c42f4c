import { actionOutcome, type Action } from '../../answers/actions/action.js';
import { leftText } from '../../answers/actions/maintenance.js';
import { notStored, type AnnotationWrite, type SpecWrite } from '../../answers/actions/write.js';
import { nameOf } from '../../answers/plan/changed.js';
import type { WorldResource } from '../../answers/world/world.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import { objectPath, resourceOf } from '../../runtime/client/path.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import type { DraftWorld, WriteRequest } from './draft.js';

/** An action as the change that it makes, and as the call that the command of the same name sends. */

export type ActionWrite = SpecWrite | AnnotationWrite;

/** @throws NotFoundError, RefusedError as the command does */
export function actionWorld({ world }: FleetReading, action: Action): DraftWorld {
  const { write, after, ...text } = actionOutcome(world, action);
  const base = { after, writes: [], hasAllWrites: false, lost: new Map(), action: text };
  if (write === undefined) return { ...base, objects: [], requests: [] };
  const { type, object } = write;
  // The kinds of a world have these plural names.
  const resource = type.plural as WorldResource;
  const name = nameOf(resource, object.metadata);
  return {
    ...base,
    objects: [{ name, resource, object, live: object, kept: [] }],
    requests: [requestOf(name, write)],
  };
}

/** As the command writes, at the version that was read. */
export function requestOf(name: string, write: ActionWrite): WriteRequest {
  const { type, object } = write;
  const { namespace, name: named, uid, resourceVersion } = object.metadata;
  const metadata = { ...(namespace !== undefined && { namespace }), name: named };
  const target = { verb: 'patch', resource: resourceOf(type), ...metadata };
  const how = { name, method: 'PATCH', path: objectPath(type, metadata), target, of: write } as const;
  if (write.kind === 'annotations') {
    const body = { metadata: { uid, resourceVersion, annotations: write.annotations } };
    return { ...how, contentType: 'application/merge-patch+json', body: JSON.stringify(body) };
  }
  const body = {
    metadata: { ...metadata, uid, resourceVersion },
    ...(write.spec !== undefined && { spec: write.spec }),
    apiVersion: apiVersionOf(type),
    kind: type.kind,
  };
  const contentType = 'application/apply-patch+yaml';
  return { ...how, query: { force: 'true' }, contentType, body: JSON.stringify(body) };
}

/** Why the API server has not made of it what was to be, by its answer; undefined where it has. */
export function notDone(write: ActionWrite, stored: RawObject): string | undefined {
  if (write.kind === 'annotations') return undefined;
  return write.spec === undefined ? leftText(stored) : notStored(write, stored);
}
