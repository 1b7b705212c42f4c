import type { KubeObject } from '../object.js';

/**
 * Durable, watchable collections of objects under one rising revision. Knows nothing of Kubernetes but that an object
 * has `metadata`: a collection is a name (`placements.multicluster.platform.io`), a key is `namespace/name` or `name`.
 */
export interface Store {
  /** The revision of the newest durable change; at least 1. Every revision is given once, for ever. */
  readonly revision: number;
  /** The durable state of one object. */
  get(collection: string, key: string): Entry | undefined;
  /** The state that the next write builds upon: the newest accepted write, durable or not yet. */
  newest(collection: string, key: string): Entry | undefined;
  /** Durable objects whose keys begin with `prefix`, in order of keys (UTF-16 code units). */
  list(collection: string, prefix: string): readonly Entry[];
  /** The same as it was at a revision. Throws {@link Compacted} where history does not reach back so far. */
  listAt(collection: string, prefix: string, revision: number): readonly Entry[];
  /** How many durable objects a collection holds. */
  count(collection: string): number;
  collections(): readonly string[];
  /**
   * Stores an object; `build` gets the revision of the change (to write it into the object) and runs before this
   * returns, so that a check of `newest` and the write are one step. Resolves when the change is on disk (and in
   * `get`, `list` and the watchers). Rejects with a StatusError 503 where the store cannot take it; then nothing changed.
   */
  put(collection: string, key: string, build: (revision: number) => KubeObject): Promise<Entry>;
  /** Removes an object; `build` gives its last state with the revision of the removal, which watchers get. */
  remove(collection: string, key: string, build: (revision: number) => KubeObject): Promise<Entry>;
  /**
   * Resolves when everything up to a revision that was given away is on disk: for who answers with what `newest` says
   * and writes nothing. Rejects with a StatusError when that change could not be stored.
   */
  durable(revision: number): Promise<void>;
  /**
   * Tells every change after a revision, in order, once: first from history (before this returns or soon after), then as
   * it becomes durable. A listener must not throw and must return at once. Throws {@link Compacted}.
   */
  watch(collection: string, after: number, listener: (change: Change) => void): Subscription;
  /** Forgets history up to now: older revisions are {@link Compacted} from here on. */
  compact(): void;
  /** Oldest revision whose state {@link listAt} still knows, of one collection. */
  oldest(collection: string): number;
  /** Waits for what was accepted, then closes the files. Later writes are refused. */
  close(): Promise<void>;
}

/** One state of one object. */
export interface Entry {
  readonly key: string;
  readonly revision: number;
  /** The object as JSON, `metadata.resourceVersion` included; may be read, not written to. */
  readonly bytes: Buffer;
  /** Parsed when first asked for, kept for a while; never to be changed in place. */
  readonly object: KubeObject;
}

export interface Change {
  readonly revision: number;
  readonly type: 'put' | 'remove';
  /** After the change; of a removal: the last state, with the revision of the removal. */
  readonly entry: Entry;
  /** Before the change; undefined when the change made the object. */
  readonly previous: Entry | undefined;
}

export interface Subscription {
  end(): void;
}

/** Asked for a state that history no longer holds. */
export class Compacted extends Error {
  /** The oldest revision that can be asked for. */
  readonly oldest: number;

  constructor(asked: number, oldest: number) {
    super(`revision ${asked} is compacted: the oldest is ${oldest}`);
    this.name = 'Compacted';
    this.oldest = oldest;
  }
}
