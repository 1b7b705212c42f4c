import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLoopback } from '../../runtime/http/host.js';
import type { Session } from '../wire/answer.js';
import type { Found, Hub } from './routes.js';

/** What keeps other sites out: the name of this host, and where a request comes from. */

/** All that the page loads comes from this server; scripts cannot make markup, and nothing may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "trusted-types 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The headers of every response. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** A request to the API. */
export interface Visit {
  readonly request: IncomingMessage;
  /** Scheme, host and port by which the server was asked. */
  readonly origin: string;
  /** Reads the JSON of its body, which is short. @throws RequestError */
  readonly body: () => Promise<unknown>;
}

/** Who may ask, and whose rights answers are made with. */
export interface Entrance {
  /** Scheme, host and port of a request for this server; undefined for every other host. */
  readonly originOf: (headers: IncomingHttpHeaders, port: number) => string | undefined;
  /** POST trades the code of a link for a key, DELETE forgets who asks, GET says who that is; undefined where nobody is left. @throws RequestError */
  readonly session: (visit: Visit) => Promise<Session | undefined>;
  /** Answers for whoever sends a credential. `path`: of the route. @throws RequestError without one, or beyond a limit. */
  readonly enter: (visit: Visit, path: string, work: Work) => Promise<void>;
}

export interface Work {
  readonly answer: (hub: Hub) => Promise<Found>;
  /** Resolves when the answer was read, or given up. */
  readonly send: (found: Found) => Promise<void>;
}

/** The host of a Host header with the port that this server has; undefined for every other one. */
export function ownHost({ host = '' }: IncomingHttpHeaders, port: number): string | undefined {
  const [, name = '', given = '80'] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(host) ?? [];
  return isLoopback(name) && Number(given) === port ? host : undefined;
}

/**
 * Whether no other site, and no other port of this host, has made the browser of a person send the request: a proxy may add
 * credentials to all that the browser sends. Without a browser there is no other site.
 */
export function isOwn({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, own: string): boolean {
  if (origin !== undefined && origin !== own) return false;
  return site === undefined || site === 'same-origin';
}

const BEARER = /^Bearer +(\S+)$/i;

/** What the request proves who asks with; undefined where it has no such header, empty where that is of another kind. */
export function bearerOf({ request: { headers } }: Visit): string | undefined {
  const { authorization } = headers;
  return authorization === undefined ? undefined : (BEARER.exec(authorization)?.[1] ?? '');
}
