import type { Json } from '../json.js';
import { scanJson, UNEXPECTED_END, type JsonTaker } from './jsonscanner.js';
import { JsonSyntaxError, RefusedText } from './malformed.js';

/** How many levels of arrays and objects a body may have. */
export const MAX_DEPTH = 64;
/** How many values a body may have, arrays and objects included. */
export const MAX_NODES = 20_000;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** At most 17 digits, so that a long number is rejected before it is parsed. */
const INTEGER = /^-?(?:0|[1-9]\d{0,16})$/;
const LARGEST_INTEGER = 2n ** 53n;
/** Half of a surrogate pair, which cannot be encoded in UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** How much of a path and of a value an error message shows: characters, and items. */
const MAX_SHOWN_PATH = 256;
const MAX_SHOWN_TEXT = 64;
const MAX_SHOWN_ITEMS = 4;

/** An array or an object that is not closed yet. */
interface Frame {
  readonly value: Json[] | Record<string, Json>;
  /** The key whose value comes next; undefined in an array, and before a key. */
  key: string | undefined;
}

/** What is expected, by where Go's scanner was. */
const SYNTAX_RULES: ReadonlyMap<string, string> = new Map([
  ['after array element', '"," or "]" is expected'],
  ['after object key:value pair', '"," or "}" is expected'],
  ['after object key', '":" is expected'],
  ['after top-level value', 'nothing may follow the value'],
  ['looking for beginning of object key string', 'a key in double quotes is expected'],
]);

/**
 * Parses JSON (RFC 8259) with the limits of {@link StrictBuilder}. In one pass: a text is refused at the first error.
 * @throws RefusedText
 */
export function readStrictJson(text: string): Json {
  const builder = new StrictBuilder();
  try {
    scanJson(text, builder);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new RefusedText(`the body is not valid JSON: character ${error.at + 1}: ${syntaxRule(error)}`);
  }
  return builder.result();
}

function syntaxRule({ where, message }: JsonSyntaxError): string {
  if (!/^in (?:string|\\u)/.test(where)) return SYNTAX_RULES.get(where) ?? 'a value is expected';
  return message === UNEXPECTED_END
    ? 'a string is not terminated'
    : 'a string holds a control character or an invalid escape';
}

/**
 * Builds a body from the events of a parser. Rejects, with the path of the place, more than 20,000 values or 64 levels,
 * duplicate keys, the keys `__proto__`, `constructor` and `prototype`, and numbers that are not exact integers. The
 * parser closes each array and object that it has opened.
 */
export class StrictBuilder implements JsonTaker {
  readonly #frames: Frame[] = [];
  #nodes = 0;
  #result: Json | undefined;

  /** The complete body. Objects have no prototype and no duplicate keys; numbers are exact. */
  result(): Json {
    if (this.#result === undefined || this.#frames.length > 0) throw new RefusedText('the body is empty');
    return this.#result;
  }

  /** Whether the next scalar is a key of an object. */
  get expectsKey(): boolean {
    const top = this.#frames.at(-1);
    return top !== undefined && !Array.isArray(top.value) && top.key === undefined;
  }

  open(kind: 'array' | 'object'): void {
    if (this.#frames.length >= MAX_DEPTH) throw this.errorHere(`nested deeper than ${MAX_DEPTH} levels`);
    const empty: Record<string, Json> = Object.create(null);
    this.#frames.push({ value: kind === 'array' ? [] : empty, key: undefined });
  }

  close(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined) this.#add(frame.value);
  }

  key(text: string): void {
    const top = this.#frames.at(-1);
    if (top === undefined || Array.isArray(top.value)) throw this.errorHere('a key is only allowed in an object');
    if (FORBIDDEN_KEYS.has(text)) throw this.errorHere(`the key ${text} is not allowed`);
    if (LONE_SURROGATE.test(text)) throw this.errorHere('a key is not valid Unicode');
    // The key is set first, so that the path of the error ends with it.
    top.key = text;
    if (text in top.value) throw this.errorHere('duplicate key');
  }

  text(text: string): void {
    if (LONE_SURROGATE.test(text)) throw this.errorHere('the string is not valid Unicode');
    this.#add(text);
  }

  /** Adds a number in its source text. A JSON reader may change other numbers than integers from -2^53 to 2^53. */
  number(text: string): void {
    const exact = INTEGER.test(text) && BigInt(text) <= LARGEST_INTEGER && BigInt(text) >= -LARGEST_INTEGER;
    if (!exact) throw this.errorHere(`${truncate(text)}: a number must be a whole decimal number from -2^53 to 2^53`);
    // The sum makes 0 of -0.
    this.#add(Number(text) + 0);
  }

  scalar(value: boolean | null): void {
    this.#add(value);
  }

  /** Adds a value at the current place. */
  #add(value: Json): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new RefusedText(`the body holds more than ${MAX_NODES} values`);
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

  /** An error with the path of the current place. */
  errorHere(rule: string): RefusedText {
    return new RefusedText(rule, this.#path());
  }

  #path(): string {
    let path = '';
    for (const { value, key } of this.#frames) {
      if (Array.isArray(value)) path += `[${value.length}]`;
      else if (key !== undefined) path += path === '' ? key : `.${key}`;
    }
    return path === '' ? '(body)' : path.slice(0, MAX_SHOWN_PATH);
  }
}

/** A value for an error message: its type, and its content where that is short. */
export function formatValue(value: Json): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return `the ${typeof value} ${truncate(JSON.stringify(value))}`;
  const items = Object.values(value);
  const short = items.length <= MAX_SHOWN_ITEMS && items.every((item) => typeof item !== 'object' || item === null);
  const content = short ? truncate(JSON.stringify(value)) : `of ${items.length}`;
  return `the ${Array.isArray(value) ? 'list' : 'object'} ${content}`;
}

function truncate(text: string): string {
  return text.length <= MAX_SHOWN_TEXT ? text : `${text.slice(0, MAX_SHOWN_TEXT)}…`;
}
