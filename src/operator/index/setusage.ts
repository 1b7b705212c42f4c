import { nameOf } from '../../runtime/vocabulary/names.js';
import { Multimap } from './multimap.js';
import { firstUsers, type Users } from '../../domain/clusters/status.js';

/** The sets and bindings whose users have changed: their condition InUse has to be computed again. */
export interface UsageChanges {
  /** Names of ManagedClusterSets. */
  readonly sets: readonly string[];
  /** Keys of ManagedClusterSetBindings. They need not exist. */
  readonly bindings: readonly string[];
}

const NO_SETS: readonly string[] = [];

/**
 * Which Placements have which set among their eligible sets, updated change by change.
 *
 * Guarantees: the content equals the last list of every Placement, whatever the order of the changes. A set is reported
 * as changed when a namespace begins or ceases to select from it; its binding in a namespace when a Placement does. A
 * change costs as many steps as the Placement has eligible sets before and after it.
 */
export class SetUsage {
  /** Key of a Placement → its eligible sets. */
  readonly #eligible = new Map<string, readonly string[]>();
  /** Set → the namespaces with Placements that may select from it. */
  readonly #namespaces = new Multimap<string, string>();
  /** Key of a binding, with the name of its set → the names of these Placements. */
  readonly #placements = new Multimap<string, string>();
  readonly #changedSets = new Set<string>();
  readonly #changedBindings = new Set<string>();

  /** Sets the eligible sets of a Placement, each once; none for a Placement that does not exist any more. */
  put(key: string, sets: readonly string[]): void {
    const before = this.#eligible.get(key) ?? NO_SETS;
    if (sets.length === 0) this.#eligible.delete(key);
    else this.#eligible.set(key, sets);
    const [old, current] = [new Set(before), new Set(sets)];
    const { namespace = '', name } = nameOf(key);
    for (const set of before) if (!current.has(set)) this.#removeUser(set, namespace, name);
    for (const set of sets) if (!old.has(set)) this.#addUser(set, namespace, name);
  }

  /** The namespaces with a Placement that may select from the set. */
  namespacesOf(set: string): Users {
    return firstUsers(this.#namespaces.get(set));
  }

  /** The Placements of a namespace that may select from the set. */
  placementsOf(set: string, namespace: string): Users {
    return firstUsers(this.#placements.get(`${namespace}/${set}`));
  }

  /** Returns what has changed since the last call, and forgets it. */
  takeChanges(): UsageChanges {
    const changes = { sets: [...this.#changedSets], bindings: [...this.#changedBindings] };
    this.#changedSets.clear();
    this.#changedBindings.clear();
    return changes;
  }

  #addUser(set: string, namespace: string, placement: string): void {
    const binding = `${namespace}/${set}`;
    this.#changedBindings.add(binding);
    if (this.#placements.get(binding).size === 0) {
      this.#changedSets.add(set);
      this.#namespaces.add(set, namespace);
    }
    this.#placements.add(binding, placement);
  }

  #removeUser(set: string, namespace: string, placement: string): void {
    const binding = `${namespace}/${set}`;
    this.#changedBindings.add(binding);
    this.#placements.delete(binding, placement);
    if (this.#placements.get(binding).size > 0) return;
    this.#changedSets.add(set);
    this.#namespaces.delete(set, namespace);
  }
}
