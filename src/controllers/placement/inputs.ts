import type { KubeObject, ResourceType } from '../../api/meta.js';
import { CustomResourceDefinitions, ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import type { ReadClient } from '../../kube/client.js';
import type { Clock } from '../../runtime/clock.js';
import type { PlacementCaches } from './caches.js';

/** Why nothing may be shrunk for now, and when to look again. */
export interface Doubt {
  readonly reason: string;
  readonly afterMs: number;
}

/** A type that was made less than this long ago may still be filled again by whoever restores it. */
const SETTLED_MS = 30_000;
const LOOK_AGAIN_MS = 2_000;
const ABSENTEES: readonly ResourceType[] = [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings];

/**
 * Unknown inputs are not empty inputs.
 *
 * Removing a CustomResourceDefinition makes the API server delete every object of it, which a watch shows like any other
 * deletion. So, before a cluster leaves a decision because some object is not there, the definitions themselves are
 * read: one that is missing, is being deleted (which it says before the first of its objects goes) or is brand-new
 * proves nothing.
 */
export class Inputs {
  readonly #client: ReadClient;
  readonly #caches: PlacementCaches;
  readonly #clock: Clock;
  /** Name of a definition → its uid, and the monotonic ms at which that was first read. */
  readonly #firstSeen = new Map<string, { readonly uid: string; readonly at: number }>();
  readonly #held = new Set<string>();
  #reading: Promise<Doubt | undefined> | undefined;
  #next: Promise<Doubt | undefined> | undefined;

  constructor(client: ReadClient, caches: PlacementCaches, clock: Clock) {
    this.#client = client;
    this.#caches = caches;
    this.#clock = clock;
  }

  /** Which inputs are not known; undefined when all are. */
  unknown(): string | undefined {
    const { placements, decisions, clusters, sets, bindings } = this.#caches;
    const missing = [placements, decisions, clusters, sets, bindings].filter((cache) => !cache.current());
    return missing.length === 0 ? undefined : missing.map((cache) => cache.type.plural).join(', ');
  }

  /** Keeps `key` until {@link release}. */
  hold(key: string): void {
    this.#held.add(key);
  }

  /** The keys kept, once all inputs are known; none before. */
  release(): readonly string[] {
    if (this.#held.size === 0 || this.unknown() !== undefined) return [];
    const held = [...this.#held].sort();
    this.#held.clear();
    return held;
  }

  /**
   * Why the absence of an object proves nothing; undefined when it is proved. Rests on a read that begins after the
   * call: one that is under way may be older than what the caller saw. So at most one runs and one waits, whoever asks.
   * Throws when the definitions cannot be read.
   */
  doubtAbsence(): Promise<Doubt | undefined> {
    if (this.#reading === undefined) return this.#begin();
    this.#next ??= this.#reading.catch(() => undefined).then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<Doubt | undefined> {
    const reading = this.#readAll().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #readAll(): Promise<Doubt | undefined> {
    const doubts = await Promise.all(ABSENTEES.map((type) => this.#read(type)));
    return doubts.find((doubt) => doubt !== undefined);
  }

  async #read(type: ResourceType): Promise<Doubt | undefined> {
    const name = `${type.plural}.${type.group}`;
    const found = await this.#client.get<KubeObject>(CustomResourceDefinitions, { name }, { metadataOnly: true });
    if (found === undefined) return { reason: `CustomResourceDefinition ${name} is missing`, afterMs: LOOK_AGAIN_MS };
    const { deletionTimestamp } = found.metadata;
    if (deletionTimestamp !== undefined) return { reason: `CustomResourceDefinition ${name} is being deleted`, afterMs: LOOK_AGAIN_MS };
    const settlesIn = SETTLED_MS - this.#ageOf(found);
    return settlesIn <= 0 ? undefined : { reason: `CustomResourceDefinition ${name} is new`, afterMs: settlesIn };
  }

  /** By the time stamp or by our own watch, whichever is more: a wall clock that is behind delays, no more. */
  #ageOf({ metadata }: KubeObject): number {
    const now = this.#clock.monotonic();
    const uid = metadata.uid ?? '';
    const known = this.#firstSeen.get(metadata.name);
    const since = known?.uid === uid ? known.at : now;
    this.#firstSeen.set(metadata.name, { uid, at: since });
    const stamped = this.#clock.now() - Date.parse(metadata.creationTimestamp ?? '');
    return Math.max(now - since, Number.isNaN(stamped) ? 0 : stamped);
  }
}
