import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../runtime/https/host.js';

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

/** The host of a Host header with the port that this server has; undefined for every other one. */
export function ownHost({ host = '' }: IncomingHttpHeaders, port: number): string | undefined {
  const [, name = '', given = '80'] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(host) ?? [];
  return isLoopback(name) && Number(given) === port ? host : undefined;
}

/** Whether the page itself sends the request: no other site, no other port of this host, no tool without a browser. */
export function isOwnPage(headers: IncomingHttpHeaders, host: string): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return site === 'same-origin' || (site === undefined && origin !== undefined);
}
