import { clusterHash, byRank, matchedClusters, scoreOf, seedOf, topRanked, type RankSeed } from '../rank.js';
import { valueOf, type Requirement } from '../../selectors.js';
import type { Predicate } from '../predicates.js';
import { failures, unmetBy, type FailureCause, type Source, type Unmet } from '../rules.js';
import { schedule, selected, type Schedule } from '../schedule.js';
import type { ClusterView, PlacementSnapshot } from '../snapshot.js';
import type { ClusterExplanation, Explanation, ExplainInput, Member, Verdict } from './verdict.js';

/**
 * Explains for each cluster of the eligible sets and of the decision why it is selected or not: by the rules, ranks and
 * limit of `schedule`, in O(clusters × requirements).
 */
export function explain({ snapshot, members, readable }: Omit<ExplainInput, 'selectors'>): Explanation {
  const { placement } = snapshot;
  const decided = schedule(snapshot);
  const current = new Set(decided.current.flat());
  if (!readable.fleet) {
    const clusters = [...current].sort().map(unknownCluster);
    return { placement, schedule: undefined, readable, clusters, nearest: [] };
  }
  const rules = { snapshot, decided, shared: new SharedLists() };
  const judged = subjectsOf(snapshot, members, current).map((one) => judge(one, rules));
  const order = orderOfSelection(judged, seedOf(placement.namespace, placement.name));
  const verdictOf = verdicts(decided, order.size, readable.decisions);
  const held = new Set(decided.heldRemovals.map((one) => one.cluster));
  const clusters = judged.map((one): ClusterExplanation => {
    const rank = order.get(one.name);
    const verdict = held.has(one.name) ? 'Held' : (one.causes[0] ?? verdictOf(one.name));
    // Field by field: for ten thousand clusters a spread takes as long as half of the rules.
    const { name, cluster, sets, inDecision, causes, unmet, best } = one;
    return {
      name,
      cluster,
      sets,
      inDecision,
      verdict,
      causes,
      rank: verdict === 'Unknown' ? undefined : rank,
      unmet,
      best,
    };
  });
  return { placement, schedule: decided, readable, clusters, nearest: nearestOf(clusters, snapshot) };
}

/** What keeps a cluster out that is in no eligible set and not in the decision, and that the caller can read. */
export function explainOther(cluster: ClusterView, { snapshot }: ExplainInput): ClusterExplanation {
  const rules = { snapshot, decided: schedule(snapshot), shared: new SharedLists() };
  const judged = judge({ name: cluster.name, cluster, sets: [], inDecision: false }, rules);
  return { ...judged, verdict: judged.causes[0] ?? 'Unknown', rank: undefined };
}

/** What the rules say of the clusters that `decided` drops, by name. */
export function explainDropped(snapshot: PlacementSnapshot, decided: Schedule): readonly ClusterExplanation[] {
  const rules = { snapshot, decided, shared: new SharedLists() };
  return decided.dropped.map(({ cluster: name, cause }) => {
    const subject = { name, cluster: snapshot.held.get(name), sets: [], inDecision: true };
    return { ...judge(subject, rules), verdict: cause, rank: undefined };
  });
}

type Judged = Omit<ClusterExplanation, 'verdict' | 'rank'>;

type Subject = Pick<ClusterExplanation, 'name' | 'cluster' | 'sets' | 'inDecision'>;

const NONE: readonly Unmet[] = [];

