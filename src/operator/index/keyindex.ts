import type { FactNames } from '../../domain/clusters/facts.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';
import { textOf } from '../../domain/placement/select/rules.js';
import type { PlacementRules } from '../../domain/placement/spec/predicates.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import type { TopologyKey } from '../../domain/placement/spec/spread.js';
import type { LabelsAndClaims } from '../../domain/selectors.js';
import { Multimap } from './multimap.js';

/** Tells which Placements read the value of a label or claim that changes. A change costs one comparison for each different key. */
export class KeyIndex {
  /** Grows with each value that a Placement reads and that changes. */
  changes = 0;
  readonly #watched = new Map<string, { readonly of: TopologyKey; readonly placements: Set<string> }>();

  /** Adds keys that the Placement `key` reads. */
  add(key: string, watched: readonly TopologyKey[]): void {
    for (const of of watched) {
      const known = this.#watched.get(idOf(of)) ?? { of, placements: new Set<string>() };
      known.placements.add(key);
      this.#watched.set(idOf(of), known);
    }
  }

  /** Removes them again; `watched` as they were added. */
  remove(key: string, watched: readonly TopologyKey[]): void {
    for (const of of watched) {
      const known = this.#watched.get(idOf(of));
      known?.placements.delete(key);
      if (known?.placements.size === 0) this.#watched.delete(idOf(of));
    }
  }

  /** The keys of the Placements that read a value which differs; none for a new cluster, and for one that is gone. */
  changed(before: ClusterView | undefined, after: ClusterView | undefined): Iterable<string> {
    if (this.#watched.size === 0 || before === undefined || after === undefined) return [];
    const found = new Set<string>();
    for (const { of, placements } of this.#watched.values()) {
      const { source, key } = of;
      if (textOf(before, source, key) === textOf(after, source, key)) continue;
      for (const one of placements) found.add(one);
    }
    this.changes += found.size;
    return found;
  }
}

/** Tells which Placements have scores that change, of those to which that makes a difference. */
export class ScoreIndex {
  readonly #keys = new KeyIndex();
  /** The keys of those to whose scores it makes a difference how many others select a cluster. */
  readonly balanced = new Set<string>();

  /** Begins to watch the scores of the Placement `key`, or ends it. */
  watch({ key, rules }: { readonly key: string; readonly rules: PlacementRules }, isOpen: boolean): void {
    this.#keys[isOpen ? 'add' : 'remove'](key, scoreKeys(rules));
    if (isOpen && isBalanced(rules)) this.balanced.add(key);
    else this.balanced.delete(key);
  }

  /** The keys of the Placements with scores that depend on a value which differs, as {@link KeyIndex.changed}. */
  changed(before: ClusterView | undefined, after: ClusterView | undefined): Iterable<string> {
    return this.#keys.changed(before, after);
  }
}

/** The labels and claims that the scores of a Placement depend on. */
function scoreKeys({ prioritizers, predicates }: PlacementRules): readonly TopologyKey[] {
  return prioritizers.flatMap(({ coordinate }): readonly TopologyKey[] => {
    switch (coordinate.kind) {
      case 'Value':
        return [coordinate];
      case 'Selector':
        return keysOf(coordinate);
      case 'PredicateOrder':
        return predicates.flatMap(keysOf);
      case 'Balance':
        return [];
    }
  });
}

function keysOf({ labels, claims }: LabelsAndClaims): TopologyKey[] {
  return [
    ...labels.map(({ key }) => ({ source: 'label' as const, key })),
    ...claims.map(({ key }) => ({ source: 'claim' as const, key })),
  ];
}

function idOf({ source, key }: TopologyKey): string {
  return `${source} ${key}`;
}

const NONE: ReadonlySet<string> = new Set();
/** Counts as the name of those that name all of them. */
const ALL = '*';
const EVERY: ReadonlySet<string> = new Set([ALL]);

/** The facts of clusters that some Placement names: the views of clusters have these and no others. */
export class NamedFacts {
  readonly #byPlacement = new Map<string, ReadonlySet<string>>();
  /** Name → the keys of the Placements that name it. */
  readonly #placements = new Multimap<string, string>();
  #all: FactNames = NONE;

  get all(): FactNames {
    return this.#all;
  }

  /** Replaces the facts that the Placement `key` names, none for one that is gone; returns whether {@link all} has changed. */
  put(key: string, named: FactNames = NONE): boolean {
    const names = named === 'all' ? EVERY : named;
    const before = this.#byPlacement.get(key) ?? NONE;
    const size = (name: string): number => this.#placements.get(name).size;
    for (const name of before) this.#placements.delete(name, key);
    const changed = [...new Set([...before, ...names])].filter(
      (name) => size(name) === 0 && before.has(name) !== names.has(name),
    );
    for (const name of names) this.#placements.add(name, key);
    if (names.size > 0) this.#byPlacement.set(key, names);
    else this.#byPlacement.delete(key);
    if (changed.length > 0) this.#all = size(ALL) > 0 ? 'all' : new Set(this.#placements.keys());
    return changed.length > 0;
  }
}
