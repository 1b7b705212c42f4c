import type { Json } from '@multicluster-engine/values/json';

import { aborted } from '../../../src/runtime/transport/apierror.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import { field } from '../../../src/runtime/vocabulary/json.js';
import type { What } from '../plan.js';
import type { Injector } from './injector.js';
import type { ProcessClock, Simulation } from './time.js';

interface StreamOptions {
  readonly clock: ProcessClock;
  readonly simulation: Simulation;
  readonly injector: Injector;
  readonly call: Call;
  readonly process: string;
  /** Ends the request at the server. */
  readonly end: () => void;
}

type Item = { readonly kind: 'line'; readonly value: Json } | { readonly kind: 'end' };

/** How many events a stream remembers, for those that come twice. */
const REMEMBERED = 20;

const GONE: Json = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too old resource version',
    reason: 'Expired',
    code: 410,
  },
};

/** The events of a watch on their way: each is delivered at its own turn, in order, and may meet a fault. */
export class EventStream implements AsyncIterable<Uint8Array> {
  readonly #options: StreamOptions;
  /** From the server, not delivered yet. */
  readonly #queue: Item[] = [];
  /** Delivered, not read yet. */
  readonly #delivered: Item[] = [];
  readonly #last: Json[] = [];
  #wake: (() => void) | undefined;
  #isPosted = false;
  #heldUntil = 0;
  #isMute = false;
  #withoutBookmarks = false;
  /** The process has asked for all objects first, and the bookmark that ends them has not come. */
  #isStateAwaited: boolean;
  /** What comes now is lost, until the stream ends with 410. */
  #isLosing = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { signal, query } = options.call;
    this.#isStateAwaited = query?.['sendInitialEvents'] === 'true';
    const stop = (): void => {
      options.end();
      this.#wake?.();
    };
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  }

  /** Plural and group of what is watched. */
  get resource(): string {
    return this.#options.call.target.resource;
  }

  get process(): string {
    return this.#options.process;
  }

  /** Undefined: all of them. */
  get namespace(): string | undefined {
    return this.#options.call.target.namespace;
  }

  /** Whether it is of all objects there, and not of one by its name. */
  get isOfAll(): boolean {
    return this.#options.call.query?.['fieldSelector'] === undefined;
  }

  /** Whether everything that the server has sent is delivered. */
  get isCurrent(): boolean {
    const isLive = !this.#isMute && !this.#isLosing && !(this.#isStateAwaited && this.#withoutBookmarks);
    return isLive && this.#queue.length === 0 && this.#delivered.length === 0;
  }

  /** Takes what the server sends, until the stream ends. */
  async pump(values: AsyncIterable<Json>): Promise<void> {
    try {
      for await (const value of values) this.#take({ kind: 'line', value });
    } catch {
      // The server ends a watch of a client that is gone so.
    }
    this.#take({ kind: 'end' });
  }

  /** Delivers nothing for `ms`, and then everything. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#options.simulation.monotonic() + ms);
  }

  /** Ends the stream at once. */
  cut(): void {
    this.#finish();
  }

  /** Ends the request at the server: the process is gone. */
  abandon(): void {
    this.#isMute = true;
    this.#options.end();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const { call, end } = this.#options;
    try {
      for (;;) {
        if (call.signal?.aborted === true) throw aborted(call.target);
        const next = this.#delivered.shift();
        if (next?.kind === 'end') return;
        if (next === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else yield Buffer.from(`${JSON.stringify(next.value)}\n`);
      }
    } finally {
      end();
    }
  }

  #take(item: Item): void {
    this.#queue.push(item);
    this.#post();
  }

  #post(): void {
    if (this.#isPosted || this.#isMute || this.#queue.length === 0) return;
    const { clock, simulation } = this.#options;
    this.#isPosted = true;
    const deliver = (): void => {
      this.#isPosted = false;
      this.#deliver();
    };
    const wait = this.#heldUntil - simulation.monotonic();
    if (wait > 0) clock.after(wait, deliver);
    else clock.post(deliver);
  }

  #deliver(): void {
    const item = this.#queue.shift();
    if (item === undefined || this.#isMute) return;
    if (item.kind === 'end' || !this.#isSkipped(item.value)) this.#give(item);
    this.#post();
  }

  #isSkipped(value: Json): boolean {
    const isBookmark = field(value, 'type') === 'BOOKMARK';
    return this.#isLosing || (isBookmark && this.#withoutBookmarks);
  }

  #give(item: Item): void {
    this.#delivered.push(item);
    this.#wake?.();
    const isBookmark = item.kind === 'line' && field(item.value, 'type') === 'BOOKMARK';
    if (isBookmark) this.#isStateAwaited = false;
    if (item.kind === 'end' || isBookmark) return;
    this.#last.push(item.value);
    if (this.#last.length > REMEMBERED) this.#last.shift();
    const what = this.#options.injector.nextEvent(this.resource, this.#options.process);
    if (what !== undefined) this.#strike(what);
  }

  #strike(what: What): void {
    if (what.kind === 'mute') this.#isMute = true;
    else if (what.kind === 'no-bookmarks') this.#withoutBookmarks = true;
    else if (what.kind === 'late') this.hold(what.ms);
    else if (what.kind === 'end') this.#finish();
    else if (what.kind === 'gone') {
      this.#isLosing = true;
      this.#options.clock.after(what.ms, () => this.#finish(GONE));
    } else if (what.kind === 'replay') {
      const again = this.#last.slice(-what.count).map((value): Item => ({ kind: 'line', value }));
      this.#delivered.push(...again);
      this.#wake?.();
    }
  }

  /** Ends the stream: what the server sends from now on is not delivered. */
  #finish(last?: Json): void {
    if (last !== undefined) this.#delivered.push({ kind: 'line', value: last });
    this.#delivered.push({ kind: 'end' });
    this.#isMute = true;
    this.#queue.length = 0;
    this.#options.end();
    this.#wake?.();
  }
}
