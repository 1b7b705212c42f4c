import type { Eligibility, IgnoredBinding } from '../select/eligible.js';

/** A set that a Placement or a binding names, and that brings in no cluster. */
export interface AbsentSet {
  readonly set: string;
  readonly why: 'NoBinding' | IgnoredBinding['why'];
}

/** The sets of `requested` (ClusterSets) or, when it is empty, of the bindings, that bring in no cluster; sorted. */
export function absentSets(
  requested: readonly string[],
  { eligible, ignored }: Pick<Eligibility, 'eligible' | 'ignored'>,
): readonly AbsentSet[] {
  const byName = new Map(ignored.map(({ binding, why }) => [binding, why]));
  const named = requested.length > 0 ? requested : [...byName.keys()].sort();
  return named
    .filter((set) => !eligible.includes(set))
    .map((set) => ({ set, why: byName.get(set) ?? ('NoBinding' as const) }));
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
