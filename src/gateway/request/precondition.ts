import { header, type HeaderMap } from './headers.js';
import { StatusError } from '../statuserror.js';
import type { Action } from './routes.js';

const ENTITY_TAG = /^"([\x21\x23-\x7e]{1,128})"$/;
/** Conditions that are not supported. They are rejected: ignoring one would do what the client wants to prevent. */
const UNSUPPORTED = ['if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'content-range'];
/** A resourceVersion that the API server can parse: an unsigned 64-bit integer that is not 0. */
const REVISION = /^[1-9]\d{0,19}$/;
const LARGEST = 2n ** 64n - 1n;

/**
 * Checks that a request has no conditional header that its action does not support.
 * @throws StatusError `malformed`
 */
export function checkConditionalHeaders(headers: HeaderMap, action: Action): void {
  const other = UNSUPPORTED.find((name) => headers.has(name));
  if (other !== undefined) throw new StatusError('malformed', { message: `header ${other} is not supported` });
  if (action === 'update' || action === 'delete' || !headers.has('if-match')) return;
  throw new StatusError('malformed', { message: 'header if-match is supported for PUT and DELETE only' });
}

/**
 * The resourceVersion in `If-Match` that the object must have for a write to be done; undefined for any (`*` or no
 * header).
 * @throws StatusError `malformed` when it is not an entity tag, `precondition` for a tag that no object can have
 */
export function ifMatchRevision(headers: HeaderMap): string | undefined {
  const value = header(headers, 'if-match');
  if (value === undefined || value === '*') return undefined;
  const tag = ENTITY_TAG.exec(value)?.[1];
  if (tag === undefined)
    throw new StatusError('malformed', { message: 'header if-match must be one quoted entity tag, or *' });
  if (!isResourceVersion(tag))
    throw new StatusError('precondition', { message: 'header if-match names no revision of the object' });
  return tag;
}

/** Whether an object can have that resourceVersion. The API server responds to others with 500. */
export function isResourceVersion(text: string): boolean {
  return REVISION.test(text) && BigInt(text) <= LARGEST;
}

/** The entity tag of a resourceVersion; undefined when it is not one. */
export function entityTag(resourceVersion: unknown): string | undefined {
  return typeof resourceVersion === 'string' && isResourceVersion(resourceVersion) ? `"${resourceVersion}"` : undefined;
}
