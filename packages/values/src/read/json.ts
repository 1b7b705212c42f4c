import { isObject, own, type Json } from '../json.js';
import { scanJson, scanNextJson, type JsonTaker } from './jsonscanner.js';
import { exactNumber } from './malformed.js';
import { wellFormed } from '../text.js';

/**
 * Parses JSON as Go's encoding/json does: the same inputs are rejected with the same messages, the last of two equal
 * keys wins, and the paths of duplicates are reported. Not recursive; linear in time.
 *
 * Three deviations from Go: nesting is limited to {@link MAX_DEPTH} (Go: 10,000), so that recursive walks over an
 * object cannot exhaust the stack. Integers that a double cannot hold are rejected, where Go keeps 64 bits. The number
 * 1.0 is read as the integer 1.
 */

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
  const builder = new Builder(mergeDuplicates);
  scanJson(text, builder);
  return { value: builder.value, duplicates: [...builder.duplicates] };
}

/** The value that begins at `at`, after blanks, and its end; undefined where only blanks are left. @throws MalformedBody */
export function readNextJson(text: string, at: number): { readonly value: Json; readonly end: number } | undefined {
  const builder = new Builder(false);
  const end = scanNextJson(text, builder, at);
  return end === undefined ? undefined : { value: builder.value, end };
}

type Frame =
  | { readonly kind: 'array'; readonly items: Json[] }
  | { readonly kind: 'object'; readonly entries: Map<string, Json>; key: string };

/** Builds the value that Go's decoder makes. */
class Builder implements JsonTaker {
  readonly duplicates = new Set<string>();
  value: Json = null;
  readonly #stack: Frame[] = [];
  readonly #mergeDuplicates: boolean;

  constructor(mergeDuplicates: boolean) {
    this.#mergeDuplicates = mergeDuplicates;
  }

  open(kind: 'array' | 'object'): void {
    this.#stack.push(kind === 'array' ? { kind, items: [] } : { kind, entries: new Map(), key: '' });
  }

  close(): void {
    const frame = this.#stack.pop();
    if (frame !== undefined) this.#put(frame.kind === 'array' ? frame.items : Object.fromEntries(frame.entries));
  }

  key(text: string): void {
    const frame = this.#stack.at(-1);
    if (frame?.kind !== 'object') return;
    frame.key = wellFormed(text);
    if (frame.entries.has(frame.key)) this.#noteDuplicate();
  }

  /** A lone surrogate becomes U+FFFD, as in Go. */
  text(text: string): void {
    this.#put(wellFormed(text));
  }

  number(text: string): void {
    this.#put(exactNumber(text));
  }

  scalar(value: boolean | null): void {
    this.#put(value);
  }

  #put(value: Json): void {
    const frame = this.#stack.at(-1);
    if (frame === undefined) this.value = value;
    else if (frame.kind === 'array') frame.items.push(value);
    else frame.entries.set(frame.key, this.#mergeDuplicates ? merged(frame.entries.get(frame.key), value) : value);
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
}

function merged(before: Json | undefined, value: Json): Json {
  if (before === undefined || !isObject(before) || !isObject(value)) return value;
  const entries = new Map(Object.entries(before));
  for (const [key, item] of Object.entries(value)) entries.set(key, merged(own(before, key), item ?? null));
  return Object.fromEntries(entries);
}
