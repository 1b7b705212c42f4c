import type { BindingView, SetView } from '../../domain/placement/select/snapshot.js';

/** What the Placements of a namespace may select from. */
export interface Bound {
  readonly bindings: readonly BindingView[];
  readonly sets: ReadonlyMap<string, SetView>;
}

/** ManagedClusterSets and the bindings that name them: sets by namespace, and namespaces by set. */
export class BindingIndex {
  readonly #sets = new Map<string, SetView>();
  readonly #bindings = new Map<string, Map<string, BindingView>>();
  /** Name of a set → the bindings that name it, as `namespace/name` → namespace. */
  readonly #bySet = new Map<string, Map<string, string>>();

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
    const bySet = this.#bySet.get(binding.clusterSet) ?? new Map<string, string>();
    this.#bySet.set(binding.clusterSet, bySet.set(`${namespace}/${binding.name}`, namespace));
  }

  removeBinding(namespace: string, name: string): void {
    const bindings = this.#bindings.get(namespace);
    const known = bindings?.get(name);
    if (bindings === undefined || known === undefined) return;
    bindings.delete(name);
    if (bindings.size === 0) this.#bindings.delete(namespace);
    const bySet = this.#bySet.get(known.clusterSet);
    bySet?.delete(`${namespace}/${name}`);
    if (bySet?.size === 0) this.#bySet.delete(known.clusterSet);
  }

  /** The bindings of a namespace, and the existing sets that they name. */
  bound(namespace: string): Bound {
    return { bindings: this.bindings(namespace), sets: this.sets(namespace) };
  }

  bindings(namespace: string): readonly BindingView[] {
    return [...(this.#bindings.get(namespace)?.values() ?? [])];
  }

  /** The existing sets that the bindings of a namespace name. */
  sets(namespace: string): ReadonlyMap<string, SetView> {
    const sets = new Map<string, SetView>();
    for (const { clusterSet } of this.#bindings.get(namespace)?.values() ?? []) {
      const set = this.#sets.get(clusterSet);
      if (set !== undefined) sets.set(clusterSet, set);
    }
    return sets;
  }

  /** The namespaces with a binding that names the set. */
  namespacesOf(set: string): ReadonlySet<string> {
    return new Set(this.#bySet.get(set)?.values());
  }
}
