import type { KubeObject } from '../vocabulary/meta.js';
import type { Clock, Random } from '../clock.js';
import { noResponse } from '../transport/apierror.js';
import { linesOf } from './lines.js';
import { collectionCall } from '../client/pages.js';
import { acceptOf, collectionPath, selectorsOf, type Collection } from '../client/path.js';
import type { Transport } from '../transport/transport.js';
import { Watchdog, type WatchdogLimits } from './watchdog.js';
import { parseEvent, type WatchEvent } from './watchevent.js';

/** Least timeoutSeconds of a watch. A random part of up to the same length is added, so that watches do not end together. */
const WATCH_SECONDS = 300;
const GRACE_MS = 15_000;
/**
 * The server sends a bookmark about every minute, so two missing bookmarks mean a dead stream. TCP keep-alive detects a
 * lost peer earlier; this limit is for a peer that is connected and sends nothing.
 */
const IDLE_MS = 150_000;
/**
 * A server that sends neither an initial event nor their end for this long may not know `sendInitialEvents` and waits for a
 * change, or something between drops bookmarks: one that does sends them at once. Changes of objects are no initial events.
 */
const INITIAL_IDLE_MS = 5_000;
/** The state has ended by then, also where objects are created all the time: 100,000 take a minute. */
const INITIAL_TOTAL_MS = 120_000;
/** etcd limits an object to 1.5 MiB; a much longer line is not an event. */
const LONGEST_LINE = 8 * 1024 * 1024;

export interface WatchOptions {
  readonly collection: Collection;
  /** The resourceVersion to start after; undefined: the watch begins with the state, and a bookmark ends that. */
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

/** Asks for the state first, at least as new as the request. */
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
