import type { JsonObject } from '../object/document.js';
import { parseBody } from './body.js';
import type { Format } from './media.js';
import {
  requireSpec,
  validateCreate,
  validateTarget,
  withResourceVersion,
  type ObjectAction,
  type Target,
} from './target.js';

/** What the object in a body has to agree with. A plain value: it is sent to another thread. */
export interface ObjectRequest {
  readonly action: ObjectAction;
  readonly target: Target;
  /** The resourceVersion of `If-Match`; undefined for any. */
  readonly resourceVersion: string | undefined;
  readonly format: Format;
}

/**
 * The object to send to the API server, JSON: the one in the body, checked against the request. Time and memory are
 * proportional to the size of the body.
 * @throws StatusError
 */
export function objectToSend(bytes: Uint8Array, request: ObjectRequest): string {
  return JSON.stringify(checkedObject(bytes, request));
}

function checkedObject(bytes: Uint8Array, { action, target, resourceVersion, format }: ObjectRequest): JsonObject {
  const object = validateTarget(parseBody(bytes, format), target);
  if (action === 'create') validateCreate(object);
  const sent = action === 'create' ? object : withResourceVersion(object, resourceVersion);
  requireSpec(sent, target, action);
  return sent;
}
