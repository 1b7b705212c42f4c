import { fieldError, StatusError } from '../statuserror.js';

/** A parsed body: plain data. Objects have no prototype, keys stand once, numbers are exact. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export const MAX_DEPTH = 64;
export const MAX_NODES = 20_000;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const INTEGER = /^-?(?:0|[1-9]\d{0,16})$/;
const LARGEST = 2n ** 53n;
/** Half of a surrogate pair, which no UTF-8 text can hold. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_PATH = 256;
const MAX_SHOWN = 64;
const MAX_SHOWN_ITEMS = 4;

interface Frame {
  readonly value: JsonValue[] | JsonObject;
  key: string | undefined;
}

/**
 * Puts a body together from what a parser reads, in the order in which it reads it, and refuses what no body may hold:
 * more than 20,000 nodes or 64 levels, a key twice, the keys of JavaScript's own objects, numbers that are not whole or
 * not exact. The parser closes what it has opened.
 */
export class DocumentBuilder {
  readonly #frames: Frame[] = [];
  #nodes = 0;
  #result: JsonValue | undefined;

  /** The finished body. */
  result(): JsonValue {
    if (this.#result === undefined || this.#frames.length > 0)
      throw new StatusError('malformed', { message: 'the body is empty' });
    return this.#result;
  }

  /** Whether the next text of an open object is a key. */
  get expectsKey(): boolean {
    const top = this.#frames.at(-1);
    return top !== undefined && !Array.isArray(top.value) && top.key === undefined;
  }

  open(kind: 'array' | 'object'): void {
    if (this.#frames.length >= MAX_DEPTH) throw this.errorHere(`nested deeper than ${MAX_DEPTH} levels`);
    const empty: JsonObject = Object.create(null);
    this.#frames.push({ value: kind === 'array' ? [] : empty, key: undefined });
  }

  close(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined) this.value(frame.value);
  }

  key(text: string): void {
    const top = this.#frames.at(-1);
    if (top === undefined || Array.isArray(top.value)) throw this.errorHere('a key can stand in an object only');
    if (FORBIDDEN_KEYS.has(text)) throw this.errorHere(`the key ${text} is not allowed`);
    if (LONE_SURROGATE.test(text)) throw this.errorHere('a key is not valid Unicode');
    top.key = text;
    if (text in top.value) throw this.errorHere('the key stands twice');
  }

  text(text: string): void {
    if (LONE_SURROGATE.test(text)) throw this.errorHere('the text is not valid Unicode');
    this.value(text);
  }

  /** A number as it is written; what is not a whole number within ±2^53 would be changed on its way. */
  number(text: string): void {
    const exact = INTEGER.test(text) && BigInt(text) <= LARGEST && BigInt(text) >= -LARGEST;
    if (!exact) throw this.errorHere(`${truncate(text)}: a number must be a whole decimal number from -2^53 to 2^53`);
    this.value(Number(text) + 0);
  }

  value(value: JsonValue): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES)
      throw new StatusError('malformed', { message: `the body holds more than ${MAX_NODES} values` });
    const top = this.#frames.at(-1);
    if (top === undefined) {
      this.#result = value;
    } else if (Array.isArray(top.value)) {
      top.value.push(value);
    } else if (top.key !== undefined) {
      top.value[top.key] = value;
      top.key = undefined;
    }
  }

  /** A refusal that names the place reached. */
  errorHere(rule: string): StatusError {
    return fieldError('malformed', this.#path(), rule);
  }

  #path(): string {
    let path = '';
    for (const { value, key } of this.#frames) {
      if (Array.isArray(value)) path += `[${value.length}]`;
      else if (key !== undefined) path += path === '' ? key : `.${key}`;
    }
    return path === '' ? '(body)' : path.slice(0, MAX_PATH);
  }
}

/** A value as an error tells it: of what type it is, and what it holds where that is short. */
export function formatValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return `the ${typeof value} ${truncate(JSON.stringify(value))}`;
  const items = Object.values(value);
  const short = items.length <= MAX_SHOWN_ITEMS && items.every((item) => typeof item !== 'object' || item === null);
  return `the ${Array.isArray(value) ? 'list' : 'object'} ${short ? truncate(JSON.stringify(value)) : `of ${items.length}`}`;
}

function truncate(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** Whether it is an object, not an array. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
