import type { FleetReading } from '../../answers/world/worlds.js';
import { WORLD_RESOURCES } from '../../answers/world/world.js';
import { Slots } from '../../runtime/http/slots.js';
import { delay, type Clock, type Timer } from '../../runtime/clock.js';
import { RequestError } from '../server/routes.js';
import {
  madeOf,
  SHORTEST_USE_MS,
  Snapshot,
  type Made,
  type ReadingRequest,
  type SnapshotPool,
  USE_BY_COST,
  versionOf,
} from '../server/snapshot.js';

/** What bounds the readings of all persons: how many at a time, and how much is held of them. */

/** Parsing is what takes the time, and one thread does it. */
const READINGS = 2;
const MOST_WAIT_MS = 10_000;
/** Held by all persons together; of 10,000 clusters and what goes with them, about a dozen different readings. */
const MOST_OBJECTS = 150_000;
/** A reading of everything is that of all who may list everything until the next one is due, and at most for this long. */
const WHOLE_FOR_MOST_MS = 5_000;
/** What was computed of a snapshot is of its time: an older one is not shared. */
const SHARED_FOR_MS = 15_000;

/**
 * Persons who may read the same see the same. Who may list every object of every kind, as the API server has just said to
 * their token, has the last reading of somebody who may, too. Others read by themselves: their readings are one snapshot, with
 * all that was computed of it, where the API server gave them the same objects, at the same versions, and refused the same.
 */
export class ReadingPool implements SnapshotPool {
  readonly #slots = new Slots(READINGS);
  readonly #clock: Clock;
  readonly #held: () => readonly Snapshot[];
  readonly readers: () => number;
  /** The last reading of everything, and until when it is given to others. */
  #whole: { readonly made: Made; readonly until: number } | undefined;
  #making: Promise<Made> | undefined;
  #forget: Timer | undefined;
  readonly #shared = new Map<string, WeakRef<Snapshot>>();

  /** `held`: the snapshots of all persons; `readers`: how many of them read by themselves. */
  constructor(clock: Clock, held: () => readonly Snapshot[], readers: () => number) {
    this.#clock = clock;
    this.#held = held;
    this.readers = readers;
  }

  async reading(request: ReadingRequest): Promise<Made> {
    const made = (await this.#wholeFor(request)) ?? (await this.#madeByOther(request));
    if (made !== undefined) return made;
    const reading = this.#inTurn(() => this.#make(request), request.isFirst);
    if (!request.wasWhole) return reading;
    this.#making = reading;
    try {
      return await reading;
    } finally {
      if (this.#making === reading) this.#making = undefined;
    }
  }

  /** What somebody reads now who could read everything is for all others who may: they take no turns for it. */
  async #madeByOther(request: ReadingRequest): Promise<Made | undefined> {
    if (this.#making === undefined || !(request.wasWhole || request.isFirst)) return undefined;
    await this.#making.catch(() => undefined);
    return this.#wholeFor(request);
  }

  close(): void {
    this.#forget?.cancel();
    this.#whole = undefined;
  }

  async #wholeFor({ mayListAll, notBefore }: ReadingRequest): Promise<Made | undefined> {
    if (this.#fresh(notBefore) === undefined) return undefined;
    const since = await mayListAll();
    const made = this.#fresh(notBefore);
    // It is as old as what is known of the right to it.
    return since === undefined || made === undefined ? undefined : { ...made, start: Math.min(made.start, since) };
  }

  #fresh(notBefore: number): Made | undefined {
    const { made, until } = this.#whole ?? { until: -Infinity };
    return made !== undefined && made.start >= notBefore && this.#clock.monotonic() < until ? made : undefined;
  }

  async #make({ read }: ReadingRequest): Promise<Made> {
    const made = await madeOf(read, this.#clock);
    if (!made.isWhole) return made;
    const now = this.#clock.monotonic();
    const useMs = Math.min(Math.max(SHORTEST_USE_MS, USE_BY_COST * (now - made.start)), WHOLE_FOR_MOST_MS);
    this.#whole = { made, until: now + useMs };
    this.#forget?.cancel();
    this.#forget = this.#clock.after(useMs, () => (this.#whole = undefined));
    return made;
  }

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

  share(reading: FleetReading): Snapshot {
    const version = versionOf(reading);
    const known = this.#shared.get(version)?.deref();
    if (known !== undefined && reading.world.at - known.world.at < SHARED_FOR_MS) return known;
    for (const [key, reference] of this.#shared) if (reference.deref() === undefined) this.#shared.delete(key);
    const snapshot = new Snapshot(reading);
    this.#shared.set(version, new WeakRef(snapshot));
    return snapshot;
  }
}

function objectsIn(snapshots: readonly Snapshot[]): number {
  const all = [...new Set(snapshots)].flatMap(({ world }) => WORLD_RESOURCES.map((one) => world.objects[one].length));
  return all.reduce((sum, count) => sum + count, 0);
}

export function busy(): RequestError {
  return new RequestError(503, 'the console is busy: too many persons read at once', { 'retry-after': '5' });
}
