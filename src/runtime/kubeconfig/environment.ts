import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Environment } from '../flags/flags.js';
import { isLoopback } from '../http/host.js';
import { bareHost, withoutUser } from '../vocabulary/url.js';
import { KubeconfigError } from '../transport/credentials.js';

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

/** How a server is reached, and where its address comes from, for messages. */
interface Route {
  readonly origin: string;
  /** URL of the proxy. */
  readonly proxy?: string;
}

/** By the variables. Of a server that NO_PROXY keeps from a proxy the origin says so: a message has no other sign of it. */
export function routeFromEnvironment(server: string, origin: string, env: Environment): Route {
  const url = new URL(server);
  const proxy = proxyFromEnvironment(url, env);
  if (proxy !== undefined) return { origin, proxy };
  const exempt = proxyFromEnvironment(url, { ...env, NO_PROXY: '', no_proxy: '' }) !== undefined;
  return { origin: exempt ? `${origin}; NO_PROXY exempts it from the proxy` : origin };
}

/**
 * The proxy that the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for a server; undefined: none. Never one for
 * `localhost` or a loopback address. @throws KubeconfigError with the variable, its value and the rule.
 */
export function proxyFromEnvironment(server: URL, env: Environment): string | undefined {
  const isSecure = server.protocol === 'https:';
  const named = isSecure ? variable(env, 'HTTPS_PROXY') : variable(env, 'HTTP_PROXY');
  if (named === '') return undefined;
  // A web server hands the header Proxy of a request to its programs in this variable.
  if (!isSecure && (env['REQUEST_METHOD'] ?? '') !== '') return undefined;
  if (!usesProxy(server, variable(env, 'NO_PROXY'))) return undefined;
  const isWhole = URL.canParse(named) && [...PROXY_SCHEMES, 'socks5h:'].includes(new URL(named).protocol);
  const url = isWhole ? named.replace(/^socks5h:/, 'socks5:') : `http://${named}`;
  if (URL.canParse(url)) return url;
  const given = JSON.stringify(withoutUser(named));
  const rule = 'must be HOST:PORT, or an http, https or socks5 URL';
  throw new KubeconfigError(`the variable ${isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY'} ${rule}, got ${given}`);
}

function variable(env: Environment, name: string): string {
  const upper = env[name] ?? '';
  return upper === '' ? (env[name.toLowerCase()] ?? '') : upper;
}

function usesProxy(server: URL, noProxy: string): boolean {
  const host = bareHost(server.hostname).toLowerCase();
  if (isLoopback(host)) return false;
  const port = server.port === '' ? (DEFAULT_PORTS[server.protocol] ?? '') : server.port;
  const rules = noProxy.toLowerCase().split(',');
  return !rules.some((rule) => rule.trim() !== '' && excludes(rule, host, port));
}

function excludes(spaced: string, host: string, port: string): boolean {
  const rule = spaced.trim();
  if (rule === '*') return true;
  const addresses = networkIn(rule) ?? networkIn(withoutZeros(spaced));
  if (addresses !== undefined) return contains(addresses, host);
  const [, bracketed, plain, rulePort = ''] = /^(?:\[([^[\]]*)\]|([^[\]:]*)):([^[\]:]*)$/.exec(rule) ?? [];
  const name = bracketed ?? plain ?? rule;
  if (name === '' || (rulePort !== '' && rulePort !== port)) return false;
  const single = network(name);
  if (single !== undefined) return contains(single, host);
  if (isIP(host) > 0) return false;
  const domain = asciiName(name.replace(/^\*\./, '.'));
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

/** Addresses of one family: one of IPv4 that is written as one of IPv6 is one of IPv4. */
interface Network {
  readonly address: string;
  readonly bits: number;
}

/** apimachinery reads networks before net/http does: with zeros before their numbers, and without blanks around them. */
function withoutZeros(rule: string): string {
  return rule.replace(/\b0+(?=[\da-f])/g, '');
}

/** The addresses of a network; undefined where the rule is none. */
function networkIn(rule: string): Network | undefined {
  const [, text = '', bits = ''] = /^(.*)\/(\d+)$/.exec(rule) ?? [];
  return network(text, Number(bits));
}

/** The network of an address. `bits`: the length of its prefix in the family of the text; absent: the whole address. */
function network(text: string, bits?: number): Network | undefined {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 0) return undefined;
  const most = family === 6 ? 128 : 32;
  const given = bits ?? most;
  if (given > most) return undefined;
  const address = family === 6 && given >= MAPPED_BITS ? unmapped(text) : text;
  return { address, bits: isIP(address) === family ? given : given - MAPPED_BITS };
}

const MAPPED_BITS = 96;

/** The address of IPv4 that one of IPv6 stands for; another one as it is. */
function unmapped(text: string): string {
  const [, high = '', low = ''] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(new URL(`http://[${text}]`).hostname) ?? [];
  if (high === '') return text;
  return [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff]).join('.');
}

function contains({ address, bits }: Network, host: string): boolean {
  const one = network(host);
  if (one === undefined || isIP(one.address) !== isIP(address)) return false;
  const list = new BlockList();
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(address, bits, type);
  return list.check(one.address, type);
}

/** As URLs have it; a text that is no name stays as it is. */
function asciiName(name: string): string {
  if (!/^[-.\w\u0080-\uffff]*[\u0080-\uffff][-.\w\u0080-\uffff]*$/.test(name)) return name;
  const dot = name.startsWith('.') ? '.' : '';
  const ascii = domainToASCII(name.slice(dot.length));
  return ascii === '' ? name : `${dot}${ascii}`;
}
