import type { KubeObject } from '../vocabulary/meta.js';
import type { Clock, Random, Timer } from '../clock.js';
import { noResponse, malformed, errorFromResponse } from '../transport/apierror.js';
import { collectionCall } from '../client/list.js';
import { acceptOf, collectionPath, selectorsOf, type Collection } from '../client/path.js';
import type { Transport } from '../transport/transport.js';
import type { FailedCall } from '../errors.js';
import { field, isRecord, parseJson, textField } from '../vocabulary/json.js';
import { objectOf, type Shape } from '../client/object.js';
import { LONGEST_RETRY_AFTER_MS } from '../transport/retry.js';
import { keyOf } from '../vocabulary/names.js';

/** Least timeoutSeconds of a watch. A random part of up to the same length is added, so that watches do not end together. */
const WATCH_SECONDS = 300;
const GRACE_MS = 15_000;
/**
 * The server sends a bookmark about every minute, so two missing bookmarks mean a dead stream. TCP keep-alive detects a
 * lost peer earlier; this limit is for a peer that is connected and sends nothing.
 */
const IDLE_MS = 150_000;
/**
 * A server that knows `sendInitialEvents` sends them at once. One that sends neither an initial event nor their end for this
 * long may not know it and wait for a change, or a proxy drops the bookmark. Changes of objects are no initial events.
 */
const INITIAL_IDLE_MS = 5_000;
/** The initial events have ended by then, also where objects are created all the time: 100,000 take a minute. */
const INITIAL_TOTAL_MS = 120_000;
/** etcd limits an object to 1.5 MiB; a much longer line is not an event. */
const LONGEST_LINE = 8 * 1024 * 1024;

interface WatchOptions {
  readonly collection: Collection;
  /** The resourceVersion to start after; undefined: the watch begins with all objects, and a bookmark ends these. */
  readonly from: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/**
 * Runs one watch and passes its events to `onEvent` one at a time, until the server ends it. Resolves with whether it ended
 * on its timeout.
 * @throws ApiError for an error response, a broken or silent stream, an ERROR event or a malformed line; the signal's reason.
 */
export async function watch<T extends KubeObject>(
  transport: Transport,
  options: WatchOptions,
  onEvent: (event: WatchEvent<T>) => void | Promise<void>,
): Promise<boolean> {
  const { collection, clock, random } = options;
  const seconds = WATCH_SECONDS + Math.floor(random() * (WATCH_SECONDS + 1));
  const call = collectionCall('watch', collection);
  const startedAt = clock.monotonic();
  const whole = { idleMs: IDLE_MS, totalMs: seconds * 1000 + GRACE_MS };
  let initial = options.from === undefined;
  const limits = initial ? { idleMs: INITIAL_IDLE_MS, totalMs: INITIAL_TOTAL_MS } : whole;
  await guarded(options, limits, async (signal, watchdog) => {
    const chunks = await transport.open({
      method: 'GET',
      path: collectionPath(collection.type, collection.namespace),
      query: watchQuery(options, seconds),
      target: call,
      accept: acceptOf(collection.metadataOnly),
      idempotent: true,
      attempts: 1,
      signal,
    });
    for await (const line of linesOf(chunks, LONGEST_LINE, call)) {
      signal.throwIfAborted();
      const event = parseEvent<T>(line, collection, call);
      if (initial && event.type === 'BOOKMARK' && event.endsInitialEvents) {
        initial = false;
        watchdog.allow(whole);
      }
      if (!initial || event.type === 'ADDED') watchdog.reset();
      await onEvent(event);
    }
  });
  return clock.monotonic() - startedAt >= (seconds - 1) * 1000;
}

/** Runs `work` with a signal that fires with the caller's signal, when the watchdog expires, and at the end. */
async function guarded(
  options: WatchOptions,
  limits: WatchdogLimits,
  work: (signal: AbortSignal, watchdog: Watchdog) => Promise<void>,
): Promise<void> {
  const { clock, signal, collection } = options;
  signal.throwIfAborted();
  const stop = new AbortController();
  const forwardAbort = (): void => stop.abort(signal.reason);
  let expired: string | undefined;
  const watchdog = new Watchdog(clock, limits, (why) => {
    expired = why;
    stop.abort(new Error(why));
  });
  signal.addEventListener('abort', forwardAbort, { once: true });
  try {
    await work(stop.signal, watchdog);
  } catch (error) {
    if (expired !== undefined) throw noResponse(collectionCall('watch', collection), `the watch was ended: ${expired}`);
    throw error;
  } finally {
    watchdog.close();
    signal.removeEventListener('abort', forwardAbort);
    stop.abort();
  }
  signal.throwIfAborted();
}

/** Asks for all objects first, at least as new as the request. */
const INITIAL_EVENTS = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };

