import { timestamp } from '../../runtime/vocabulary/meta.js';
import { field, textField } from '../../runtime/vocabulary/json.js';
import { cleanToken } from '../wire/token.js';
import { claimsIn, timeIn } from '../../runtime/vocabulary/webtoken.js';

/** What can be known of a token without the API server. Only that decides whether it is valid. */

/** The most audiences that are named. */
const MOST_AUDIENCES = 3;
const MOST_AUDIENCE_CHARS = 100;

export interface Claims {
  /** Ms since the epoch. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  /** Who it is made for. */
  readonly audiences: readonly string[];
  /** The namespace of a ServiceAccount; undefined for another user. */
  readonly namespace: string | undefined;
}

/** Why the API server may have refused a token. */
export function refusalText(token: string, now: number): string {
  const claims = claimsOf(token);
  if (claims === undefined) {
    const isEncoded = claimsOf(cleanToken(Buffer.from(token, 'base64').toString('latin1'))) !== undefined;
    return isEncoded
      ? 'this is a token in base64, as a Secret has it: decode it first (base64 -d)'
      : 'the API server does not accept this token, and it is no JSON web token: a part of it may be missing';
  }
  const { expires = Infinity, notBefore = -Infinity } = claims;
  if (expires <= now) return `the token has expired at ${timestamp(expires)}`;
  if (notBefore > now) return `the token is not valid before ${timestamp(notBefore)}`;
  const { audiences } = claims;
  const made = audiences.length === 0 ? '' : ` (it is made for ${audiences.join(', ')})`;
  return `the API server does not accept the token: it was revoked, a part of it is missing, or it is of another cluster or for another audience${made}`;
}

/** The claims of a JSON web token, which nobody has verified; undefined for every other text. */
export function claimsOf(token: string): Claims | undefined {
  const claims = claimsIn(token);
  if (claims === undefined) return undefined;
  const namespace = textField(field(claims, 'kubernetes.io'), 'namespace');
  return {
    expires: timeIn(claims['exp']),
    notBefore: timeIn(claims['nbf']),
    audiences: [claims['aud']]
      .flat()
      .filter((one) => typeof one === 'string')
      .slice(0, MOST_AUDIENCES)
      .map((one) => one.slice(0, MOST_AUDIENCE_CHARS)),
    namespace: namespace === '' ? undefined : namespace,
  };
}
