import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps } from '../../../src/runtime/vocabulary/kinds.js';
import type { ApiResponse, Call } from '../../../src/runtime/transport/call.js';
import { aborted, errorFromResponse, noResponse } from '../../../src/runtime/transport/apierror.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';

export interface Thing extends KubeObject {
  data?: Record<string, string>;
}

/** A watch that the client has opened and that a test can play with. */
export class OpenWatch {
  readonly query: Readonly<Record<string, string>>;
  readonly #chunks: (Uint8Array | Error | undefined)[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(query: Readonly<Record<string, string>>) {
    this.query = query;
  }

  /** Whether the client still reads. */
  get open(): boolean {
    return !this.#closed;
  }

  sendBytes(bytes: Uint8Array): void {
    this.#push(bytes);
  }

  send(type: string, object: unknown): void {
    this.#push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
  }

  bookmark(resourceVersion: string, annotations: Readonly<Record<string, string>> = {}): void {
    this.send('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion, annotations } });
  }

  /** The bookmark after the initial events. */
  endInitialEvents(resourceVersion: string): void {
    this.bookmark(resourceVersion, { 'k8s.io/initial-events-end': 'true' });
  }

  error(code: number, reason: string): void {
    this.send('ERROR', { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'scripted', reason, code });
  }

  /** The server ends the watch properly. */
  end(): void {
    this.#push(undefined);
  }

  /** The connection breaks. */
  break(): void {
    this.#push(noResponse({ verb: 'watch', resource: 'configmaps' }, 'ECONNRESET'));
  }

  async *read(signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    const cut = (): void => this.#push(aborted({ verb: 'watch', resource: 'configmaps' }));
    signal?.addEventListener('abort', cut, { once: true });
    try {
      for (;;) {
        while (this.#chunks.length === 0) await new Promise<void>((resolve) => void (this.#wake = resolve));
        const chunk = this.#chunks.shift();
        if (chunk === undefined) return;
        if (chunk instanceof Error) throw chunk;
        yield chunk;
      }
    } finally {
      this.#closed = true;
      signal?.removeEventListener('abort', cut);
    }
  }

  #push(chunk: Uint8Array | Error | undefined): void {
    this.#chunks.push(chunk);
    this.#wake?.();
  }
}

/** What happens to a call in place of its answer. */
type Fault = (call: Call) => Promise<unknown>;

/** ConfigMaps of an API server in memory, as a transport: history, pages, watches, and whatever fault a test asks for. */
export class ScriptedApi implements Transport {
  readonly calls: Call[] = [];
  readonly watches: OpenWatch[] = [];
  /** Most requests under way at once. */
  most = 0;
  #underWay = 0;
  #version = 100;
  #uid = 0;
  #objects = new Map<string, Thing>();
  #log: { readonly version: number; readonly type: string; readonly object: Thing }[] = [];
  #oldest = 0;
  readonly #snapshots = new Map<string, { readonly version: number; readonly items: readonly Thing[] }>();
  readonly #faults: Fault[] = [];
  /** Whether new changes reach open watches by themselves. */
  live = true;
  /** Whether a watch with `sendInitialEvents` gets them at once; false: a test sends them. */
  sendsInitialEvents = true;

