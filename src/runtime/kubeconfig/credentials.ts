import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.js';
import { KubeconfigError, type Credentials, type TlsMaterial } from '../transport/credentials.js';
import { basicAuthorization, serverAddress } from './address.js';
import { authProviderHeader } from './authprovider.js';
import type { ClusterEntry, UserEntry } from './document.js';
import type { Environment } from '../flags/flags.js';
import { routeFromEnvironment } from './environment.js';
import { runPlugin, type PluginCredentials } from './plugin.js';
import type { Settings } from './settings.js';
import { fileFault } from '../errors.js';
import { authoritiesProblem } from '../vocabulary/keypair.js';

/** What credentials depend on besides the files. */
export interface CredentialTools {
  readonly env: Environment;
  /** Whether requests may be sent without credentials, as programs do; kubectl asks for a user name then. */
  readonly allowAnonymous: boolean;
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

interface Pair {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Who the caller is. */
interface Identity {
  readonly authorization: string | undefined;
  readonly pair: Pair | undefined;
  /** For messages: what the server tells the caller by, and where it comes from. */
  readonly presented: string;
}

const ANONYMOUS: Identity = { authorization: undefined, pair: undefined, presented: 'a request without credentials' };

/** Reads the files that the settings name, and runs the plugin unless its credentials are still valid. */
export class CredentialReader {
  readonly #tools: CredentialTools;
  #plugin: { readonly key: string; readonly credentials: PluginCredentials } | undefined;

  constructor(tools: CredentialTools) {
    this.#tools = tools;
  }

