import type { KubeObject } from '../api/meta.js';
import type { Change } from '../kube/cache/store.js';
import type { Clock } from './clock.js';

interface Held<T> {
  /** Undefined: the object with this uid was deleted. */
  readonly object: T | undefined;
  readonly uid: string;
  readonly since: number;
}

/** A cache that has not shown an own write after this long never will: it was overtaken. */
const TRUST_MS = 60_000;

/**
 * Own writes, and uncached reads, that a cache may not show yet, so that a pass never decides on what it has itself
 * replaced. Holds an object only until its cache has caught up.
 */
export class MutationCache<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `object` is what the server holds now. */
  mutated(key: string, object: T): void {
    this.#held.set(key, { object, uid: object.metadata.uid ?? '', since: this.#clock.monotonic() });
  }

  /** The server holds no object with this uid any more. */
  deleted(key: string, uid: string): void {
    this.#held.set(key, { object: undefined, uid, since: this.#clock.monotonic() });
  }

  /** The newer of what is held and what the cache shows. */
  newest(key: string, cached: T | undefined): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return cached;
    if (!caughtUp(held, cached) && this.#clock.monotonic() - held.since <= TRUST_MS) return held.object;
    this.#held.delete(key);
    return cached;
  }

  /** To be told every change of the cache. */
  observe({ key, before, after }: Change<T>): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    const ended = after === undefined && before?.metadata.uid === held.uid;
    if (ended || caughtUp(held, after)) this.#held.delete(key);
  }

  clear(): void {
    this.#held.clear();
  }

  /** Objects held, for tests of thrift. */
  get size(): number {
    return this.#held.size;
  }
}

function caughtUp<T extends KubeObject>(held: Held<T>, cached: T | undefined): boolean {
  if (held.object === undefined) return cached?.metadata.uid !== held.uid;
  return cached !== undefined && !isOlder(cached.metadata.resourceVersion, held.object.metadata.resourceVersion);
}

/** Whether resourceVersion `a` was given before `b`; false where they cannot be compared. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

function isNumber(version: string): boolean {
  return /^[1-9][0-9]*$/.test(version);
}
