import { orderOfSelection, type Order } from './ranking.js';
import { byRank, clusterHash, pairHash, seedOf } from '../select/rank.js';
import {
  failures,
  foundIn,
  sourcedRequirements,
  unmetBy,
  type ClusterRequirement,
  type FailedRule,
  type Unmet,
} from '../select/rules.js';
import { scorerOfSnapshot } from '../select/scores.js';
import { chosen, isUnselected, selectedClusters, stuck, type Decision } from '../select/decision.js';
import { schedule } from '../select/schedule.js';
import type { ClusterView, PlacementSnapshot } from '../select/snapshot.js';
import type { ClusterExplanation, Explanation, ExplainInput, Member, SpreadBlock, Verdict } from './verdict.js';

/** A cluster of the decision of which nothing but the name could be read. */
const UNKNOWN = {
  cluster: undefined,
  sets: [],
  inDecision: true,
  causes: [],
  rank: undefined,
  unmet: [],
  best: undefined,
};

/**
 * Explains for each cluster of the eligible sets and of the decision why it is selected or not: by the rules, ranks and
 * limit of `schedule`, in O(clusters × requirements).
 */
export function explain({ snapshot, members, readable }: Omit<ExplainInput, 'selectors'>): Explanation {
  const { placement } = snapshot;
  const decided = schedule(snapshot);
  const current = new Set(decided.current.flat());
  if (!readable.fleet) {
    const clusters = [...current].sort().map((name): ClusterExplanation => ({ ...UNKNOWN, name, verdict: 'Unknown' }));
    return { placement, decision: undefined, scorer: undefined, readable, clusters, nearest: [] };
  }
  const criteria = criteriaOf(snapshot, decided, readable.decisions);
  const judged = clustersToExplain(snapshot, members, current).map((one) => judge(one, criteria));
  const passing = judged.flatMap(({ name, causes }) => (causes.length === 0 ? [name] : []));
  const { ranks, left } = orderOfSelection(new Set(passing), decided, snapshot);
  const selected = new Set(selectedClusters(decided));
  // Without the decisions it is not known who was selected: only where all that pass are selected, or none is wanted.
  const isCertain = readable.decisions || selected.size === passing.length || decided.wanted === 0;
  const verdictOf = (name: string): Verdict => (selected.has(name) ? 'Selected' : 'NotNeeded');
  // A move that waits holds nobody: the one cluster is selected, and the other one is not needed yet.
  const isHeld = (name: string): boolean => {
    const fate = decided.fates.get(name);
    return isUnselected(fate) || (fate?.kind === 'keptOut' && name !== decided.move?.comes);
  };
  for (const one of judged) {
    one.verdict = isHeld(one.name) ? 'Held' : (one.causes[0] ?? (isCertain ? verdictOf(one.name) : 'Unknown'));
    if (one.verdict === 'NotNeeded' && decided.move?.leaves === one.name) one.verdict = 'Moved';
    if (one.verdict === 'NotNeeded' && !one.inDecision) one.blocked = spreadBlock(left.get(one.name), decided);
    if (one.blocked !== undefined) one.verdict = 'SpreadBlocked';
    one.rank = one.verdict === 'Unknown' ? undefined : ranks.get(one.name);
  }
  const clusters: readonly ClusterExplanation[] = judged;
  const scorer = scorerOfSnapshot(snapshot);
  return { placement, decision: decided, scorer, readable, clusters, nearest: nearestOf(clusters, snapshot) };
}

/** Explains why a cluster is not selected that is in no eligible set and not in the decision. */
export function explainOther(cluster: ClusterView, { snapshot }: ExplainInput): ClusterExplanation {
  const criteria = criteriaOf(snapshot, schedule(snapshot));
  const judged = judge({ name: cluster.name, cluster, sets: [], inDecision: false }, criteria);
  return { ...judged, verdict: judged.causes[0] ?? 'Unknown' };
}

/**
 * What the rules say of a cluster. Its verdict and rank depend on the other clusters, and are set afterwards. They are
 * set in place: to copy ten thousand clusters takes half as long as the rules.
 */
type Judged = Omit<ClusterExplanation, 'verdict' | 'rank' | 'blocked'> & Pick<Mutable, 'verdict' | 'rank' | 'blocked'>;

type Mutable = { -readonly [K in keyof ClusterExplanation]: ClusterExplanation[K] };

type ClusterToExplain = Pick<ClusterExplanation, 'name' | 'cluster' | 'sets' | 'inDecision'>;

const NONE: readonly Unmet[] = [];

/**
 * The members of the eligible sets and the clusters of the decision, by name. With an invalid spec only the clusters of
 * the decision are explained, since no other can be selected.
 */
