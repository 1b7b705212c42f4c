import { textField } from '../../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { readClusterSelector, type ClusterSelector } from '../../clusters/selector.js';
import { readChangeTimes } from '../spec/changewindows.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { BindingView, SetView } from './snapshot.js';

/** A binding that is ignored, and the reason. */
export interface IgnoredBinding {
  readonly binding: string;
  readonly clusterSet: string;
  readonly why: 'OtherName' | 'BindingDeleting' | 'NoSuchSet' | 'SetDeleting';
}

/** Every list sorted by code units, each name once. */
export interface Eligibility {
  /** Sets bound to the namespace. */
  readonly bound: readonly string[];
  /** The bound sets, or their intersection with ClusterSets. */
  readonly eligible: readonly string[];
  /** Eligible sets whose selector is unreadable: their members are unknown, and none is newly selected. */
  readonly unreadable: readonly string[];
  readonly ignored: readonly IgnoredBinding[];
  /** The existing sets that the bindings name. */
  readonly sets: ReadonlyMap<string, SetView>;
}

/** The set that a binding names; the empty string, which is no name of a set, where it names none. */
export function clusterSetOf({ spec }: { readonly spec?: unknown }): string {
  return textField(spec, 'clusterSet');
}

/** The view of a ManagedClusterSet. */
export function setView({ metadata, spec }: KubeObject & { readonly spec?: unknown }): SetView {
  const { name, deletionTimestamp } = metadata;
  const times = readChangeTimes(spec);
  return {
    name,
    deleting: deletionTimestamp !== undefined,
    selector: readClusterSelector(spec),
    ...(times !== undefined && { times }),
  };
}

/** The view of a ManagedClusterSetBinding. */
export function bindingView(binding: KubeObject & { readonly spec?: unknown }): BindingView {
  const { name, deletionTimestamp } = binding.metadata;
  return { name, clusterSet: clusterSetOf(binding), deleting: deletionTimestamp !== undefined };
}

/**
 * The sets that a Placement may select from. A binding counts when its name equals its `clusterSet` (admission may have
 * missed it), it is not being deleted, and the set exists and is not being deleted.
 */
export function eligibleSets(
  rules: PlacementRules,
  bindings: readonly BindingView[],
  sets: ReadonlyMap<string, SetView>,
): Eligibility {
  const bound: string[] = [];
  const ignored: IgnoredBinding[] = [];
  for (const binding of [...bindings].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
    const why = whyIgnored(binding, sets.get(binding.clusterSet));
    if (why === undefined) bound.push(binding.clusterSet);
    else ignored.push({ binding: binding.name, clusterSet: binding.clusterSet, why });
  }
  const requested = new Set(rules.requested);
  const eligible = requested.size === 0 ? bound : bound.filter((name) => requested.has(name));
  const unreadable = eligible.filter((name) => sets.get(name)?.selector.kind === 'unreadable');
  return { bound, eligible, unreadable, ignored, sets };
}

/** The selectors of the readable eligible sets, by name. */
export function readableSelectors({ eligible, sets }: Eligibility): ReadonlyMap<string, ClusterSelector> {
  const selectors = new Map<string, ClusterSelector>();
  for (const name of eligible) {
    const selector = sets.get(name)?.selector;
    if (selector !== undefined && selector.kind !== 'unreadable') selectors.set(name, selector);
  }
  return selectors;
}

/** Why no Placement selects from a set by a binding that names it; undefined where they may. */
export function whyIgnored(binding: BindingView, set: SetView | undefined): IgnoredBinding['why'] | undefined {
  if (binding.name !== binding.clusterSet) return 'OtherName';
  if (binding.deleting) return 'BindingDeleting';
  if (set === undefined) return 'NoSuchSet';
  return set.deleting ? 'SetDeleting' : undefined;
}
