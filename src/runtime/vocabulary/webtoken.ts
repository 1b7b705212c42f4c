import { isRecord, parseJson, type JsonRecord } from './json.js';

/** Reads JSON web tokens (RFC 7519) that nobody has verified: for words about them, and for no decision. */

/** The claims of a token; undefined for every other text. */
export function claimsIn(token: string): JsonRecord | undefined {
  const [header = '', payload = '', signature] = token.split('.');
  if (signature === undefined || !isRecord(decoded(header))) return undefined;
  const claims = decoded(payload);
  return isRecord(claims) ? claims : undefined;
}

/** The time of `exp`, `nbf` or `iat`, in ms since the epoch; undefined for none, and for one that a Date cannot hold. */
export function timeIn(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds > 0 && seconds < 1e11 ? seconds * 1000 : undefined;
}

function decoded(part: string): unknown {
  return parseJson(Buffer.from(part, 'base64url').toString('utf8'));
}
