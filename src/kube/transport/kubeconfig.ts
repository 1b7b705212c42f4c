import type { RequestOptions } from 'node:https';
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node';
import { load as parseYaml } from 'js-yaml';
import { errorCode, type CredentialLoader, type Credentials, type TlsMaterial } from './credentials.js';
import { field, textField } from '../../api/json.js';
import { KubeconfigError } from './kubeconfigerror.js';

export interface KubeconfigOptions {
  /** A kubeconfig file; the only source then. */
  readonly path?: string;
  /** A context of the file, instead of its current one. */
  readonly context?: string;
  /** The user that every request is to be sent as. */
  readonly impersonate?: string;
  /** Prefix of the folder in which a pod's ServiceAccount token is mounted. */
  readonly mountPrefix?: string;
}

export interface Kubeconfig extends CredentialLoader {
  /** Where the configuration comes from, for messages. */
  readonly source: string;
  /** Address of the API server. */
  readonly server: string;
  /** Name of the context. */
  readonly context: string;
  /** Namespace of the context; undefined without one. */
  readonly namespace: string | undefined;
}

/** Error code or name to what it means for the user. */
const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  YAMLException: 'not valid YAML',
};

/**
 * Finds the configuration of the API server: the file `path`; else the ServiceAccount of the pod;
 * else the usual kubeconfig rules (`KUBECONFIG`, then `~/.kube/config`).
 *
 * Every load reads the files again: kubeconfig, CA, certificate, key and token. Tokens of exec and auth-provider plugins
 * are cached until they expire or a fresh load is requested.
 * Caveat: with several files in `KUBECONFIG`, `tokenFile` is supported in the first one only.
 * @throws KubeconfigError that names the source and the rule when there is none, or when it cannot be used.
 */
export function loadKubeconfig(options: KubeconfigOptions = {}): Kubeconfig {
  const found = withContext(find(options), options.context);
  const { cluster } = currentOf(found);
  const context = found.config.getCurrentContext();
  const namespace = found.config.getContextObject(context)?.namespace;
  const load = loaderOf({ ...found, impersonate: options.impersonate });
  return { source: found.source, server: cluster.server, context, namespace, load };
}

/** The names of all contexts, in the order of the kubeconfig. @throws KubeconfigError as {@link loadKubeconfig}. */
export function contextNames(options: KubeconfigOptions = {}): readonly string[] {
  return find(options)
    .config.getContexts()
    .map(({ name }) => name);
}

/** With `context` as the current one at every load. */
function withContext(found: FoundConfig, context: string | undefined): FoundConfig {
  if (context === undefined) return found;
  const select = (config: FileConfig): FileConfig => {
    config.setCurrentContext(context);
    return config;
  };
  if (found.config.getContextObject(context) === null)
    throw new KubeconfigError(`${found.source}: there is no context ${JSON.stringify(context)}`);
  return { ...found, config: select(found.config), read: () => select(found.read()) };
}

interface FoundConfig {
  readonly source: string;
  readonly impersonate?: string | undefined;
  readonly config: FileConfig;
  readonly read: () => FileConfig;
}

function find(options: KubeconfigOptions): FoundConfig {
  const file = options.path;
  if (file !== undefined)
    return foundBy({ source: `kubeconfig ${file}`, remedy: 'name another file with --kubeconfig' }, () =>
      FileConfig.from((config) => config.loadFromFile(file)),
    );
  const inCluster = podConfig(options.mountPrefix ?? '');
  if (inCluster !== undefined) return inCluster;
  return foundBy({ source: 'default kubeconfig', remedy: 'correct KUBECONFIG, or name a file with --kubeconfig' }, () =>
    FileConfig.from((config) => config.loadFromDefault()),
  );
}

interface Origin {
  readonly source: string;
  /** What to do when it cannot be read. */
  readonly remedy: string;
}

function foundBy({ source, remedy }: Origin, read: () => FileConfig): FoundConfig {
  try {
    return { source, read, config: read() };
  } catch (error) {
    const file = textField(error, 'path');
    const code = errorCode(error);
    // The message of a YAML error quotes lines of the file, tokens included.
    throw new KubeconfigError(
      `${file === '' ? source : `kubeconfig ${file}`} cannot be read: ${READ_ERRORS[code] ?? code}; ${remedy}`,
    );
  }
}

