import type { BindingView, SetView } from '../../domain/placement/select/snapshot.js';
import { nameOf } from '../../runtime/vocabulary/names.js';
import { Multimap } from './multimap.js';

/** What the Placements of a namespace may select from: its bindings, and the existing sets that they name. */
export interface Bound {
  readonly bindings: readonly BindingView[];
  readonly sets: ReadonlyMap<string, SetView>;
}

/** ManagedClusterSets and the bindings that name them: sets by namespace, and namespaces by set. */
export class BindingIndex {
  readonly #sets = new Map<string, SetView>();
  readonly #bindings = new Map<string, Map<string, BindingView>>();
  /** Name of a set → the keys of the bindings that name it. */
  readonly #bySet = new Multimap<string, string>();

  upsertSet(set: SetView): void {
    this.#sets.set(set.name, set);
  }

  removeSet(name: string): void {
    this.#sets.delete(name);
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
    const sets = new Map<string, SetView>();
    for (const { clusterSet } of bindings) {
      const set = this.#sets.get(clusterSet);
      if (set !== undefined) sets.set(clusterSet, set);
    }
    return { bindings, sets };
  }

  /** The namespaces with a binding that names the set. */
  namespacesOf(set: string): ReadonlySet<string> {
    return new Set(Array.from(this.#bySet.get(set), (key) => nameOf(key).namespace ?? ''));
  }
}
