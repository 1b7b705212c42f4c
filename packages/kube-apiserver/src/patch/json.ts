import { equal, isArray, isObject, own } from '@multicluster-engine/values/json';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { badRequest, entityTooLarge, terseInvalid } from '../status.js';
import { jsonType } from '@multicluster-engine/values/schema/go/format';
import { draftOf, finish } from './draft.js';
import type { Container, DraftValue } from './draft.js';
import { matchesRawLiterals, rawLiterals } from './rawliterals.js';

const MAX_OPERATIONS = 10_000;
/** The limit on the bytes of JSON that all `copy` operations of a patch may create. */
const MAX_COPIED = 3 * 1024 * 1024;

const MEMBERS: readonly string[] = ['op', 'path', 'from', 'value'];

interface State {
  root: Container;
  copied: number;
}

export interface JsonPatchOptions {
  /** Whether unknown members of operations are not checked: the library's own errors apply then. */
  readonly lenient?: boolean;
  /** The patch as text where there is one: `test` compares encodings. */
  readonly text?: string;
}

/**
 * Applies a JSON patch (RFC 6902) with the semantics of the library that kube-apiserver uses: `replace` of a missing
 * member adds it, a missing member tests and copies as null, negative indexes count from the end, a path need not start
 * with a slash. The document is not modified.
 *
 * @throws StatusError 400 when the patch is not a list of operations, 413 above 10,000 operations, otherwise a 422
 *   without details.
 */
export function jsonPatch(document: Json, patch: Json, { lenient = false, text = '' }: JsonPatchOptions = {}): Json {
  const operations = readOperations(patch, lenient);
  if (operations.length > MAX_OPERATIONS) {
    throw entityTooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const root = draftOf(document);
  if (root === undefined) throw terseInvalid();
  const state: State = { root, copied: 0 };
  const spellings = rawLiterals(text);
  for (const [at, operation] of operations.entries()) {
    if (!run(state, operation, rawValueOf(spellings, at))) throw terseInvalid();
  }
  return finish(state.root);
}

/** The encoding of an operation's value; undefined where it is Go's own. */
function rawValueOf(spellings: Json | undefined, at: number): RawValue | undefined {
  const operation = isArray(spellings) ? spellings[at] : undefined;
  return isObject(operation) ? { of: own(operation, 'value') } : undefined;
}

interface RawValue {
  readonly of: Json | undefined;
}

/** The findings of strict field validation: `json patch unknown field "[0].foo"`. */
export function jsonPatchFindings(patch: Json): string[] {
  if (!isArray(patch)) return [];
  return patch.flatMap((operation, index) =>
    Object.keys(isObject(operation) ? operation : {})
      .filter((key) => !MEMBERS.includes(key))
      .map((key) => `json patch unknown field "[${index}].${key}"`),
  );
}

function readOperations(patch: Json, lenient: boolean): readonly JsonObject[] {
  if (patch === null) return [];
  if (lenient && !isArray(patch))
    throw badRequest(`json: cannot unmarshal ${jsonType(patch)} into Go value of type jsonpatch.Patch`);
  if (!isArray(patch)) throw unreadable(`${jsonType(patch)} into Go value of type []handlers.jsonPatchOp`);
  return patch.map((operation) => {
    if (operation === null) return {};
    if (lenient && !isObject(operation))
      throw badRequest(`json: cannot unmarshal ${jsonType(operation)} into Go value of type jsonpatch.Operation`);
    if (!isObject(operation)) throw unreadable(`${jsonType(operation)} into Go value of type handlers.jsonPatchOp`);
    for (const member of ['op', 'path', 'from']) {
      const value = own(operation, member);
      if (value === undefined || value === null || typeof value === 'string') continue;
      if (lenient) throw terseInvalid();
      throw unreadable(`${jsonType(value)} into Go struct field jsonPatchOp.${member} of type string`);
    }
    return operation;
  });
}

function unreadable(what: string): Error {
  return badRequest(`error decoding patch: json: cannot unmarshal ${what}`);
}

/** Applies one operation; false when it fails. */
function run(state: State, operation: JsonObject, spelling: RawValue | undefined): boolean {
  const path = own(operation, 'path');
  if (typeof path !== 'string') return false;
  const value = own(operation, 'value') ?? null;
  switch (own(operation, 'op')) {
    case 'add':
      return add(state, path, value);
    case 'remove':
      return remove(state, path);
    case 'replace':
      return replace(state, path, value);
    case 'move':
      return move(state, path, own(operation, 'from'));
    case 'copy':
      return copy(state, path, own(operation, 'from'));
    case 'test':
      return test(state, path, value, spelling);
    default:
      return false;
  }
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

/**
 * The container and key that a path leads to; undefined when the container is missing. Everything before the first
 * slash is ignored.
 */
function find(state: State, path: string): Place | undefined {
  const parts = path.split('/').slice(1).map(unescapePart);
  const key = parts.pop();
  if (key === undefined) return undefined;
  let container = state.root;
  for (const part of parts) {
    const next = container.open(part);
    if (next === undefined) return undefined;
    container = next;
  }
  return { container, key };
}

function unescapePart(part: string): string {
  return part.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));
}

function add(state: State, path: string, value: DraftValue): boolean {
  const place = find(state, path);
  return place !== undefined && place.container.add(place.key, value);
}

function remove(state: State, path: string): boolean {
  const place = find(state, path);
  return place !== undefined && place.container.remove(place.key);
}

function replace(state: State, path: string, value: Json): boolean {
  if (path === '') {
    const root = draftOf(value);
    if (root === undefined) return false;
    state.root = root;
    return true;
  }
  const place = find(state, path);
  return place !== undefined && place.container.replace(place.key, value);
}

function move(state: State, path: string, from: Json | undefined): boolean {
  const source = typeof from === 'string' ? find(state, from) : undefined;
  const value = source?.container.get(source.key);
  if (source === undefined || value === undefined || !source.container.remove(source.key)) return false;
  return add(state, path, value);
}

function copy(state: State, path: string, from: Json | undefined): boolean {
  const source = typeof from === 'string' ? find(state, from) : undefined;
  if (source === undefined || !source.container.readable(source.key)) return false;
  const target = find(state, path);
  if (target === undefined) return false;
  const value = finish(source.container.get(source.key) ?? null);
  state.copied += Buffer.byteLength(JSON.stringify(value));
  return state.copied <= MAX_COPIED && target.container.add(target.key, value);
}

function test(state: State, path: string, value: Json, spelling: RawValue | undefined): boolean {
  const place = path === '' ? undefined : find(state, path);
  if (path !== '' && (place === undefined || !place.container.readable(place.key))) return false;
  const found = finish(place === undefined ? state.root : (place.container.get(place.key) ?? null));
  return equal(found, value) && (spelling === undefined || matchesRawLiterals(found, spelling.of));
}
