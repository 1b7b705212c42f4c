import { apiVersionOf } from '../../api/resources.js';
import type { ResourceType } from '../../api/meta.js';
import { isJsonObject, formatValue, type JsonValue, type JsonObject } from '../object/document.js';
import { checkMetadata } from '../object/metadata.js';
import { isResourceVersion } from './precondition.js';
import { fieldError, StatusError } from '../statuserror.js';

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
export function validateTarget(body: JsonValue, target: Target): JsonObject {
  const { resource, namespace, name } = target;
  if (!isJsonObject(body))
    throw new StatusError('malformed', { message: `the body must be a ${resource.kind} object` });
  requireEqual(body['kind'], 'kind', resource.kind);
  requireEqual(body['apiVersion'], 'apiVersion', apiVersionOf(resource));
  const metadata = body['metadata'];
  if (!isJsonObject(metadata)) throw fieldError('malformed', 'metadata', 'must be an object with a name');
  checkMetadata(metadata);
  requireEqual(metadata['namespace'], 'metadata.namespace', namespace ?? '');
  if (name !== undefined) {
    requireEqual(metadata['name'], 'metadata.name', name);
    if (metadata['name'] === undefined)
      throw fieldError('malformed', 'metadata.name', `must be there and be "${name}", as in the path`);
  }
  const sent: JsonObject = Object.create(null);
  return Object.assign(sent, body, { kind: resource.kind, apiVersion: apiVersionOf(resource) });
}

/**
 * Checks an object that is to be created: it has no revision yet. What else of `metadata` the API server sets by itself
 * (uid, generation, creationTimestamp) it sets whatever stands there, so that an object which was read can be sent.
 * @throws Refusal `invalid`
 */
export function validateCreate(object: JsonObject): void {
  const stated = isJsonObject(object['metadata']) ? object['metadata']['resourceVersion'] : undefined;
  if (stated === undefined || stated === null || stated === '') return;
  throw fieldError(
    'invalid',
    'metadata.resourceVersion',
    `${formatValue(stated)}: must be absent, for a new object has no revision yet`,
  );
}

/**
 * The resourceVersion that a PUT replaces: of the body, or of `If-Match`, which then is written into a copy.
 * @throws Refusal when both are given and differ, or neither is; for one in the body that no object can have
 */
export function withResourceVersion(object: JsonObject, revision: string | undefined): JsonObject {
  const metadata = object['metadata'];
  if (!isJsonObject(metadata)) return object;
  const stated = metadata['resourceVersion'];
  const absent = stated === undefined || stated === null || stated === '';
  if (revision === undefined) {
    if (absent)
      throw fieldError(
        'invalid',
        'metadata.resourceVersion',
        'must be the one that was read: it, or If-Match, says which state is replaced',
      );
    if (typeof stated === 'string' && isResourceVersion(stated)) return object;
    throw fieldError(
      'invalid',
      'metadata.resourceVersion',
      `${formatValue(stated)}: must be one that was read, which is a whole number in quotes`,
    );
  }
  if (!absent && stated !== revision) {
    throw new StatusError('precondition', {
      message: 'metadata.resourceVersion and If-Match name different revisions',
    });
  }
  const copy: JsonObject = Object.create(null);
  const metadataCopy: JsonObject = Object.create(null);
  return Object.assign(copy, object, {
    metadata: Object.assign(metadataCopy, metadata, { resourceVersion: revision }),
  });
}

function requireEqual(value: JsonValue | undefined, field: string, wanted: string): void {
  if (value === undefined || value === wanted) return;
  const rule = wanted === '' ? 'must be absent: the object has no namespace' : `must be "${wanted}", as in the path`;
  throw fieldError('malformed', field, `${formatValue(value)}: ${rule}`);
}
