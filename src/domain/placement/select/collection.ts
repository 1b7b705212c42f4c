/**
 * Removals that belong together come one after the other: `kubectl label` over many clusters writes one cluster at a time. Under a
 * disruption budget they are therefore judged once no other cluster has failed a rule for a moment, so that a change that is
 * too large removes nothing.
 */
export interface Collection {
  /** When the first removal was seen, and when the clusters that would leave changed last; monotonic ms. */
  readonly since: number;
  readonly changed: number;
  /** The clusters that would leave. */
  readonly clusters: ReadonlySet<string>;
}

/** How long nothing may change, and how long removals wait at most. A hold does not wait for either. */
export interface CollectionWindow {
  readonly quietMs: number;
  readonly mostMs: number;
}

export const COLLECTION_WINDOW: CollectionWindow = { quietMs: 2_000, mostMs: 30_000 };

/** The collection with the clusters that would leave at `now`. */
export function collected(before: Collection | undefined, clusters: ReadonlySet<string>, now: number): Collection {
  if (before === undefined) return { since: now, changed: now, clusters };
  const isSame = before.clusters.size === clusters.size && [...clusters].every((one) => before.clusters.has(one));
  return isSame ? before : { ...before, changed: now, clusters };
}

/** When the clusters of the collection leave, monotonic ms. */
export function collectionEnd({ since, changed }: Collection, { quietMs, mostMs }: CollectionWindow): number {
  return Math.min(changed + quietMs, since + mostMs);
}
