import type { Eligibility } from './eligible.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { ClusterView } from '../spec/cluster.js';
import { askedOf, firstFailure, passesUntil, type FailedRule } from './rules.js';
import type { PlacementSnapshot } from './snapshot.js';
import { isUnhealthy, preferenceAgainst, standingOf, toleratesAll, type Standing } from './standing.js';

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
  /** Those that pass, and that had to be asked for more than whether they match. */
  readonly asked: ReadonlyMap<string, AskedCluster>;
}

/** What the rules say of a selected cluster that matches. */
export interface AskedCluster {
  readonly standing: Standing;
  /** Every taint is tolerated for ever, and none of them says that the cluster is unhealthy. */
  readonly isTolerated: boolean;
  /** When time alone may make it fail a rule. */
  readonly until: number | undefined;
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
  const asked = new Map<string, AskedCluster>();
  let passing = 0;
  let keptOnly = 0;
  for (const name of clusters) {
    const isMatched = candidates.matched.has(name);
    if (isMatched && !askedOf(snapshot).has(name)) {
      passing++;
      continue;
    }
    const cause = failureOf(snapshot, eligibility, name);
    const one = askedCluster(snapshot.selected.get(name), snapshot.placement.rules, snapshot.now);
    if (cause !== undefined) {
      failing.set(name, cause);
      if (cause === 'Tainted' && one?.standing.kind === 'leaves' && one.standing.isByHub) failingByHub.add(name);
      continue;
    }
    passing++;
    if (!isMatched) keptOnly++;
    if (one !== undefined) asked.set(name, one);
  }
  return { failing, failingByHub, passing, keptOnly, asked };
}

function failureOf(snapshot: PlacementSnapshot, eligibility: Eligibility, name: string): FailedRule | undefined {
  const { placement, candidates, selected, now } = snapshot;
  const matched = candidates.matched.has(name) || undefined;
  const member = eligibility.unreadable.length > 0 || candidates.has(name);
  return firstFailure({ cluster: selected.get(name), member, matched, selected: true, now }, placement.rules);
}

/** How a Placement takes the cluster; undefined for one that does not exist, and with an invalid spec. */
export function askedCluster(
  cluster: ClusterView | undefined,
  rules: PlacementRules,
  now: number,
): AskedCluster | undefined {
  if (cluster === undefined || rules.problem !== undefined) return undefined;
  const { taints } = cluster;
  return {
    standing: standingOf(taints, rules.tolerations, now),
    isTolerated: toleratesAll(taints, rules.tolerations) && !isUnhealthy(taints),
    until: passesUntil(cluster, rules, now),
  };
}

/**
 * The tier of a selected cluster that passes every rule: 0; 1 with a taint that is not tolerated for ever, or when it is
 * unhealthy; 2 when it yields.
 */
export function tierOfSelected(one: AskedCluster | undefined): 0 | 1 | 2 {
  if (one === undefined || one.isTolerated) return 0;
  return one.standing.kind === 'yields' ? 2 : 1;
}

/** The tier of one that fails a rule and stays: it is the first to leave where there are too many. */
export const HELD_TIER = 3;

/**
 * The tier of a matching candidate that is not selected: by how many of its taints prefer others, and behind all healthy ones
 * when it is unhealthy; undefined where a rule keeps it out.
 */
export function tierOfNew(name: string, snapshot: PlacementSnapshot): number | undefined {
  const cluster = askedOf(snapshot).has(name) ? snapshot.candidates.view(name) : undefined;
  if (cluster === undefined) return 0;
  const { now } = snapshot;
  const { rules } = snapshot.placement;
  const failure = firstFailure({ cluster, member: true, matched: true, selected: false, now }, rules);
  return failure === undefined ? preferenceAgainst(cluster.taints, rules.tolerations) : undefined;
}
