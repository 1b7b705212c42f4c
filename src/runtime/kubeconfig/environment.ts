import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
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
  const network = networkIn(rule);
  if (network !== undefined) return contains(network, host);
  const [, bracketed, plain, rulePort = ''] = /^(?:\[([^[\]]*)\]|([^[\]:]*)):([^[\]:]*)$/.exec(rule) ?? [];
  const name = bracketed ?? plain ?? rule;
  if (name === '' || (rulePort !== '' && rulePort !== port)) return false;
  if (isIP(name) > 0) return contains(addresses(name), host);
  const domain = asciiName(name.replace(/^\*\./, '.'));
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

/** The addresses of a network; undefined where the rule is none. */
function networkIn(rule: string): BlockList | undefined {
  const [, address = '', bits = ''] = /^(.*)\/(\d+)$/.exec(rule) ?? [];
  const family = isIP(address);
  return family === 0 || Number(bits) > (family === 6 ? 128 : 32) ? undefined : addresses(address, Number(bits));
}

function addresses(address: string, bits?: number): BlockList {
  const list = new BlockList();
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (bits === undefined) list.addAddress(address, type);
  else list.addSubnet(address, bits, type);
  return list;
}

function contains(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** As URLs have it; a text that is no name stays as it is. */
function asciiName(name: string): string {
  const dot = name.startsWith('.') ? '.' : '';
  const ascii = domainToASCII(name.slice(dot.length));
  return ascii === '' ? name : `${dot}${ascii}`;
}