/** The members, and the clusters of the decision; with an invalid spec these alone, since no other can be selected. */
function subjectsOf(
  { placement, held }: PlacementSnapshot,
  members: readonly Member[],
  current: ReadonlySet<string>,
): readonly Subject[] {
  const considered = members.filter(
    ({ cluster }) => placement.rules.problem === undefined || current.has(cluster.name),
  );
  const subjects = considered.map(({ cluster, sets }): Subject => {
    return { name: cluster.name, cluster, sets, inDecision: current.has(cluster.name) };
  });
  const known = new Set(subjects.map((one) => one.name));
  for (const name of current)
    if (!known.has(name)) subjects.push({ name, cluster: held.get(name), sets: [], inDecision: true });
  return subjects.sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Judge {
  readonly snapshot: PlacementSnapshot;
  readonly decided: Schedule;
  readonly shared: SharedLists;
}

function judge({ name, cluster, sets, inDecision }: Subject, { snapshot, decided, shared }: Judge): Judged {
  const { rules } = snapshot.placement;
  const member = sets.length > 0 || (inDecision && decided.eligibility.unreadable.length > 0);
  const failing = cluster === undefined ? [] : rules.predicates.map((one) => shared.unmet(one, cluster));
  const matched = failing.length === 0 || failing.some((list) => list.length === 0);
  const causes: FailureCause[] = [...failures({ cluster, member, matched }, rules)];
  return { name, cluster, sets, inDecision, causes, unmet: failing, best: leastUnmet(failing) };
}

/**
 * The lists of `unmet`, each equal element and each equal list of one held once: a fleet has few different values, and
 * hundreds of thousands of objects that stay would take longer to collect than to compute. So each value of a key is
 * compared once.
 */
class SharedLists {
  readonly #byRequirement = new Map<Requirement, Map<string | undefined, readonly Unmet[]>>();
  /** What the running call has found, and the last of it as a list of its own. */
  readonly #found: Unmet[] = [];
  #last = NONE;

  unmet({ labels, claims }: Predicate, cluster: ClusterView): readonly Unmet[] {
    this.#found.length = 0;
    this.#last = NONE;
    for (const requirement of labels) this.#add(valueOf(cluster.labels, requirement.key), 'label', requirement);
    for (const requirement of claims) this.#add(valueOf(cluster.claims, requirement.key), 'claim', requirement);
    return this.#found.length > 1 ? this.#found.slice() : this.#last;
  }

  #add(found: string | undefined, source: Source, requirement: Requirement): void {
    let byValue = this.#byRequirement.get(requirement);
    if (byValue === undefined) {
      byValue = new Map();
      this.#byRequirement.set(requirement, byValue);
    }
    let list = byValue.get(found);
    if (list === undefined) {
      const one = unmetBy(found, source, requirement);
      list = one === undefined ? NONE : [one];
      byValue.set(found, list);
    }
    if (list.length === 0) return;
    this.#found.push(...list);
    this.#last = list;
  }
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

/** The ranks of the clusters that pass every rule: those of the decision come first. */
function orderOfSelection(judged: readonly Judged[], seed: RankSeed): ReadonlyMap<string, number> {
  const passing = judged.filter(({ causes }) => causes.length === 0);
  const staying = passing.filter((one) => one.inDecision);
  const others = passing.filter((one) => !one.inDecision);
  const ranked = [staying, others].flatMap((part) =>
    topRanked(matchedClusters(part.map((one) => one.name)), Infinity, seed),
  );
  return new Map(ranked.map(({ name }, index) => [name, index + 1]));
}

/**
 * The verdict for a cluster that passes every rule. Without the decisions it is not known which clusters were selected
 * before: it is certain only when all of the `passing` clusters fit.
 */
function verdicts(decided: Schedule, passing: number, decisionsReadable: boolean): (name: string) => Verdict {
  const chosen = new Set(selected(decided));
  const certain = decisionsReadable || chosen.size === passing || decided.wanted === 0;
  return (name) => (certain ? (chosen.has(name) ? 'Selected' : 'NotNeeded') : 'Unknown');
}

function nearestOf(
  clusters: readonly ClusterExplanation[],
  { placement }: PlacementSnapshot,
): readonly ClusterExplanation[] {
  const seed = seedOf(placement.namespace, placement.name);
  return clusters
    .filter(({ verdict }) => verdict === 'NotMatched')
    .map((one) => ({
      one,
      failing: one.unmet[one.best ?? 0]?.length ?? 0,
      ranked: { name: one.name, score: scoreOf(seed, clusterHash(one.name)) },
    }))
    .sort((a, b) => a.failing - b.failing || byRank(a.ranked, b.ranked))
    .map(({ one }) => one);
}

function unknownCluster(name: string): ClusterExplanation {
  return {
    name,
    cluster: undefined,
    sets: [],
    inDecision: true,
    verdict: 'Unknown',
    causes: [],
    rank: undefined,
    unmet: [],
    best: undefined,
  };
}
