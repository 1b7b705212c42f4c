import { taintedCluster } from '../select/judge.js';
import { bestFirst, tierOfNew, tierOfSelected } from '../select/order.js';
import { clusterHash, byRank, scoreOf, seedOf } from '../select/rank.js';
import { valueOf, type Requirement } from '../../selectors.js';
import type { Predicate } from '../spec/predicates.js';
import { failures, sourcedRequirements, unmetBy, type FailedRule, type Source, type Unmet } from '../select/rules.js';
import { schedule, selectedClusters, type Schedule } from '../select/schedule.js';
import type { ClusterView, PlacementSnapshot } from '../select/snapshot.js';
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
  const rules = judgeFor(snapshot, decided, readable.decisions);
  const judged = subjectsOf(snapshot, members, current).map((one) => judge(one, rules));
  const order = orderOfSelection(judged, snapshot);
  const verdictOf = verdicts(decided, order.size, readable.decisions);
  const held = new Set([...decided.heldRemovals.map((one) => one.cluster), ...decided.heldAdditions]);
  for (const one of judged) {
    one.verdict = held.has(one.name) ? 'Held' : (one.causes[0] ?? verdictOf(one.name));
    one.rank = one.verdict === 'Unknown' ? undefined : order.get(one.name);
  }
  const clusters: readonly ClusterExplanation[] = judged;
  return { placement, schedule: decided, readable, clusters, nearest: nearestOf(clusters, snapshot) };
}

/** What keeps a cluster out that is in no eligible set and not in the decision, and that the caller can read. */
export function explainOther(cluster: ClusterView, { snapshot }: ExplainInput): ClusterExplanation {
  const rules = judgeFor(snapshot, schedule(snapshot));
  const judged = judge({ name: cluster.name, cluster, sets: [], inDecision: false }, rules);
  return { ...judged, verdict: judged.causes[0] ?? 'Unknown' };
}

/** What the rules say of the clusters that `decided` drops, by name. */
export function explainDropped(snapshot: PlacementSnapshot, decided: Schedule): readonly ClusterExplanation[] {
  const rules = judgeFor(snapshot, decided);
  return decided.dropped.map(({ cluster: name, cause }) => {
    const subject = { name, cluster: snapshot.selected.get(name), sets: [], inDecision: true };
    return { ...judge(subject, rules), verdict: cause };
  });
}

/**
 * What the rules say of a cluster. Its verdict and rank follow from all clusters; they are set in place, since ten thousand
 * copies take as long as half of the rules.
 */
type Judged = Omit<ClusterExplanation, 'verdict' | 'rank'> & Pick<Mutable, 'verdict' | 'rank'>;

type Mutable = { -readonly [K in keyof ClusterExplanation]: ClusterExplanation[K] };

type Subject = Pick<ClusterExplanation, 'name' | 'cluster' | 'sets' | 'inDecision'>;

const NONE: readonly Unmet[] = [];

