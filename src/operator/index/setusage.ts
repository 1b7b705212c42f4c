import { nameOf } from '../../runtime/vocabulary/names.js';
import { firstUsers, NO_USERS, type Users } from '../../domain/clusters/inuse.js';

/** What a ManagedClusterSet and a ManagedClusterSetBinding say of their users has to be computed again for these. */
export interface UsageChanges {
  /** Names of ManagedClusterSets. */
  readonly sets: readonly string[];
  /** Keys of ManagedClusterSetBindings. They need not exist. */
  readonly bindings: readonly string[];
}

/** Namespace → names of its Placements. */
type Namespaces = Map<string, Set<string>>;

const NO_SETS: readonly string[] = [];

/**
 * Which Placements have which set among their eligible sets, updated change by change.
 *
 * Guarantees: the content equals the last list of every Placement, whatever the order of the changes. A set is reported
 * when a namespace begins or ceases to select from it, its binding in a namespace when a Placement does. A change costs the
 * number of the Placement's eligible sets before and after it.
 */
export class SetUsage {
  /** Key of a Placement → its eligible sets. */
  readonly #eligible = new Map<string, readonly string[]>();
  readonly #users = new Map<string, Namespaces>();
  readonly #changedSets = new Set<string>();
  readonly #changedBindings = new Set<string>();

  /** The eligible sets of a Placement, each once; none for a Placement that does not exist any more. */
  put(key: string, sets: readonly string[]): void {
    const before = this.#eligible.get(key) ?? NO_SETS;
    if (sets.length === 0) this.#eligible.delete(key);
    else this.#eligible.set(key, sets);
    const [was, is] = [new Set(before), new Set(sets)];
    const { namespace = '', name } = nameOf(key);
    for (const set of before) if (!is.has(set)) this.#leave(set, namespace, name);
    for (const set of sets) if (!was.has(set)) this.#join(set, namespace, name);
  }

  /** The namespaces with a Placement that may select from the set. */
  namespacesOf(set: string): Users {
    return firstUsers(this.#users.get(set)?.keys() ?? []);
  }

  /** The Placements of a namespace that may select from the set. */
  placementsOf(set: string, namespace: string): Users {
    const placements = this.#users.get(set)?.get(namespace);
    return placements === undefined ? NO_USERS : firstUsers(placements);
  }

  /** What changed since the last call. */
  takeChanges(): UsageChanges {
    const changes = { sets: [...this.#changedSets], bindings: [...this.#changedBindings] };
    this.#changedSets.clear();
    this.#changedBindings.clear();
    return changes;
  }

  #join(set: string, namespace: string, placement: string): void {
    const namespaces: Namespaces = this.#users.get(set) ?? new Map<string, Set<string>>();
    this.#users.set(set, namespaces);
    const placements = namespaces.get(namespace) ?? new Set<string>();
    if (placements.size === 0) this.#changedSets.add(set);
    this.#changedBindings.add(`${namespace}/${set}`);
    namespaces.set(namespace, placements.add(placement));
  }

  #leave(set: string, namespace: string, placement: string): void {
    const namespaces = this.#users.get(set);
    const placements = namespaces?.get(namespace);
    placements?.delete(placement);
    this.#changedBindings.add(`${namespace}/${set}`);
    if (placements === undefined || placements.size > 0) return;
    this.#changedSets.add(set);
    namespaces?.delete(namespace);
    if (namespaces?.size === 0) this.#users.delete(set);
  }
}
