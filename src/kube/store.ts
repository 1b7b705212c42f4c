import type { KubeObject } from '../api/meta.js';

/** One change of a cached object. `before` absent: new; `after` absent: gone; both with different uids: made anew in between. */
export interface Change<T extends KubeObject> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** What a reflector holds, by key, with indexes. Objects are frozen and shared: never mutate one. */
export interface Store<T extends KubeObject> {
  readonly size: number;
  get(key: string): T | undefined;
  /** All objects, in no promised order. */
  values(): Iterable<T>;
  /** The objects that `indexers[index]` gave `value` for, sorted by key; empty when there are none. */
  byIndex(index: string, value: string): readonly T[];
}

/** Index name → the values under which an object is found. Pure. */
export type Indexers<T extends KubeObject> = Readonly<Record<string, (object: T) => readonly string[]>>;
