import { clusterHash, byRank, matchedClusters, scoreOf, seedOf, topRanked, type RankSeed } from '../rank.js';
import type { Requirement } from '../../selectors.js';
import { failures, unmet, type FailureCause, type Unmet } from '../rules.js';
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
    return { ...one, verdict, rank: verdict === 'Unknown' ? undefined : rank };
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
  const causes: FailureCause[] = [...failures({ cluster, member }, rules)];
  const failing = cluster === undefined ? [] : rules.predicates.map((one) => shared.listOf(unmet(one, cluster)));
  return { name, cluster, sets, inDecision, causes, unmet: failing, best: leastUnmet(failing) };
}

/**
 * Lists of unmet requirements, each equal element and each equal list of one held once: a fleet has few different ones, and
 * hundreds of thousands of objects that stay would take longer to collect than to compute.
 */
class SharedLists {
  readonly #elements = new Map<Requirement, Map<string | undefined, readonly [Unmet]>>();

  listOf(all: Iterable<Unmet>): readonly Unmet[] {
    let single = NONE;
    const list: Unmet[] = [];
    for (const one of all) {
      single = this.#shared(one);
      list.push(...single);
    }
    return list.length > 1 ? list : single;
  }

  #shared(one: Unmet): readonly [Unmet] {
    const known = this.#elements.get(one.requirement) ?? new Map<string | undefined, readonly [Unmet]>();
    if (known.size === 0) this.#elements.set(one.requirement, known);
    const shared = known.get(one.found) ?? ([one] as const);
    known.set(one.found, shared);
    return shared;
  }
}

/** The index of the shortest list, the first of equals; undefined for no list. */
export function leastUnmet(lists: readonly (readonly unknown[])[]): number | undefined {
  let best: number | undefined;
  let least = Infinity;
  for (const [index, { length }] of lists.entries()) {
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
