import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '../../api/meta.js';
import { manifestFaults } from '../../cli/manifests/kinds.js';
import { packageRoot } from '../../config/config.js';
import { readManifests } from '../../kube/manifests/manifests.js';
import { errorText } from '../../runtime/errors.js';
import { readStandardInput } from './input.js';
import { parseUserManifests, type UserManifest } from './usermanifests.js';

/** Objects that could not be read from files. The message is one line. */
export class FileError extends Error {}

/** So many faults of one object are named. */
const MOST_FAULTS = 5;

export interface FileOptions {
  /** Whether the folders below a folder are read too; default false. */
  readonly recursive?: boolean;
}

/**
 * The objects of files, of the YAML and JSON files of folders, and of standard input (`-`), as `kubectl apply` reads them.
 * @throws FileError, also when there is no object at all: what was meant to be read is somewhere else
 */
export function readFiles(from: readonly string[], { recursive = false }: FileOptions = {}): readonly KubeObject[] {
  try {
    const manifests = from.flatMap((one) => manifestsOf(one, recursive));
    if (manifests.length === 0) throw new Error(`${from.join(', ')}: there is no object`);
    checkManifests(manifests);
    return manifests.map(({ object }) => object);
  } catch (error) {
    throw new FileError(errorText(error).split('\n', 1)[0], { cause: error });
  }
}

function manifestsOf(from: string, recursive: boolean): readonly UserManifest[] {
  if (from === '-') return parseUserManifests(readStandardInput(), 'standard input');
  if (!statSync(from).isDirectory()) return parseUserManifests(readFileSync(from), from);
  const files = readdirSync(from, { recursive, encoding: 'utf8' }).filter((file) => /\.(ya?ml|json)$/.test(file));
  return files.sort().flatMap((file) => {
    const place = path.join(from, file);
    return parseUserManifests(readFileSync(place), place);
  });
}

/** Refuses what the API server refuses: an unknown field would be left out here, and a misspelt kind with its object. */
function checkManifests(manifests: readonly UserManifest[]): void {
  const definitions = readManifests(path.join(packageRoot(), 'crds'));
  for (const { object, where } of manifests) {
    const faults = manifestFaults(object, definitions);
    if (faults.length === 0) continue;
    const more = faults.length > MOST_FAULTS ? `, and ${faults.length - MOST_FAULTS} more` : '';
    const what = faults.slice(0, MOST_FAULTS).join('; ');
    throw new Error(`${where}: ${object.kind} ${object.metadata.name}: ${what}${more}`);
  }
}
