import { BlockList, isIP } from 'node:net';
import type { Environment } from '../flags/flags.js';
import { isLoopback } from '../http/host.js';

/** Where a kubeconfig is, and through which proxy a server is reached, is said by variables of other programs too. */
export function processEnvironment(): Environment {
  // oxlint-disable-next-line no-restricted-properties -- these are no settings of this program: they are those of client-go
  return process.env;
}

/** Proxies, as Go's net/http has them. */

const PROXY_SCHEMES: readonly string[] = ['http:', 'https:', 'socks5:'];
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** What is wrong with a `proxy-url`; undefined: nothing. The URL may have a password, so it is not quoted. */
export function proxyUrlFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'it must be a URL';
  return PROXY_SCHEMES.includes(new URL(url).protocol) ? undefined : 'its scheme must be http, https or socks5';
}

/**
 * The proxy that the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for a server; undefined: none. Never one for
 * `localhost` or a loopback address.
 */
export function proxyFromEnvironment(server: URL, env: Environment): string | undefined {
  const isSecure = server.protocol === 'https:';
  const named = isSecure ? variable(env, 'HTTPS_PROXY') : variable(env, 'HTTP_PROXY');
  if (named === '') return undefined;
  // A web server hands the header Proxy of a request to its programs in this variable.
  if (!isSecure && (env['REQUEST_METHOD'] ?? '') !== '') return undefined;
  if (!usesProxy(server, variable(env, 'NO_PROXY'))) return undefined;
  const isWhole = URL.canParse(named) && [...PROXY_SCHEMES, 'socks5h:'].includes(new URL(named).protocol);
  return isWhole ? named.replace(/^socks5h:/, 'socks5:') : `http://${named}`;
}

function variable(env: Environment, name: string): string {
  const upper = env[name] ?? '';
  return upper === '' ? (env[name.toLowerCase()] ?? '') : upper;
}

function usesProxy(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return false;
  const port = server.port === '' ? (DEFAULT_PORTS[server.protocol] ?? '') : server.port;
  const rules = noProxy.split(',').map((rule) => rule.trim().toLowerCase());
  return !rules.some((rule) => rule !== '' && excludes(rule, host, port));
}

function excludes(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return isInNetwork(rule, host);
  const [, bracketed, plain = '', rulePort] =
    /^(?:\[(.*)\]|(.*?))(?::(\d+))?$/.exec(isIP(rule) === 6 ? `[${rule}]` : rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const name = bracketed ?? plain;
  if (isIP(name) > 0) return name === host;
  const domain = name.replace(/^\*\./, '.');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function isInNetwork(rule: string, host: string): boolean {
  const [address = '', bits] = rule.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits ?? '')) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(address, Number(bits), type);
  return list.check(host, type);
}
