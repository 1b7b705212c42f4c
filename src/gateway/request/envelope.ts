import { apiVersionOf } from '../../api/resources.js';
import type { ResourceType } from '../../api/meta.js';
import { isDataObject, shown, type Data, type DataObject } from '../object/document.js';
import { checkMetadata } from '../object/metadata.js';
import { isRevision } from './precondition.js';
import { badField, Refusal } from '../refusal.js';

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
  checkMetadata(metadata);
  agree(metadata['namespace'], 'metadata.namespace', namespace ?? '');
  if (name !== undefined) {
    agree(metadata['name'], 'metadata.name', name);
    if (metadata['name'] === undefined)
      throw badField('malformed', 'metadata.name', `must be there and be "${name}", as in the path`);
  }
  const sent: DataObject = Object.create(null);
  return Object.assign(sent, body, { kind: resource.kind, apiVersion: apiVersionOf(resource) });
}

/**
 * Checks an object that is to be created: it has no revision yet. What else of `metadata` the API server sets by itself
 * (uid, generation, creationTimestamp) it sets whatever stands there, so that an object which was read can be sent.
 * @throws Refusal `invalid`
 */
export function checkNew(object: DataObject): void {
  const stated = isDataObject(object['metadata']) ? object['metadata']['resourceVersion'] : undefined;
  if (stated === undefined || stated === null || stated === '') return;
  throw badField(
    'invalid',
    'metadata.resourceVersion',
    `${shown(stated)}: must be absent, for a new object has no revision yet`,
  );
}

/**
 * The resourceVersion that a PUT replaces: of the body, or of `If-Match`, which then is written into a copy.
 * @throws Refusal when both are given and differ, or neither is; for one in the body that no object can have
 */
export function atRevision(object: DataObject, revision: string | undefined): DataObject {
  const metadata = object['metadata'];
  if (!isDataObject(metadata)) return object;
  const stated = metadata['resourceVersion'];
  const absent = stated === undefined || stated === null || stated === '';
  if (revision === undefined) {
    if (absent)
      throw badField(
        'invalid',
        'metadata.resourceVersion',
        'must be the one that was read: it, or If-Match, says which state is replaced',
      );
    if (typeof stated === 'string' && isRevision(stated)) return object;
    throw badField(
      'invalid',
      'metadata.resourceVersion',
      `${shown(stated)}: must be one that was read, which is a whole number in quotes`,
    );
  }
  if (!absent && stated !== revision) {
    throw new Refusal('precondition', { message: 'metadata.resourceVersion and If-Match name different revisions' });
  }
  const copy: DataObject = Object.create(null);
  const metadataCopy: DataObject = Object.create(null);
  return Object.assign(copy, object, {
    metadata: Object.assign(metadataCopy, metadata, { resourceVersion: revision }),
  });
}

function agree(value: Data | undefined, field: string, wanted: string): void {
  if (value === undefined || value === wanted) return;
  const rule = wanted === '' ? 'must be absent: the object has no namespace' : `must be "${wanted}", as in the path`;
  throw badField('malformed', field, `${shown(value)}: ${rule}`);
}
