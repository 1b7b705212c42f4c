import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';

import { collectionPath, resourceOf } from '../../../src/runtime/client/path.js';
import { parseJson } from '../../../src/runtime/vocabulary/json.js';
import type { KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { byText, keyOf } from '../../../src/runtime/vocabulary/names.js';
import type { View } from '../hub/view.js';

type Listener = Parameters<MemoryServer['observe']>[1];
type Change = Parameters<Listener>[0];
type Entry = Change['entry'];

interface Collection {
  readonly type: ResourceType;
  readonly name: string;
  /** What its watch has delivered. */
  readonly seen: Map<string, Entry>;
  /** What of it the listeners know. */
  readonly told: Map<string, Entry>;
  readonly listeners: Set<Listener>;
}

interface Delivered {
  readonly collection: Collection;
  readonly type: Change['type'];
  readonly entry: Entry;
  /** Wall time, ms. */
  readonly at: number;
}

const RETRY_MS = 100;

/**
 * What is stored on another server, by watches of the kinds of a fleet. Listeners are told at `sync`, of all changes since the
 * one before, in the order in which they were stored.
 */
export class Mirror implements View {
  readonly store: View['store'];
  readonly #server: ControlPlane;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #over = new AbortController();
  #delivered: Delivered[] = [];
  #time: number | undefined;
  #hasGap = false;
  /** Called before listeners are told of changes after a gap: a watch could not go on, and what happened meanwhile is not known. */
  onGap: () => void = () => undefined;
  /** When the last change came, wall ms. */
  changedAt = Date.now();

  private constructor(server: ControlPlane, types: readonly ResourceType[]) {
    this.#server = server;
    this.#collections = new Map(
      types.map((type) => {
        const name = resourceOf(type);
        return [name, { type, name, seen: new Map(), told: new Map(), listeners: new Set() }];
      }),
    );
    this.store = {
      list: (name, prefix) =>
        [...(this.#collections.get(name)?.told.values() ?? [])]
          .filter(({ key }) => key.startsWith(prefix))
          .sort((a, b) => byText(a.key, b.key)),
      collections: () => [...this.#collections.keys()],
    };
  }

  static async open(server: ControlPlane, types: readonly ResourceType[]): Promise<Mirror> {
    const mirror = new Mirror(server, types);
    for (const one of mirror.#collections.values()) void mirror.#follow(one, await mirror.#list(one));
    return mirror;
  }

  close(): void {
    this.#over.abort();
  }

  observe(name: string, listener: Listener): { end(): void } {
    const listeners = this.#collections.get(name)?.listeners;
    listeners?.add(listener);
    return { end: () => void listeners?.delete(listener) };
  }

  /** While listeners are told of a change, the time at which it came; wall ms. */
  now(): number {
    return this.#time ?? Date.now();
  }

  /** Tells the listeners of all that is stored; false when a watch has not delivered it yet. */
  async sync(): Promise<boolean> {
    for (const one of this.#collections.values()) if (!(await this.#isCurrent(one))) return false;
    if (this.#hasGap) this.onGap();
    this.#hasGap = false;
    const changes = this.#delivered.sort((a, b) => a.entry.revision - b.entry.revision);
    this.#delivered = [];
    for (const { collection, type, entry, at } of changes) {
      this.#time = at;
      const { told, listeners } = collection;
      const previous = told.get(entry.key);
      if (type === 'put') told.set(entry.key, entry);
      else told.delete(entry.key);
      for (const listener of listeners) listener({ revision: entry.revision, type, entry, previous });
    }
    this.#time = undefined;
    return true;
  }

  async #isCurrent({ type, seen }: Collection): Promise<boolean> {
    const answer = await this.#server.call({ path: collectionPath(type) }).catch(() => undefined);
    const items = (answer?.body.items ?? []) as unknown as readonly KubeObject[];
    if (answer?.status !== 200 || items.length !== seen.size) return false;
    return items.every((object) => seen.get(keyOf(object.metadata))?.revision === revisionOf(object));
  }

  /** Reads all, and returns the resourceVersion from which a watch goes on; undefined when it cannot be read. */
  async #list(collection: Collection): Promise<string | undefined> {
    const answer = await this.#server.call({ path: collectionPath(collection.type) }).catch(() => undefined);
    if (answer?.status !== 200) return undefined;
    const items = (answer.body.items ?? []) as unknown as readonly KubeObject[];
    const keys = new Set(items.map(({ metadata }) => keyOf(metadata)));
    for (const entry of collection.seen.values())
      if (!keys.has(entry.key)) this.#deliver(collection, 'remove', entry.object as unknown as KubeObject);
    for (const object of items)
      if (collection.seen.get(keyOf(object.metadata))?.revision !== revisionOf(object))
        this.#deliver(collection, 'put', object);
    return answer.body.metadata?.resourceVersion;
  }

  async #follow(collection: Collection, from: string | undefined): Promise<void> {
    let version = from;
    while (!this.#over.signal.aborted) {
      if (version === undefined) {
        this.#hasGap = true;
        version = await this.#list(collection);
      } else {
        const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
        const told = (line: string): void => {
          const event = parseJson(line) as { readonly type: string; readonly object: KubeObject } | undefined;
          // A line that was cut with its connection is no event.
          if (event === undefined) return;
          const { type, object } = event;
          version = type === 'ERROR' ? undefined : object.metadata.resourceVersion;
          if (type === 'ADDED' || type === 'MODIFIED') this.#deliver(collection, 'put', object);
          if (type === 'DELETED') this.#deliver(collection, 'remove', object);
        };
        const path = `${collectionPath(collection.type)}?${query}`;
        await this.#server.stream(path, told, this.#over.signal).catch((error: unknown) => {
          if (/\b(404|410)\b/.test(String(error))) version = undefined;
        });
      }
      if (!this.#over.signal.aborted) await quietWindow(RETRY_MS);
    }
  }

  #deliver(collection: Collection, type: Change['type'], object: KubeObject): void {
    const entry = { key: keyOf(object.metadata), revision: revisionOf(object), object } as unknown as Entry;
    if (type === 'put') collection.seen.set(entry.key, entry);
    else collection.seen.delete(entry.key);
    this.#delivered.push({ collection, type, entry, at: Date.now() });
    this.changedAt = Date.now();
  }
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}