  get version(): string {
    return String(this.#version);
  }

  get lists(): Call[] {
    return this.calls.filter((call) => call.query?.['watch'] === undefined);
  }

  get opened(): Call[] {
    return this.calls.filter((call) => call.query?.['watch'] !== undefined);
  }

  get watch(): OpenWatch {
    const last = this.watches.at(-1);
    if (last === undefined) throw new Error('no watch was opened');
    return last;
  }

  /** The next call goes to `fault`; several go one after the other. */
  fail(fault: Fault): void {
    this.#faults.push(fault);
  }

  refuse(status: number, reason = '', retryAfterMs?: number): void {
    this.fail(async (call) => {
      throw errorFromResponse({ status, body: { kind: 'Status', reason, details: {} }, retryAfterMs }, call.target);
    });
  }

  /** No connection comes about. */
  disconnect(): void {
    this.fail(async (call) => {
      throw noResponse(call.target, 'ECONNREFUSED');
    });
  }

  /** No answer comes, until the caller gives up. */
  silence(): void {
    this.fail(
      (call) =>
        new Promise((_, reject) => {
          const stop = (): void => reject(aborted(call.target));
          if (call.signal?.aborted === true) stop();
          call.signal?.addEventListener('abort', stop, { once: true });
        }),
    );
  }

  /** The answer of a list, for a fault to change. */
  page(call: Call): ApiResponse {
    return { status: 200, body: this.#page(call) };
  }

  put(name: string, data: Record<string, string> = {}, more: Partial<Thing['metadata']> = {}): Thing {
    const stored = this.#objects.get(name);
    const uid = stored?.metadata.uid ?? `uid-${++this.#uid}`;
    const metadata = { namespace: 'n', name, uid, ...more, resourceVersion: String(++this.#version) };
    const object: Thing = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    this.#objects.set(name, object);
    this.#record(stored === undefined ? 'ADDED' : 'MODIFIED', object);
    return object;
  }

  remove(name: string): void {
    const stored = this.#objects.get(name);
    if (stored === undefined) throw new Error(`${name} is not there`);
    this.#objects.delete(name);
    this.#record('DELETED', { ...stored, metadata: { ...stored.metadata, resourceVersion: String(++this.#version) } });
  }

  has(name: string): boolean {
    return this.#objects.has(name);
  }

  /** Deletes the object, if there, and makes it again. */
  remake(name: string): void {
    if (this.has(name)) this.remove(name);
    this.put(name);
  }

  /** What is stored, by name. */
  truth(): Thing[] {
    return [...this.#objects.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** No more faults. */
  calm(): void {
    this.#faults.length = 0;
  }

  /** Writes of other types move the server's version on. */
  tick(writes = 1): void {
    this.#version += writes;
  }

  /** Forgets the history: watches and pages from before are too old. */
  compact(): void {
    this.#oldest = this.#version;
    this.#snapshots.clear();
  }

  /** Goes back to a server of that version with these objects, as after restoring a backup. */
  restore(version: number, names: readonly string[]): void {
    this.#version = version;
    this.#objects = new Map();
    this.#log = [];
    this.#oldest = 0;
    for (const name of names) this.put(name);
  }

  call(call: Call): Promise<ApiResponse> {
    return this.#carry(call, () => this.page(call));
  }

  open(call: Call): Promise<AsyncIterable<Uint8Array>> {
    return this.#carry(call, () => this.#watch(call).read(call.signal));
  }

  async close(): Promise<void> {
    for (const watch of this.watches) watch.break();
  }

  async #carry<T>(call: Call, answer: () => T): Promise<T> {
    this.calls.push(call);
    this.#underWay += 1;
    this.most = Math.max(this.most, this.#underWay + this.watches.filter((watch) => watch.open).length);
    try {
      await Promise.resolve();
      const fault = this.#faults.shift();
      return fault === undefined ? answer() : ((await fault(call)) as T);
    } finally {
      this.#underWay -= 1;
    }
  }

  #watch(call: Call): OpenWatch {
    const watch = new OpenWatch(call.query ?? {});
    this.watches.push(watch);
    if (call.query?.['sendInitialEvents'] === 'true') {
      if (this.sendsInitialEvents) this.#sendInitialEvents(watch);
      return watch;
    }
    const from = Number(call.query?.['resourceVersion']);
    if (from < this.#oldest) watch.error(410, 'Expired');
    else for (const event of this.#log) if (event.version > from) watch.send(event.type, event.object);
    return watch;
  }

  #sendInitialEvents(watch: OpenWatch): void {
    for (const object of this.truth()) watch.send('ADDED', object);
    watch.endInitialEvents(this.version);
  }

  #page(call: Call): ApiResponse['body'] {
    const { limit = '0', continue: token = '' } = call.query ?? {};
    const [key = '', from = '0'] = token.split(':');
    const snapshot = token === '' ? this.#snapshot() : this.#snapshots.get(key);
    if (snapshot === undefined)
      throw errorFromResponse(
        { status: 410, body: { kind: 'Status', reason: 'Expired' }, retryAfterMs: undefined },
        call.target,
      );
    const end = Number(limit) === 0 ? snapshot.items.length : Number(from) + Number(limit);
    const next = end < snapshot.items.length ? `${snapshot.version}:${end}` : '';
    // Items of a built-in type's list carry neither kind nor apiVersion.
    const items = snapshot.items.slice(Number(from), end).map(({ metadata, data }) => ({ metadata, data }));
    return {
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(snapshot.version), continue: next },
      items,
    };
  }

  #snapshot(): { version: number; items: readonly Thing[] } {
    const snapshot = { version: this.#version, items: this.truth() };
    this.#snapshots.set(String(this.#version), snapshot);
    return snapshot;
  }

  #record(type: string, object: Thing): void {
    this.#log.push({ version: this.#version, type, object });
    if (!this.live) return;
    for (const watch of this.watches) if (watch.open) watch.send(type, object);
  }
}

export const configMaps = { type: ConfigMaps, namespace: 'n' };
