import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';

/** Minimum size of an encoded value that readers share. */
const LARGE = 16 * 1024;
/** Size up to which small items are encoded together. */
const CHUNK = 64 * 1024;
const MOST_AT_ONCE = 16;

/**
 * Encoded lines of values that are sent repeatedly: small ones live as long as their value, large ones as long as they
 * are being sent.
 */
const lines = new WeakMap<object, Buffer | WeakRef<Buffer>>();

function cachedLine(value: Json): Buffer | undefined {
  const known = typeof value === 'object' && value !== null ? lines.get(value) : undefined;
  return known instanceof WeakRef ? known.deref() : known;
}

function newLine(value: Json, text: string): Buffer {
  const line = Buffer.from(`${text}\n`);
  if (typeof value === 'object' && value !== null) lines.set(value, line.length < LARGE ? line : new WeakRef(line));
  return line;
}

/** A value as a line of a stream; all streams share its bytes. */
export function lineOf(value: Json): Buffer {
  return cachedLine(value) ?? newLine(value, JSON.stringify(value));
}

/** The JSON of a value, or its shared line where it is large. */
function textOf(value: Json): Buffer | string {
  const kept = cachedLine(value);
  if (kept !== undefined && kept.length >= LARGE) return kept;
  const text = JSON.stringify(value);
  return text.length < LARGE ? text : newLine(value, text);
}

/**
 * Encodes a response lazily in chunks, so that a long list is never in memory as a whole. Large items are chunks of
 * their own, which all readers share.
 */
export function* chunksOf(value: Json): Generator<Buffer, void> {
  if (!isObject(value) || listIn(value) === undefined) {
    const text = textOf(value);
    yield typeof text === 'string' ? Buffer.from(`${text}\n`) : text;
    return;
  }
  yield* grouped(listParts(value));
}

function listIn(value: JsonObject): readonly Json[] | undefined {
  const list = value['items'] ?? value['rows'];
  return isArray(list) ? list : undefined;
}

function* listParts(value: JsonObject): Generator<Buffer | string, void> {
  const list = listIn(value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (member === list) yield* items(list);
    else yield JSON.stringify(member);
  }
  yield before === '{' ? '{}\n' : '}\n';
}

/** Small items are encoded together, large ones alone. */
function* items(list: readonly Json[]): Generator<Buffer | string, void> {
  let before = '[';
  let many = 1;
  for (let at = 0; at < list.length;) {
    const some = list.slice(at, at + many);
    const text = some.length === 1 ? textOf(some[0] ?? null) : JSON.stringify(some).slice(1, -1);
    yield before;
    yield typeof text === 'string' ? text : text.subarray(0, -1);
    before = ',';
    at += some.length;
    many = Math.min(Math.max(Math.floor((CHUNK * some.length) / text.length), 1), 2 * some.length, MOST_AT_ONCE);
  }
  yield before === '[' ? '[]' : ']';
}

/** Joins small texts; large ones stay alone. */
function* grouped(parts: Iterable<Buffer | string>): Generator<Buffer, void> {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    if (text !== '' && (text.length >= CHUNK || typeof part !== 'string')) {
      yield Buffer.from(text);
      text = '';
    }
    if (typeof part !== 'string') yield part;
  }
  if (text !== '') yield Buffer.from(text);
}
