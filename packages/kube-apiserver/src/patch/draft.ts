import { isArray, isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';

/** A value of a document being patched: a draft for containers that were opened, the original JSON otherwise. */
export type DraftValue = Json | Container;

/** A mutable object or array, addressed by keys of a JSON pointer. The methods return false for an invalid key. */
export interface Container {
  /** Whether a key is valid for reading: any member of an object, an existing index of an array. */
  readable(key: string): boolean;
  get(key: string): DraftValue | undefined;
  /** A draft of the container under a key; undefined when there is no container. */
  open(key: string): Container | undefined;
  add(key: string, value: DraftValue): boolean;
  replace(key: string, value: DraftValue): boolean;
  remove(key: string): boolean;
  finish(): Json;
}

/** A draft of an object or array; undefined for other values. */
export function draftOf(value: DraftValue | undefined): Container | undefined {
  if (isContainer(value)) return value;
  if (isArray(value)) return new ArrayDraft([...value]);
  if (!isObject(value)) return undefined;
  return new ObjectDraft(
    new Map(Object.entries(value).flatMap(([key, child]) => (child === undefined ? [] : [[key, child]]))),
  );
}

/** The value as JSON. */
export function finish(value: DraftValue): Json {
  return isContainer(value) ? value.finish() : value;
}

function isContainer(value: DraftValue | undefined): value is Container {
  return value instanceof ObjectDraft || value instanceof ArrayDraft;
}

class ObjectDraft implements Container {
  readonly #members: Map<string, DraftValue>;

  constructor(members: Map<string, DraftValue>) {
    this.#members = members;
  }

  readable(): boolean {
    return true;
  }

  get(key: string): DraftValue | undefined {
    return this.#members.get(key);
  }

  open(key: string): Container | undefined {
    const draft = draftOf(this.#members.get(key));
    if (draft !== undefined) this.#members.set(key, draft);
    return draft;
  }

  add(key: string, value: DraftValue): boolean {
    this.#members.set(key, value);
    return true;
  }

  replace(key: string, value: DraftValue): boolean {
    return this.add(key, value);
  }

  remove(key: string): boolean {
    return this.#members.delete(key);
  }

  finish(): Json {
    return Object.fromEntries([...this.#members].map(([key, value]) => [key, finish(value)]));
  }
}

class ArrayDraft implements Container {
  readonly #items: DraftValue[];

  constructor(items: DraftValue[]) {
    this.#items = items;
  }

  readable(key: string): boolean {
    return this.#index(key, this.#items.length) !== undefined;
  }

  get(key: string): DraftValue | undefined {
    const index = this.#index(key, this.#items.length);
    return index === undefined ? undefined : this.#items[index];
  }

  open(key: string): Container | undefined {
    const index = this.#index(key, this.#items.length);
    if (index === undefined) return undefined;
    const draft = draftOf(this.#items[index]);
    if (draft !== undefined) this.#items[index] = draft;
    return draft;
  }

  add(key: string, value: DraftValue): boolean {
    const index = key === '-' ? this.#items.length : this.#index(key, this.#items.length + 1);
    if (index === undefined) return false;
    this.#items.splice(index, 0, value);
    return true;
  }

  replace(key: string, value: DraftValue): boolean {
    const index = this.#index(key, this.#items.length);
    if (index === undefined) return false;
    this.#items[index] = value;
    return true;
  }

  remove(key: string): boolean {
    const index = this.#index(key, this.#items.length);
    if (index === undefined) return false;
    this.#items.splice(index, 1);
    return true;
  }

  finish(): Json {
    return this.#items.map(finish);
  }

  /** Parses an index below `size`; a negative index counts from the end. */
  #index(key: string, size: number): number | undefined {
    if (!/^[+-]?[0-9]+$/.test(key)) return undefined;
    const index = Number(key);
    const counted = index < 0 ? index + size : index;
    return counted >= 0 && counted < size ? counted : undefined;
  }
}
