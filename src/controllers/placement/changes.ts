import type { Placement } from '../../api/generated/placement.js';
import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import type { Change } from '../../kube/cache/store.js';
import type { MutationCache } from '../../runtime/mutationcache.js';

/** Own writes that the caches may not show yet. */
export interface PlacementMutations {
  readonly placements: MutationCache<Placement>;
  readonly decisions: MutationCache<PlacementDecision>;
}

type DeferredChange = (affected: Set<string>) => void;

/**
 * Tells the events of own writes from changes by others: only the latter need a reconcile. An event may be delivered
 * before the answer to the write that caused it. So the changes of a Placement that is being reconciled are deferred,
 * in their order, until the reconcile ends and all answers are in the mutation caches.
 */
export class ChangeFilter {
  readonly #mutations: PlacementMutations;
  /** Key of each Placement that is being reconciled → its changes since. */
  readonly #deferred = new Map<string, DeferredChange[]>();

  constructor(mutations: PlacementMutations) {
    this.#mutations = mutations;
  }

  /** Begins to defer the changes of the Placement `key`. */
  begin(key: string): void {
    this.#deferred.set(key, []);
  }

  /** Ends it; returns the keys of the Placements that deferred changes by others affect. */
  end(key: string): ReadonlySet<string> {
    const affected = new Set<string>();
    for (const apply of this.#deferred.get(key) ?? []) apply(affected);
    this.#deferred.delete(key);
    return affected;
  }

  /** A change of a Placement; returns the keys of the Placements that it affects, without deferred ones. */
  placementChanged(change: Change<Placement>): ReadonlySet<string> {
    return this.#run([change.key], (affected) => {
      if (this.#mutations.placements.observe(change)) affected.add(change.key);
    });
  }

  /** A change of a decision object that may concern the Placements `keys`. */
  decisionChanged(keys: readonly string[], change: Change<PlacementDecision>): ReadonlySet<string> {
    return this.#run(keys, (affected) => {
      if (this.#mutations.decisions.observe(change)) for (const key of keys) affected.add(key);
    });
  }

  #run(keys: readonly string[], apply: DeferredChange): ReadonlySet<string> {
    const affected = new Set<string>();
    const reconciling = keys.find((key) => this.#deferred.has(key));
    if (reconciling === undefined) apply(affected);
    else this.#deferred.get(reconciling)?.push(apply);
    return affected;
  }
}
