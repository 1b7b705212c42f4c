import type { KubeObject } from '@multicluster-engine/values/object';

/**
 * Durable, watchable collections of objects under one rising revision. Of Kubernetes it knows only that an object has
 * `metadata`: a collection is a name (`placements.multicluster.platform.io`), a key is `namespace/name` or `name`.
 */
export interface Store {
  /** The revision of the newest durable change; at least 1. No revision is ever used twice. */
  readonly revision: number;
  /** The durable state of one object. */
  get(collection: string, key: string): Entry | undefined;
  /** The state that the next write builds upon: that of the newest accepted write, durable or not. */
  newest(collection: string, key: string): Entry | undefined;
  /** Durable objects whose keys begin with `prefix`, in order of keys (UTF-16 code units). */
  list(collection: string, prefix: string): readonly Entry[];
  /** The same at an earlier revision. Throws {@link Compacted} where history does not reach back so far. */
  listAt(collection: string, prefix: string, revision: number): readonly Entry[];
  /** The number of durable objects in a collection. */
  count(collection: string): number;
  collections(): readonly string[];
  /**
   * Stores an object; `build` gets the revision of the change, to set resourceVersion, and runs before this returns, so
   * that checking `newest` and writing is atomic. Resolves when the change is durable and visible to `get`, `list` and
   * watchers. Rejects with a StatusError 503 where the store cannot accept it; then nothing changed.
   */
  put(collection: string, key: string, build: (revision: number) => KubeObject): Promise<Entry>;
  /** Deletes an object; `build` returns its last state with the revision of the deletion, which watchers get. */
  remove(collection: string, key: string, build: (revision: number) => KubeObject): Promise<Entry>;
  /**
   * Resolves when all changes up to an allocated revision are durable: for responses that show `newest` without
   * writing. Rejects with a StatusError where that change could not be stored.
   */
  durable(revision: number): Promise<void>;
  /**
   * Delivers every change after a revision, in order, once: first from history (before this returns or soon after),
   * then as changes become durable. A listener must not throw and must return at once. Throws {@link Compacted}.
   */
  watch(collection: string, after: number, listener: (change: Change) => void): Subscription;
  /** Drops the history: older revisions are {@link Compacted} from now on. */
  compact(): void;
  /** The oldest revision that {@link listAt} can read of a collection. */
  oldest(collection: string): number;
  /** Waits for accepted writes, then closes the files. Later writes are refused. */
  close(): Promise<void>;
}

/** One state of one object. */
export interface Entry {
  readonly key: string;
  readonly revision: number;
  /** The object as JSON with `metadata.resourceVersion`; read-only. */
  readonly bytes: Buffer;
  /** Parsed on first use and cached for a while; never changed in place. */
  readonly object: KubeObject;
}

export interface Change {
  readonly revision: number;
  readonly type: 'put' | 'remove';
  /** After the change; for a deletion, the last state with the revision of the deletion. */
  readonly entry: Entry;
  /** Before the change; undefined where the change created the object. */
  readonly previous: Entry | undefined;
}

export interface Subscription {
  end(): void;
}

/** The requested state is older than the history. */
export class Compacted extends Error {
  /** The oldest available revision. */
  readonly oldest: number;

  constructor(requested: number, oldest: number) {
    super(`revision ${requested} is compacted: the oldest is ${oldest}`);
    this.name = 'Compacted';
    this.oldest = oldest;
  }
}