function watchQuery(options: WatchOptions, seconds: number): Record<string, string> {
  return {
    ...selectorsOf(options.collection),
    watch: 'true',
    allowWatchBookmarks: 'true',
    ...(options.from === undefined ? INITIAL_EVENTS : { resourceVersion: options.from }),
    timeoutSeconds: String(seconds),
  };
}

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines. A line is decoded only when it is complete, since a chunk may end inside a UTF-8
 * character. An incomplete last line is dropped.
 * @throws ApiError Malformed when a line is longer than `limit` bytes.
 */
async function* linesOf(chunks: AsyncIterable<Uint8Array>, limit: number, call: FailedCall): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (size + end - start > limit) throw malformed(call, `a line of more than ${limit} bytes`);
      // Most lines begin and end in one chunk.
      const line =
        size === 0
          ? bytes.toString('utf8', start, end)
          : Buffer.concat([...pending, bytes.subarray(start, end)]).toString('utf8');
      pending = [];
      size = 0;
      start = end + 1;
      yield line;
    }
    size += bytes.length - start;
    if (size > limit) throw malformed(call, `a line of more than ${limit} bytes`);
    if (start < bytes.length) pending.push(bytes.subarray(start));
  }
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly resourceVersion: string }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** The watch began with all objects (`sendInitialEvents`), and this ends them. */
      readonly endsInitialEvents: boolean;
    };

/** Annotation of the bookmark after the initial events (https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists). */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * One line of a watch.
 * @throws ApiError: for an ERROR event by its code (410 is Gone); Malformed for a line that is not an event.
 */
export function parseEvent<T extends KubeObject>(line: string, shape: Shape, call: FailedCall): WatchEvent<T> {
  const event = parseJson(line);
  if (!isRecord(event)) throw malformed(call, 'a line of the watch is not a JSON object');
  const type = textField(event, 'type');
  const object = field(event, 'object');
  if (type === 'ERROR') throw statusFailure(object, call);
  const metadata = field(object, 'metadata');
  const resourceVersion = textField(metadata, 'resourceVersion');
  if (resourceVersion === '') throw malformed(call, 'an event without metadata.resourceVersion');
  if (type === 'BOOKMARK') {
    const endsInitialEvents = textField(field(metadata, 'annotations'), INITIAL_EVENTS_END) === 'true';
    return { type, resourceVersion, endsInitialEvents };
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')
    throw malformed(call, `an event of unknown type "${type.slice(0, 32)}"`);
  return { type, object: objectOf<T>(object, shape, call), resourceVersion };
}

function statusFailure(status: unknown, call: FailedCall): Error {
  const code = field(status, 'code');
  if (typeof code !== 'number') return malformed(call, 'an ERROR event without a code');
  const seconds = field(field(status, 'details'), 'retryAfterSeconds');
  const retryAfterMs =
    typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS) : undefined;
  return errorFromResponse({ status: code, body: status, retryAfterMs }, call);
}

/**
 * What a watch with `sendInitialEvents` begins with: all objects, with the changes that came between them, up to the bookmark
 * that ends them.
 */
export class InitialEvents<T extends KubeObject> {
  readonly #prepare: (object: T) => T;
  readonly #objects = new Map<string, T>();
  #complete = false;

  /** `prepare` is applied to each object. */
  constructor(prepare: (object: T) => T) {
    this.#prepare = prepare;
  }

  /** Whether the bookmark has come: `objects` are all objects at its resourceVersion. */
  get complete(): boolean {
    return this.#complete;
  }

  get objects(): ReadonlyMap<string, T> {
    return this.#objects;
  }

  add(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') this.#complete = event.endsInitialEvents;
    else if (event.type === 'DELETED') this.#objects.delete(keyOf(event.object.metadata));
    else this.#objects.set(keyOf(event.object.metadata), this.#prepare(event.object));
  }
}

interface WatchdogLimits {
  /** Longest time between two resets, in ms. */
  readonly idleMs: number;
  /** Longest total time, in ms. */
  readonly totalMs: number;
}

/** Calls `onExpired` once, when it was not reset for `idleMs` or when `totalMs` have passed. */
class Watchdog {
  readonly #clock: Clock;
  #limits: WatchdogLimits;
  readonly #onExpired: (why: string) => void;
  readonly #startedAt: number;
  #resetAt: number;
  #timer: Timer | undefined;

  constructor(clock: Clock, limits: WatchdogLimits, onExpired: (why: string) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onExpired = onExpired;
    this.#startedAt = clock.monotonic();
    this.#resetAt = this.#startedAt;
    this.#arm();
  }

  /** Restarts the idle time. Cheap: the timer stays armed. */
  reset(): void {
    this.#resetAt = this.#clock.monotonic();
  }

  /** Sets longer limits, from the next expiry of the timer on; the total time still counts from the start. */
  allow(limits: WatchdogLimits): void {
    this.#limits = limits;
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const now = this.#clock.monotonic();
    const idle = this.#resetAt + this.#limits.idleMs - now;
    const total = this.#startedAt + this.#limits.totalMs - now;
    if (total <= 0) this.#onExpired('its time limit has passed');
    else if (idle <= 0) this.#onExpired('nothing was received for too long');
    else this.#timer = this.#clock.after(Math.min(idle, total), () => this.#arm());
  }
}
