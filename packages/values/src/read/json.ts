import { isObject, own, type Json } from '../json.js';
import { JsonSyntaxError, exactNumber } from './malformed.js';
import { goQuote, wellFormed } from '../text.js';

/**
 * Parses JSON as Go's encoding/json does: the same inputs are rejected with the same messages, the last of two equal
 * keys wins, and the paths of duplicates are reported. Not recursive; linear in time.
 *
 * Three deviations from Go: nesting is limited to {@link MAX_DEPTH} (Go: 10,000), so that recursive walks over an
 * object cannot exhaust the stack. Integers that a double cannot hold are rejected, where Go keeps 64 bits. The number
 * 1.0 is read as the integer 1.
 */

/** Levels of objects and arrays in a body. */
export const MAX_DEPTH = 500;
/** The number of duplicates that are reported, as in Go. */
const MAX_DUPLICATES = 100;
/** The length to which the path of a duplicate is truncated. */
const MAX_PATH = 10_000;

/** What was read. */
export interface Parsed {
  readonly value: Json;
  /** The duplicate keys, in document order: of JSON their paths such as `spec.list[0].name`, each once; of YAML sentences. */
  readonly duplicates: readonly string[];
}

interface ReadOptions {
  /** Whether two objects under duplicate keys are merged; otherwise the last one wins. */
  readonly mergeDuplicates?: boolean;
}

/** @throws MalformedBody */
export function readJson(text: string, { mergeDuplicates = false }: ReadOptions = {}): Parsed {
  const reader = new Reader(text, mergeDuplicates);
  return { value: reader.read(), duplicates: [...reader.duplicates] };
}

/** The value that begins at `at`, after blanks, and its end; undefined where only blanks are left. @throws MalformedBody */
export function readNextJson(text: string, at: number): { readonly value: Json; readonly end: number } | undefined {
  const reader = new Reader(text, false, at);
  return reader.isAtEnd() ? undefined : reader.readNext();
}

