import { header, type HeaderMap } from './headers.js';
import { StatusError } from '../statuserror.js';
import type { Action } from './routes.js';

const ENTITY_TAG = /^"([\x21\x23-\x7e]{1,128})"$/;
/** Conditions that are not offered: to do as if one were not there would do what the client meant to prevent. */
const UNSUPPORTED = ['if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'content-range'];
/** A revision of Kubernetes: what its API server can read as one. */
const REVISION = /^[1-9]\d{0,19}$/;
const LARGEST = 2n ** 64n - 1n;

/**
 * Checks that a request states no condition that is not offered for what it asks.
 * @throws Refusal `malformed`
 */
export function checkConditionalHeaders(headers: HeaderMap, action: Action): void {
  const other = UNSUPPORTED.find((name) => headers.has(name));
  if (other !== undefined) throw new StatusError('malformed', { message: `header ${other} is not supported` });
  if (action === 'update' || action === 'delete' || !headers.has('if-match')) return;
  throw new StatusError('malformed', { message: 'header if-match is for PUT and DELETE alone' });
}

/**
 * The resourceVersion that the object must have for a write to be done, from `If-Match`; undefined for any (`*` or no
 * header).
 * @throws Refusal `malformed` for what is no entity tag, `precondition` for one that no object has
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

/** Whether an object can have that resourceVersion. The API server answers others with 500, so that they stop here. */
export function isResourceVersion(text: string): boolean {
  return REVISION.test(text) && BigInt(text) <= LARGEST;
}

/** The entity tag of a revision; undefined for what is none. */
export function entityTag(resourceVersion: unknown): string | undefined {
  return typeof resourceVersion === 'string' && isResourceVersion(resourceVersion) ? `"${resourceVersion}"` : undefined;
}