function clustersToExplain(
  { placement, selected }: PlacementSnapshot,
  members: readonly Member[],
  current: ReadonlySet<string>,
): readonly ClusterToExplain[] {
  const considered = members.filter(
    ({ cluster }) => placement.rules.problem === undefined || current.has(cluster.name),
  );
  const clusters = considered.map(({ cluster, sets }): ClusterToExplain => {
    return { name: cluster.name, cluster, sets, inDecision: current.has(cluster.name) };
  });
  const known = new Set(clusters.map((one) => one.name));
  for (const name of current)
    if (!known.has(name)) clusters.push({ name, cluster: selected.get(name), sets: [], inDecision: true });
  return clusters.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What all clusters are judged by. */
interface Criteria {
  readonly snapshot: PlacementSnapshot;
  readonly decided: Decision;
  readonly predicates: readonly CachedPredicate[];
  /** Whether it is known which clusters were selected before: if not, each of them may have been. */
  readonly isCurrentKnown: boolean;
}

function criteriaOf(snapshot: PlacementSnapshot, decided: Decision, isCurrentKnown = true): Criteria {
  const predicates = snapshot.placement.rules.predicates.map((predicate): CachedPredicate => {
    return sourcedRequirements(predicate).map((one) => ({ ...one, byValue: new Map() }));
  });
  return { snapshot, decided, predicates, isCurrentKnown };
}

/** Applies the rules to one cluster. Its verdict and rank are left to the caller. */
function judge({ name, cluster, sets, inDecision }: ClusterToExplain, criteria: Criteria): Judged {
  const { snapshot, decided, predicates, isCurrentKnown } = criteria;
  const { rules } = snapshot.placement;
  const member = sets.length > 0 || (inDecision && decided.eligibility.unreadable.length > 0);
  const unmet = cluster === undefined ? [] : predicates.map((one) => unmetOf(one, cluster));
  const best = leastUnmet(unmet);
  const matched = best === undefined || unmet[best]?.length === 0;
  const mayBeSelected = inDecision || !isCurrentKnown;
  const causes: FailedRule[] = [
    ...failures({ cluster, member, matched, selected: mayBeSelected, now: snapshot.now }, rules),
  ];
  // A cluster that yields its place passes every rule until another can take it.
  const fate = decided.fates.get(name);
  if (causes.length === 0 && fate?.kind === 'leaves' && fate.cause === 'Tainted') causes.push('Tainted');
  return { name, cluster, sets, inDecision, verdict: 'Unknown', causes, rank: undefined, unmet, best };
}

/** A requirement, with the results for the values of its key that were compared so far. */
type CachedRequirement = ClusterRequirement & {
  /** By value, or undefined without the key: one unmet requirement, or none. */
  readonly byValue: Map<string | undefined, readonly Unmet[]>;
};

/** The requirements of a predicate. */
type CachedPredicate = readonly CachedRequirement[];

/**
 * The requirements that a cluster does not meet, as `unmet` of the rules yields them. A fleet has few different values,
 * so each value of a key is compared once, and clusters share the results. Otherwise hundreds of thousands of objects
 * would stay in memory, and garbage collection would take longer than the rules.
 */
function unmetOf(predicate: CachedPredicate, cluster: ClusterView): readonly Unmet[] {
  let first = NONE;
  let several: Unmet[] | undefined;
  for (const cached of predicate) {
    const found = foundIn(cluster, cached);
    const list = cached.byValue.get(found) ?? compare(cached, found);
    if (list.length === 0) continue;
    if (first.length === 0) first = list;
    else (several ??= [...first]).push(...list);
  }
  return several ?? first;
}

/** Compares a value with the requirement, and caches the result. */
function compare({ source, requirement, byValue }: CachedRequirement, found: string | undefined): readonly Unmet[] {
  const one = unmetBy(found, source, requirement);
  const list = one === undefined ? NONE : [one];
  byValue.set(found, list);
  return list;
}

/** The index of the shortest list, the first of equals; undefined for no list. */
export function leastUnmet(lists: readonly (readonly unknown[])[]): number | undefined {
  let best: number | undefined;
  let least = Infinity;
  for (let index = 0; index < lists.length; index++) {
    const length = lists[index]?.length ?? Infinity;
    if (length < least) [best, least] = [index, length];
  }
  return best;
}

/** What keeps a cluster out that passes every rule while too few are selected. */
function spreadBlock(left: ReturnType<Order['left']['get']>, decided: Decision): SpreadBlock | undefined {
  if (left === undefined) return undefined;
  const taken = chosen(decided).length - stuck(decided).length;
  if (taken >= (decided.wanted ?? Infinity)) return undefined;
  const { contest, group } = left;
  const topology = contest.blockedBy(group);
  if (topology === undefined || (contest.roomOf(group) ?? 0) <= 0) return undefined;
  const domain = group.domains[contest.topologies.indexOf(topology)];
  return {
    constraint: topology.constraint,
    domain: domain?.value,
    count: domain?.count ?? 0,
    lowest: topology.lowest,
  };
}

/** The clusters that match no predicate, the nearest to a match first. */
function nearestOf(
  clusters: readonly ClusterExplanation[],
  { placement }: PlacementSnapshot,
): readonly ClusterExplanation[] {
  const seed = seedOf(placement.namespace, placement.name);
  return clusters
    .filter(({ verdict }) => verdict === 'NotMatched')
    .map((one) => ({
      one,
      unmetCount: one.unmet[one.best ?? 0]?.length ?? 0,
      name: one.name,
      pairHash: pairHash(seed, clusterHash(one.name)),
    }))
    .sort((a, b) => a.unmetCount - b.unmetCount || byRank(a, b))
    .map(({ one }) => one);
}
