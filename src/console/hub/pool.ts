import type { FleetReading } from '../../answers/world/worlds.js';
import { WORLD_RESOURCES } from '../../answers/world/world.js';
import { Slots } from '../../runtime/http/slots.js';
import { delay, type Clock, type Timer } from '../../runtime/clock.js';
import { RequestError } from '../server/requests.js';
import {
  SHORTEST_USE_MS,
  Snapshot,
  timedReading,
  USE_BY_COST,
  versionOf,
  type ReadingRequest,
  type SnapshotPool,
  type TimedReading,
} from '../server/snapshot.js';

/** What bounds the readings of all persons: how many at a time, and how much is held of them. */

/** How many read at a time: parsing is what takes the time, and one thread does it. */
const MOST_READINGS = 2;
/** How long a person waits for a turn. */
const MOST_WAIT_MS = 10_000;
/** Held by all persons together; of 10,000 clusters and what goes with them, about a dozen different readings. */
const MOST_OBJECTS = 150_000;
/** A whole reading is given to others until the next one is due, and for this long at most. */
const LONGEST_WHOLE_MS = 5_000;
/** What was computed of a snapshot is of its time: an older one is not shared. */
const SHARED_FOR_MS = 15_000;

/**
 * Persons who may read the same see the same. A reading of every object of every kind is whole: it is given to each person who may
 * list all of that, as the API server has just said to their token. Others read by themselves. Their readings are one snapshot, with
 * all that was computed of it, where the API server gave them the same objects, at the same versions, and refused the same.
 */
export class ReadingPool implements SnapshotPool {
  readonly #slots = new Slots(MOST_READINGS);
  readonly #clock: Clock;
  readonly #held: () => readonly Snapshot[];
  readonly readers: () => number;
  /** The last whole reading, and until when it is given to others. */
  #whole: { readonly timed: TimedReading; readonly until: number } | undefined;
  /** The reading under way of somebody whose last one was whole. */
  #underWay: Promise<TimedReading> | undefined;
  /** Drops the whole reading when nobody may get it any more. */
  #dropTimer: Timer | undefined;
  readonly #shared = new Map<string, WeakRef<Snapshot>>();

  /** `held`: the snapshots of all persons; `readers`: how many of them read by themselves. */
  constructor(clock: Clock, held: () => readonly Snapshot[], readers: () => number) {
    this.#clock = clock;
    this.#held = held;
    this.readers = readers;
  }

  async reading(request: ReadingRequest): Promise<TimedReading> {
    const whole = (await this.#wholeFor(request)) ?? (await this.#wholeUnderWay(request));
    if (whole !== undefined) return whole;
    const own = this.#inTurn(() => this.#read(request), request.isFirst);
    if (!request.wasWhole) return own;
    this.#underWay = own;
    try {
      return await own;
    } finally {
      if (this.#underWay === own) this.#underWay = undefined;
    }
  }

  share(reading: FleetReading): Snapshot {
    const version = versionOf(reading);
    const known = this.#shared.get(version)?.deref();
    if (known !== undefined && reading.world.at - known.world.at < SHARED_FOR_MS) return known;
    for (const [key, reference] of this.#shared) if (reference.deref() === undefined) this.#shared.delete(key);
    const snapshot = new Snapshot(reading);
    this.#shared.set(version, new WeakRef(snapshot));
    return snapshot;
  }

  close(): void {
    this.#dropTimer?.cancel();
    this.#whole = undefined;
  }

  /** The last whole reading, if it is recent enough and this person may list everything. */
  async #wholeFor({ mayListAll, notBefore }: ReadingRequest): Promise<TimedReading | undefined> {
    if (this.#recentWhole(notBefore) === undefined) return undefined;
    const since = await mayListAll();
    const timed = this.#recentWhole(notBefore);
    // It is as old as what is known of the right to it.
    return since === undefined || timed === undefined ? undefined : { ...timed, start: Math.min(timed.start, since) };
  }

  #recentWhole(notBefore: number): TimedReading | undefined {
    const { timed, until } = this.#whole ?? { until: -Infinity };
    return timed !== undefined && timed.start >= notBefore && this.#clock.monotonic() < until ? timed : undefined;
  }

  /** Waits for the whole reading that is under way, if this person may get it: then they need no turn of their own. */
  async #wholeUnderWay(request: ReadingRequest): Promise<TimedReading | undefined> {
    if (this.#underWay === undefined || !(request.wasWhole || request.isFirst)) return undefined;
    await this.#underWay.catch(() => undefined);
    return this.#wholeFor(request);
  }

  /** Reads now, and keeps a whole reading for others. */
  async #read({ read }: ReadingRequest): Promise<TimedReading> {
    const timed = await timedReading(read, this.#clock);
    if (!timed.isWhole) return timed;
    const now = this.#clock.monotonic();
    const useMs = Math.min(Math.max(SHORTEST_USE_MS, USE_BY_COST * (now - timed.start)), LONGEST_WHOLE_MS);
    this.#whole = { timed, until: now + useMs };
    this.#dropTimer?.cancel();
    this.#dropTimer = this.#clock.after(useMs, () => (this.#whole = undefined));
    return timed;
  }

  /** Runs `read` when it has a turn. Rejects as busy when none comes in time, and for a new person while too much is held. */
  async #inTurn<T>(read: () => Promise<T>, isFirst: boolean): Promise<T> {
    const late = new AbortController();
    const took = new AbortController();
    void delay(this.#clock, MOST_WAIT_MS, took.signal).then(
      () => late.abort(),
      () => undefined,
    );
    try {
      await this.#slots.take(late.signal);
    } catch {
      throw busy();
    } finally {
      took.abort();
    }
    try {
      if (isFirst && objectsIn(this.#held()) > MOST_OBJECTS) throw busy();
      return await read();
    } finally {
      this.#slots.release();
    }
  }
}

function objectsIn(snapshots: readonly Snapshot[]): number {
  const all = [...new Set(snapshots)].flatMap(({ world }) => WORLD_RESOURCES.map((one) => world.objects[one].length));
  return all.reduce((sum, count) => sum + count, 0);
}

export function busy(): RequestError {
  return new RequestError(503, 'the console is busy: too many persons read at once', { 'retry-after': '5' });
}
