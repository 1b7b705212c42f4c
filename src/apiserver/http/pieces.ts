import { isArray, isObject, type Json, type JsonObject } from '../json.js';

/** Texts of this size are worth being shared by the readers of one value. */
const LARGE = 16 * 1024;
/** Small items are written together up to here. */
const PIECE = 64 * 1024;
const MOST_AT_ONCE = 16;

/** Texts of values that are being sent, for as long as somebody sends them. */
const texts = new WeakMap<object, WeakRef<Buffer>>();

/** The JSON of a value; the same bytes for all that send it at a time. */
function sharedText(value: Json): Buffer | string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = texts.get(value)?.deref();
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  if (text.length < LARGE) return text;
  const bytes = Buffer.from(text);
  texts.set(value, new WeakRef(bytes));
  return bytes;
}

/** Lines of values that more than one stream may send; small ones stay with their value. */
const lines = new WeakMap<object, Buffer | WeakRef<Buffer>>();

/** A value as a line of a stream. */
export function lineOf(value: Json): Buffer {
  if (typeof value !== 'object' || value === null) return Buffer.from(`${JSON.stringify(value)}\n`);
  const known = lines.get(value);
  const kept = known instanceof WeakRef ? known.deref() : known;
  if (kept !== undefined) return kept;
  const line = Buffer.from(`${JSON.stringify(value)}\n`);
  lines.set(value, line.length < LARGE ? line : new WeakRef(line));
  return line;
}

/**
 * The JSON of an answer, made piece by piece as it is taken, so that a long list is never there as a whole: large items
 * are pieces by themselves, which all readers share.
 */
export function* piecesOf(value: Json): Generator<Buffer, void> {
  if (!isObject(value) || listIn(value) === undefined) {
    const text = sharedText(value);
    if (typeof text === 'string') yield Buffer.from(`${text}\n`);
    else yield* [text, Buffer.from('\n')];
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
    const text = some.length === 1 ? sharedText(some[0] ?? null) : JSON.stringify(some).slice(1, -1);
    yield before;
    yield text;
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
