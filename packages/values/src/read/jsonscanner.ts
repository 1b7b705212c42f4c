import { goQuote } from '../text.js';
import { JsonSyntaxError } from './malformed.js';

/** Levels of objects and arrays in a text. */
export const MAX_DEPTH = 500;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_TEXT = /[ !#-[\]-\ud7ff\ue000-\uffff]*/y;
const BLANK = /[ \t\r\n]*/y;
const LITERALS: ReadonlyMap<string, readonly [string, boolean | null]> = new Map([
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
export const UNEXPECTED_END = 'unexpected end of JSON input';

/** What takes the parts of a text as they are read. What it throws ends the reading. */
export interface JsonTaker {
  open(kind: 'array' | 'object'): void;
  close(): void;
  /** A lone surrogate may be in it, and in `text`. */
  key(text: string): void;
  text(text: string): void;
  /** A number in its source text. */
  number(text: string): void;
  scalar(value: boolean | null): void;
}

/** Reads a text that holds one value. @throws JsonSyntaxError, and what `taker` throws */
export function scanJson(text: string, taker: JsonTaker): void {
  new Scanner(text, taker).scan();
}

/**
 * Reads the value that begins at `at`, after blanks; returns its end, undefined where only blanks are left.
 * @throws JsonSyntaxError, and what `taker` throws
 */
export function scanNextJson(text: string, taker: JsonTaker, at: number): number | undefined {
  const scanner = new Scanner(text, taker, at);
  return scanner.isAtEnd() ? undefined : scanner.scanNext();
}

class Scanner {
  readonly #text: string;
  readonly #taker: JsonTaker;
  /** What is open, the innermost last. */
  readonly #open: ('array' | 'object')[] = [];
  #at: number;
  /** Where the last string, number or word begins. */
  #token = 0;

  constructor(text: string, taker: JsonTaker, at = 0) {
    this.#text = text;
    this.#taker = taker;
    this.#at = at;
  }

  scan(): void {
    this.scanNext();
    if (!this.isAtEnd()) throw this.#syntaxError('after top-level value');
  }

  /** Reads one value; returns the place after it. */
  scanNext(): number {
    let isComplete = this.#begin();
    while (this.#open.length > 0) isComplete = isComplete ? this.#continue() : this.#begin();
    return this.#at;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  /** Reads a scalar, an empty container, or the begin of another one, which is not complete: false. */
  #begin(): boolean {
    this.#skip();
    const char = this.#text[this.#at];
    if (char === '{') return this.#openContainer('object', '}');
    if (char === '[') return this.#openContainer('array', ']');
    const literal = LITERALS.get(char ?? '');
    if (char === '"') this.#taker.text(this.#string());
    else if (literal !== undefined) this.#literal(literal[0], literal[1]);
    else if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) this.#number();
    else throw this.#syntaxError('looking for beginning of value');
    return true;
  }

  #openContainer(kind: 'array' | 'object', end: string): boolean {
    if (this.#open.length >= MAX_DEPTH) throw this.#syntaxError('exceeded max depth');
    this.#taker.open(kind);
    this.#at += 1;
    this.#skip();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      this.#taker.close();
      return true;
    }
    this.#open.push(kind);
    if (kind === 'object') this.#key();
    return false;
  }

  /** Reads what follows a value in a container: whether that is its end, which makes the container complete. */
  #continue(): boolean {
    const kind = this.#open.at(-1);
    this.#skip();
    const char = this.#text[this.#at];
    const end = kind === 'array' ? ']' : '}';
    if (char !== ',' && char !== end) throw this.#syntaxError(this.#expectedPosition());
    this.#at += 1;
    if (char === end) {
      this.#open.pop();
      this.#taker.close();
      return true;
    }
    if (kind === 'object') this.#key();
    return false;
  }

  #key(): void {
    this.#skip();
    if (this.#text[this.#at] !== '"') throw this.#syntaxError('looking for beginning of object key string');
    this.#taker.key(this.#string());
    this.#skip();
    if (this.#text[this.#at] !== ':') throw this.#syntaxError('after object key');
    this.#at += 1;
  }

  #string(): string {
    this.#token = this.#at;
    this.#at += 1;
    const start = this.#at;
    PLAIN_TEXT.lastIndex = this.#at;
    PLAIN_TEXT.test(this.#text);
    this.#at = PLAIN_TEXT.lastIndex;
    if (this.#text[this.#at] === '"') return this.#text.slice(start, this.#at++);
    return this.#escapedString(start);
  }

  /** Parses a string with escapes or surrogates. */
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
    return parts.join('');
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

  #literal(word: string, value: boolean | null): void {
    this.#token = this.#at;
    for (const char of word) {
      if (this.#text[this.#at] !== char) throw this.#syntaxError(`in literal ${word} (expecting '${char}')`);
      this.#at += 1;
    }
    this.#taker.scalar(value);
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const start = (this.#token = this.#at);
    const found = NUMBER.exec(this.#text)?.[0] ?? '';
    this.#at = start + found.length;
    const next = this.#text[this.#at] ?? '';
    if (found === '' || /^[.eE]$/.test(next)) throw this.#numberError(start, found, next);
    this.#taker.number(found);
  }

  #numberError(start: number, found: string, next: string): JsonSyntaxError {
    if (found === '') {
      this.#at = start + 1;
      return this.#syntaxError('in numeric literal');
    }
    if (next === '.' && /[.eE]/.test(found))
      return this.#syntaxError(this.#open.length === 0 ? 'after top-level value' : this.#expectedPosition());
    this.#at += 1;
    if (next === '.') return this.#syntaxError('after decimal point in numeric literal');
    if (/[eE]/.test(found)) {
      this.#at -= 1;
      return this.#syntaxError(this.#open.length === 0 ? 'after top-level value' : this.#expectedPosition());
    }
    if (/^[+-]$/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#syntaxError('in exponent of numeric literal');
  }

  #expectedPosition(): string {
    return this.#open.at(-1) === 'array' ? 'after array element' : 'after object key:value pair';
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
    const message = char === undefined ? UNEXPECTED_END : `invalid character ${quotedByte(char)} ${where}`;
    return new JsonSyntaxError(message, where, where.startsWith('in ') ? this.#token : this.#at);
  }
}

/** Go reports bytes: for a character outside of ASCII, its first byte as a character. */
function quotedByte(code: number): string {
  if (code === 0x27) return `'\\''`;
  if (code === 0x22) return `'"'`;
  const byte = Buffer.from(String.fromCodePoint(code), 'utf8')[0] ?? 0;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
