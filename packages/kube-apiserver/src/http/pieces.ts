import { isArray, isObject, type Json, type JsonObject } from '../json.js';

/** Texts of this size are worth being shared by the readers of one value. */
const LARGE = 16 * 1024;
/** Small items are written together up to here. */
const PIECE = 64 * 1024;
const MOST_AT_ONCE = 16;

/** Lines of values that are sent more than once: small ones stay with their value, large ones for as long as somebody sends them. */
const lines = new WeakMap<object, Buffer | WeakRef<Buffer>>();

function keptLine(value: Json): Buffer | undefined {
  const known = typeof value === 'object' && value !== null ? lines.get(value) : undefined;
  return known instanceof WeakRef ? known.deref() : known;
}

function newLine(value: Json, text: string): Buffer {
  const line = Buffer.from(`${text}\n`);
  if (typeof value === 'object' && value !== null) lines.set(value, line.length < LARGE ? line : new WeakRef(line));
  return line;
}

/** A value as a line of a stream; the same bytes for all that send it. */
export function lineOf(value: Json): Buffer {
  return keptLine(value) ?? newLine(value, JSON.stringify(value));
}

/** The JSON of a value, or its line where it is large. */
function textOf(value: Json): Buffer | string {
  const kept = keptLine(value);
  if (kept !== undefined && kept.length >= LARGE) return kept;
  const text = JSON.stringify(value);
  return text.length < LARGE ? text : newLine(value, text);
}

/**
 * The JSON of an answer, made piece by piece as it is taken, so that a long list is never there as a whole: large items
 * are pieces by themselves, which all readers share.
 */
export function* piecesOf(value: Json): Generator<Buffer, void> {
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

/** Small items are written down many at a time, large ones alone. */
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
    many = Math.min(Math.max(Math.floor((PIECE * some.length) / text.length), 1), 2 * some.length, MOST_AT_ONCE);
  }
  yield before === '[' ? '[]' : ']';
}

/** Texts together, large ones alone. */
function* grouped(parts: Iterable<Buffer | string>): Generator<Buffer, void> {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    if (text !== '' && (text.length >= PIECE || typeof part !== 'string')) {
      yield Buffer.from(text);
      text = '';
    }
    if (typeof part !== 'string') yield part;
  }
  if (text !== '') yield Buffer.from(text);
}
