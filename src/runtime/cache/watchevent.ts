import type { KubeObject } from '../vocabulary/meta.js';
import type { FailedCall } from '../errors.js';
import { errorFromResponse, malformed } from '../transport/apierror.js';
import { field, isRecord, parseJson, textField } from '../vocabulary/json.js';
import { objectOf, type Shape } from '../client/object.js';
import { LONGEST_RETRY_AFTER_MS } from '../transport/retry.js';

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly resourceVersion: string }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** The watch began with the state (`sendInitialEvents`), and this ends it. */
      readonly endsInitialEvents: boolean;
    };

/** Annotation of the bookmark after the initial events (https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * One line of a watch.
 * @throws ApiError: for an ERROR event by its code (410 is Gone); Malformed for a line that is not an event.
 */
export function parseEvent<T extends KubeObject>(line: string, shape: Shape, call: FailedCall): WatchEvent<T> {
  const event = parseJson(line);
  if (!isRecord(event)) throw malformed(call, 'a line of the watch is not a JSON object');
  const type = textField(event, 'type');
  const object = field(event, 'object');
  if (type === 'ERROR') throw statusFailure(object, call);
  const metadata = field(object, 'metadata');
  const resourceVersion = textField(metadata, 'resourceVersion');
  if (resourceVersion === '') throw malformed(call, 'an event without metadata.resourceVersion');
  if (type === 'BOOKMARK') {
    const endsInitialEvents = textField(field(metadata, 'annotations'), INITIAL_EVENTS_END) === 'true';
    return { type, resourceVersion, endsInitialEvents };
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')
    throw malformed(call, `an event of unknown type "${type.slice(0, 32)}"`);
  return { type, object: objectOf<T>(object, shape, call), resourceVersion };
}

function statusFailure(status: unknown, call: FailedCall): Error {
  const code = field(status, 'code');
  if (typeof code !== 'number') return malformed(call, 'an ERROR event without a code');
  const seconds = field(field(status, 'details'), 'retryAfterSeconds');
  const retryAfterMs =
    typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS) : undefined;
  return errorFromResponse({ status: code, body: status, retryAfterMs }, call);
}
