import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import type { KubeObject } from '../../api/meta.js';
import type { Slots } from '../../domain/placement/snapshot.js';
import type { Change } from '../../kube/cache/store.js';
import { isOlder } from '../../runtime/resourceversion.js';

/** One object as the last pass knew it. */
interface Sight {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** What is remembered of one Placement between passes. */
export interface Remembered {
  readonly uid: string;
  /** What was last published; undefined before the first pass and after a write whose outcome is unknown. */
  slots: Slots | undefined;
  /** Decision objects, by name, as they were after the last pass. */
  readonly decisions: Map<string, Sight>;
  /** resourceVersion of the Placement after the last pass. */
  version: string | undefined;
  /** Names of decision objects whose last write has an unknown outcome: to be read before the next decision. */
  readonly doubtful: Set<string>;
  /** A pass runs: changes are looked at when it ends, since own writes may be seen before they are answered. */
  passing: boolean;
  /** Changes of decision objects that were seen during the pass, in their order. */
  readonly deferred: Change<PlacementDecision>[];
  /** The last change of the Placement's own status or metadata that was seen during the pass. */
  deferredStatus: Change<KubeObject> | undefined;
}

/** What this process last published and last saw, per Placement. Bounded by the Placements that exist. */
export class Memory {
  readonly #placements = new Map<string, Remembered>();

  /** What is remembered of the Placement `key` with this uid: nothing of another that had the name before. */
  of(key: string, uid: string): Remembered {
    const known = this.#placements.get(key);
    if (known?.uid === uid) return known;
    const fresh: Remembered = {
      uid,
      slots: undefined,
      decisions: new Map(),
      version: undefined,
      doubtful: new Set(),
      passing: false,
      deferred: [],
      deferredStatus: undefined,
    };
    this.#placements.set(key, fresh);
    return fresh;
  }

  find(key: string): Remembered | undefined {
    return this.#placements.get(key);
  }

  forget(key: string): void {
    this.#placements.delete(key);
  }

  /** Forgets all: while the lease was away, somebody else may have published. */
  clear(): void {
    this.#placements.clear();
  }

  /** Whether a change of a decision object calls for a pass; false for own writes, and for now while a pass runs. */
  concerns(key: string, change: Change<PlacementDecision>): boolean {
    const known = this.#placements.get(key);
    if (known === undefined) return true;
    if (!known.passing) return isNews(known, change);
    known.deferred.push(change);
    return false;
  }

  /** Whether a change of the Placement's status or metadata calls for a pass, as above. */
  concernsStatus(key: string, change: Change<KubeObject>): boolean {
    const known = this.#placements.get(key);
    if (known === undefined) return true;
    if (!known.passing) return isForeignVersion(known.version, change.after);
    known.deferredStatus = change;
    return false;
  }

  /** Ends a pass: the changes of decision objects that were seen during it, and whether any calls for another. */
  settle(known: Remembered): { readonly seen: readonly Change<PlacementDecision>[]; readonly news: boolean } {
    known.passing = false;
    const { deferredStatus: status } = known;
    const seen = known.deferred.splice(0);
    known.deferredStatus = undefined;
    const foreign = status !== undefined && isForeignVersion(known.version, status.after);
    // Of an object that lives on, its last change tells all; of one that took the place of another, each end tells its own.
    const last = new Map(seen.map((change) => [change.key, change]));
    const telling = seen.filter((change) => change.after === undefined || last.get(change.key) === change);
    return { seen, news: foreign || telling.some((change) => isNews(known, change)) };
  }
}

function isNews(known: Remembered, { before, after }: Change<KubeObject>): boolean {
  const name = (after ?? before)?.metadata.name ?? '';
  const sight = known.decisions.get(name);
  if (after === undefined) return sight !== undefined && sight.uid === before?.metadata.uid;
  return isForeignVersion(sight?.resourceVersion, after);
}

function isForeignVersion(known: string | undefined, after: KubeObject | undefined): boolean {
  const version = after?.metadata.resourceVersion;
  return version === undefined || (version !== known && !isOlder(version, known));
}
