import { boundedList } from '../../conditions.js';
import type { Eligibility, IgnoredBinding } from '../select/eligible.js';

/** A set that a Placement or a binding names, and that brings in no cluster. */
export interface AbsentSet {
  readonly set: string;
  readonly why: 'NoBinding' | IgnoredBinding['why'];
}

type Bindings = Pick<Eligibility, 'eligible' | 'ignored'>;

/** The sets of a Placement that bring in no cluster: of ClusterSets or, without it, of the bindings, sorted. */
export function absentSets(requested: readonly string[], bindings: Bindings): readonly AbsentSet[] {
  return absentAmong(
    requested.length > 0 ? requested : bindings.ignored.map(({ binding }) => binding).sort(),
    bindings,
  );
}

/** Those of `sets` that bring in no cluster, in their order. */
export function absentAmong(sets: readonly string[], { eligible, ignored }: Bindings): readonly AbsentSet[] {
  const byName = new Map(ignored.map(({ binding, why }) => [binding, why]));
  return sets
    .filter((set) => !eligible.includes(set))
    .map((set) => ({ set, why: byName.get(set) ?? ('NoBinding' as const) }));
}

/** `nope (there is no ManagedClusterSet nope), old (its binding is being deleted)`. `limit`: of characters. */
export function absentList(absent: readonly AbsentSet[], namespace: string, limit?: number): string {
  const texts = absent.map((one) => `${one.set} (${absentText(one, namespace)})`);
  return boundedList(texts, ', ', limit);
}

/** Why the set brings in no cluster. Without a binding it is not known whether the set exists. */
export function absentText({ set, why }: AbsentSet, namespace: string): string {
  switch (why) {
    case 'NoBinding':
      return `no ManagedClusterSetBinding ${set} in namespace ${namespace}`;
    case 'NoSuchSet':
      return `there is no ManagedClusterSet ${set}`;
    case 'SetDeleting':
      return `ManagedClusterSet ${set} is being deleted`;
    case 'BindingDeleting':
      return 'its binding is being deleted';
    case 'OtherName':
      return `the name of binding ${set} is not its spec.clusterSet`;
  }
}
