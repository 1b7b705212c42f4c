import { EVENT_ID, getScalarValue, SCALAR_STYLE, type Event, type ScalarEvent } from 'js-yaml';
import { isArray, isObject, type Json } from '../../json.js';
import type { Body } from './body.js';
import { compareBytes, goQuote } from '../go/text.js';
import { readJson, wellFormed } from './json.js';
import { MalformedBody } from './malformed.js';
import { NON_FINITE_KEYS, mapKey, notFinite, plainScalar, taggedScalar } from './yamlscalar.js';
import { eventsOf } from './yamlevents.js';

/** Values that aliases may add to a document: against documents that grow by repeating themselves. */
const MAX_ALIASED = 100_000;
const RESOLVED_TAGS: readonly string[] = ['!!bool', '!!int', '!!float', '!!null', '!!timestamp'];
const MERGE = '<<';
/** What JSON and later versions of YAML know: a slash that is escaped, and halves of pairs of UTF-16. */
const UNKNOWN_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:\/|u[dD][89a-fA-F])/;

/** Characters that begin or part values; YAML with more of them takes too long to read. JSON has no such limit. */
const STRUCTURE = /[\n,[{:?&*]/g;
const MAX_STRUCTURE = 200_000;

/**
 * Reads the first document of YAML 1.1, as the server's reader does (it turns it into JSON: keys become texts, and are
 * in order). The last of two equal keys wins; each such is noted with its line.
 * @throws MalformedBody
 */
export function readYaml(text: string): Body {
  return asJson(text) ?? readEvents(text);
}

/** What most clients send as YAML is JSON, which is read ten times as fast. */
function asJson(text: string): Body | undefined {
  if (!/^\s*\{/.test(text) || UNKNOWN_ESCAPE.test(text)) return undefined;
  try {
    const { value, duplicates } = readJson(text);
    return duplicates.length === 0 ? { value, duplicates: [] } : undefined;
  } catch (error) {
    if (error instanceof MalformedBody) return undefined;
    throw error;
  }
}

function readEvents(text: string): Body {
  if ((text.match(STRUCTURE)?.length ?? 0) > MAX_STRUCTURE)
    throw new MalformedBody(`yaml: document is too large: send it as JSON`);
  const builder = new Builder(text);
  for (const event of eventsOf(text)) if (builder.take(event)) break;
  if (builder.unfit !== undefined) throw builder.unfit;
  return { value: builder.value, duplicates: builder.duplicates };
}

interface Frame {
  readonly anchor: string;
  /** undefined for a sequence. */
  readonly entries: Map<string, Json> | undefined;
  readonly merged: Map<string, Json>;
  readonly items: Json[];
  /** Of a mapping: the key whose value is next. */
  key: string | undefined;
  /** That key as it is shown, where it is there already, and the line on which its value begins. */
  repeated: { readonly shown: string; line: number } | undefined;
  /** Values in it, aliased ones counted again. */
  weight: number;
}

class Builder {
  readonly duplicates: string[] = [];
  value: Json = null;
  /** What JSON has no words for, which the server's reader finds when it has read all of the document. */
  unfit: MalformedBody | undefined;
  readonly #source: string;
  readonly #stack: Frame[] = [];
  readonly #anchors = new Map<string, { readonly value: Json; readonly weight: number }>();
  #aliased = 0;
  /** Lines are counted on from the last place that was asked for. */
  #line = 1;
  #lineAt = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Takes one event; true when the document is complete. */
  take(event: Event): boolean {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        return false;
      case EVENT_ID.ALIAS:
        return this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd), event.anchorStart);
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        return this.#open(
          event.type === EVENT_ID.MAPPING,
          this.#source.slice(Math.max(event.anchorStart, 0), Math.max(event.anchorEnd, 0)),
          startOf(event, event.start),
        );
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.POP:
        return this.#close();
    }
  }

  #open(mapping: boolean, anchor: string, start: number): boolean {
    const frame = this.#stack.at(-1);
    if (frame?.entries !== undefined && frame.key === undefined)
      throw new MalformedBody('yaml: invalid map key: only scalars can be keys');
    this.#begins(start);
    this.#stack.push({
      anchor,
      entries: mapping ? new Map() : undefined,
      merged: new Map(),
      items: [],
      key: undefined,
      repeated: undefined,
      weight: 1,
    });
    return false;
  }

  #close(): boolean {
    const frame = this.#stack.pop();
    if (frame === undefined) return true;
    return this.#add(containerValue(frame), frame.anchor, frame.weight);
  }

  #scalar(event: ScalarEvent): boolean {
    if (
      event.style === SCALAR_STYLE.DOUBLE_QUOTED &&
      UNKNOWN_ESCAPE.test(this.#source.slice(event.valueStart, event.valueEnd))
    ) {
      throw new MalformedBody(`yaml: line ${this.#lineOf(event.valueStart)}: found unknown escape character`);
    }
    const text = event.valueStart < 0 ? '' : wellFormed(getScalarValue(this.#source, event));
    const tag = event.tagStart < 0 ? '' : this.#source.slice(event.tagStart, event.tagEnd);
    const plain = event.style === SCALAR_STYLE.PLAIN && tag === '';
    const frame = this.#stack.at(-1);
    const isValue = frame?.entries === undefined || frame.key !== undefined;
    const value = plain || RESOLVED_TAGS.includes(tag) ? this.#plain(text, isValue) : taggedScalar(tag, text);
    if (isValue) {
      this.#begins(startOf(event, event.valueStart));
      return this.#add(value, this.#source.slice(Math.max(event.anchorStart, 0), Math.max(event.anchorEnd, 0)), 1);
    }
    frame.key = this.#key(value);
    if (frame.entries.has(frame.key) && frame.key !== MERGE) {
      frame.repeated = {
        shown: typeof value === 'string' ? goQuote(value) : frame.key,
        line: this.#lineOf(event.valueStart),
      };
    }
    return false;
  }

  /** Keys are looked at before values. */
  #key(value: Json): string {
    const key = mapKey(value);
    if (key === undefined) this.unfit = new MalformedBody('unsupported map key of type: %!s(<nil>), key: <nil>');
    return key ?? '';
  }

  #plain(text: string, isValue: boolean): Json {
    const odd = notFinite(text);
    if (odd === undefined) return plainScalar(text);
    if (!isValue) return NON_FINITE_KEYS[odd] ?? odd;
    this.unfit ??= new MalformedBody(`json: unsupported value: ${odd}`);
    return null;
  }

  #alias(name: string, start: number): boolean {
    const known = this.#anchors.get(name);
    if (known === undefined) {
      const open = this.#stack.some((frame) => frame.anchor === name);
      throw new MalformedBody(
        open ? `yaml: anchor '${name}' value contains itself` : `yaml: unknown anchor '${name}' referenced`,
      );
    }
    this.#aliased += known.weight;
    if (this.#aliased > MAX_ALIASED) throw new MalformedBody('yaml: document contains excessive aliasing');
    const frame = this.#stack.at(-1);
    if (frame?.entries !== undefined && frame.key === undefined) {
      frame.key = this.#key(known.value);
      return false;
    }
    this.#begins(start);
    return this.#add(known.value, '', known.weight);
  }

  /** Notes where the value of a repeated key begins: that line is told. */
  #begins(offset: number): void {
    const repeated = this.#stack.at(-1)?.repeated;
    if (repeated !== undefined && offset >= 0) repeated.line = this.#lineOf(offset);
  }

  /** Puts a finished value where it belongs; true when it is the whole document. */
  #add(value: Json, anchor: string, weight: number): boolean {
    if (anchor !== '') this.#anchors.set(anchor, { value, weight });
    const frame = this.#stack.at(-1);
    if (frame === undefined) {
      this.value = value;
      return true;
    }
    frame.weight += weight;
    if (frame.entries === undefined) frame.items.push(value);
    else if (frame.key === MERGE) merge(frame, value);
    else frame.entries.set(frame.key ?? '', value);
    if (frame.repeated !== undefined)
      this.duplicates.push(`line ${frame.repeated.line}: key ${frame.repeated.shown} already set in map`);
    frame.repeated = undefined;
    frame.key = undefined;
    return false;
  }

  #lineOf(offset: number): number {
    if (offset < this.#lineAt) {
      this.#line = 1;
      this.#lineAt = 0;
    }
    for (; this.#lineAt < offset; this.#lineAt += 1) {
      if (this.#source.charCodeAt(this.#lineAt) === 10) this.#line += 1;
    }
    return this.#line;
  }
}

/** Where a value begins, its anchor and tag included; negative for one that is left out. */
function startOf(
  { anchorStart, tagStart }: { readonly anchorStart: number; readonly tagStart: number },
  start: number,
): number {
  const given = [anchorStart, tagStart, start].filter((offset) => offset >= 0);
  return given.length === 0 ? -1 : Math.min(...given);
}

function containerValue({ entries, merged, items }: Frame): Json {
  if (entries === undefined) return items;
  const all = new Map([...merged, ...entries]);
  return Object.fromEntries([...all].sort(([a], [b]) => compareBytes(a, b)));
}

function merge(frame: Frame, value: Json): void {
  for (const source of isArray(value) ? value : [value]) {
    if (!isObject(source)) throw new MalformedBody('yaml: map merge requires map or sequence of maps as the value');
    for (const [key, item] of Object.entries(source)) {
      if (item !== undefined && !frame.merged.has(key)) frame.merged.set(key, item);
    }
  }
}
