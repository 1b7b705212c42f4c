import type { KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { keyOf } from '../../../src/runtime/vocabulary/names.js';
import type { Cache, CacheOptions } from '../../../src/runtime/cache/cache.js';
import type { Change, Store } from '../../../src/runtime/cache/store.js';

/** A cache of a `FakeApi`. Events are delivered at once or, while it is paused, when `deliver` is called. */
export class FakeCache<T extends KubeObject> implements Cache<T>, Store<T> {
  readonly type: ResourceType;
  readonly store: Store<T> = this;
  /** When the server last sent something, monotonic ms. */
  received: () => number = () => 0;
  readonly #options: CacheOptions<T>;
  readonly #read: () => readonly T[];
  readonly #objects = new Map<string, T>();
  readonly #changes: ((change: Change<T>) => void)[] = [];
  readonly #states: (() => void)[] = [];
  readonly #delayed: { key: string; object: T | undefined }[] = [];
  #started = false;
  #paused = false;
  #failure: Error | undefined;

  constructor(options: CacheOptions<T>, read: () => readonly T[]) {
    this.type = options.type;
    this.#options = options;
    this.#read = read;
  }

  /** Delays events from now on. */
  pause(): void {
    this.#paused = true;
  }

  /** Delivers the `count` oldest delayed events; without `count` all of them, and later ones at once. */
  deliver(count?: number): void {
    if (count === undefined) this.#paused = false;
    for (const one of this.#delayed.splice(0, count ?? this.#delayed.length)) this.#apply(one.key, one.object);
  }

  /** Makes the cache not current because of `failure`; with undefined, current again. */
  fail(failure: Error | undefined): void {
    this.#failure = failure;
    for (const run of this.#states) run();
  }

  /** An event of the server. */
  receive(key: string, object: T | undefined): void {
    if (!this.#started) return;
    if (this.#paused) this.#delayed.push({ key, object });
    else this.#apply(key, object);
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
    for (const object of this.#read()) this.#apply(keyOf(object.metadata), object);
    for (const run of this.#states) run();
  }

  stop(): Promise<void> {
    this.#started = false;
    return Promise.resolve();
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

  receivedAt(): number | undefined {
    return this.#started ? this.received() : undefined;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  byIndex(index: string, value: string): readonly T[] {
    const indexer = this.#options.indexers?.[index];
    if (indexer === undefined) throw new Error(`no index called ${index}`);
    const found = [...this.#objects].filter(([, object]) => indexer(object).includes(value));
    return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  #apply(key: string, object: T | undefined): void {
    const before = this.#objects.get(key);
    const after = object === undefined ? undefined : this.#select(object);
    if (before === undefined && after === undefined) return;
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    for (const run of this.#changes) run({ key, before, after });
  }

  #select(object: T): T | undefined {
    const { namespace, labelSelector, fieldSelector, metadataOnly, transform } = this.#options;
    if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined;
    if (!matchesSelector(object.metadata.labels ?? {}, labelSelector)) return undefined;
    if (!matchesSelector(selectableFields(object), fieldSelector)) return undefined;
    const kept =
      metadataOnly === true
        ? ({ apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } as T)
        : object;
    return transform === undefined ? kept : transform(kept);
  }
}

/** The fields by which objects can be selected; `type` is that of a Secret. */
export function selectableFields(object: KubeObject): Readonly<Record<string, string>> {
  const type: unknown = Reflect.get(object, 'type');
  return { 'metadata.name': object.metadata.name, type: typeof type === 'string' ? type : 'Opaque' };
}

/** Whether `values` match a selector of the form `a=b,c!=d,e`; without a selector all values do. */
export function matchesSelector(values: Readonly<Record<string, string>>, selector: string | undefined): boolean {
  if (selector === undefined || selector === '') return true;
  return selector.split(',').every((term) => {
    const [unwanted, other] = term.split('!=');
    if (unwanted !== undefined && other !== undefined) return values[unwanted] !== other;
    const [key = '', value] = term.split('=');
    return value === undefined ? key in values : values[key] === value;
  });
}
