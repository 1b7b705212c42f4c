import type { Json } from '../json.js';
import { RefusedText } from './malformed.js';
import { DocumentBuilder } from './document.js';

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [string, null | boolean])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON (RFC 8259) with the limits of DocumentBuilder. In one pass: a body is rejected at the first error.
 * @throws RefusedText
 */
export function parseJsonBody(text: string): Json {
  return new JsonReader(text).document();
}

class JsonReader {
  readonly #text: string;
  readonly #builder = new DocumentBuilder();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    this.#value();
    this.#space();
    if (this.#at < this.#text.length) throw this.#error('nothing may follow the value');
    return this.#builder.result();
  }

  /** Recursion is bounded: the builder rejects more than 64 levels. */
  #value(): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === '{') this.#members();
    else if (first === '[') this.#items();
    else if (first === '"') this.#builder.text(this.#string());
    else this.#scalar();
  }

  #members(): void {
    this.#builder.open('object');
    this.#at += 1;
    this.#space();
    if (!this.#consume('}')) {
      do {
        this.#space();
        if (this.#text[this.#at] !== '"') throw this.#error('a key in double quotes is expected');
        this.#builder.key(this.#string());
        this.#space();
        if (!this.#consume(':')) throw this.#error('":" is expected');
        this.#value();
        this.#space();
      } while (this.#consume(','));
      if (!this.#consume('}')) throw this.#error('"," or "}" is expected');
    }
    this.#builder.close();
  }

  #items(): void {
    this.#builder.open('array');
    this.#at += 1;
    this.#space();
    if (!this.#consume(']')) {
      do {
        this.#value();
        this.#space();
      } while (this.#consume(','));
      if (!this.#consume(']')) throw this.#error('"," or "]" is expected');
    }
    this.#builder.close();
  }

  #string(): string {
    const begin = this.#at;
    let at = begin + 1;
    for (let code = this.#text.charCodeAt(at); code !== QUOTE; code = this.#text.charCodeAt(at)) {
      if (Number.isNaN(code)) throw this.#error('a string is not terminated');
      at += code === BACKSLASH ? 2 : 1;
    }
    this.#at = at + 1;
    try {
      const value: unknown = JSON.parse(this.#text.slice(begin, at + 1));
      return String(value);
    } catch {
      this.#at = begin;
      throw this.#error('a string holds a control character or an invalid escape');
    }
  }

  #scalar(): void {
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      this.#builder.value(value);
      return;
    }
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text)?.[0];
    if (number === undefined) throw this.#error('a value is expected');
    this.#at += number.length;
    this.#builder.number(number);
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #consume(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #error(rule: string): RefusedText {
    return new RefusedText(`the body is not valid JSON: character ${this.#at + 1}: ${rule}`);
  }
}
