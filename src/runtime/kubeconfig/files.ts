import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Context } from '@kubernetes/client-node';
import { parseKubeconfig, type ClusterEntry, type KubeconfigDocument, type UserEntry } from './document.js';
import type { Environment } from '../flags/flags.js';
import { KubeconfigError } from '../transport/credentials.js';
import { codeOf, fileFault } from '../errors.js';

/** An entry, and the file that it comes from. */
interface From {
  readonly file: string;
}

/** Several kubeconfig files as one; paths of files in it are absolute. */
export interface MergedKubeconfig {
  /** The file that sets it; undefined when none does. */
  readonly currentContext: ({ readonly name: string } & From) | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry & From>;
  readonly users: ReadonlyMap<string, UserEntry & From>;
  readonly contexts: ReadonlyMap<string, Required<Context> & From>;
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
  const read = candidates.flatMap((file) => {
    const document = readFile(file, explicit === undefined);
    return document === undefined ? [] : [{ file, document }];
  });
  const current = read.find(({ document }) => document.currentContext !== '');
  return {
    currentContext: current && { name: current.document.currentContext, file: current.file },
    clusters: firstOf(read, ({ clusters }) => clusters, clusterFrom),
    users: firstOf(read, ({ users }) => users, userFrom),
    contexts: firstOf(
      read,
      ({ contexts }) => contexts,
      (entry, file) => ({ ...entry, file }),
    ),
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

/** Undefined for one that may be missing and is. A path below a file is not missing but wrong, as for Go. */
function readFile(file: string, isOptional: boolean): KubeconfigDocument | undefined {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (isOptional && codeOf(error) === 'ENOENT') return undefined;
    throw new KubeconfigError(`kubeconfig ${file} cannot be read: ${fileFault(error)}; ${remedyFor(file)}`);
  }
  try {
    return parseKubeconfig(bytes);
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

interface ReadFile extends From {
  readonly document: KubeconfigDocument;
}

function firstOf<T, U>(
  read: readonly ReadFile[],
  entriesOf: (document: KubeconfigDocument) => ReadonlyMap<string, T>,
  from: (entry: T, file: string) => U,
): ReadonlyMap<string, U> {
  const first = new Map<string, U>();
  for (const { file, document } of read) {
    for (const [name, entry] of entriesOf(document)) if (!first.has(name)) first.set(name, from(entry, file));
  }
  return first;
}

function clusterFrom(entry: ClusterEntry, file: string): ClusterEntry & From {
  return { ...entry, file, caFile: absolute(entry.caFile, file) };
}

/** The command of a plugin is a path where it has a separator, else a name on the PATH. */
function userFrom(entry: UserEntry, file: string): UserEntry & From {
  const { certFile, keyFile, tokenFile, exec } = entry;
  const isPath = exec?.command.includes(path.sep) === true;
  return {
    ...entry,
    file,
    certFile: absolute(certFile, file),
    keyFile: absolute(keyFile, file),
    tokenFile: absolute(tokenFile, file),
    exec: isPath ? { ...exec, command: absolute(exec.command, file) } : exec,
  };
}

function absolute(named: string, file: string): string {
  return named === '' ? '' : path.resolve(path.dirname(file), named);
}
