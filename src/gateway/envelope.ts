import { apiVersionOf } from '../api/resources.js';
import type { ResourceType } from '../api/meta.js';
import { isDataObject, type Data, type DataObject } from './document.js';
import { badField, Refusal } from './refusal.js';

/** What the path of a request says about the object in its body. */
export interface Target {
  readonly resource: ResourceType;
  readonly namespace?: string;
  /** Absent where a collection is posted to: the body names the object. */
  readonly name?: string;
}

/**
 * The object to send on: `body` with kind and apiVersion filled in where they are missing. Whatever says something else
 * than the path is refused, so that nobody is served another object than the one they named.
 * @throws Refusal `malformed` that names the field
 */
export function envelop(body: Data, target: Target): DataObject {
  const { resource, namespace, name } = target;
  if (!isDataObject(body)) throw new Refusal('malformed', { message: `the body must be a ${resource.kind} object` });
  agree(body['kind'], 'kind', resource.kind);
  agree(body['apiVersion'], 'apiVersion', apiVersionOf(resource));
  const metadata = body['metadata'];
  if (!isDataObject(metadata)) throw badField('malformed', 'metadata', 'must be an object with a name');
  agree(metadata['namespace'], 'metadata.namespace', namespace ?? '');
  if (name !== undefined) {
    agree(metadata['name'], 'metadata.name', name);
    if (metadata['name'] === undefined) throw badField('malformed', 'metadata.name', `must be "${name}", as in the path`);
  }
  const sent: DataObject = Object.create(null);
  return Object.assign(sent, body, { kind: resource.kind, apiVersion: apiVersionOf(resource) });
}

/**
 * The resourceVersion that a PUT replaces: of the body, or of `If-Match`, which then is written into a copy.
 * @throws Refusal when both are given and differ, or neither is
 */
export function atRevision(object: DataObject, revision: string | undefined): DataObject {
  const metadata = object['metadata'];
  if (!isDataObject(metadata)) return object;
  const stated = metadata['resourceVersion'];
  if (revision === undefined) {
    if (typeof stated === 'string' && stated !== '') return object;
    throw badField('invalid', 'metadata.resourceVersion', 'must be the one that was read: it, or If-Match, says which state is replaced');
  }
  if (stated !== undefined && stated !== revision) {
    throw new Refusal('precondition', { message: 'metadata.resourceVersion and If-Match name different revisions' });
  }
  const copy: DataObject = Object.create(null);
  const metadataCopy: DataObject = Object.create(null);
  return Object.assign(copy, object, { metadata: Object.assign(metadataCopy, metadata, { resourceVersion: revision }) });
}

function agree(value: Data | undefined, field: string, wanted: string): void {
  if (value === undefined || value === wanted) return;
  throw badField('malformed', field, wanted === '' ? 'must be absent: the object has no namespace' : `must be "${wanted}", as in the path`);
}
