import { createHash } from 'node:crypto';
import { readFleetWorld, type FleetReading } from '../../answers/world/worlds.js';
import { explainReport, type ExplainReport } from '../../answers/explain/report.js';
import { inputsOf, once, WORLD_RESOURCES, type World, type WorldInputs } from '../../answers/world/world.js';
import type { ReadClient } from '../../runtime/client/client.js';
import { delay, type Clock } from '../../runtime/clock.js';
import { errorText } from '../../runtime/errors.js';
import { Recent } from './recent.js';

/** Readings of a hub: each answer is computed from one of them. */

/** How many answers of a reading are kept: those that were asked for last. */
const MOST_ANSWERS = 128;
/** How many explanations of Placements: one with 10,000 clusters takes 9 MB. */
const MOST_REPORTS = 8;

/** A reading, and what was computed from it. */
export class Snapshot {
  readonly reading: FleetReading;
  readonly #answers = new Recent<object>(MOST_ANSWERS);
  readonly #reports = new Recent<{ readonly report: ExplainReport | undefined }>(MOST_REPORTS);

  constructor(reading: FleetReading) {
    this.reading = reading;
  }

  get world(): World {
    return this.reading.world;
  }

  /** The inputs for decisions, as they are stored. A caller must not note a planned decision in them. */
  get inputs(): WorldInputs {
    return inputsOf(this.world);
  }

  /** What `compute` makes of the reading: once for each key. */
  once<T>(key: string, compute: () => T): T {
    return once(this.world, key, compute);
  }

  /** What depends on what somebody has written, such as an address: computed once for all who ask, while it is kept. */
  answer<T extends object>(key: string, compute: () => T): T {
    // What has the same key has the same type.
    return this.#answers.use(key, compute) as T;
  }