type Frame =
  | { readonly kind: 'array'; readonly items: Json[] }
  | { readonly kind: 'object'; readonly entries: Map<string, Json>; key: string };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_TEXT = /[ !#-[\]-\ud7ff\ue000-\uffff]*/y;
const BLANK = /[ \t\r\n]*/y;
const LITERALS: ReadonlyMap<string, readonly [string, Json]> = new Map([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);
const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const UNEXPECTED_END = 'unexpected end of JSON input';

class Reader {
  readonly duplicates = new Set<string>();
  readonly #text: string;
  readonly #stack: Frame[] = [];
  #at: number;

  readonly #mergeDuplicates: boolean;

  constructor(text: string, mergeDuplicates: boolean, at = 0) {
    this.#text = text;
    this.#mergeDuplicates = mergeDuplicates;
    this.#at = at;
  }

  read(): Json {
    const { value } = this.readNext();
    if (!this.isAtEnd()) throw this.#syntaxError('after top-level value');
    return value;
  }

  readNext(): { readonly value: Json; readonly end: number } {
    let value = this.#begin();
    while (this.#stack.length > 0) value = value === undefined ? this.#begin() : this.#put(value);
    return { value: value ?? null, end: this.#at };
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  /** Parses a scalar or the start of an array or object; undefined when a non-empty container was opened. */
  #begin(): Json | undefined {
    this.#skip();
    const char = this.#text[this.#at];
    if (char === '{') return this.#open({ kind: 'object', entries: new Map(), key: '' }, '}');
    if (char === '[') return this.#open({ kind: 'array', items: [] }, ']');
    if (char === '"') return this.#string();
    const literal = LITERALS.get(char ?? '');
    if (literal !== undefined) return this.#literal(literal[0], literal[1]);
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.#number();
    throw this.#syntaxError('looking for beginning of value');
  }

  #open(frame: Frame, end: string): Json | undefined {
    if (this.#stack.length >= MAX_DEPTH) throw this.#syntaxError('exceeded max depth');
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return frame.kind === 'array' ? [] : {};
    }
    this.#stack.push(frame);
    if (frame.kind === 'object') this.#key(frame);
    return undefined;
  }

  /**
   * Adds a complete value to the open container. Returns the container when this closes it, undefined when more
   * follows, and the value itself when no container is open.
   */
  #put(value: Json): Json | undefined {
    const frame = this.#stack.at(-1);
    if (frame === undefined) return value;
    if (frame.kind === 'array') frame.items.push(value);
    else frame.entries.set(frame.key, this.#mergeDuplicates ? merged(frame.entries.get(frame.key), value) : value);
    this.#skip();
    const char = this.#text[this.#at];
    const end = frame.kind === 'array' ? ']' : '}';
    if (char !== ',' && char !== end)
      throw this.#syntaxError(frame.kind === 'array' ? 'after array element' : 'after object key:value pair');
    this.#at += 1;
    if (char === end) {
      this.#stack.pop();
      return frame.kind === 'array' ? frame.items : Object.fromEntries(frame.entries);
    }
    if (frame.kind === 'object') this.#key(frame);
    return undefined;
  }

  #key(frame: Extract<Frame, { kind: 'object' }>): void {
    this.#skip();
    if (this.#text[this.#at] !== '"') throw this.#syntaxError('looking for beginning of object key string');
    frame.key = this.#string();
    if (frame.entries.has(frame.key)) this.#noteDuplicate();
    this.#skip();
    if (this.#text[this.#at] !== ':') throw this.#syntaxError('after object key');
    this.#at += 1;
  }

  #noteDuplicate(): void {
    if (this.duplicates.size >= MAX_DUPLICATES) return;
    let path = '';
    for (const frame of this.#stack) {
      if (frame.kind === 'array') path += `[${frame.items.length}]`;
      else path += path === '' ? frame.key : `.${frame.key}`;
      if (path.length > MAX_PATH) break;
    }
    this.duplicates.add(path.slice(0, MAX_PATH));
  }

  #string(): string {
    this.#at += 1;
    const start = this.#at;
    PLAIN_TEXT.lastIndex = this.#at;
    PLAIN_TEXT.test(this.#text);
    this.#at = PLAIN_TEXT.lastIndex;
    if (this.#text[this.#at] === '"') return this.#text.slice(start, this.#at++);
    return this.#escapedString(start);
  }

  /** Parses a string with escapes or surrogates. A lone surrogate becomes U+FFFD, as in Go. */
  #escapedString(start: number): string {
    const parts = [this.#text.slice(start, this.#at)];
    for (;;) {
      PLAIN_TEXT.lastIndex = this.#at;
      PLAIN_TEXT.test(this.#text);
      parts.push(this.#text.slice(this.#at, PLAIN_TEXT.lastIndex));
      this.#at = PLAIN_TEXT.lastIndex;
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char === undefined || char < ' ') throw this.#syntaxError('in string literal');
      parts.push(char === '\\' ? this.#escape() : char);
      if (char !== '\\') this.#at += 1;
    }
    this.#at += 1;
    return wellFormed(parts.join(''));
  }

  #escape(): string {
    this.#at += 1;
    const char = this.#text[this.#at];
    const simple = SIMPLE_ESCAPES.get(char ?? '');
    if (simple === undefined && char !== 'u') throw this.#syntaxError('in string escape code');
    this.#at += 1;
    if (simple !== undefined) return simple;
    const start = this.#at;
    for (; this.#at < start + 4; this.#at += 1) {
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? ''))
        throw this.#syntaxError('in \\u hexadecimal character escape');
    }
    return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16));
  }

  #literal(word: string, value: Json): Json {
    for (const char of word) {
      if (this.#text[this.#at] !== char) throw this.#syntaxError(`in literal ${word} (expecting '${char}')`);
      this.#at += 1;
    }
    return value;
  }

  #number(): number {
    NUMBER.lastIndex = this.#at;
    const start = this.#at;
    const found = NUMBER.exec(this.#text)?.[0] ?? '';
    this.#at = start + found.length;
    const next = this.#text[this.#at] ?? '';
    if (found === '' || /^[.eE]$/.test(next)) throw this.#numberError(start, found, next);
    return exactNumber(found);
  }

  #numberError(start: number, found: string, next: string): JsonSyntaxError {
    if (found === '') {
      this.#at = start + 1;
      return this.#syntaxError('in numeric literal');
    }
    if (next === '.' && /[.eE]/.test(found))
      return this.#syntaxError(this.#stack.length === 0 ? 'after top-level value' : this.#expectedPosition());
    this.#at += 1;
    if (next === '.') return this.#syntaxError('after decimal point in numeric literal');
    if (/[eE]/.test(found)) {
      this.#at -= 1;
      return this.#syntaxError(this.#stack.length === 0 ? 'after top-level value' : this.#expectedPosition());
    }
    if (/^[+-]$/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#syntaxError('in exponent of numeric literal');
  }

  #expectedPosition(): string {
    return this.#stack.at(-1)?.kind === 'array' ? 'after array element' : 'after object key:value pair';
  }

  #skip(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
    BLANK.lastIndex = this.#at;
    BLANK.test(this.#text);
    this.#at = BLANK.lastIndex;
  }

  #syntaxError(where: string): JsonSyntaxError {
    const char = this.#text.codePointAt(this.#at);
    if (char === undefined) return new JsonSyntaxError(UNEXPECTED_END);
    return new JsonSyntaxError(`invalid character ${quotedByte(char)} ${where}`);
  }
}

function merged(before: Json | undefined, value: Json): Json {
  if (before === undefined || !isObject(before) || !isObject(value)) return value;
  const entries = new Map(Object.entries(before));
  for (const [key, item] of Object.entries(value)) entries.set(key, merged(own(before, key), item ?? null));
  return Object.fromEntries(entries);
}

/** Go reports bytes: for a character outside of ASCII, its first byte as a character. */
function quotedByte(code: number): string {
  if (code === 0x27) return `'\\''`;
  if (code === 0x22) return `'"'`;
  const byte = Buffer.from(String.fromCodePoint(code), 'utf8')[0] ?? 0;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
