import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../../runtime/http/host.js';
import type { Session } from '../wire/answer.js';
import type { Hub } from './routes.js';

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

/** Of every response. */
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
  readonly response: ServerResponse;
  /** Scheme, host and port by which the server was asked. */
  readonly origin: string;
  /** Reads the JSON of its body. @throws RequestError */
  readonly body: () => Promise<unknown>;
}

/** Who may ask, and whose rights answers are made with. */
export interface Entrance {
  /** Scheme, host and port of a request for this server; undefined for every other host. */
  readonly originOf: (headers: IncomingHttpHeaders, port: number) => string | undefined;
  /** Whether nothing but the page of this origin, or no browser at all, can have sent the request. */
  readonly isOwn: (headers: IncomingHttpHeaders, origin: string) => boolean;
  /** POST opens a session, DELETE ends it, GET says whose it is; undefined where none is left. @throws RequestError */
  readonly session: (visit: Visit) => Promise<Session | undefined>;
  /** Answers for the person of a session, whom limits know by `person`. `path`: of the route. @throws RequestError without a session, or beyond a limit. */
  readonly enter: <T>(visit: Visit, path: string, work: (hub: Hub, person: string) => Promise<T>) => Promise<T>;
}

/** The host of a Host header with the port that this server has; undefined for every other one. */
export function ownHost({ host = '' }: IncomingHttpHeaders, port: number): string | undefined {
  const [, name = '', given = '80'] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(host) ?? [];
  return isLoopback(name) && Number(given) === port ? host : undefined;
}

/** Whether the page itself sends the request: no other site, no other port of this host, no tool without a browser. */
export function isOwnPage(headers: IncomingHttpHeaders, own: string): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && origin !== own) return false;
  return site === 'same-origin' || (site === undefined && origin !== undefined);
}
