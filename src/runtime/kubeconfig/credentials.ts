import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.js';
import { KubeconfigError, type Credentials, type TlsMaterial } from '../transport/credentials.js';
import { basicAuthorization, serverAddress } from './address.js';
import type { LoginUser } from './clientnode.js';
import type { ClusterEntry, PluginEntry, UserEntry } from './document.js';
import type { Environment } from '../flags/flags.js';
import { routeFromEnvironment } from './environment.js';
import { runPlugin, type PluginCredentials, type PluginRun } from './plugin.js';
import type { Settings } from './settings.js';
import { fileFault } from '../errors.js';
import { authoritiesProblem, inspectKeyPair } from '../vocabulary/keypair.js';

/** What credentials depend on besides the files. */
interface CredentialTools {
  readonly env: Environment;
  /** Whether requests may be sent without credentials, as programs do; kubectl asks for a user name then. */
  readonly allowAnonymous: boolean;
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

/** Who the caller is, and how the server is verified. */
interface Login {
  readonly authorization?: string | undefined;
  readonly tls: TlsMaterial;
  /** For messages: what the server tells the caller by, and where it comes from. */
  readonly presented: string;
}

const NOBODY: Login = { tls: { rejectUnauthorized: true }, presented: 'a request without credentials' };

/** Reads the files that the settings name, and runs the plugin unless its credentials are still valid. */
export class CredentialReader {
  readonly #tools: CredentialTools;
  #plugin: { readonly key: string; readonly credentials: PluginCredentials } | undefined;

  constructor(tools: CredentialTools) {
    this.#tools = tools;
  }

