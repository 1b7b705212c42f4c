import type { FleetReading } from '../../cli/whatif/worlds.js';
import { WORLD_RESOURCES } from '../../domain/fleet/world.js';
import { Slots } from '../../runtime/http/slots.js';
import { delay, type Clock } from '../../runtime/clock.js';
import { RequestError } from '../server/routes.js';
import { Snapshot, type SnapshotPool } from '../server/reading/snapshot.js';

/** What bounds the readings of all persons: how many at a time, and how much is held of them. */

/** Parsing is what takes the time, and one thread does it. */
const READINGS = 2;
const MOST_WAIT_MS = 10_000;
/** Held by all persons together; of 10,000 clusters and what goes with them, about a dozen different readings. */
const MOST_OBJECTS = 150_000;
/** What was computed of a snapshot is of its time: an older one is not shared. */
const SHARED_FOR_MS = 15_000;

/**
 * Persons who may read the same see the same: equal readings are one snapshot, with all that was computed of it. A reading is
 * equal only where the API server gave this person every object of it, at the same version, and refused the same.
 */
export class ReadingPool implements SnapshotPool {
  readonly #slots = new Slots(READINGS);
  readonly #clock: Clock;
  readonly #held: () => readonly Snapshot[];
  readonly followers: () => number;
  readonly #shared = new Map<string, WeakRef<Snapshot>>();

  /** `held`: the snapshots of all persons; `followers`: how many of them are told of changes. */
  constructor(clock: Clock, held: () => readonly Snapshot[], followers: () => number) {
    this.#clock = clock;
    this.#held = held;
    this.followers = followers;
  }

  async inTurn<T>(read: () => Promise<T>, isFirst: boolean): Promise<T> {
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

  share(versions: string, reading: FleetReading): Snapshot {
    const known = this.#shared.get(versions)?.deref();
    if (known !== undefined && reading.world.at - known.world.at < SHARED_FOR_MS) return known;
    for (const [key, reference] of this.#shared) if (reference.deref() === undefined) this.#shared.delete(key);
    const snapshot = new Snapshot(reading);
    this.#shared.set(versions, new WeakRef(snapshot));
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