  /** `fresh`: runs the plugin in any case. @throws KubeconfigError with the file, the plugin or the field. */
  async read(settings: Settings, fresh: boolean): Promise<Credentials> {
    const { cluster, user, origin } = settings;
    const { url, authorization: own } = serverAddress(cluster.server, origin);
    const isSecure = url.startsWith('https:');
    // As client-go: over http nobody's credentials are sent.
    const identity = isSecure ? await this.#identity(settings, fresh) : ANONYMOUS;
    const authorization = own ?? identity.authorization;
    const who = authorization === undefined ? {} : { Authorization: authorization };
    const { proxyUrl: proxy } = cluster;
    const route = proxy === '' ? routeFromEnvironment(url, origin, this.#tools.env) : { origin, proxy };
    return {
      server: url,
      ...route,
      presented: own === undefined ? identity.presented : 'the user name and password in the address',
      headers: headersOf({ ...who, ...impersonation(user) }, origin),
      tls: isSecure ? tlsOf(cluster, identity.pair, origin) : { rejectUnauthorized: true },
    };
  }

  async #identity(settings: Settings, fresh: boolean): Promise<Identity> {
    const { user, origin } = settings;
    const pair = pairOf(user, origin);
    const token = await tokenOf(user);
    const name = JSON.stringify(settings.userName);
    const withPair = (presented: string): string =>
      pair === undefined ? presented : `${presented}, and the client certificate of user ${name}`;
    if (token !== undefined && user.username !== '')
      throw new KubeconfigError(`${origin}: a user name and a token must not both be set`);
    if (token !== undefined) {
      const source = token.file === undefined ? `the token of user ${name}` : `the token in ${token.file}`;
      return { authorization: `Bearer ${token.text}`, pair, presented: withPair(source) };
    }
    if (user.username !== '') {
      const authorization = basicAuthorization(`${user.username}:${user.password}`);
      return { authorization, pair, presented: withPair(`the user name and password of user ${name}`) };
    }
    if (pair !== undefined)
      return { authorization: undefined, pair, presented: `the client certificate of user ${name}` };
    if (user.plugin !== undefined) return this.#fromPlugin(settings, fresh);
    if (user.authProvider !== undefined) {
      const authorization = await authProviderHeader(user.authProvider);
      return { authorization, pair: undefined, presented: `the token of auth-provider ${user.authProvider.name}` };
    }
    if (this.#tools.allowAnonymous) return ANONYMOUS;
    throw new KubeconfigError(
      `${origin}: ${userText(settings)} has no token, certificate, plugin or user name: log in, or correct the user`,
    );
  }

  async #fromPlugin({ cluster, user: { plugin } }: Settings, fresh: boolean): Promise<Identity> {
    if (plugin === undefined) return ANONYMOUS;
    const key = JSON.stringify([plugin, cluster]);
    const kept = this.#plugin;
    const { env, isTerminal, clock } = this.#tools;
    if (fresh || kept?.key !== key || (kept.credentials.expires ?? Infinity) < clock.now()) {
      const ca = caOf(cluster) ?? Buffer.alloc(0);
      const run = { plugin, cluster: { ...cluster, ca }, env, isTerminal, clock };
      this.#plugin = { key, credentials: await runPlugin(run) };
    }
    const { token = '', certificate = '', key: privateKey = '' } = this.#plugin?.credentials ?? {};
    return {
      presented: `the credentials of plugin ${plugin.command}`,
      authorization: token === '' ? undefined : `Bearer ${token}`,
      pair:
        certificate === ''
          ? undefined
          : checkedPair({ cert: certificate, key: privateKey }, `credential plugin ${plugin.command}`),
    };
  }
}

function userText({ userName }: Settings): string {
  return userName === '' ? 'the context names no user, which' : `user ${JSON.stringify(userName)}`;
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

function pairOf(user: UserEntry, origin: string): Pair | undefined {
  const cert = material('client-certificate', user.clientCertificateData, user.clientCertificate);
  const key = material('client-key', user.clientKeyData, user.clientKey);
  return cert === undefined || key === undefined ? undefined : checkedPair({ cert, key }, origin);
}

function checkedPair(pair: Pair, origin: string): Pair {
  const refuse = (rule: string): KubeconfigError => new KubeconfigError(`${origin}: ${rule}`);
  let certificate, key;
  try {
    certificate = new X509Certificate(pair.cert);
  } catch {
    throw refuse('the client certificate is not a certificate in PEM');
  }
  try {
    key = createPrivateKey(pair.key);
  } catch {
    throw refuse('the client key is not a private key in PEM');
  }
  if (!certificate.checkPrivateKey(key)) throw refuse('the client key does not belong to the client certificate');
  return pair;
}

/** A file of authorities that is empty is refused, where kubectl would trust those of the system instead. */
function tlsOf(cluster: ClusterEntry, pair: Pair | undefined, origin: string): TlsMaterial {
  const ca = caOf(cluster);
  const problem = ca === undefined ? undefined : authoritiesProblem(ca.toString(), authorityTitle(cluster));
  if (problem !== undefined) throw new KubeconfigError(`${origin}: ${problem}`);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...pair,
    ...(cluster.tlsServerName === '' ? {} : { servername: cluster.tlsServerName }),
    rejectUnauthorized: !cluster.insecureSkipTlsVerify,
  };
}

function authorityTitle({ certificateAuthority: file }: ClusterEntry): string {
  return file === '' ? 'certificate-authority-data' : `certificate-authority ${file}`;
}

function caOf({ certificateAuthority, certificateAuthorityData }: ClusterEntry): Buffer | undefined {
  return material('certificate-authority', certificateAuthorityData, certificateAuthority);
}

/** The data, else the content of the file, which is read again at each load. */
function material(field: string, data: Buffer, file: string): Buffer | undefined {
  if (data.length > 0) return data;
  if (file === '') return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new KubeconfigError(`${field}: ${file} cannot be read: ${fileFault(error)}`);
  }
}

function impersonation(user: UserEntry): Record<string, string | string[]> {
  const { impersonate, impersonateUid, impersonateGroups, impersonateExtra } = user;
  if (impersonate === '') return {};
  const extra = Object.entries(impersonateExtra).map(([key, values]) => [
    `Impersonate-Extra-${escaped(key)}`,
    [...values],
  ]);
  return {
    'Impersonate-User': impersonate,
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
