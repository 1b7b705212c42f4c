import { createHash } from 'node:crypto';
import PQueue from 'p-queue';
import type { EventsV1Event } from '@kubernetes/client-node';
import { Events, apiVersionOf } from '../vocabulary/kinds.js';
import type { Clock, Timer } from '../clock.js';
import { errorText, isFailure } from '../errors.js';
import type { Logger } from '../logger.js';
import type { KubeClient } from '../client/client.js';
import type { EventMetrics } from '../metrics/managermetrics.js';
import type { BuiltIn, KubeObject } from '../vocabulary/meta.js';
import type { GuardRow } from '../client/guard.js';
import { microTime } from '../leaderelection/leaserecord.js';

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

export interface EventNote {
  /** Its apiVersion, kind and metadata.{namespace,name,uid,resourceVersion} are used. */
  readonly regarding: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** One of the documented reasons. */
  readonly reason: string;
  /** What the controller was doing, UpperCamelCase. */
  readonly action: string;
  /** Truncated to 1 KiB. */
  readonly note: string;
}

/** An events.k8s.io/v1 Event; times are RFC 3339 with six decimals. */
export type EventObject = Partial<BuiltIn<EventsV1Event>> & KubeObject;

interface Reporter {
  /** A qualified name, such as `example.com/greeting`. */
  readonly controller: string;
  /** The process. */
  readonly instance: string;
  readonly fieldManager: string;
}

/** Limits that the API sets, in bytes of UTF-8 for the note. */
const NOTE_LIMIT = 1024;
const WORD_LIMIT = 128;
const NAME_LIMIT = 253;
const HASH_LENGTH = 16;

/** Equal for notes that belong to one series. */
function seriesKey(note: EventNote): string {
  const { apiVersion = '', kind = '', metadata } = note.regarding;
  return JSON.stringify([
    apiVersion,
    kind,
    metadata.namespace ?? '',
    metadata.name,
    metadata.uid ?? '',
    note.type,
    note.reason,
    note.note,
  ]);
}

/**
 * The Event for a note's first occurrence at `now` (ms since the epoch). `serial` makes its name unique within one
 * microsecond. Events about cluster-scoped objects are in the namespace `default`.
 */
export function eventOf(note: EventNote, reporter: Reporter, now: number, serial: number): EventObject {
  const { apiVersion = '', kind = '', metadata } = note.regarding;
  const { namespace, name, uid, resourceVersion } = metadata;
  const eventTime = microTime(now);
  return {
    apiVersion: apiVersionOf(Events),
    kind: Events.kind,
    metadata: {
      namespace: namespace ?? 'default',
      name: eventName(name, [reporter.instance, seriesKey(note), eventTime, String(serial)]),
    },
    eventTime,
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, WORD_LIMIT),
    action: note.action.slice(0, WORD_LIMIT),
    reason: note.reason.slice(0, WORD_LIMIT),
    type: note.type,
    note: truncateBytes(note.note, NOTE_LIMIT),
    regarding: {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

/** The apply configuration that records `count` occurrences, the last at `now`. */
export function seriesOf(event: EventObject, count: number, now: number): EventObject {
  const { namespace, name, uid } = event.metadata;
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
    series: { count, lastObservedTime: microTime(now) },
  };
}

/** A unique DNS subdomain that begins with the object's name. */
function eventName(regarding: string, parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH);
  const readable = regarding
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, NAME_LIMIT - HASH_LENGTH - 1);
  return `${readable.replace(/[^a-z0-9]+$/, '')}.${hash}`;
}

/** `text`, truncated with an ellipsis to `limit` bytes of UTF-8 at a character boundary. */
export function truncateBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  let end = limit - Buffer.byteLength('…');
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

export const eventRights: readonly GuardRow[] = [
  { verbs: ['create', 'apply'], type: Events, namespace: (namespace) => namespace !== '' },
];
