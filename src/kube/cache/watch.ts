import type { KubeObject } from '../../api/meta.js';
import type { Clock, Random } from '../../runtime/clock.js';
import { noResponse } from '../apierror.js';
import { linesOf } from './lines.js';
import { collectionCall } from '../client/pages.js';
import type { Collection } from '../client/path.js';
import { acceptOf, collectionPath, selectorsOf } from '../client/path.js';
import type { Transport } from '../transport/transport.js';
import type { WatchdogLimits } from './watchdog.js';
import { Watchdog } from './watchdog.js';
import type { WatchEvent } from './watchevent.js';
import { parseEvent } from './watchevent.js';

/** A watch is told to end after this long, and up to as much again by chance, so that not all end at once. */
const WATCH_SECONDS = 300;
const GRACE_MS = 15_000;
/**
 * A bookmark comes about every minute, so two missing ones mean that nothing comes through any more. (A peer that is gone
 * altogether is noticed by TCP probes in less than a minute; this is for one that is there and silent. Anything shorter
 * than a bookmark's pace would end every quiet watch.)
 */
const IDLE_MS = 150_000;
/** The store limits an object to 1.5 MiB; what is much longer is no event. */
const LONGEST_LINE = 8 * 1024 * 1024;

export interface WatchOptions {
  readonly collection: Collection;
  /** resourceVersion after which to begin. */
  readonly from: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/**
 * Runs one watch, one event after the other, until the server ends it. Resolves with whether it lasted as long as agreed.
 * @throws ApiError: refused, broken off, silent for too long, an ERROR event, a line that is no event; the signal's reason.
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
  await guarded(options, { idleMs: IDLE_MS, totalMs: seconds * 1000 + GRACE_MS }, async (signal, seen) => {
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
      seen();
      await onEvent(parseEvent<T>(line, collection, call));
    }
  });
  return clock.monotonic() - startedAt >= (seconds - 1) * 1000;
}

/** Runs `work` with a signal that fires with the caller's, when the watchdog bites, and in any case at the end. */
async function guarded(
  options: WatchOptions,
  limits: WatchdogLimits,
  work: (signal: AbortSignal, seen: () => void) => Promise<void>,
): Promise<void> {
  const { clock, signal, collection } = options;
  signal.throwIfAborted();
  const stop = new AbortController();
  const pass = (): void => stop.abort(signal.reason);
  let bitten: string | undefined;
  const dog = new Watchdog(clock, limits, (why) => {
    bitten = why;
    stop.abort(new Error(why));
  });
  signal.addEventListener('abort', pass, { once: true });
  try {
    await work(stop.signal, () => dog.reset());
  } catch (error) {
    if (bitten !== undefined)
      throw noResponse(collectionCall('watch', collection), `the watch was given up, ${bitten}`);
    throw error;
  } finally {
    dog.close();
    signal.removeEventListener('abort', pass);
    stop.abort();
  }
  signal.throwIfAborted();
}

function watchQuery(options: WatchOptions, seconds: number): Record<string, string> {
  return {
    ...selectorsOf(options.collection),
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.from,
    timeoutSeconds: String(seconds),
  };
}
