import { decodeYaml, MalformedBody, readManifestStream, type Json } from '@multicluster-engine/values/yaml';
import { InputError } from '../output.js';
import { field, isRecord, textField, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { existsSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { block } from '../../runtime/clock.js';
import { codeOf, fileFault } from '../../runtime/errors.js';

/** An object of a file, and where it is, for errors. */
export interface UserManifest {
  readonly object: KubeObject;
  /** Such as `fleet.yaml, document 2`. */
  readonly where: string;
}

/**
 * The objects of a manifest of a user, as `kubectl apply` reads them: JSON or YAML 1.1, of two equal keys the last one counts,
 * and the items of a list stand for themselves. `source` names the text in errors.
 * @throws InputError with source, document and rule.
 */
export function parseUserManifests(bytes: Uint8Array, source: string): readonly UserManifest[] {
  return valuesOf(textOf(bytes, source), source).flatMap((value, index) =>
    objectsIn(value, `${source}, document ${index + 1}`),
  );
}

function textOf(bytes: Uint8Array, source: string): string {
  const { text, isUtf8 } = decodeYaml(bytes);
  if (!isUtf8) throw new InputError(`${source}: is not UTF-8`);
  return text.replace(/^\ufeff/, '');
}

function valuesOf(text: string, source: string): readonly Json[] {
  try {
    return readManifestStream(text);
  } catch (error) {
    if (error instanceof MalformedBody) throw new InputError(`${source}, ${error.message}`, { cause: error });
    throw error;
  }
}

/** Whatever has a field `items` is a list. */
function objectsIn(value: Json, where: string): readonly UserManifest[] {
  if (value === null) return [];
  if (!isRecord(value)) throw new InputError(`${where}: must be an object`);
  if (!Object.hasOwn(value, 'items')) return [objectIn(value, where)];
  requireType(value, where);
  const items = field(value, 'items') ?? [];
  if (!Array.isArray(items)) throw new InputError(`${where}: items: must be a list`);
  return items.map((item: unknown, index) => objectIn(typed(item, value), `${where}, item ${index + 1}`));
}

/** The items of a list of one kind need not name it. */
function typed(item: unknown, list: JsonRecord): unknown {
  if (!isRecord(item) || textField(item, 'kind') !== '' || textField(item, 'apiVersion') !== '') return item;
  return { ...item, apiVersion: textField(list, 'apiVersion'), kind: textField(list, 'kind').replace(/List$/, '') };
}

function requireType(value: JsonRecord, where: string): void {
  const missing = ['apiVersion', 'kind'].find((key) => textField(value, key) === '');
  if (missing !== undefined) throw new InputError(`${where}: ${missing}: must be set, to a string`);
}

function objectIn(value: unknown, where: string): UserManifest {
  if (!isRecord(value)) throw new InputError(`${where}: must be an object`);
  requireType(value, where);
  const metadata = field(value, 'metadata');
  if (textField(metadata, 'name') === '') throw new InputError(`${where}: metadata.name: must be set, to a string`);
  // The required fields of KubeObject are checked above.
  const object = withoutNulls(value, 'inLists') as KubeObject;
  const { annotations } = object.metadata;
  if (!isRecord(annotations)) return { object, where };
  return { object: { ...object, metadata: { ...object.metadata, annotations: withEmptyTexts(annotations) } }, where };
}

/** The new object that `kubectl apply` makes of a manifest: every field that is null is left out, labels too. */
export function createdFrom(object: KubeObject): KubeObject {
  return withoutNulls(object, 'everywhere') as KubeObject;
}

/**
 * Leaves out fields that are null. Outside of lists a null means that the live field is removed, and is kept for the merge;
 * lists are replaced whole.
 */
function withoutNulls(value: unknown, where: 'everywhere' | 'inLists'): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, 'everywhere'));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => where === 'inLists' || item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item, where)]));
}

/** As `kubectl apply` sends it, an annotation of null is empty. */
function withEmptyTexts(annotations: JsonRecord): Record<string, string> {
  // What is no text is refused later.
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, (value ?? '') as string]));
}

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

const WILD = /[*?[\\]/;
const TOKEN = /\\(?<escaped>.)|\[(?<not>\^?)(?<set>(?:\\.|[^\]\\])+)\]|(?<many>\*)|(?<one>\?)|(?<other>.)/gsu;
/** A character or a range in a set. */
const SET_ITEM = /\\?(.)(?:-\\?(.))?/gsu;

/** The paths that a pattern of the shell matches, in order, by the rules of Go's `filepath.Glob`; none for a path without one. */
function matchingPaths(pattern: string): readonly string[] {
  if (!WILD.test(pattern)) return [];
  const start = path.isAbsolute(pattern) ? [path.sep] : [''];
  const found = pattern.split(path.sep).reduce<readonly string[]>((places, part) => {
    if (part === '') return places;
    if (!WILD.test(part)) return places.map((place) => path.join(place, part));
    const matcher = new RegExp(`^${part.replaceAll(TOKEN, expressionOf)}$`, 'su');
    return places.flatMap((place) =>
      namesIn(place)
        .filter((name) => matcher.test(name))
        .map((name) => path.join(place, name)),
    );
  }, start);
  return found.filter((place) => existsSync(place));
}

/** The regular expression of one token of a pattern. `found`: what `replaceAll` says of the match, of which the last are its groups. */
function expressionOf(...found: readonly unknown[]): string {
  const { escaped, not = '', set, many, one, other } = found.at(-1) as Readonly<Record<string, string | undefined>>;
  if (many !== undefined) return '.*';
  if (one !== undefined) return '.';
  if (set !== undefined) return `[${not}${set.replaceAll(SET_ITEM, rangeOf)}]`;
  return (escaped ?? other ?? '').replaceAll(/[\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** A character or range of a set, in a regular expression: none for a range whose ends are in the wrong order. */
function rangeOf(_item: string, low: string, high = low): string {
  const [from = 0, to = 0] = [low.codePointAt(0), high.codePointAt(0)];
  return from > to ? '' : `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`;
}

/** What cannot be read matches nothing. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder === '' ? '.' : folder).sort();
  } catch {
    return [];
  }
}

const STANDARD_INPUT = 0;
const CHUNK_BYTES = 65_536;
const WAIT_MS = 5;

/** Standard input, which can be read once. */
export class StandardInput {
  #isRead = false;

  /**
   * The bytes of standard input, up to its end. Waits for a slow writer, also where another process has set O_NONBLOCK of the
   * pipe, which is an error for `readFileSync`. @throws Error of the system, and for a second read.
   */
  read(): Uint8Array {
    // As kubectl says it: nothing is left for a second `-`.
    if (this.#isRead) throw new Error('standard input cannot be used for multiple arguments');
    this.#isRead = true;
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const count = readSome(chunk);
      if (count === 0) return Buffer.concat(chunks);
      if (count === undefined) block(WAIT_MS);
      else chunks.push(chunk.subarray(0, count));
    }
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
