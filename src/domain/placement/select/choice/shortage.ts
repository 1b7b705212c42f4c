import type { SpreadConstraint } from '../../spec/spread.js';
import type { Choice } from './choose.js';
import type { Contest, Group } from './contest.js';
import type { Topology } from './topology.js';

/** Why fewer clusters are selected than wanted although more of them match: statements about the whole decision. */

/** A predicate that has brought in fewer clusters than its number. */
export interface LackingPredicate {
  readonly index: number;
  readonly wanted: number;
  readonly missing: number;
  /** An earlier predicate that every cluster matches which matches this one, so that none counts for it. */
  readonly shadowedBy?: number;
}

/** A constraint that keeps clusters out which pass every rule. All lists are sorted. */
export interface BlockingConstraint {
  readonly constraint: SpreadConstraint;
  /** The domains that must not have more clusters. */
  readonly full: readonly string[];
  /** The domains with the fewest clusters, of which no other cluster may come in. */
  readonly exhausted: readonly string[];
  /** Some have no value for the key. */
  readonly someWithoutKey: boolean;
  /** There are fewer domains than `minDomains`. */
  readonly tooFewDomains: boolean;
}

export interface Shortage {
  readonly predicates: readonly LackingPredicate[];
  readonly spread: readonly BlockingConstraint[];
}

export const NO_SHORTAGE: Shortage = { predicates: [], spread: [] };

/** What a choice leaves open that had room for more clusters. */
export function shortageOf({ contest, left }: Choice): Shortage {
  const able = left.filter((group) => group.queue.size > 0 && (contest.roomOf(group) ?? 0) > 0);
  const predicates = contest.wanted.flatMap((wanted, index): LackingPredicate[] => {
    const missing = contest.room[index] ?? 0;
    return missing > 0 ? [{ index, wanted, missing }] : [];
  });
  const spread = contest.topologies.flatMap((topology, index) => blockingOf(topology, { contest, index, able }));
  return { predicates, spread };
}

function blockingOf(
  topology: Topology,
  { contest, index, able }: { readonly contest: Contest; readonly index: number; readonly able: readonly Group[] },
): readonly BlockingConstraint[] {
  const blocked = able.filter((group) => contest.blockedBy(group) === topology);
  if (blocked.length === 0) return [];
  const full = new Set(blocked.flatMap(({ domains }) => domains[index]?.value ?? []));
  const open = new Set(able.map(({ domains }) => domains[index]));
  const least = Math.min(...topology.domains.map(({ count }) => count));
  return [
    {
      constraint: topology.constraint,
      full: [...full].sort(),
      exhausted: topology.domains.filter((one) => one.count === least && !open.has(one)).map(({ value }) => value),
      someWithoutKey: blocked.some(({ domains }) => domains[index] === undefined),
      tooFewDomains: topology.isBelowMinimum,
    },
  ];
}