/** The members, and the clusters of the decision; with an invalid spec these alone, since no other can be selected. */
function subjectsOf(
  { placement, selected }: PlacementSnapshot,
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
    if (!known.has(name)) subjects.push({ name, cluster: selected.get(name), sets: [], inDecision: true });
  return subjects.sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Judge {
  readonly snapshot: PlacementSnapshot;
  readonly decided: Schedule;
  readonly predicates: readonly SharedPredicate[];
  /** Whether it is known which clusters were selected before: if not, each of them may have been. */
  readonly isCurrentKnown: boolean;
  /** The clusters that leave because of a taint. */
  readonly tainted: ReadonlySet<string>;
}

function judgeFor(snapshot: PlacementSnapshot, decided: Schedule, isCurrentKnown = true): Judge {
  const tainted = decided.dropped.filter(({ cause }) => cause === 'Tainted').map(({ cluster }) => cluster);
  const predicates = snapshot.placement.rules.predicates.map(sharedPredicate);
  return { snapshot, decided, predicates, isCurrentKnown, tainted: new Set(tainted) };
}

function judge({ name, cluster, sets, inDecision }: Subject, by: Judge): Judged {
  const { rules } = by.snapshot.placement;
  const member = sets.length > 0 || (inDecision && by.decided.eligibility.unreadable.length > 0);
  const failing = cluster === undefined ? [] : by.predicates.map((one) => unmetOf(one, cluster));
  const best = leastUnmet(failing);
  const matched = best === undefined || failing[best]?.length === 0;
  const mayBeSelected = inDecision || !by.isCurrentKnown;
  const causes: FailedRule[] = [
    ...failures({ cluster, member, matched, selected: mayBeSelected, now: by.snapshot.now }, rules),
  ];
  // One that yields its place passes every rule until another can take it.
  if (causes.length === 0 && by.tainted.has(name)) causes.push('Tainted');
  return { name, cluster, sets, inDecision, verdict: 'Unknown', causes, rank: undefined, unmet: failing, best };
}

/** A requirement, and for each value of its key that was found so far the list of what it leaves unmet: one or none. */
interface SharedRequirement {
  readonly source: Source;
  readonly requirement: Requirement;
  readonly byValue: Map<string | undefined, readonly Unmet[]>;
}

/** The requirements of a predicate. */
type SharedPredicate = readonly SharedRequirement[];

function sharedPredicate(predicate: Predicate): SharedPredicate {
  return sourcedRequirements(predicate).map((one) => ({ ...one, byValue: new Map() }));
}

/**
 * What `unmet` of the rules generates, each equal element and each equal list of one kept once: a fleet has few different values,
 * and hundreds of thousands of objects that stay would take longer to collect than to compute. So each value of a key is
 * compared once.
 */
function unmetOf(predicate: SharedPredicate, { labels, claims }: ClusterView): readonly Unmet[] {
  let first = NONE;
  let several: Unmet[] | undefined;
  for (const shared of predicate) {
    const found = valueOf(shared.source === 'label' ? labels : claims, shared.requirement.key);
    const list = shared.byValue.get(found) ?? remember(shared, found);
    if (list.length === 0) continue;
    if (first.length === 0) first = list;
    else (several ??= [...first]).push(...list);
  }
  return several ?? first;
}

function remember({ source, requirement, byValue }: SharedRequirement, found: string | undefined): readonly Unmet[] {
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

/** The ranks of the clusters that pass every rule: those of the decision come first, those that yield their place last. */
function orderOfSelection(judged: readonly Judged[], snapshot: PlacementSnapshot): ReadonlyMap<string, number> {
  const { placement, now } = snapshot;
  const staying: [string[], string[], string[]] = [[], [], []];
  const others: string[][] = [];
  for (const { name, cluster, inDecision, causes } of judged) {
    if (causes.length > 0) continue;
    const tier = inDecision ? undefined : tierOfNew(name, snapshot);
    if (tier !== undefined) (others[tier] ??= []).push(name);
    // One that could not come in now and may have been selected before comes last, too.
    else staying[inDecision ? tierOfSelected(taintedCluster(cluster, placement.rules, now)) : 2].push(name);
  }
  const [best, tainted, yielding] = staying;
  const tiers = [best, tainted, ...Array.from(others, (names) => names ?? []), yielding];
  const ranked = bestFirst(tiers, Infinity, seedOf(placement.namespace, placement.name));
  return new Map(ranked.map((name, index) => [name, index + 1]));
}

/**
 * The verdict for a cluster that passes every rule. Without the decisions it is not known which clusters were selected
 * before: it is certain only when all of the `passing` clusters fit.
 */
function verdicts(decided: Schedule, passing: number, decisionsReadable: boolean): (name: string) => Verdict {
  const chosen = new Set(selectedClusters(decided));
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
      name: one.name,
      score: scoreOf(seed, clusterHash(one.name)),
    }))
    .sort((a, b) => a.failing - b.failing || byRank(a, b))
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
