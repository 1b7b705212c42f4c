import { existing, type BindingView, type SetView } from '../../domain/placement/select/snapshot.js';
import { nameOf } from '../../runtime/vocabulary/names.js';
import { Multimap } from './multimap.js';

/** What the Placements of a namespace may select from: its bindings, and the existing sets that they name. */
export interface Bound {
  readonly bindings: readonly BindingView[];
  readonly sets: ReadonlyMap<string, SetView>;
  /** All existing sets with times for changes, whatever the namespace. */
  readonly timedSets: readonly SetView[];
}

/** ManagedClusterSets and the bindings that name them: sets by namespace, and namespaces by set. */
export class BindingIndex {
  readonly #sets = new Map<string, SetView>();
  #timedSets: readonly SetView[] = [];
  readonly #bindings = new Map<string, Map<string, BindingView>>();
  /** Name of a set → the keys of the bindings that name it. */
  readonly #bySet = new Multimap<string, string>();

  /** Returns whether the times for changes of the set are other ones, or may be. */
  upsertSet(set: SetView): boolean {
    const wasTimed = this.removeSet(set.name);
    this.#sets.set(set.name, set);
    if (set.times !== undefined) this.#timedSets = [...this.#timedSets, set];
    return wasTimed || set.times !== undefined;
  }

  /** Returns whether the set had times for changes. */
  removeSet(name: string): boolean {
    const isTimed = this.isTimed(name);
    this.#sets.delete(name);
    if (isTimed) this.#timedSets = this.#timedSets.filter((set) => set.name !== name);
    return isTimed;
  }

  /** Whether the set exists, and has times for changes. */
  isTimed(set: string): boolean {
    return this.#sets.get(set)?.times !== undefined;
  }

  upsertBinding(namespace: string, binding: BindingView): void {
    this.removeBinding(namespace, binding.name);
    const bindings = this.#bindings.get(namespace) ?? new Map<string, BindingView>();
    this.#bindings.set(namespace, bindings.set(binding.name, binding));
    this.#bySet.add(binding.clusterSet, `${namespace}/${binding.name}`);
  }

  removeBinding(namespace: string, name: string): void {
    const bindings = this.#bindings.get(namespace);
    const known = bindings?.get(name);
    if (bindings === undefined || known === undefined) return;
    bindings.delete(name);
    if (bindings.size === 0) this.#bindings.delete(namespace);
    this.#bySet.delete(known.clusterSet, `${namespace}/${name}`);
  }

  bound(namespace: string): Bound {
    const bindings = [...(this.#bindings.get(namespace)?.values() ?? [])];
    const names = bindings.map(({ clusterSet }) => clusterSet);
    const sets = existing(names, (name) => this.#sets.get(name));
    return { bindings, sets, timedSets: this.#timedSets };
  }

  /** The namespaces with a binding that names the set. */
  namespacesOf(set: string): ReadonlySet<string> {
    return new Set(Array.from(this.#bySet.get(set), (key) => nameOf(key).namespace ?? ''));
  }
}