function podConfig(prefix: string): FoundConfig | undefined {
  const read = (): FileConfig => FileConfig.from((config) => config.loadFromCluster(prefix));
  const config = read();
  // Outside a pod client-node builds the URL from unset variables, which gives an invalid one.
  if (URL.canParse(config.getCurrentCluster()?.server ?? '') === false) return undefined;
  return { source: 'in-cluster ServiceAccount', config, read };
}

function currentOf(found: FoundConfig): { cluster: Cluster; user: User } {
  const cluster = found.config.getCurrentCluster();
  const user = found.config.getCurrentUser();
  if (cluster === null)
    throw new KubeconfigError(`${found.source}: the current context names no cluster that the file defines`);
  if (user === null)
    throw new KubeconfigError(`${found.source}: the current context names no user that the file defines`);
  if (found.config.isFallback(cluster))
    throw new KubeconfigError('no kubeconfig was found: give --kubeconfig, set KUBECONFIG, or run in a pod');
  if (cluster.proxyUrl?.startsWith('socks') === true)
    throw new KubeconfigError(
      `${found.source}: proxy-url "${cluster.proxyUrl}": only http and https proxies are supported`,
    );
  return { cluster, user };
}

function loaderOf(first: FoundConfig): CredentialLoader['load'] {
  let config = first.config;
  return async (fresh) => {
    const next = first.read();
    const unchanged = next.exportConfig() === config.exportConfig();
    if (fresh || !unchanged || !usesPlugin(next)) config = next;
    return credentialsOf({ ...first, config });
  };
}

function usesPlugin(config: FileConfig): boolean {
  const user = config.getCurrentUser();
  return user !== null && (Boolean(user.exec) || Boolean(user.authProvider));
}

async function credentialsOf(found: FoundConfig): Promise<Credentials> {
  const { cluster, user } = currentOf(found);
  const options: RequestOptions = {};
  await found.config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = String(value).trim();
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  const tokenFile = found.config.tokenFileOf(user);
  if (tokenFile !== undefined) headers['Authorization'] = `Bearer ${await tokenIn(tokenFile)}`;
  if (found.impersonate !== undefined) headers['Impersonate-User'] = found.impersonate;
  return {
    server: cluster.server,
    headers,
    tls: tlsOf(options, cluster),
    ...(cluster.proxyUrl === undefined ? {} : { proxy: cluster.proxyUrl }),
  };
}

async function tokenIn(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`token file ${file} is empty`);
  return token;
}

function tlsOf(options: RequestOptions, cluster: Cluster): TlsMaterial {
  const { ca, cert, key } = options;
  return {
    ...(isMaterial(ca) ? { ca } : {}),
    ...(isMaterial(cert) ? { cert } : {}),
    ...(isMaterial(key) ? { key } : {}),
    ...(cluster.tlsServerName === undefined ? {} : { servername: cluster.tlsServerName }),
    rejectUnauthorized: !cluster.skipTLSVerify,
  };
}

function isMaterial(value: unknown): value is string | Buffer {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

/** client-node's KubeConfig, which drops `tokenFile`, with the token files. */
class FileConfig extends KubeConfig {
  readonly #tokenFiles = new Map<string, string>();

  static from(load: (config: FileConfig) => void): FileConfig {
    const config = new FileConfig();
    load(config);
    return config;
  }

  /** The user's token file; undefined when there is none. */
  tokenFileOf(user: User): string | undefined {
    const provider: unknown = user.authProvider;
    if (textField(provider, 'name') === 'tokenFile') return textField(field(provider, 'config'), 'tokenFile');
    return this.#tokenFiles.get(user.name);
  }

  /** Whether this is http://localhost:8080, client-node's default when it finds no configuration. */
  isFallback(cluster: Cluster): boolean {
    return this.currentContext === 'loaded-context' && cluster.server === 'http://localhost:8080';
  }

  override loadFromString(text: string, options?: Parameters<KubeConfig['loadFromString']>[1]): void {
    super.loadFromString(text, options);
    const users: unknown = field(parseYaml(text), 'users');
    if (!Array.isArray(users)) return;
    for (const entry of users) {
      const file = textField(field(entry, 'user'), 'tokenFile');
      if (file !== '') this.#tokenFiles.set(textField(entry, 'name'), file);
    }
  }

  override makePathsAbsolute(root: string): void {
    super.makePathsAbsolute(root);
    for (const [user, file] of this.#tokenFiles) this.#tokenFiles.set(user, path.resolve(root, file));
  }
}
