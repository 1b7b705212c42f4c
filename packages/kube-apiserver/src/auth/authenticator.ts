import { createHash } from 'node:crypto';
import type { UserInfo } from '../user.js';

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** The user of a token, and the requested audiences that it is valid for. */
export interface Authenticated {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/** Why a token is invalid, as TokenReview shows it. */
export interface InvalidToken {
  readonly problem: string;
}

/** Checks one type of tokens; undefined for tokens of another type. */
export type TokenCheck = (token: string, audiences: readonly string[]) => Authenticated | InvalidToken | undefined;

/** A token that never expires. */
export interface StaticToken {
  readonly token: string;
  readonly user: string;
  readonly uid?: string;
  /** Without system:authenticated, which is added. */
  readonly groups?: readonly string[];
}

/** Tokens from the server's configuration; they are valid for the API's own audiences. */
export function staticTokens(tokens: readonly StaticToken[], own: readonly string[]): TokenCheck {
  const users = new Map<string, UserInfo>();
  for (const { token, user, uid, groups = [] } of tokens) {
    users.set(digest(token), { name: user, ...(uid === undefined ? {} : { uid }), groups: [...groups, AUTHENTICATED] });
  }
  return (token, audiences) => {
    // Looked up by hash: the time that it takes reveals nothing about a guess.
    const user = users.get(digest(token));
    const good = audiences.filter((one) => own.includes(one));
    return user === undefined || good.length === 0 ? undefined : { user, audiences: good };
  };
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

export interface Authenticator {
  /**
   * The user of an Authorization header: {@link ANONYMOUS} without a bearer token, undefined for an invalid one. `warn`
   * receives a warning about a token that is ignored.
   */
  request(authorization: string | undefined, warn?: (text: string) => void): UserInfo | undefined;
  /** For TokenReview. `audiences` are those of the review; defaults to the API's own. */
  token(token: string, audiences: readonly string[]): Authenticated | InvalidToken;
}

const UNKNOWN = 'invalid bearer token';

export function createAuthenticator(checks: readonly TokenCheck[], own: readonly string[]): Authenticator {
  const check = (token: string, audiences: readonly string[]): Authenticated | InvalidToken => {
    const problems: string[] = [UNKNOWN];
    for (const one of checks) {
      const found = one(token, audiences);
      if (found !== undefined && 'user' in found) return found;
      if (found !== undefined) problems.push(found.problem);
    }
    return { problem: problems.length === 1 ? UNKNOWN : `[${problems.join(', ')}]` };
  };
  return {
    request(authorization, warn) {
      const token = bearer(authorization, warn);
      if (token === undefined) return ANONYMOUS;
      const found = check(token, own);
      return 'user' in found ? found.user : undefined;
    },
    token: (token, audiences) => check(token, audiences.length === 0 ? own : audiences),
  };
}

function bearer(authorization: string | undefined, warn?: (text: string) => void): string | undefined {
  const [scheme = '', token = '', ...more] = (authorization ?? '').trim().split(' ');
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  if (token === '' && more.length > 0)
    warn?.('the provided Authorization header contains extra space before the bearer token, and is ignored');
  return token === '' ? undefined : token;
}
