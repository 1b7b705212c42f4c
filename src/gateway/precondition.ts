import { header, type HeaderMap } from './headers.js';
import { Refusal } from './refusal.js';

const ENTITY_TAG = /^"([\x21\x23-\x7e]{1,128})"$/;
const REVISION = /^[A-Za-z0-9]{1,64}$/;
/** Conditions that are not offered: to pass a write on without one would do what the client meant to prevent. */
const OTHERS = ['if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'content-range'];

/**
 * The resourceVersion that the object must have for a write to be done, from `If-Match`; undefined for any (`*` or no
 * header).
 * @throws Refusal `malformed` for what is no entity tag and for other conditions, `precondition` for one that no object has
 */
export function revisionWanted(headers: HeaderMap): string | undefined {
  for (const name of OTHERS) {
    if (headers.has(name)) throw new Refusal('malformed', { message: `header ${name} is not supported for writes` });
  }
  const value = header(headers, 'if-match');
  if (value === undefined || value === '*') return undefined;
  const tag = ENTITY_TAG.exec(value)?.[1];
  if (tag === undefined) throw new Refusal('malformed', { message: 'header if-match must be one quoted entity tag, or *' });
  if (!REVISION.test(tag)) throw new Refusal('precondition', { message: 'header if-match names no revision of the object' });
  return tag;
}

/** The entity tag of a revision; undefined for what is none. */
export function entityTag(resourceVersion: unknown): string | undefined {
  return typeof resourceVersion === 'string' && REVISION.test(resourceVersion) ? `"${resourceVersion}"` : undefined;
}
