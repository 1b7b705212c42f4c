import { leftText, notStored, type AnnotationWrite, type SpecWrite } from '../../answers/actions/write.js';
import { ManagedClusters, Placements } from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import { objectPath, resourceOf } from '../../runtime/client/path.js';
import type { Call } from '../../runtime/transport/call.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';

/** What the console writes, with the rights of the person: all of it stands here. */

/** So it may do to these resources, and nothing else. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  [resourceOf(Placements)]: ['create', 'update', 'patch'],
  [resourceOf(ManagedClusters)]: ['patch'],
};

export function isWritten({ verb, resource }: Call['target']): boolean {
  return WRITES[resource]?.includes(verb) === true;
}

/** A write of one object, and its name as `KIND NAMESPACE/NAME`. */
export type WriteRequest = Pick<Call, 'method' | 'path' | 'query' | 'target' | 'contentType' | 'body'> & {
  readonly name: string;
  /** The action that it makes. */
  readonly of?: ActionWrite;
};

export type ActionWrite = SpecWrite | AnnotationWrite;

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
