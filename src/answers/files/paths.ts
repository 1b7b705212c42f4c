import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf, fileFault } from '../../runtime/errors.js';
import { matchingPaths } from './glob.js';
import type { StandardInput } from './standardinput.js';
import { parseUserManifests, type UserManifest } from './usermanifests.js';

/** How a path of a user is read. */
interface PathOptions {
  /** Whether the folders below a folder are read too. */
  readonly recursive: boolean;
  readonly input: StandardInput;
}

/**
 * The objects of a file, of the YAML and JSON files of a folder, of what a pattern matches, or of standard input (`-`).
 * @throws Error that says in words what cannot be read
 */
export function manifestsOf(from: string, { recursive, input }: PathOptions): readonly UserManifest[] {
  if (from === '-') return parseUserManifests(input.read(), 'standard input');
  if (/^https?:\/\//.test(from))
    throw new Error(`${JSON.stringify(from)}: URLs are not read: pipe it in (curl -fsSL URL | … -f -), or give a file`);
  return placesOf(from).flatMap((place) => {
    const files = withFault(place, (file) => statSync(file)).isDirectory() ? filesIn(place, recursive) : [place];
    return files.flatMap((file) =>
      parseUserManifests(
        withFault(file, (one) => readFileSync(one)),
        file,
      ),
    );
  });
}

/** As for kubectl, what does not exist is a pattern. */
function placesOf(from: string): readonly string[] {
  if (isThere(from)) return [from];
  const found = matchingPaths(from);
  if (found.length === 0) throw new Error(`the path ${JSON.stringify(from)} does not exist`);
  return found;
}

function isThere(place: string): boolean {
  try {
    statSync(place);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
}

function filesIn(folder: string, recursive: boolean): readonly string[] {
  const entries = withFault(folder, (from) => readdirSync(from, { recursive, withFileTypes: true, encoding: 'utf8' }));
  const named = entries.filter((entry) => !entry.isDirectory() && /\.(ya?ml|json)$/.test(entry.name));
  if (named.length === 0) {
    const rest = !recursive && entries.some((entry) => entry.isDirectory()) ? '; its subfolders were not read' : '';
    throw new Error(`${JSON.stringify(folder)} has no file that ends with .json, .yaml or .yml${rest}`);
  }
  return named.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
}

/** Calls `access`. @throws Error that says in words why it failed */
function withFault<T>(file: string, access: (file: string) => T): T {
  try {
    return access(file);
  } catch (error) {
    throw new Error(`${JSON.stringify(file)} cannot be read: ${fileFault(error)}`, { cause: error });
  }
}
