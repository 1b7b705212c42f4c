import type { KubeObject, ResourceType } from '../../api/meta.js';
import {
  CustomResourceDefinitions,
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
} from '../../api/resources.js';
import type { ReadClient } from '../../kube/client/client.js';
import type { Clock } from '../../runtime/clock.js';
import type { PlacementCaches } from './caches.js';

/** Why nothing may be shrunk for now, and when to look again. */
export interface Doubt {
  readonly reason: string;
  readonly afterMs: number;
}

interface Finding extends Doubt {
  /** When the definition was made, ms since the epoch: what was made in a later second never rested on an earlier one. */
  readonly madeAt: number;
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
 * proves nothing. A decision that is newer than such a definition has held none but its objects, though, and has nothing
 * that could come back.
 */
export class Inputs {
  readonly #client: ReadClient;
  readonly #caches: PlacementCaches;
  readonly #clock: Clock;
  /** Name of a definition → its uid, and the monotonic ms at which that was first read. */
  readonly #firstSeen = new Map<string, { readonly uid: string; readonly at: number }>();
  readonly #held = new Set<string>();
  /** Counts what may have been the end of an object. */
  #absences = 0;
  /** The count at the begin of the last read that found nothing to doubt. */
  #proved = -1;
  #reading: { readonly absences: number; readonly answer: Promise<readonly Finding[]> } | undefined;

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

  /** To be told whenever an object of a cache is gone, or a cache may have become another. */
  noteAbsence(): void {
    this.#absences += 1;
  }

  /**
   * Why the absence of an object proves nothing to a decision that was begun at `bornAt` (ms since the epoch; NaN: long
   * ago); undefined when it is proved. Rests on a read that began after the last absence was noted, shared by all who ask
   * before the next one. Throws when the definitions cannot be read.
   */
  async doubtAbsence(bornAt: number): Promise<Doubt | undefined> {
    if (this.#proved === this.#absences) return undefined;
    if (this.#reading?.absences !== this.#absences) this.#reading = { absences: this.#absences, answer: this.#prove() };
    const findings = await this.#reading.answer;
    const found = findings.find(({ madeAt }) => !(bornAt > madeAt));
    return found && { reason: found.reason, afterMs: found.afterMs };
  }

  async #prove(): Promise<readonly Finding[]> {
    const absences = this.#absences;
    try {
      const findings = (await Promise.all(ABSENTEES.map((type) => this.#read(type)))).flat();
      if (findings.length === 0) this.#proved = Math.max(this.#proved, absences);
      return findings;
    } finally {
      if (this.#reading?.absences === absences) this.#reading = undefined;
    }
  }

  async #read(type: ResourceType): Promise<readonly Finding[]> {
    const name = `${type.plural}.${type.group}`;
    const found = await this.#client.get<KubeObject>(CustomResourceDefinitions, { name }, { metadataOnly: true });
    if (found === undefined)
      return [{ reason: `CustomResourceDefinition ${name} is missing`, afterMs: LOOK_AGAIN_MS, madeAt: Infinity }];
    const { deletionTimestamp, creationTimestamp = '' } = found.metadata;
    if (deletionTimestamp !== undefined)
      return [
        { reason: `CustomResourceDefinition ${name} is being deleted`, afterMs: LOOK_AGAIN_MS, madeAt: Infinity },
      ];
    const settlesIn = SETTLED_MS - this.#ageOf(found);
    return settlesIn <= 0
      ? []
      : [
          {
            reason: `CustomResourceDefinition ${name} is new`,
            afterMs: settlesIn,
            madeAt: Date.parse(creationTimestamp),
          },
        ];
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
