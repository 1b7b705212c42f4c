import { readFleetWorld, type FleetReading } from '../../../cli/whatif/worlds.js';
import { ManagedClusterHealth } from './health.js';
import { WORLD_RESOURCES, WorldInputs, type World } from '../../../domain/fleet/world.js';
import type { ReadClient } from '../../../runtime/client/client.js';
import type { Clock, Timer } from '../../../runtime/clock.js';
import { errorText } from '../../../runtime/errors.js';
import { sameJson } from '../../../runtime/vocabulary/json.js';
import { Feed } from './feed.js';
import { versionsOf, type Versions } from './topics.js';

/** Readings of a hub: each answer is computed from one of them. */

/** A reading, and what was computed from it. */
export class Snapshot {
  readonly reading: FleetReading;
  /** The health of its clusters. */
  readonly health: ManagedClusterHealth;
  readonly #computed = new Map<string, unknown>();
  #inputs: WorldInputs | undefined;

  constructor(reading: FleetReading) {
    this.reading = reading;
    this.health = new ManagedClusterHealth(reading.world.objects.managedclusters);
  }

  get world(): World {
    return this.reading.world;
  }

  /** Of what is stored: nobody notes a decision in them. */
  get inputs(): WorldInputs {
    return (this.#inputs ??= new WorldInputs(this.world));
  }

  /** What `compute` makes of the reading: once for each key. */
  once<T>(key: string, compute: () => T): T {
    if (!this.#computed.has(key)) this.#computed.set(key, compute());
    // The key is that of one caller, which always computes the same type.
    return this.#computed.get(key) as T;
  }
}

export interface Current {
  readonly snapshot: Snapshot;
  /** When the hub was read, ms since the epoch. */
  readonly asOf: number;
  /** Why it was not read again since. */
  readonly stale: string | undefined;
}

/** A reading with its time. */
export interface Made {
  readonly reading: FleetReading;
  /** Since when it, and the right to it, is known, by the monotonic clock. */
  readonly start: number;
  /** Whether it is of everything, so that others who may list everything have the same. */
  readonly isWhole: boolean;
}

export interface ReadingRequest {
  readonly read: () => Promise<FleetReading>;
  /** Nothing is held of this reader yet. */
  readonly isFirst: boolean;
  /** The last reading of this reader was of everything. */
  readonly wasWhole: boolean;
  /** A reading that began before is of no use, by the monotonic clock. */
  readonly notBefore: number;
  /** Since when it is known that this person may list every object of every kind; undefined where that is not so. */
  readonly mayListAll: () => Promise<number | undefined>;
}

/** What the readings of several persons share. */
export interface SnapshotPool {
  /** Reads when it is the turn of this reader, or gives what another one has read who may list as much. */
  readonly reading: (request: ReadingRequest) => Promise<Made>;
  /** The snapshot of an equal reading that somebody has made, else a new one. `versions`: equal for equal readings alone. */
  readonly share: (versions: string, reading: FleetReading) => Snapshot;
  /** How many persons are told of changes by readings of their own: they share the time of these. */
  readonly followers: () => number;
}

export interface SnapshotOptions {
  readonly client: ReadClient;
  /** The only namespace to read; undefined: all. */
  readonly namespace: string | undefined;
  /** Read instead when objects of all namespaces may not be listed. */
  readonly fallback: () => string;
  readonly clock: Clock;
  /** Absent: one person reads. */
  readonly pool?: SnapshotPool;
  /** For the pool; absent: nothing is known, and nothing is shared. */
  readonly mayListAll?: ReadingRequest['mayListAll'];
  /** No answer is of an older reading, even where the hub cannot be read; absent: the last one is kept. */
  readonly oldestMs?: number;
}

/** A reading is used for this long, or for this many times as long as it took: the hub is not read all the time. */
const SHORTEST_USE_MS = 2_000;
const USE_BY_COST = 5;
/** Who is told of changes waits for them: for such a reader it is read again after this time, or this many times as long as it took. */
export const SHORTEST_FOLLOWED_MS = 1_000;
export const FOLLOWED_BY_COST = 3;
/** The readings of all persons who are told of changes take this part of the time, together. */
const FOLLOWED_PART = 2;
/** An answer waits for a new reading where the last one is older. */
const OLDEST_MS = 10_000;
/** What was computed is computed again after this time: budgets and tolerations depend on it. */
const LONGEST_COMPUTED_MS = 30_000;

/** Keeps the last reading of a hub, and reads again when somebody asks. Nobody asks: nothing is read. */
export class Snapshots {
  readonly feed: Feed;
  readonly #options: SnapshotOptions;
  #last: { readonly snapshot: Snapshot; readonly versions: Versions } | undefined;
  #next: Timer | undefined;
  #reading: Promise<void> | undefined;
  #asOf = 0;
  /** When the last reading began that has succeeded, by the monotonic clock. */
  #readAt = -Infinity;
  #finished = -Infinity;
  #cost = 0;
  #notBefore = -Infinity;
  #isWhole = false;
  #fault: string | undefined;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.feed = new Feed(options.clock);
  }

  /** The snapshot that is held; undefined before the first reading. */
  get held(): Snapshot | undefined {
    return this.#last?.snapshot;
  }

  /** The last reading; begins the next one where it is old, and waits for that where it is too old. @throws ApiError without any. */
  async current(): Promise<Current> {
    const { clock, oldestMs = Infinity } = this.#options;
    const now = clock.monotonic();
    const age = now - this.#finished;
    const use = Math.min(Math.max(SHORTEST_USE_MS, USE_BY_COST * this.#cost), oldestMs / 2);
    const isTooOld = now - this.#readAt > oldestMs;
    if (age > use || isTooOld) {
      const reading = this.#refresh();
      if (this.#last === undefined || isTooOld || age > Math.max(OLDEST_MS, 2 * USE_BY_COST * this.#cost))
        await reading;
    }
    if (this.#last === undefined) throw new Error('the hub has not been read');
    return { snapshot: this.#last.snapshot, asOf: this.#asOf, stale: this.#fault };
  }

  /** When the hub was read last, ms since the epoch; undefined before the first reading. */
  get asOf(): number | undefined {
    return this.#last === undefined ? undefined : this.#asOf;
  }

  /** Whether somebody is told of changes by readings that nobody else has the use of. */
  get isFollowedAlone(): boolean {
    return this.feed.isFollowed && !this.#isWhole;
  }

  /** Reads the hub again and again, and calls `listener` after each change, until the returned function is called. */
  follow(listener: () => void): () => void {
    const stop = this.feed.listen(listener);
    this.#arm();
    return () => {
      stop();
      if (!this.feed.isFollowed) this.#next?.cancel();
    };
  }

  #arm(): void {
    this.#next?.cancel();
    if (!this.feed.isFollowed) return;
    const { clock, pool } = this.#options;
    const own = Math.max(FOLLOWED_BY_COST, FOLLOWED_PART * (pool?.followers() ?? 0)) * this.#cost;
    // How often everything is read is bounded by the pool, for all who may read it together.
    const use = Math.max(SHORTEST_FOLLOWED_MS, pool !== undefined && this.#isWhole ? 0 : own);
    const wait = this.#finished + use - clock.monotonic();
    // The reading arms the next one; why it has failed is said by answers.
    this.#next = clock.after(wait, () => void this.#refresh().catch(() => undefined));
  }

  /** The next answer is of a new reading: the caller has changed something. */
  expire(): void {
    this.#finished = -Infinity;
    this.#notBefore = this.#options.clock.monotonic();
  }

  /** One reading at a time. A failed one keeps the last, and says why. */
  #refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#arm();
    });
    if (this.#last !== undefined) this.#reading.catch(() => {});
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { client, namespace, fallback, clock, pool, oldestMs = Infinity } = this.#options;
    const { mayListAll = unknownRight } = this.#options;
    let start = clock.monotonic();
    const read = (): Promise<FleetReading> => {
      start = clock.monotonic();
      return readFleetWorld(client, { namespace, fallback, resources: WORLD_RESOURCES });
    };
    try {
      const request = {
        read,
        isFirst: this.#last === undefined,
        wasWhole: this.#isWhole,
        notBefore: this.#notBefore,
        mayListAll,
      };
      const made = await (pool?.reading(request) ?? madeOf(read, clock));
      this.#use(made.reading);
      this.#readAt = made.start;
      this.#isWhole = made.isWhole;
      // Waiting for a hub that does not answer is no work of it: one that is back is read at once.
      this.#cost = clock.monotonic() - start;
      this.#say(undefined);
    } catch (error) {
      this.#say(errorText(error));
      if (clock.monotonic() - this.#readAt > oldestMs) this.#last = undefined;
      if (this.#last === undefined) throw error;
    } finally {
      this.#finished = clock.monotonic();
    }
  }

  #use(reading: FleetReading): void {
    const { pool } = this.#options;
    const { at } = reading.world;
    const versions = versionsOf(reading);
    const before = this.#last;
    this.#asOf = at;
    const isSame = sameJson(versions, before?.versions ?? null);
    if (isSame && before !== undefined && at - before.snapshot.world.at < LONGEST_COMPUTED_MS) return;
    const snapshot = pool?.share(JSON.stringify(versions), reading) ?? new Snapshot(reading);
    this.#last = { snapshot, versions };
    if (isSame) this.feed.allChanged();
    else this.feed.replaced(before?.versions, versions);
  }

  /** Why the hub cannot be read is a part of every answer. */
  #say(fault: string | undefined): void {
    const isOther = fault !== this.#fault;
    this.#fault = fault;
    if (isOther) this.feed.allChanged();
  }
}

/** A reading that is made now. */
export async function madeOf(read: () => Promise<FleetReading>, clock: Clock): Promise<Made> {
  const start = clock.monotonic();
  const reading = await read();
  const { world, refused, namespace } = reading;
  const isWhole = world.withheld.length + refused.length === 0 && namespace === undefined;
  return { reading: { ...reading, world: { ...world, at: clock.now() } }, start, isWhole };
}

async function unknownRight(): Promise<undefined> {
  return undefined;
}
