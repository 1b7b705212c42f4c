import type { KubeObject } from '../../api/meta.js';
import type { Slots } from '../../domain/placement/snapshot.js';
import type { Change } from '../../kube/store.js';
import { isOlder } from './latest.js';

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
  readonly deferred: Map<string, Change<KubeObject>>;
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
      deferred: new Map(),
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
  concerns(key: string, change: Change<KubeObject>): boolean {
    const known = this.#placements.get(key);
    if (known === undefined) return true;
    if (!known.passing) return isNews(known, change);
    known.deferred.set(change.key, { ...change, before: known.deferred.get(change.key)?.before ?? change.before });
    return false;
  }

  /** Whether a change of the Placement's status or metadata calls for a pass, as above. */
  concernsStatus(key: string, change: Change<KubeObject>): boolean {
    const known = this.#placements.get(key);
    if (known === undefined) return true;
    if (!known.passing) return isForeignVersion(known.version, change.after);
    known.deferred.set('', change);
    return false;
  }

  /** Ends a pass: whether a change that was seen during it calls for another. */
  settle(known: Remembered): boolean {
    known.passing = false;
    const changes = [...known.deferred];
    known.deferred.clear();
    return changes.some(([at, change]) => (at === '' ? isForeignVersion(known.version, change.after) : isNews(known, change)));
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
