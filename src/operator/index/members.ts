import type { Member } from '../../domain/placement/explain/verdict.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';
import type { MembershipIndex } from './membershipindex.js';

/** The members of `sets`, each once with those of the sets that it is in; `clusters` by the ordinals of `membership`. */
export function membersOf(
  sets: readonly string[],
  membership: MembershipIndex,
  clusters: ReadonlyMap<number, ClusterView>,
): readonly Member[] {
  const found = new Map<number, string[]>();
  for (const set of sets) {
    for (const ordinal of membership.members(set).values()) {
      const known = found.get(ordinal);
      if (known === undefined) found.set(ordinal, [set]);
      else known.push(set);
    }
  }
  return [...found].flatMap(([ordinal, of]): Member[] => {
    const cluster = clusters.get(ordinal);
    return cluster === undefined ? [] : [{ cluster, sets: of }];
  });
}
