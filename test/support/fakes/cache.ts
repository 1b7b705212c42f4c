import type { KubeObject, ResourceType } from '../../../src/api/meta.js';
import { keyOf } from '../../../src/api/resources.js';
import type { Cache, CacheOptions } from '../../../src/kube/cache/reflector.js';
import type { Change, Store } from '../../../src/kube/cache/store.js';

/** A cache fed by `FakeApi`: follows at once, or, while `paused`, when `deliver` is called. */
export class FakeCache<T extends KubeObject> implements Cache<T>, Store<T> {
  readonly type: ResourceType;
  readonly store: Store<T> = this;
  readonly #options: CacheOptions<T>;
  readonly #read: () => readonly T[];
  readonly #held = new Map<string, T>();
  readonly #changes: ((change: Change<T>) => void)[] = [];
  readonly #states: (() => void)[] = [];
  readonly #late: { key: string; object: T | undefined }[] = [];
  #started = false;
  #paused = false;
  #failure: Error | undefined;

  constructor(options: CacheOptions<T>, read: () => readonly T[]) {
    this.type = options.type;
    this.#options = options;
    this.#read = read;
  }

  /** Holds events back from now on. */
  pause(): void {
    this.#paused = true;
  }

  /** Lets the `count` oldest held-back events through (all of them, and follows again, when absent). */
  deliver(count?: number): void {
    if (count === undefined) this.#paused = false;
    for (const one of this.#late.splice(0, count ?? this.#late.length)) this.#take(one.key, one.object);
  }

  /** Says that the server cannot be asked (or can again, with undefined). */
  fail(failure: Error | undefined): void {
    this.#failure = failure;
    for (const run of this.#states) run();
  }

  /** An event of the server. */
  receive(key: string, object: T | undefined): void {
    if (!this.#started) return;
    if (this.#paused) this.#late.push({ key, object });
    else this.#take(key, object);
  }

  onChange(handler: (change: Change<T>) => void): void {
    if (this.#started) throw new Error('onChange after start');
    this.#changes.push(handler);
  }

  onState(handler: () => void): void {
    this.#states.push(handler);
  }

  start(): void {
    this.#started = true;
    for (const object of this.#read()) this.#take(keyOf(object.metadata), object);
    for (const run of this.#states) run();
  }

  stop(): Promise<void> {
    this.#started = false;
    return Promise.resolve();
  }

  synced(): boolean {
    return this.#started;
  }

  current(): boolean {
    return this.#started && this.#failure === undefined;
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  failure(): Error | undefined {
    return this.#failure;
  }

  get size(): number {
    return this.#held.size;
  }

  get(key: string): T | undefined {
    return this.#held.get(key);
  }

  values(): Iterable<T> {
    return this.#held.values();
  }

  byIndex(index: string, value: string): readonly T[] {
    const indexer = this.#options.indexers?.[index];
    if (indexer === undefined) throw new Error(`no index called ${index}`);
    const found = [...this.#held].filter(([, object]) => indexer(object).includes(value));
    return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  #take(key: string, object: T | undefined): void {
    const before = this.#held.get(key);
    const after = object === undefined ? undefined : this.#select(object);
    if (before === undefined && after === undefined) return;
    if (after === undefined) this.#held.delete(key);
    else this.#held.set(key, after);
    for (const run of this.#changes) run({ key, before, after });
  }

  #select(object: T): T | undefined {
    const { namespace, labelSelector, fieldSelector, metadataOnly, transform } = this.#options;
    if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined;
    if (!holds(object.metadata.labels ?? {}, labelSelector)) return undefined;
    if (!holds({ 'metadata.name': object.metadata.name }, fieldSelector)) return undefined;
    const kept =
      metadataOnly === true
        ? ({ apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } as T)
        : object;
    return transform === undefined ? kept : transform(kept);
  }
}

/** Whether `values` satisfy a selector of the form `a=b,c`; every one does where there is none. */
export function holds(values: Readonly<Record<string, string>>, selector: string | undefined): boolean {
  if (selector === undefined || selector === '') return true;
  return selector.split(',').every((term) => {
    const [key = '', value] = term.split('=');
    return value === undefined ? key in values : values[key] === value;
  });
}
