import type { Eligibility } from './eligible.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { ClusterView } from '../spec/cluster.js';
import { firstFailure, type FailedRule } from './rules.js';
import type { PlacementSnapshot } from './snapshot.js';
import {
  isUnhealthy,
  preferenceAgainst,
  standingOf,
  taintsAgainstNew,
  toleratesAll,
  type Standing,
} from './standing.js';

/** The clusters of a decision, judged by the rules. */
export interface Judged {
  /** Those that fail a rule, with the first that they fail. */
  readonly failing: ReadonlyMap<string, FailedRule>;
  /** Those of `failing` that leave because of taints which the hub adds itself. */
  readonly failingByHub: ReadonlySet<string>;
  /** How many pass every rule. */
  readonly passing: number;
  /** How many of these are no candidates that match: an unreadable set may hold them. */
  readonly keptOnly: number;
  /** Those that pass and have taints. */
  readonly tainted: ReadonlyMap<string, TaintedCluster>;
}

/** What the taints of a selected cluster mean. */
export interface TaintedCluster {
  readonly standing: Standing;
  /** Every taint is tolerated for ever, and none of them says that the cluster is unhealthy. */
  readonly isTolerated: boolean;
}

/** Judges selected clusters. One without taints costs the same as if there were none in the fleet. */
export function judgeSelected(
  snapshot: PlacementSnapshot,
  eligibility: Eligibility,
  clusters: readonly string[],
): Judged {
  const { candidates } = snapshot;
  const failing = new Map<string, FailedRule>();
  const failingByHub = new Set<string>();
  const tainted = new Map<string, TaintedCluster>();
  let passing = 0;
  let keptOnly = 0;
  for (const name of clusters) {
    const isMatched = candidates.matched.has(name);
    if (isMatched && !candidates.tainted.has(name)) {
      passing++;
      continue;
    }
    const cause = failureOf(snapshot, eligibility, name);
    const taint = taintedCluster(snapshot.selected.get(name), snapshot.placement.rules, snapshot.now);
    if (cause !== undefined) {
      failing.set(name, cause);
      if (cause === 'Tainted' && taint?.standing.kind === 'leaves' && taint.standing.isByHub) failingByHub.add(name);
      continue;
    }
    passing++;
    if (!isMatched) keptOnly++;
    if (taint !== undefined) tainted.set(name, taint);
  }
  return { failing, failingByHub, passing, keptOnly, tainted };
}

function failureOf(snapshot: PlacementSnapshot, eligibility: Eligibility, name: string): FailedRule | undefined {
  const { placement, candidates, selected, now } = snapshot;
  const matched = candidates.matched.has(name) || undefined;
  const member = eligibility.unreadable.length > 0 || candidates.has(name);
  return firstFailure(
    { cluster: selected.get(name), member, ...(matched && { matched }), selected: true, now },
    placement.rules,
  );
}

/** Undefined without taints, and with an invalid spec. */
export function taintedCluster(
  cluster: ClusterView | undefined,
  { tolerations, problem }: PlacementRules,
  now: number,
): TaintedCluster | undefined {
  const taints = cluster?.taints ?? [];
  if (taints.length === 0 || problem !== undefined) return undefined;
  return {
    standing: standingOf(taints, tolerations, now),
    isTolerated: toleratesAll(taints, tolerations) && !isUnhealthy(taints),
  };
}

/**
 * The tier of a selected cluster that passes every rule: 0; 1 with a taint that is not tolerated for ever, or when it is
 * unhealthy; 2 when it yields.
 */
export function tierOfSelected(tainted: TaintedCluster | undefined): 0 | 1 | 2 {
  if (tainted === undefined || tainted.isTolerated) return 0;
  return tainted.standing.kind === 'yields' ? 2 : 1;
}

/** The tier of one that fails a rule and stays: it is the first to leave where there are too many. */
export const HELD_TIER = 3;

/**
 * The tier of a matching candidate that is not selected: by how many of its taints prefer others, and behind all healthy ones
 * when it is unhealthy; undefined where a taint keeps it out.
 */
export function tierOfNew(name: string, { placement, candidates }: PlacementSnapshot): number | undefined {
  const { tolerations } = placement.rules;
  const taints = candidates.tainted.get(name);
  if (taints === undefined) return 0;
  if (taintsAgainstNew(taints, tolerations).length > 0) return undefined;
  return preferenceAgainst(taints, tolerations);
}