  /** The credentials. `fresh`: runs the plugin in any case. @throws KubeconfigError with the file, the plugin or the field */
  async read(settings: Settings, fresh: boolean): Promise<Credentials> {
    const { cluster, user, origin } = settings;
    const { url, authorization: own } = serverAddress(cluster.server, origin);
    // As client-go: over http nobody's credentials are sent.
    const login = url.startsWith('https:') ? await this.#login(settings, fresh) : NOBODY;
    const authorization = own ?? login.authorization;
    const who = authorization === undefined ? {} : { Authorization: authorization };
    const { proxyUrl: proxy } = cluster;
    return {
      server: url,
      ...(proxy === '' ? routeFromEnvironment(url, origin, this.#tools.env) : { origin, proxy }),
      presented: own === undefined ? login.presented : 'the user name and password in the address',
      headers: headersOf({ ...who, ...impersonation(user) }, origin),
      tls: login.tls,
    };
  }

  async #login(settings: Settings, fresh: boolean): Promise<Login> {
    const { cluster, origin } = settings;
    const { user, presented } = await this.#way(settings);
    const { loginOptions } = await import('./clientnode.js');
    const { ca, cert, key, servername, ...options } = await loginOptions(cluster, user, {
      now: this.#tools.clock.now(),
      runPlugin: (plugin, authorities) => this.#fromPlugin(plugin, { ...cluster, ca: authorities }, fresh),
    });
    const problem = ca && authoritiesProblem(ca.toString(), authorityTitle(cluster));
    if (problem !== undefined) throw new KubeconfigError(`${origin}: ${problem}`);
    const by = user.exec === undefined ? origin : `credential plugin ${user.exec.command}`;
    return {
      authorization: options.auth === undefined ? options.headers?.Authorization : basicAuthorization(options.auth),
      tls: {
        ...(ca && { ca }),
        ...(cert && key && checkedPair({ cert, key }, by)),
        ...(servername && { servername }),
        // The environment never switches it off.
        rejectUnauthorized: options.rejectUnauthorized ?? true,
      },
      presented,
    };
  }

  /** The first way to log in that the user has, in the order of client-go. */
  async #way({ user, origin }: Settings): Promise<Pick<Login, 'presented'> & { readonly user: LoginUser }> {
    const { exec, authProvider, token: _, ...others } = user;
    const name = JSON.stringify(user.name);
    const pair = user.certFile + user.certData === '' ? undefined : `the client certificate of user ${name}`;
    const withPair = (presented: string): string => (pair === undefined ? presented : `${presented}, and ${pair}`);
    const token = await tokenOf(user);
    if (token !== undefined && user.username !== '')
      throw new KubeconfigError(`${origin}: a user name and a token must not both be set`);
    if (token !== undefined) {
      const presented = token.file === undefined ? `the token of user ${name}` : `the token in ${token.file}`;
      return { user: { ...others, token: token.text }, presented: withPair(presented) };
    }
    if (user.username !== '')
      return { user: others, presented: withPair(`the user name and password of user ${name}`) };
    if (pair !== undefined) return { user: others, presented: pair };
    if (exec !== undefined)
      return { user: { ...others, exec }, presented: `the credentials of plugin ${exec.command}` };
    if (authProvider !== undefined)
      return { user: { ...others, authProvider }, presented: `the token of auth-provider ${authProvider.name}` };
    if (this.#tools.allowAnonymous) return { user: others, presented: NOBODY.presented };
    const who = user.name === '' ? 'the context names no user, which' : `user ${name}`;
    throw new KubeconfigError(
      `${origin}: ${who} has no token, certificate, plugin or user name: log in, or correct the user`,
    );
  }

  async #fromPlugin(plugin: PluginEntry, cluster: PluginRun['cluster'], fresh: boolean): Promise<PluginCredentials> {
    const key = JSON.stringify([plugin, cluster]);
    const { env, isTerminal, clock } = this.#tools;
    const kept = this.#plugin;
    const isValid = kept?.key === key && (kept.credentials.expires ?? Infinity) >= clock.now();
    if (isValid && !fresh) return kept.credentials;
    const credentials = await runPlugin({ plugin, cluster, env, isTerminal, clock });
    this.#plugin = { key, credentials };
    return credentials;
  }
}

/** A token file that can be read wins over a token, as for kubectl. */
async function tokenOf({ token, tokenFile }: UserEntry): Promise<Token | undefined> {
  if (tokenFile === '') return token === '' ? undefined : { text: token };
  const read = async (): Promise<Token> => ({ text: await tokenIn(tokenFile), file: tokenFile });
  return token === '' ? read() : read().catch(() => ({ text: token }));
}

interface Token {
  readonly text: string;
  /** Where it was read; undefined: it is in the kubeconfig. */
  readonly file?: string;
}

const TITLES = { certificate: 'the client certificate', key: 'the client key' };

function checkedPair(pair: Required<Pick<TlsMaterial, 'cert' | 'key'>>, origin: string): typeof pair {
  const found = inspectKeyPair({ certificate: String(pair.cert), key: String(pair.key) }, TITLES);
  if (found.kind === 'unusable') throw new KubeconfigError(`${origin}: ${found.problem}`);
  return pair;
}

/** A file of authorities that is empty is refused, where kubectl would trust those of the system instead. */
function authorityTitle({ caFile: file }: ClusterEntry): string {
  return file === '' ? 'certificate-authority-data' : `certificate-authority ${file}`;
}

function impersonation(user: UserEntry): Record<string, string | string[]> {
  const { impersonateUser, impersonateUid, impersonateGroups, impersonateExtra } = user;
  if (impersonateUser === '') return {};
  const extra = Object.entries(impersonateExtra).map(([key, values]) => [
    `Impersonate-Extra-${escaped(key)}`,
    [...values],
  ]);
  return {
    'Impersonate-User': impersonateUser,
    ...(impersonateUid === '' ? {} : { 'Impersonate-Uid': impersonateUid }),
    ...(impersonateGroups.length === 0 ? {} : { 'Impersonate-Group': [...impersonateGroups] }),
    ...(Object.fromEntries(extra) as Record<string, string[]>),
  };
}

/** What may not be in the name of a header, and `%`, as bytes in hexadecimal. */
function escaped(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(letter)
        ? letter
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

// oxlint-disable-next-line no-control-regex -- what a header may not have, as for Go
const CONTROL = /[\0-\b\n-\x1f\x7f]/;

/**
 * Headers as Go sends them: in UTF-8, of which Node takes each byte as a character.
 * @throws KubeconfigError for a value with a line break, which names the header alone: the value may be a secret
 */
export function headersOf(
  values: Readonly<Record<string, string | string[]>>,
  origin: string,
): Record<string, string | string[]> {
  const sent = (name: string, value: string): string => {
    if (CONTROL.test(value))
      throw new KubeconfigError(`${origin}: the header ${name} would have a line break or another control character`);
    return Buffer.from(value).toString('latin1');
  };
  const entries = Object.entries(values).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? sent(name, value) : value.map((one) => sent(name, one)),
  ]);
  return Object.fromEntries(entries);
}

/** The token in a file. @throws KubeconfigError with the file, when it cannot be read or is empty. */
export async function tokenIn(file: string): Promise<string> {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new KubeconfigError(`token file ${file} cannot be read: ${fileFault(error)}`);
  }
  const token = text.trim();
  if (token === '') throw new KubeconfigError(`token file ${file} is empty`);
  return token;
}
