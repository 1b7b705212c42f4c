import { isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import { readBody } from '../../schema/body/parse.js';
import { goQuote } from '@multicluster-engine/values/text';
import { MalformedBody } from '@multicluster-engine/values/read/malformed';
import { badRequest } from '../../status.js';
import { goKind } from '../gotypes.js';

/** The start of a page: after `key`, in the state of `revision`; -1 means the newest state. */
export interface Position {
  readonly revision: number;
  /** The first key that may be on the page, relative to the prefix of the list. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

/**
 * A continue token in kube-apiserver's format; `after` is the key of the last object of a page, relative to the list's
 * prefix.
 */
export function encodeContinue(revision: number, after: string): string {
  return encodePosition({ revision, start: `${after}\u0000` });
}

export function encodePosition({ revision, start }: Position): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `/${start}` })).toString('base64url');
}

/** Throws 400 for an invalid token. */
export function decodeContinue(token: string): Position {
  const { v, rv, start } = parse(token);
  for (const [field, value, type] of [
    ['v', v, 'string'],
    ['rv', rv, 'number'],
    ['start', start, 'string'],
  ] as const) {
    if (value !== undefined && value !== null && typeof value !== type)
      throw wrongType(
        goKind(value),
        `Go struct field continueToken.${field} of type ${type === 'number' ? 'int64' : type}`,
      );
  }
  if (v !== VERSION)
    throw unreadable(
      `continue key is not valid: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`,
    );
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw unreadable(`continue key is not valid: incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '')
    throw unreadable(`continue key is not valid: encoded start key empty (version ${VERSION})`);
  const path = start.startsWith('/') ? start : `/${start}`;
  const parts = path.slice(1).split('/');
  const clean = parts.every(
    (part, index) => part !== '.' && part !== '..' && (part !== '' || (index === 0 && parts.length === 1)),
  );
  if (!clean) throw unreadable(`continue key is not valid: ${start}`);
  return { revision: rv, start: path.slice(1) };
}

function parse(token: string): { readonly [key: string]: Json | undefined } {
  if (!/^[A-Za-z0-9_-]*$/.test(token) || token.length % 4 === 1) {
    const at = token.search(/[^A-Za-z0-9_-]/);
    throw unreadable(
      `continue key is not valid: illegal base64 data at input byte ${at < 0 ? Math.max(token.length - 1, 0) : at}`,
    );
  }
  const bytes = Buffer.from(token, 'base64url');
  const [first = 0] = bytes;
  // The error shows a byte that starts no UTF-8 text as the character of that number.
  if (first >= 0x80)
    throw unreadable(
      `continue key is not valid: invalid character '${goQuote(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`,
    );
  let kind = '';
  try {
    const { value } = readBody(bytes, 'json');
    if (isObject(value) || value === null) return value ?? {};
    kind = goKind(value);
  } catch (error) {
    if (error instanceof MalformedBody) throw unreadable(`continue key is not valid: ${error.message}`);
    throw error;
  }
  throw wrongType(kind, 'Go value of type storage.continueToken');
}

function wrongType(kind: string, where: string): Error {
  return unreadable(`continue key is not valid: json: cannot unmarshal ${kind} into ${where}`);
}

function unreadable(why: string): Error {
  return badRequest(`invalid continue token: ${why}`);
}
