import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import {
  parseKubeconfig,
  type ClusterEntry,
  type ContextEntry,
  type KubeconfigDocument,
  type UserEntry,
} from './document.js';
import type { Environment } from '../flags/flags.js';
import { KubeconfigError } from '../transport/credentials.js';
import { codeOf, fileFault } from '../errors.js';

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