  /** What `explain` says of a Placement, with all that was computed of it; undefined where there is none. */
  report(namespace: string, name: string): ExplainReport | undefined {
    const { world, refused } = this.reading;
    const explain = (): ExplainReport | undefined => explainReport(world, namespace, name, { world, refused });
    return this.#reports.use(`${namespace}/${name}`, () => ({ report: explain() })).report;
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
export interface TimedReading {
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
  readonly reading: (request: ReadingRequest) => Promise<TimedReading>;
  /** The snapshot of an equal reading that somebody has made, else a new one. */
  readonly share: (reading: FleetReading) => Snapshot;
  /** How many persons have readings of their own: they share the time of these. */
  readonly readers: () => number;
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
export const SHORTEST_USE_MS = 1_000;
export const USE_BY_COST = 3;
/** The readings of all persons who read by themselves take this part of the time, together. */
const READERS_PART = 2;
/** An answer waits for so long for a new reading where there is an older one. */
const PATIENCE_MS = 1_000;
/** A hub that has not answered for so long counts as one that does not. */
const SILENCE_MS = 4_000;
/** What was computed is computed again after this time: budgets and tolerations depend on it. */
const LONGEST_COMPUTED_MS = 30_000;

/** Keeps the last reading of a hub, and reads again when somebody asks. Nobody asks: nothing is read. */
export class Snapshots {
  readonly #options: SnapshotOptions;
  #last: { readonly snapshot: Snapshot; readonly version: string } | undefined;
  /** The reading that is under way, and since when. */
  #reading: { readonly done: Promise<void>; readonly since: number } | undefined;
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
  }

  /** The snapshot that is held; undefined before the first reading. */
  get held(): Snapshot | undefined {
    return this.#last?.snapshot;
  }

  /** Whether nobody else has the use of its readings. */
  get isAlone(): boolean {
    return this.#last !== undefined && !this.#isWhole;
  }

  /**
   * A reading that is as new as the cost of readings allows. Where the hub is slow it is the last one, and says so.
   * @throws ApiError without any.
   */
  async current(): Promise<Current> {
    const { clock, oldestMs = Infinity } = this.#options;
    // One that began before what it has to show is waited for, and then it is read again.
    if (this.#reading !== undefined && this.#reading.since < this.#notBefore)
      await this.#reading.done.catch(() => undefined);
    const now = clock.monotonic();
    const isTooOld = now - this.#readAt > oldestMs || this.#readAt < this.#notBefore;
    if (isTooOld || now - this.#finished > this.#useMs()) {
      const { done } = this.#refresh();
      if (this.#last === undefined || isTooOld) await done;
      else await this.#patiently(done);
    }
    if (this.#last === undefined) throw new Error('the hub has not been read');
    return { snapshot: this.#last.snapshot, asOf: this.#asOf, stale: this.#fault ?? this.#silence() };
  }

  #useMs(): number {
    const { pool, oldestMs = Infinity } = this.#options;
    // How often everything is read is bounded by the pool, for all who may read it together.
    const isPooled = pool !== undefined && this.#isWhole;
    const byCost = isPooled ? 0 : Math.max(USE_BY_COST, READERS_PART * (pool?.readers() ?? 0));
    return Math.min(Math.max(SHORTEST_USE_MS, byCost * this.#cost), oldestMs / 2);
  }

  async #patiently(done: Promise<void>): Promise<void> {
    const enough = new AbortController();
    const wait = delay(this.#options.clock, PATIENCE_MS, enough.signal).catch(() => undefined);
    // Why a reading has failed is a part of every answer.
    await Promise.race([done.catch(() => undefined), wait]);
    enough.abort();
  }

  #silence(): string | undefined {
    const since = this.#reading?.since ?? Infinity;
    return this.#options.clock.monotonic() - since < SILENCE_MS ? undefined : 'the hub does not answer';
  }

  /** The next answer is of a new reading: the caller has changed something. */
  expire(): void {
    this.#finished = -Infinity;
    this.#notBefore = this.#options.clock.monotonic();
  }

  /** One reading at a time. A failed one keeps the last, and says why. */
  #refresh(): { readonly done: Promise<void> } {
    if (this.#reading !== undefined) return this.#reading;
    const since = this.#options.clock.monotonic();
    const done = this.#read().finally(() => (this.#reading = undefined));
    // Whoever waits is told; nobody may be waiting any more.
    done.catch(() => undefined);
    this.#reading = { done, since };
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
      const timed = await (pool?.reading(request) ?? timedReading(read, clock));
      this.#use(timed.reading);
      this.#readAt = timed.start;
      this.#isWhole = timed.isWhole;
      // Waiting for a hub that does not answer is no work of it: one that is back is read at once.
      this.#cost = clock.monotonic() - start;
      this.#fault = undefined;
    } catch (error) {
      this.#fault = errorText(error);
      if (clock.monotonic() - this.#readAt > oldestMs) this.#last = undefined;
      if (this.#last === undefined) throw error;
    } finally {
      this.#finished = clock.monotonic();
    }
  }

  #use(reading: FleetReading): void {
    const { at } = reading.world;
    const version = versionOf(reading);
    const before = this.#last;
    this.#asOf = at;
    if (before?.version === version && at - before.snapshot.world.at < LONGEST_COMPUTED_MS) return;
    const snapshot = this.#options.pool?.share(reading) ?? new Snapshot(reading);
    this.#last = { snapshot, version };
  }
}

/** Reads now, and notes when. */
export async function timedReading(read: () => Promise<FleetReading>, clock: Clock): Promise<TimedReading> {
  const start = clock.monotonic();
  const reading = await read();
  const { world, refused, namespace } = reading;
  const isWhole = world.withheld.length + refused.length === 0 && namespace === undefined;
  return { reading: { ...reading, world: { ...world, at: clock.now() } }, start, isWhole };
}

async function unknownRight(): Promise<undefined> {
  return undefined;
}

const known = new WeakMap<FleetReading, string>();

/** A short text that is equal for readings of equal objects with equal limits alone. Made once for each reading. */
export function versionOf(reading: FleetReading): string {
  const version = known.get(reading) ?? versionIn(reading);
  known.set(reading, version);
  return version;
}

function versionIn({ world, refused, namespace }: FleetReading): string {
  const hash = createHash('sha256').update(JSON.stringify([world.withheld, refused, namespace]));
  for (const resource of WORLD_RESOURCES) {
    hash.update(`\n${resource}`);
    for (const { metadata } of world.objects[resource]) hash.update(` ${metadata.uid}.${metadata.resourceVersion}`);
  }
  return hash.digest('base64url');
}
