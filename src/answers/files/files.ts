import { InputError } from '../output.js';
import { existsSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSets, MultiClusterEngines } from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import { packageRoot } from '../../runtime/process/build.js';
import { readManifests } from '../../runtime/manifests.js';
import { codeOf, errorText, fileFault } from '../../runtime/errors.js';
import { block } from '../../runtime/clock.js';
import type { Fault, ManifestRules } from './manifestfaults.js';
import { createdFrom, parseUserManifests, type UserManifest } from './usermanifests.js';

/** Objects that could not be read from files. The message is one line. */
export class FileError extends InputError {}

const CLUSTER_KINDS = new Set(
  [ManagedClusters, ManagedClusterSets, MultiClusterEngines].map((type) => `${apiVersionOf(type)}/${type.kind}`),
);
/** So many faults of one object are named. */
const MOST_FAULTS = 5;

const STANDARD_INPUT = 0;
const CHUNK_BYTES = 65_536;
const WAIT_MS = 5;

export interface FileOptions {
  /** Whether the folders below a folder are read too; default false. */
  readonly recursive?: boolean;
  /** The namespace that every object with one must have, as for `kubectl apply -n`; default: any. */
  readonly namespace?: string | undefined;
}

/**
 * The objects of files, of the YAML and JSON files of folders, and of standard input (`-`), as `kubectl apply` reads them, with
 * the defaults of the API server. What it would not create is refused.
 * @throws FileError, also when there is no object at all: what was meant to be read is somewhere else
 */
export async function readFiles(from: readonly string[], options: FileOptions = {}): Promise<readonly KubeObject[]> {
  const { manifests, rules } = await read(from, options, (all, object) => all.ofObject(createdFrom(object)));
  return manifests.map(({ object }) => rules.withDefaults(createdFrom(object)));
}

/** Manifests that are merged into what is on a hub. */
export interface AppliedFiles {
  readonly objects: readonly KubeObject[];
  /** Refuses what the API server refuses of the merged object; `live`: what is there before. @throws FileError. */
  readonly check: (merged: KubeObject, live: KubeObject | undefined) => void;
  /** The object with the defaults of the API server. */
  readonly stored: (merged: KubeObject) => KubeObject;
}

/** As {@link readFiles}, of manifests that need not be whole. @throws FileError. */
export async function readAppliedFiles(from: readonly string[], options: FileOptions = {}): Promise<AppliedFiles> {
  return appliedOf(await read(from, options, (all, object) => all.ofManifest(object)), from.join(', '));
}

/** As {@link readAppliedFiles}, of a text, which may have no object; `name` is that of it. `onObject` runs before each is judged. @throws InputError. */
export async function readAppliedText(text: string, name: string, onObject?: () => void): Promise<AppliedFiles> {
  const rules = await manifestRules();
  const manifests = parseUserManifests(Buffer.from(text), name);
  for (const one of manifests) {
    onObject?.();
    refuse(one, rules.ofManifest(one.object));
  }
  return appliedOf({ manifests, rules }, name);
}

function appliedOf({ manifests, rules }: Reading, otherwise: string): AppliedFiles {
  const places = new Map(manifests.map(({ object, where }) => [placeOf(object), where]));
  const check: AppliedFiles['check'] = (merged, live) => {
    const where =
      places.get(placeOf(merged)) ?? places.get(placeOf({ ...merged, metadata: { name: merged.metadata.name } }));
    refuse({ object: merged, where: where ?? otherwise }, rules.ofObject(merged, live));
  };
  const stored: AppliedFiles['stored'] = (object) => rules.withDefaults(object);
  return { objects: manifests.map(({ object }) => object), check, stored };
}

/** @throws FileError for faults */
function refuse({ object, where }: UserManifest, faults: readonly Fault[]): void {
  const text = faultText(object, faults);
  if (text !== undefined) throw new FileError(`${where}: ${text}`);
}

function placeOf({ kind, metadata: { namespace = '', name } }: KubeObject): string {
  return [kind, namespace, name].join('/');
}

/** What the API server would refuse in an object of this project, if it were created. */
export async function manifestFaults(object: KubeObject): Promise<readonly Fault[]> {
  return (await manifestRules()).ofObject(object);
}

let isInputRead = false;
let ownRules: ManifestRules | undefined;

/** The rules of the definitions of this program. Loads them only where manifests are read: most of a start is spent on it. */
export async function manifestRules(): Promise<ManifestRules> {
  const { ManifestRules: Rules } = await import('./manifestfaults.js');
  ownRules ??= new Rules(readManifests(path.join(packageRoot(), 'crds')));
  return ownRules;
}

interface Reading {
  readonly manifests: readonly UserManifest[];
  readonly rules: ManifestRules;
}

