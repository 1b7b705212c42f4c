import {
  COLLECTION_STYLE,
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import { isArray, isObject, type Json } from '../json.js';
import { compareBytes, goQuote, wellFormed } from '../text.js';
import { readJson, type Parsed } from './json.js';
import { MalformedBody } from './malformed.js';
import { NON_FINITE_KEYS, mapKey, notFinite, plainScalar, taggedScalar, UNKNOWN_ESCAPE } from './yamlscalar.js';
import { refuseOtherBreaks } from './yamlmend.js';
import { decodeYaml, eventsOf, readableText, refuseFlowScalar } from './yamlevents.js';

/** Limit on the values that aliases may add to a document: protects against alias bombs. */
const MAX_ALIASED = 100_000;
const RESOLVED_TAGS: readonly string[] = ['!!bool', '!!int', '!!float', '!!null', '!!timestamp'];
const MERGE = '<<';
const MERGE_TAG = '!!merge';
/** Characters that start or separate values. YAML with more of them takes too long to parse; JSON has no such limit. */
const STRUCTURE = /[\n,[{:?&*]/g;
const MAX_STRUCTURE = 200_000;

/**
 * Parses the first document of a YAML 1.1 stream as the API server does, which converts it to JSON: keys become strings
 * and are sorted. The last of two equal keys wins; each duplicate is reported with its line.
 * @throws MalformedBody
 */
export function readYaml(text: string): Parsed {
  return asJson(text) ?? readEvents(text);
}

/** As {@link readYaml}, of bytes in the encodings of YAML. @throws MalformedBody */
export function readYamlBytes(bytes: Uint8Array): Parsed {
  const { text, isUtf8 } = decodeYaml(bytes);
  return readYaml(readableText(text, { isUtf8 }));
}

/**
 * Parses the text as JSON, which is ten times as fast: most clients that declare YAML send JSON. Undefined where the
 * text has to be parsed as YAML.
 */
function asJson(text: string): Parsed | undefined {
  if (!/^\s*\{/.test(text) || UNKNOWN_ESCAPE.test(text)) return undefined;
  try {
    const { value, duplicates } = readJson(text);
    return duplicates.length === 0 ? { value, duplicates: [] } : undefined;
  } catch (error) {
    if (error instanceof MalformedBody) return undefined;
    throw error;
  }
}

function readEvents(text: string): Parsed {
  if ((text.match(STRUCTURE)?.length ?? 0) > MAX_STRUCTURE)
    throw new MalformedBody(`yaml: document is too large: send it as JSON`);
  refuseOtherBreaks(text);
  const parsed = eventsOf(text);
  const builder = new Builder(parsed.text);
  for (const event of parsed.events) if (builder.take(event)) break;
  if (builder.unsupported !== undefined) throw builder.unsupported;
  return { value: builder.value, duplicates: builder.duplicates };
}

interface Frame {
  readonly anchor: string;
  readonly isFlow: boolean;
  /** Undefined for a sequence. */
  readonly entries: Map<string, Json> | undefined;
  /** The keys that stand in the mapping itself, not in one that is merged into it. */
  readonly keys: Set<string>;
  readonly items: Json[];
  /** In a mapping, the key whose value comes next. */
  key: string | undefined;
  /** Whether that key is a plain `<<`, whose value is merged into the mapping. */
  merges: boolean;
  /** Set when that key is a duplicate: the key as messages show it, and the line on which its value begins. */
  repeated: { readonly shown: string; line: number } | undefined;
  /** The number of values in it; aliased values count each time. */
  weight: number;
}

class Builder {
  readonly duplicates: string[] = [];
  value: Json = null;
  /** A value that JSON cannot represent. The API server reports it after it has parsed the whole document. */
  unsupported: MalformedBody | undefined;
  readonly #source: string;
  readonly #stack: Frame[] = [];
  readonly #anchors = new Map<string, { readonly value: Json; readonly weight: number }>();
  #aliased = 0;
  /** Line counting continues from the last offset. */
  #line = 1;
  #lineAt = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Processes one event; true when the document is complete. */
  take(event: Event): boolean {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        return false;
      case EVENT_ID.ALIAS:
        return this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd), event.anchorStart);
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        return this.#open(event);
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.POP:
        return this.#close();
    }
  }

  #open(event: MappingEvent | SequenceEvent): boolean {
    const frame = this.#stack.at(-1);
    if (frame?.entries !== undefined && frame.key === undefined)
      throw new MalformedBody('yaml: invalid map key: only scalars can be keys');
    this.#begins(startOf(event, event.start));
    this.#stack.push({
      anchor: this.#source.slice(Math.max(event.anchorStart, 0), Math.max(event.anchorEnd, 0)),
      isFlow: event.style === COLLECTION_STYLE.FLOW,
      entries: event.type === EVENT_ID.MAPPING ? new Map() : undefined,
      keys: new Set(),
      items: [],
      key: undefined,
      merges: false,
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
    if (frame?.isFlow === true) refuseFlowScalar(this.#source, event);
    const isValue = frame?.entries === undefined || frame.key !== undefined;
    const value = plain || RESOLVED_TAGS.includes(tag) ? this.#plain(text, isValue) : taggedScalar(tag, text);
    if (isValue) {
      this.#begins(startOf(event, event.valueStart));
      return this.#add(value, this.#source.slice(Math.max(event.anchorStart, 0), Math.max(event.anchorEnd, 0)), 1);
    }
    frame.key = this.#key(value);
    frame.merges = text === MERGE && (plain || tag === MERGE_TAG);
    if (frame.keys.has(frame.key)) {
      frame.repeated = {
        shown: typeof value === 'string' ? goQuote(value) : frame.key,
        line: this.#lineOf(event.valueStart),
      };
    }
    return false;
  }

  /** Keys are checked before values. */
  #key(value: Json): string {
    const key = mapKey(value);
    if (key === undefined) this.unsupported = new MalformedBody('unsupported map key of type: %!s(<nil>), key: <nil>');
    return key ?? '';
  }

  #plain(text: string, isValue: boolean): Json {
    const nonFinite = notFinite(text);
    if (nonFinite === undefined) return plainScalar(text);
    if (!isValue) return NON_FINITE_KEYS[nonFinite] ?? nonFinite;
    this.unsupported ??= new MalformedBody(`json: unsupported value: ${nonFinite}`);
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

  /** Records the line where the value of a duplicate key begins: that line is reported. */
  #begins(offset: number): void {
    const repeated = this.#stack.at(-1)?.repeated;
    if (repeated !== undefined && offset >= 0) repeated.line = this.#lineOf(offset);
  }

  /** Adds a complete value to the open container; true when it is the whole document. */
  #add(value: Json, anchor: string, weight: number): boolean {
    if (anchor !== '') this.#anchors.set(anchor, { value, weight });
    const frame = this.#stack.at(-1);
    if (frame === undefined) {
      this.value = value;
      return true;
    }
    frame.weight += weight;
    if (frame.entries === undefined) frame.items.push(value);
    else if (frame.merges) merge(frame.entries, value);
    else addEntry(frame.keys, frame.entries, [frame.key ?? '', value]);
    if (frame.repeated !== undefined)
      this.duplicates.push(`line ${frame.repeated.line}: key ${frame.repeated.shown} already set in map`);
    frame.repeated = undefined;
    frame.merges = false;
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

/** The offset where a value begins, with its anchor and tag; negative for an omitted value. */
function startOf(
  { anchorStart, tagStart }: { readonly anchorStart: number; readonly tagStart: number },
  start: number,
): number {
  const given = [anchorStart, tagStart, start].filter((offset) => offset >= 0);
  return given.length === 0 ? -1 : Math.min(...given);
}

function containerValue({ entries, items }: Frame): Json {
  return entries === undefined ? items : Object.fromEntries([...entries].sort(([a], [b]) => compareBytes(a, b)));
}

function addEntry(keys: Set<string>, entries: Map<string, Json>, [key, value]: readonly [string, Json]): void {
  keys.add(key);
  entries.set(key, value);
}

/** What stands before `<<` is replaced, what stands after it replaces; of several mappings the first has precedence. */
function merge(entries: Map<string, Json>, value: Json): void {
  for (const source of isArray(value) ? value.toReversed() : [value]) {
    if (!isObject(source)) throw new MalformedBody('yaml: map merge requires map or sequence of maps as the value');
    for (const [key, item] of Object.entries(source)) if (item !== undefined) entries.set(key, item);
  }
}
