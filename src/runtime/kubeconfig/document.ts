import path from 'node:path';
import type { Cluster, Context, User } from '@kubernetes/client-node';
import { readYamlBytes } from '@multicluster-engine/values/yaml';
import { isRecord, recordsIn, type JsonRecord } from '../vocabulary/json.js';
import { KubeconfigError } from '../transport/credentials.js';

/**
 * The parts of a kubeconfig file (`clientcmd/api/v1`), with those that client-node leaves out. A text that is not set is empty, as
 * in Go; data are base64; paths of files are absolute.
 */

export interface ClusterEntry extends Required<Cluster> {
  readonly disableCompression: boolean;
  /** What a plugin is told besides the cluster: the extension `client.authentication.k8s.io/exec`. */
  readonly pluginConfig: unknown;
}

export interface PluginEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export interface UserEntry extends Required<User> {
  readonly exec: PluginEntry | undefined;
  readonly authProvider: AuthProviderEntry | undefined;
  readonly tokenFile: string;
  readonly impersonateUid: string;
  readonly impersonateGroups: readonly string[];
  readonly impersonateExtra: Readonly<Record<string, readonly string[]>>;
}

export interface AuthProviderEntry {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

export interface ContextEntry extends Required<Context> {
  /** The kubeconfig file. */
  readonly file: string;
}

export interface KubeconfigDocument {
  readonly file: string;
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

const PLUGIN_EXTENSION = 'client.authentication.k8s.io/exec';
/** The versions of a plugin that existed before `interactiveMode`. */
const OLD_PLUGINS = /^client\.authentication\.k8s\.io\/v1(alpha|beta)1$/;

export const NO_CLUSTER = clusterIn({}, '', 'cluster', '');
export const NO_USER = userIn({}, '', 'user', '');
export const NO_CONTEXT = contextIn({}, '', 'context', '');

/**
 * Reads the first document of a file. Unknown fields are passed over. `file`: its path, which those in it are relative to.
 * @throws KubeconfigError that names the field and the rule, and quotes no value: it may be a secret
 */
export function parseKubeconfig(bytes: Uint8Array, file: string): KubeconfigDocument {
  const document = firstDocument(bytes);
  if (document === null) return documentIn({}, file);
  if (!isRecord(document)) throw new KubeconfigError('not a kubeconfig: it must be a map of fields');
  const version = textOf(document, 'apiVersion', '');
  const kind = textOf(document, 'kind', '');
  if (!['', 'v1'].includes(version) || !['', 'Config'].includes(kind))
    throw new KubeconfigError('not a kubeconfig: kind must be Config, and apiVersion v1');
  return documentIn(document, file);
}

function firstDocument(bytes: Uint8Array): unknown {
  try {
    return readYamlBytes(bytes).value;
  } catch {
    // The message of a YAML error quotes lines of the file, tokens included.
    throw new KubeconfigError('not valid YAML');
  }
}

function documentIn(document: JsonRecord, file: string): KubeconfigDocument {
  return {
    file,
    currentContext: textOf(document, 'current-context', ''),
    clusters: named(document, 'clusters', 'cluster', (...entry) => clusterIn(...entry, file)),
    users: named(document, 'users', 'user', (...entry) => userIn(...entry, file)),
    contexts: named(document, 'contexts', 'context', (...entry) => contextIn(...entry, file)),
  };
}

function named<T>(
  document: JsonRecord,
  list: string,
  key: string,
  read: (entry: JsonRecord, name: string, where: string) => T,
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  for (const [index, entry] of listOf(document, list, '').entries()) {
    const where = `${list}[${index}]`;
    const record = recordFor(entry, where);
    const name = textOf(record, 'name', where);
    if (entries.has(name)) throw new KubeconfigError(`${list}: there are two entries named ${JSON.stringify(name)}`);
    entries.set(name, read(recordFor(record[key], `${where}.${key}`), name, `${where}.${key}`));
  }
  return entries;
}

function clusterIn(entry: JsonRecord, name: string, where: string, file: string): ClusterEntry {
  const extensions = recordsIn(entry['extensions']);
  const names = extensions.map((one) => one['name']);
  const twice = names.find((one, index) => names.indexOf(one) < index);
  if (twice !== undefined)
    throw new KubeconfigError(`${where}.extensions: there are two entries named ${JSON.stringify(twice)}`);
  return {
    name,
    server: textOf(entry, 'server', where),
    tlsServerName: textOf(entry, 'tls-server-name', where),
    skipTLSVerify: flagOf(entry, 'insecure-skip-tls-verify', where),
    caFile: absolute(textOf(entry, 'certificate-authority', where), file),
    caData: dataOf(entry, 'certificate-authority-data', where),
    proxyUrl: textOf(entry, 'proxy-url', where),
    disableCompression: flagOf(entry, 'disable-compression', where),
    pluginConfig: extensions.find((one) => one['name'] === PLUGIN_EXTENSION)?.['extension'],
  };
}

function userIn(entry: JsonRecord, name: string, where: string, file: string): UserEntry {
  const provider = optional(entry, 'auth-provider', where);
  const plugin = optional(entry, 'exec', where);
  const extra = recordFor(entry['as-user-extra'], `${where}.as-user-extra`);
  return {
    name,
    certFile: absolute(textOf(entry, 'client-certificate', where), file),
    certData: dataOf(entry, 'client-certificate-data', where),
    keyFile: absolute(textOf(entry, 'client-key', where), file),
    keyData: dataOf(entry, 'client-key-data', where),
    token: textOf(entry, 'token', where),
    tokenFile: absolute(textOf(entry, 'tokenFile', where), file),
    impersonateUser: textOf(entry, 'as', where),
    impersonateUid: textOf(entry, 'as-uid', where),
    impersonateGroups: textsOf(entry, 'as-groups', where),
    impersonateExtra: Object.fromEntries(
      Object.keys(extra).map((key) => [key, textsOf(extra, key, `${where}.as-user-extra`)]),
    ),
    username: textOf(entry, 'username', where),
    password: textOf(entry, 'password', where),
    authProvider: provider && providerIn(provider, `${where}.auth-provider`),
    exec: plugin && pluginIn(plugin, `${where}.exec`, file),
  };
}

function providerIn(entry: JsonRecord, where: string): AuthProviderEntry {
  const config = recordFor(entry['config'], `${where}.config`);
  return {
    name: textOf(entry, 'name', where),
    config: Object.fromEntries(Object.keys(config).map((key) => [key, textOf(config, key, `${where}.config`)])),
  };
}

function pluginIn(entry: JsonRecord, where: string, file: string): PluginEntry {
  const command = textOf(entry, 'command', where);
  const apiVersion = textOf(entry, 'apiVersion', where);
  const mode = textOf(entry, 'interactiveMode', where);
  return {
    // A path where it has a separator, else a name on the PATH.
    command: command.includes(path.sep) ? absolute(command, file) : command,
    args: textsOf(entry, 'args', where),
    env: listOf(entry, 'env', where).map((one, index) => {
      const at = `${where}.env[${index}]`;
      const variable = recordFor(one, at);
      return { name: textOf(variable, 'name', at), value: textOf(variable, 'value', at) };
    }),
    apiVersion,
    installHint: textOf(entry, 'installHint', where),
    provideClusterInfo: flagOf(entry, 'provideClusterInfo', where),
    interactiveMode: mode === '' && OLD_PLUGINS.test(apiVersion) ? 'IfAvailable' : mode,
  };
}

function contextIn(entry: JsonRecord, name: string, where: string, file: string): ContextEntry {
  return {
    name,
    file,
    cluster: textOf(entry, 'cluster', where),
    user: textOf(entry, 'user', where),
    namespace: textOf(entry, 'namespace', where),
  };
}

/** Null counts as not set, as for Go's reader. */
function recordFor(value: unknown, where: string): JsonRecord {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw new KubeconfigError(`${where}: must be a map of fields`);
  return value;
}

function optional(entry: JsonRecord, key: string, where: string): JsonRecord | undefined {
  const value = entry[key];
  return value === undefined || value === null ? undefined : recordFor(value, `${where}.${key}`);
}

function listOf(entry: JsonRecord, key: string, where: string): readonly unknown[] {
  const value = entry[key] ?? [];
  if (!Array.isArray(value)) throw new KubeconfigError(`${pathOf(where, key)}: must be a list`);
  return value;
}

function textOf(entry: JsonRecord, key: string, where: string): string {
  return textFor(entry[key], pathOf(where, key));
}

function textsOf(entry: JsonRecord, key: string, where: string): readonly string[] {
  return listOf(entry, key, where).map((value, index) => textFor(value, `${pathOf(where, key)}[${index}]`));
}

function textFor(value: unknown, where: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string')
    throw new KubeconfigError(`${where}: must be a string; put quotes around a number, a date, true or false`);
  return value;
}

function flagOf(entry: JsonRecord, key: string, where: string): boolean {
  const value = entry[key] ?? false;
  if (typeof value !== 'boolean') throw new KubeconfigError(`${pathOf(where, key)}: must be true or false`);
  return value;
}

function dataOf(entry: JsonRecord, key: string, where: string): string {
  const text = textOf(entry, key, where).replaceAll(/[\r\n]/g, '');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new KubeconfigError(`${pathOf(where, key)}: must be base64`);
  return text;
}

function pathOf(where: string, key: string): string {
  return where === '' ? key : `${where}.${key}`;
}

function absolute(text: string, file: string): string {
  return text === '' ? '' : path.resolve(path.dirname(file), text);
}
