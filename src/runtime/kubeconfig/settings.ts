import { readFileSync, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { meantText } from '@multicluster-engine/values/nearestword';
import {
  NO_CLUSTER,
  NO_CONTEXT,
  NO_USER,
  type ClusterEntry,
  type PluginEntry,
  type UserEntry,
  parseKubeconfig,
  type ContextEntry,
  type KubeconfigDocument,
} from './document.js';
import { KubeconfigError } from '../transport/credentials.js';
import { proxyUrlFault } from './environment.js';
import { fileFault, codeOf } from '../errors.js';
import type { Environment } from '../flags/flags.js';

/** What one context of a kubeconfig says, checked. */
export interface Settings {
  /** Empty without one. */
  readonly context: string;
  /** Undefined without one. */
  readonly namespace: string | undefined;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** `context "hub" of /home/me/.kube/config`, for messages. */
  readonly origin: string;
}

interface SettingsOptions {
  /** Instead of the current context. */
  readonly context: string | undefined;
  /** The user that every request is to be sent as. */
  readonly impersonate: string | undefined;
}

/**
 * The settings of a context; undefined where it has no server, as in no file at all.
 * @throws KubeconfigError where client-go refuses them (its DirectClientConfig.ConfirmUsable)
 */
export function settingsOf(merged: MergedKubeconfig, options: SettingsOptions): Settings | undefined {
  const current = merged.currentContext;
  const name = options.context ?? current?.name ?? '';
  const entry = merged.contexts.get(name);
  const file = entry?.file ?? (options.context === undefined ? current?.file : undefined) ?? merged.files.join(', ');
  if (entry === undefined && name !== '') throw new KubeconfigError(missingContext(name, merged, options));
  const { cluster: clusterName, user: userName, namespace } = entry ?? NO_CONTEXT;
  const cluster = merged.clusters.get(clusterName) ?? NO_CLUSTER;
  const { impersonate } = options;
  const named = merged.users.get(userName) ?? { ...NO_USER, name: userName };
  const user = { ...named, ...(impersonate === undefined ? {} : { impersonateUser: impersonate }) };
  const origin = name === '' ? `kubeconfig ${file}` : `context ${JSON.stringify(name)} of ${file}`;
  const faults = [...userFaults(user), ...clusterFaults(cluster, clusterName)];
  if (faults.length > 0) throw new KubeconfigError(`${origin}: ${faults.join('; ')}`);
  if (cluster.server === '') return undefined;
  return { context: name, namespace: namespace === '' ? undefined : namespace, cluster, user, origin };
}

function missingContext(name: string, merged: MergedKubeconfig, options: SettingsOptions): string {
  const files = merged.files.length === 0 ? merged.candidates : merged.files;
  const known = [...merged.contexts.keys()].sort();
  const others = known.length === 0 ? 'it defines none' : `it defines ${known.slice(0, 10).join(', ')}`;
  return options.context === undefined
    ? `kubeconfig ${files.join(', ')}: current-context names ${JSON.stringify(name)}, which is not defined; ${others}: name one with --context${meantText(name, known)}`
    : `kubeconfig ${files.join(', ')}: there is no context ${JSON.stringify(name)}; ${others}${meantText(name, known)}`;
}

function clusterFaults(cluster: ClusterEntry, name: string): string[] {
  const { caFile: file, caData: data, proxyUrl } = cluster;
  const of = `cluster ${JSON.stringify(name)}`;
  const faults: string[] = [];
  const proxy = proxyUrl === '' ? undefined : proxyUrlFault(proxyUrl);
  if (proxy !== undefined) faults.push(`${of}: proxy-url: ${proxy}`);
  if (file !== '' && data !== '')
    faults.push(`${of}: certificate-authority and certificate-authority-data must not both be set`);
  if ((file !== '' || data !== '') && cluster.skipTLSVerify && cluster.server.startsWith('https:'))
    faults.push(`${of}: insecure-skip-tls-verify must not be set together with a certificate authority`);
  return [...faults, ...unreadable(file, `${of}: certificate-authority`)];
}

function userFaults(user: UserEntry): string[] {
  const of = `user ${JSON.stringify(user.name)}`;
  const { exec, impersonateUser, impersonateUid, impersonateGroups, impersonateExtra } = user;
  const faults = certificateFaults(user, of);
  if (exec !== undefined) faults.push(...pluginFaults(exec, `${of}: exec`));
  if (exec !== undefined && user.authProvider !== undefined)
    faults.push(`${of}: auth-provider and exec must not both be set`);
  if (user.token !== '' && (user.username !== '' || user.password !== ''))
    faults.push(`${of}: token and username or password must not both be set`);
  const others = impersonateUid !== '' || impersonateGroups.length > 0 || Object.keys(impersonateExtra).length > 0;
  if (others && impersonateUser === '') faults.push(`${of}: as-uid, as-groups and as-user-extra need as, the user`);
  return faults;
}

function certificateFaults({ certFile, certData, keyFile, keyData }: UserEntry, of: string): string[] {
  if (certFile === '' && certData === '') return [];
  const faults: string[] = [];
  if (certFile !== '' && certData !== '')
    faults.push(`${of}: client-certificate and client-certificate-data must not both be set`);
  if (keyFile !== '' && keyData !== '') faults.push(`${of}: client-key and client-key-data must not both be set`);
  if (keyFile === '' && keyData === '') faults.push(`${of}: a client certificate needs client-key or client-key-data`);
  return [...faults, ...unreadable(certFile, `${of}: client-certificate`), ...unreadable(keyFile, `${of}: client-key`)];
}

const MODES: readonly string[] = ['Never', 'IfAvailable', 'Always'];

function pluginFaults({ command, apiVersion, env, interactiveMode }: PluginEntry, of: string): string[] {
  const faults: string[] = [];
  if (command === '') faults.push(`${of}.command must be set`);
  if (apiVersion === '') faults.push(`${of}.apiVersion must be set`);
  if (env.some(({ name }) => name === '')) faults.push(`${of}.env: each variable must have a name`);
  if (!MODES.includes(interactiveMode)) {
    const got = interactiveMode === '' ? 'nothing' : JSON.stringify(interactiveMode);
    faults.push(`${of}.interactiveMode must be one of ${MODES.join(', ')}, got ${got}`);
  }
  return faults;
}

function unreadable(file: string, of: string): string[] {
  if (file === '') return [];
  try {
    readFileSync(file);
    return [];
  } catch (error) {
    return [`${of}: ${file} cannot be read: ${fileFault(error)}`];
  }
}

/** Several kubeconfig files as one. */
export interface MergedKubeconfig {
  /** The file that sets it; undefined when none does. */
  readonly currentContext: { readonly name: string; readonly file: string } | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** The files that were read. */
  readonly files: readonly string[];
  /** The files that were looked for. */
  readonly candidates: readonly string[];
}

/**
 * Reads the file `explicit`, which must exist; else those of `KUBECONFIG`, or `~/.kube/config`, of which missing ones are
 * passed over. The first file that sets current-context, or an entry of a name, wins (client-go's ClientConfigLoadingRules).
 * @throws KubeconfigError for a file that cannot be read, with the file and the rule
 */
export function readKubeconfigFiles(explicit: string | undefined, env: Environment): MergedKubeconfig {
  const candidates = explicit === undefined ? defaultFiles(env) : [explicit];
  const read = candidates.flatMap((file) => readFile(file, explicit === undefined) ?? []);
  const current = read.find(({ currentContext }) => currentContext !== '');
  return {
    currentContext: current && { name: current.currentContext, file: current.file },
    clusters: firstOf(read.map(({ clusters }) => clusters)),
    users: firstOf(read.map(({ users }) => users)),
    contexts: firstOf(read.map(({ contexts }) => contexts)),
    files: read.map(({ file }) => file),
    candidates,
  };
}

function defaultFiles(env: Environment): readonly string[] {
  const list = env['KUBECONFIG'] ?? '';
  if (list !== '') return [...new Set(list.split(path.delimiter))].filter((file) => file !== '');
  const home = process.platform === 'win32' ? homedir() : (env['HOME'] ?? '');
  return [path.join(home, '.kube', 'config')];
}

/**
 * Reads a kubeconfig; undefined for a missing one if `isOptional`. A path below a file counts as wrong and not as missing, as in
 * Go.
 */
function readFile(file: string, isOptional: boolean): KubeconfigDocument | undefined {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (isOptional && codeOf(error) === 'ENOENT') return undefined;
    throw new KubeconfigError(`kubeconfig ${file} cannot be read: ${fileFault(error)}; ${remedyFor(file)}`);
  }
  try {
    return parseKubeconfig(bytes, file);
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new KubeconfigError(`kubeconfig ${file} cannot be read: ${error.message}`);
  }
}

function remedyFor(file: string): string {
  return existsSync(file)
    ? 'correct it, or name another file with --kubeconfig'
    : 'name another file with --kubeconfig';
}

function firstOf<T>(all: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  const first = new Map<string, T>();
  for (const entries of all) for (const [name, entry] of entries) if (!first.has(name)) first.set(name, entry);
  return first;
}