async function read(
  from: readonly string[],
  { recursive = false, namespace }: FileOptions,
  faultsOf: (rules: ManifestRules, object: KubeObject) => readonly Fault[],
): Promise<Reading> {
  const rules = await manifestRules();
  try {
    const manifests = from.flatMap((one) => manifestsOf(one, recursive));
    if (manifests.length === 0) throw new Error(`${from.join(', ')}: there is no object`);
    for (const one of manifests)
      refuse(one, [...namespaceFaults(one.object, namespace), ...faultsOf(rules, one.object)]);
    return { manifests, rules };
  } catch (error) {
    throw new FileError(errorText(error).split('\n', 1)[0], { cause: error });
  }
}

function manifestsOf(from: string, recursive: boolean): readonly UserManifest[] {
  if (from === '-') return parseUserManifests(readStandardInput(), 'standard input');
  if (/^https?:\/\//.test(from))
    throw new Error(`${JSON.stringify(from)}: URLs are not read: pipe it in (curl -fsSL URL | … -f -), or give a file`);
  return placesOf(from).flatMap((place) => {
    const files = reading(place, (file) => statSync(file)).isDirectory() ? filesIn(place, recursive) : [place];
    return files.flatMap((file) =>
      parseUserManifests(
        reading(file, (one) => readFileSync(one)),
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
  const entries = reading(folder, (from) => readdirSync(from, { recursive, withFileTypes: true, encoding: 'utf8' }));
  const named = entries.filter((entry) => !entry.isDirectory() && /\.(ya?ml|json)$/.test(entry.name));
  if (named.length === 0) {
    const rest = !recursive && entries.some((entry) => entry.isDirectory()) ? '; its subfolders were not read' : '';
    throw new Error(`${JSON.stringify(folder)} has no file that ends with .json, .yaml or .yml${rest}`);
  }
  return named.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
}

/** Calls `readFrom`. @throws Error that says in words why it failed */
function reading<T>(file: string, readFrom: (file: string) => T): T {
  try {
    return readFrom(file);
  } catch (error) {
    throw new Error(`${JSON.stringify(file)} cannot be read: ${fileFault(error)}`, { cause: error });
  }
}

function namespaceFaults({ apiVersion, kind, metadata }: KubeObject, wanted: string | undefined): readonly Fault[] {
  const own = metadata.namespace ?? '';
  if (wanted === undefined || own === '' || own === wanted || CLUSTER_KINDS.has(`${apiVersion}/${kind}`)) return [];
  return [`metadata.namespace: ${JSON.stringify(own)}: does not match --namespace=${wanted}: give --namespace=${own}`];
}

function faultText({ kind, metadata: { name } }: KubeObject, faults: readonly Fault[]): string | undefined {
  if (faults.length === 0) return undefined;
  const more = faults.length > MOST_FAULTS ? `, and ${faults.length - MOST_FAULTS} more` : '';
  return `${kind} ${name}: ${faults.slice(0, MOST_FAULTS).join('; ')}${more}`;
}

/**
 * The bytes of standard input, up to its end. Waits for a slow writer, also where another process has set O_NONBLOCK of the
 * pipe, which is an error for `readFileSync`. @throws Error of the system.
 */
function readStandardInput(): Uint8Array {
  // As kubectl says it: nothing is left for a second `-`.
  if (isInputRead) throw new Error('standard input cannot be used for multiple arguments');
  isInputRead = true;
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const count = readSome(chunk);
    if (count === 0) return Buffer.concat(chunks);
    if (count === undefined) block(WAIT_MS);
    else chunks.push(chunk.subarray(0, count));
  }
}

/** How many bytes were read, 0 at the end; undefined while the writer has none. */
function readSome(chunk: Buffer): number | undefined {
  try {
    return readSync(STANDARD_INPUT, chunk);
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

const WILD = /[*?[\\]/;
const TOKEN = /\\(?<escaped>.)|\[(?<not>\^?)(?<set>(?:\\.|[^\]\\])+)\]|(?<many>\*)|(?<one>\?)|(?<other>.)/gsu;

/** The paths that a pattern of the shell matches, in order, by the rules of Go's `filepath.Glob`; none for a path without one. */
function matchingPaths(pattern: string): readonly string[] {
  if (!WILD.test(pattern)) return [];
  const start = path.isAbsolute(pattern) ? [path.sep] : [''];
  const found = pattern.split(path.sep).reduce<readonly string[]>((places, part) => {
    if (part === '') return places;
    if (!WILD.test(part)) return places.map((place) => path.join(place, part));
    const matcher = new RegExp(`^${part.replaceAll(TOKEN, source)}$`, 'su');
    return places.flatMap((place) =>
      namesIn(place)
        .filter((name) => matcher.test(name))
        .map((name) => path.join(place, name)),
    );
  }, start);
  return found.filter((place) => existsSync(place));
}

function source(...found: readonly unknown[]): string {
  const { escaped, not = '', set, many, one, other } = found.at(-1) as Readonly<Record<string, string | undefined>>;
  if (many !== undefined) return '.*';
  if (one !== undefined) return '.';
  if (set !== undefined) return `[${not}${set.replaceAll(/\\?([[&~|^])/g, '\\$1')}]`;
  return (escaped ?? other ?? '').replaceAll(/[\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** What cannot be read matches nothing. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder === '' ? '.' : folder).sort();
  } catch {
    return [];
  }
}
