import PQueue from 'p-queue';
import { Events } from '../vocabulary/kinds.js';
import type { Clock, Timer } from '../clock.js';
import { errorText, isFailure } from '../errors.js';
import type { Logger } from '../logger.js';
import type { KubeClient } from '../client/client.js';
import { eventOf, seriesKey, seriesOf, type EventNote, type EventObject, type Reporter } from './event.js';
import type { EventMetrics } from '../metrics/managermetrics.js';

export type { EventNote } from './event.js';

/** Writes events.k8s.io/v1 events in the background. It never throws or blocks a reconcile; a full queue drops events. */
export interface EventRecorder {
  record(event: EventNote): void;
  /** Resolves when all recorded events have been written or dropped. */
  flush(): Promise<void>;
}

interface RecorderTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: EventMetrics | undefined;
}

/** A recorder that writes through `client`, which should use the rate limit bucket and the guard rows of events. */
export function createRecorder(
  client: Pick<KubeClient, 'create' | 'apply'>,
  reporter: Reporter,
  tools: RecorderTools,
): EventRecorder {
  return new QueuedRecorder(client, reporter, tools);
}

/** Events in the queue; more are dropped. */
const QUEUE_LIMIT = 1_000;
/** Series in memory; the least recently recorded one is dropped. */
const SERIES_LIMIT = 1_000;
/** A repeat after a longer pause starts a new series. */
const SERIES_PAUSE_MS = 360_000;
/** Least time from the start of a write of a series' count to that of the next, except for a flush and after a failed write. */
const SERIES_WRITE_MS = 10_000;

interface Series {
  readonly key: string;
  /** The stored event once `stored` is true. */
  event: EventObject;
  stored: boolean;
  count: number;
  written: number;
  queued: boolean;
  /** Wall clock, for the event. */
  lastAt: number;
  /** Monotonic clock. */
  seenAt: number;
  writeNotBefore: number;
  timer: Timer | undefined;
}

/** Guarantees: one write at a time; bounded numbers of events, series and timers; no timer left after `flush`. */
class QueuedRecorder implements EventRecorder {
  readonly #client: Pick<KubeClient, 'create' | 'apply'>;
  readonly #reporter: Reporter;
  readonly #tools: RecorderTools;
  /** Least recently recorded first. */
  readonly #series = new Map<string, Series>();
  readonly #writes = new PQueue({ concurrency: 1 });
  #serial = 0;

  constructor(client: Pick<KubeClient, 'create' | 'apply'>, reporter: Reporter, tools: RecorderTools) {
    this.#client = client;
    this.#reporter = reporter;
    this.#tools = tools;
  }

  record(note: EventNote): void {
    const { clock } = this.#tools;
    const key = seriesKey(note);
    const now = clock.monotonic();
    const existing = this.#series.get(key);
    const continues = existing !== undefined && now - existing.seenAt <= SERIES_PAUSE_MS;
    const series = continues ? existing : this.#begin(key, note);
    series.count += 1;
    series.lastAt = clock.now();
    series.seenAt = now;
    this.#series.delete(key);
    this.#series.set(key, series);
    this.#evict();
    // Written now, or when the count of the series may be written again.
    if (series.queued || series.timer !== undefined) return;
    const wait = series.writeNotBefore - now;
    if (wait <= 0) {
      this.#enqueue(series);
      return;
    }
    series.timer = clock.after(wait, () => {
      series.timer = undefined;
      this.#enqueue(series);
    });
  }

  async flush(): Promise<void> {
    for (const series of this.#series.values()) {
      series.timer?.cancel();
      series.timer = undefined;
      if (series.count > series.written) this.#enqueue(series);
    }
    await this.#writes.onIdle();
  }

  #begin(key: string, note: EventNote): Series {
    const { clock } = this.#tools;
    const event = eventOf(note, this.#reporter, clock.now(), this.#serial++);
    return {
      key,
      event,
      stored: false,
      count: 0,
      written: 0,
      queued: false,
      lastAt: 0,
      seenAt: 0,
      writeNotBefore: 0,
      timer: undefined,
    };
  }

  #evict(): void {
    for (const [key, series] of this.#series) {
      if (this.#series.size <= SERIES_LIMIT) return;
      series.timer?.cancel();
      this.#series.delete(key);
    }
  }

  #enqueue(series: Series): void {
    if (series.queued) return;
    if (this.#writes.size >= QUEUE_LIMIT) {
      this.#drop(series, 'the queue is full');
      return;
    }
    series.queued = true;
    void this.#writes.add(() => this.#write(series));
  }

  async #write(series: Series): Promise<void> {
    // After the caller's synchronous code, so that record() returns at once.
    await Promise.resolve();
    series.queued = false;
    const { clock, metrics } = this.#tools;
    const { fieldManager } = this.#reporter;
    const { count, stored, event } = series;
    if (count === series.written) return;
    // What is recorded during this write waits, too.
    series.writeNotBefore = clock.monotonic() + SERIES_WRITE_MS;
    const repeats = seriesOf(event, count, series.lastAt);
    try {
      if (stored) {
        await this.#client.apply(Events, repeats, { fieldManager, force: true });
      } else {
        // An event that occurred again before its first write is created with its count.
        const first = count === 1 ? event : { ...repeats, ...event };
        series.event = await this.#client.create(Events, first, { fieldManager });
      }
      series.stored = true;
      series.written = count;
      metrics?.recorded(stored ? 'joined' : 'created');
    } catch (error) {
      // What the API server refuses as invalid is a mistake of this process.
      if (isFailure(error, 'Invalid')) this.#tools.log.error({ err: error }, 'event refused by the API server');
      this.#drop(series, errorText(error));
      if (series.timer === undefined) return;
      // What was recorded during this write is not lost with it.
      series.timer.cancel();
      series.timer = undefined;
      this.#enqueue(series);
    }
  }

  /** After a failed write it is not known whether the event was stored, so the next occurrence starts a new series. */
  #drop(series: Series, why: string): void {
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
    this.#tools.metrics?.recorded('dropped');
    this.#tools.log.debug({ reason: series.event.reason, regarding: series.event.regarding, why }, 'event dropped');
  }
}
