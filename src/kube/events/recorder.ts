import { Events } from '../../api/resources.js';
import type { Clock, Timer } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { KubeClient } from '../client/client.js';
import type { EventNote, EventObject, Reporter } from './event.js';
import { eventOf, seriesKey, seriesOf } from './event.js';
import type { EventMetrics } from '../../runtime/metrics.js';

export type { EventNote } from './event.js';

/** Writes events.k8s.io/v1 events in the background; never throws, never blocks a pass, drops when its queue is full. */
export interface EventRecorder {
  record(event: EventNote): void;
  /** Resolves when what was recorded has been sent or given up. */
  flush(): Promise<void>;
}

export interface RecorderTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: EventMetrics | undefined;
}

/** A recorder that writes through `client`, which should have the rate limit of events and the guard's table for them. */
export function createRecorder(
  client: Pick<KubeClient, 'create' | 'apply'>,
  reporter: Reporter,
  tools: RecorderTools,
): EventRecorder {
  return new QueuedRecorder(client, reporter, tools);
}

/** Events that wait to be written; more are dropped. */
const QUEUE_LIMIT = 1_000;
/** Series that are remembered; the one longest unseen is forgotten. */
const SERIES_LIMIT = 1_000;
/** A repeat after a longer pause begins a new series. */
const SERIES_PAUSE_MS = 360_000;
/** The count of a series is written no more often than this. */
const SERIES_WRITE_MS = 10_000;
const FIELD_MANAGER = 'multicluster-engine-events';

interface Series {
  readonly key: string;
  /** As stored, once it is. */
  event: EventObject;
  stored: boolean;
  count: number;
  written: number;
  queued: boolean;
  /** Wall clock, for the reader. */
  lastAt: number;
  /** Monotonic clock. */
  seenAt: number;
  writeNotBefore: number;
  timer: Timer | undefined;
}

/** Guarantees: one write at a time; a bounded number of events, series and timers; nothing left over after `flush`. */
class QueuedRecorder implements EventRecorder {
  readonly #client: Pick<KubeClient, 'create' | 'apply'>;
  readonly #reporter: Reporter;
  readonly #tools: RecorderTools;
  /** Oldest first by the last time seen. */
  readonly #series = new Map<string, Series>();
  readonly #queue: Series[] = [];
  #writing: Promise<void> | undefined;
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
    const known = this.#series.get(key);
    const goesOn = known !== undefined && now - known.seenAt <= SERIES_PAUSE_MS;
    const series = goesOn ? known : this.#begin(key, note);
    series.count += 1;
    series.lastAt = clock.now();
    series.seenAt = now;
    this.#series.delete(key);
    this.#series.set(key, series);
    this.#forget();
    this.#schedule(series);
  }

  async flush(): Promise<void> {
    for (const series of this.#series.values()) {
      series.timer?.cancel();
      series.timer = undefined;
      if (series.count > series.written) this.#enqueue(series);
    }
    await this.#writing;
  }

  #begin(key: string, note: EventNote): Series {
    const { clock } = this.#tools;
    this.#series.get(key)?.timer?.cancel();
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

  #forget(): void {
    for (const [key, series] of this.#series) {
      if (this.#series.size <= SERIES_LIMIT) return;
      series.timer?.cancel();
      this.#series.delete(key);
    }
  }

  /** Puts the series into the queue, now or when it may be written again. */
  #schedule(series: Series): void {
    if (series.queued || series.timer !== undefined) return;
    const { clock } = this.#tools;
    const wait = series.writeNotBefore - clock.monotonic();
    if (wait <= 0) {
      this.#enqueue(series);
      return;
    }
    series.timer = clock.after(wait, () => {
      series.timer = undefined;
      this.#enqueue(series);
    });
  }

  #enqueue(series: Series): void {
    if (series.queued) return;
    if (this.#queue.length >= QUEUE_LIMIT) {
      this.#drop(series, 'the queue is full');
      return;
    }
    series.queued = true;
    this.#queue.push(series);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Not in the caller's turn: recording never waits for anything.
    await Promise.resolve();
    for (let series = this.#queue.shift(); series !== undefined; series = this.#queue.shift()) {
      series.queued = false;
      await this.#write(series);
    }
    this.#writing = undefined;
  }

  async #write(series: Series): Promise<void> {
    const { clock, metrics } = this.#tools;
    const { count, stored } = series;
    if (count === series.written) return;
    try {
      if (stored)
        await this.#client.apply(Events, seriesOf(series.event, count, series.lastAt), {
          fieldManager: FIELD_MANAGER,
          force: true,
        });
      else series.event = await this.#client.create(Events, this.#first(series), { fieldManager: FIELD_MANAGER });
      series.stored = true;
      series.written = count;
      series.writeNotBefore = clock.monotonic() + SERIES_WRITE_MS;
      metrics?.recorded(stored ? 'joined' : 'created');
    } catch (error) {
      this.#drop(series, error instanceof Error ? error.message : String(error));
    }
  }

  /** The event as it is born: with its repeats, if there were any before it could be written. */
  #first(series: Series): EventObject {
    return series.count === 1 ? series.event : { ...series.event, ...repeats(series) };
  }

  /** The next occurrence begins anew: what became of this one is not known. */
  #drop(series: Series, why: string): void {
    if (this.#series.get(series.key) === series) this.#series.delete(series.key);
    this.#tools.metrics?.recorded('dropped');
    this.#tools.log.debug(
      { reason: series.event.reason, regarding: series.event.regarding, why },
      'event was given up',
    );
  }
}

function repeats(series: Series): Pick<EventObject, 'series'> {
  const { series: told } = seriesOf(series.event, series.count, series.lastAt);
  return told === undefined ? {} : { series: told };
}
