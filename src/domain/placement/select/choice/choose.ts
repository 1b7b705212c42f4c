import type { SpreadConstraint } from '../../spec/spread.js';
import {
  Contest,
  type Group,
  lowestFirst,
  hashed,
  inOrder,
  Intake,
  Outlet,
  type ScoreOf,
  type Taken,
} from './contest.js';
import type { Topology } from './topology.js';
import { isCompared } from '../../spec/predicates.js';
import { bestFirst, seedOf, topRanked } from '../rank.js';
import type { Candidate, ClusterView, PlacementSnapshot } from '../snapshot.js';

/** Who comes in and who is not needed any more, where predicates have numbers, clusters spread, or scores count. */

/** Selected clusters, and the tier in which each of them stays. */
export interface Stayers {
  readonly names: readonly string[];
  readonly tierOf: (name: string) => number;
}

type Views = (name: string) => ClusterView | undefined;

/** Those of the clusters that are more than their predicate may bring in, the lowest first. */
export function aboveNumbers(stayers: Stayers, snapshot: PlacementSnapshot, scoreOf: ScoreOf): readonly string[] {
  const { contest, groups } = contestOf(stayers, snapshot, scoreOf);
  return leavingForNumbers(contest, groups);
}

/** The clusters that leave so that each predicate has at most its number, and all together are at most `limit`. */
export function surplus(
  stayers: Stayers,
  limit: number,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): readonly string[] {
  const { contest, groups } = contestOf(stayers, snapshot, scoreOf);
  const leaving = leavingForNumbers(contest, groups);
  const outlet = new Outlet(contest, groups);
  while (stayers.names.length - leaving.length > limit) {
    const taken = outlet.next();
    if (taken === undefined) break;
    leaving.push(taken.name);
  }
  return leaving;
}

function contestOf(
  { names, tierOf }: Stayers,
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): { readonly contest: Contest; readonly groups: readonly Group[] } {
  const contest = new Contest(snapshot, scoreOf);
  const groups = contest.groups(hashed(names), selectedViews(snapshot), tierOf, lowestFirst);
  contest.countAll(groups);
  return { contest, groups };
}

/** Predicate by predicate, in their order. */
function leavingForNumbers(contest: Contest, groups: readonly Group[]): string[] {
  const leaving: string[] = [];
  for (const index of contest.wanted.keys()) {
    const outlet = new Outlet(contest, groups);
    const isAbove = ({ predicate }: Group): boolean => predicate === index && (contest.room[index] ?? 0) < 0;
    for (let taken = outlet.next(isAbove); taken !== undefined; taken = outlet.next(isAbove)) leaving.push(taken.name);
  }
  return leaving;
}

/** The clusters in the order in which they would leave, if all had to. */
export function lowestFirstOf(stayers: Stayers, snapshot: PlacementSnapshot, scoreOf: ScoreOf): readonly string[] {
  const { contest, groups } = contestOf(stayers, snapshot, scoreOf);
  const outlet = new Outlet(contest, groups);
  const names: string[] = [];
  for (let taken = outlet.next(); taken !== undefined; taken = outlet.next()) names.push(taken.name);
  return names;
}

/** What is left to choose from once a decision is carried out. `yielding`: those of the clusters that yield and stay. */
export function afterChoice(
  { selected: staying, yielding }: { readonly selected: readonly string[]; readonly yielding: readonly string[] },
  tierOf: Candidature['tierOf'],
  snapshot: PlacementSnapshot,
  scoreOf: ScoreOf,
): Pick<Choice, 'contest' | 'left'> {
  const selected = new Set(staying);
  const contest = new Contest(snapshot, scoreOf);
  return {
    contest,
    left: contend({ staying, yielding, tierOf, isOut: (name) => selected.has(name) }, snapshot, contest),
  };
}

/** Those that come in are candidates, and need not be in `selected`. */
function selectedViews({ selected, candidates }: PlacementSnapshot): Views {
  return (name) => selected.get(name) ?? candidates.view(name);
}

/** What the clusters that may come in are chosen from. */
export interface Candidature {
  /** Those that stay selected. */
  readonly staying: readonly string[];
  /** Those of `staying` that leave when another cluster can take their place. */
  readonly yielding: readonly string[];
  /** The tier of a candidate that is not selected; undefined where a rule keeps it out. */
  readonly tierOf: (name: string) => number | undefined;
  /** Whether the cluster does not come in with this decision although it passes every rule: it was selected before it. */
  readonly isOut: (name: string) => boolean;
}

/** A cluster that comes in; `replaces`: one that yields its place to it. */
export interface Incoming {
  readonly name: string;
  readonly replaces: string | undefined;
}

/** The clusters that come in, the best first, and what is left to come in after them. */
export interface Choice {
  readonly incoming: readonly Incoming[];
  readonly contest: Contest;
  /** Those that pass every rule and were not chosen. */
  readonly left: readonly Group[];
}

/**
 * At most `free` clusters come in, and further ones where they replace one that yields. They are chosen as if those that yield
 * were not there, which then stay in the places that nobody else takes, the best of them longest.
 */
export function choose(candidature: Candidature, free: number, snapshot: PlacementSnapshot, scoreOf: ScoreOf): Choice {
  const contest = new Contest(snapshot, scoreOf);
  const yielding = [...inOrder(contest.groups(hashed(candidature.yielding), selectedViews(snapshot), () => 0))];
  const most = free + yielding.length;
  if (!isCompared(snapshot.placement.rules)) {
    // Rank alone decides: a few of thousands of candidates are found without a group of them.
    const best = bestRanked(candidature, most, snapshot);
    const incoming = best.map((name, index) => ({ name, replaces: index < free ? undefined : yielding.pop()?.name }));
    return { incoming, contest, left: [] };
  }
  const left = contend(candidature, snapshot, contest);
  const incoming: Incoming[] = [];
  const intake = new Intake(contest, left);
  let places = free;
  while (incoming.length < most) {
    const taken = intake.next();
    if (taken === undefined) break;
    const going = tooMany(yielding, taken.group, contest) ?? (places > 0 ? undefined : yielding.at(-1));
    if (going === undefined) places--;
    else yielding.splice(yielding.lastIndexOf(going), 1);
    incoming.push({ name: taken.name, replaces: going?.name });
  }
  return { incoming, contest, left };
}

/** Counts those that stay and do not yield; returns the candidates that may come in beside them. */
function contend(candidature: Candidature, snapshot: PlacementSnapshot, contest: Contest): readonly Group[] {
  const [yields, viewOf] = [new Set(candidature.yielding), selectedViews(snapshot)];
  for (const name of candidature.staying) if (!yields.has(name)) contest.count(contest.placeOf(viewOf(name)));
  return candidatesOf(candidature, snapshot, contest);
}

/** The `most` best of the candidates, by tier and then by rank: `most` may be Infinity. */
function bestRanked(
  { tierOf, isOut }: Candidature,
  most: number,
  { placement, candidates }: PlacementSnapshot,
): readonly string[] {
  const seed = seedOf(placement.namespace, placement.name);
  const isFirst = ({ name }: Candidate): boolean => !isOut(name) && tierOf(name) === 0;
  const best = topRanked(candidates.matched, most, seed, isFirst).map((one) => one.name);
  if (best.length >= most || candidates.tainted.size === 0) return best;
  const later: string[][] = [];
  for (const name of candidates.tainted.keys()) {
    const tier = isOut(name) ? undefined : tierOf(name);
    if (tier !== undefined && tier > 0) (later[tier] ??= []).push(name);
  }
  return [
    ...best,
    ...bestFirst(
      Array.from(later, (names) => names ?? []),
      most - best.length,
      seed,
    ),
  ];
}

/** The last of those that yield for which the predicate of a cluster that came in has no place any more. */
function tooMany(yielding: readonly Taken[], taken: Group, contest: Contest): Taken | undefined {
  if (contest.wanted.length === 0) return undefined;
  const others = yielding.filter(({ group }) => group.predicate === taken.predicate);
  return others.length > (contest.roomOf(taken) ?? 0) ? others.at(-1) : undefined;
}

/** The candidates that may come in. */
export function candidatesOf(
  { tierOf, isOut }: Pick<Candidature, 'tierOf' | 'isOut'>,
  { candidates }: PlacementSnapshot,
  contest: Contest,
): readonly Group[] {
  const clusters: Candidate[] = [];
  const hasDomains = contest.topologies.length > 0;
  for (const one of candidates.matched) {
    if (!isOut(one.name)) clusters.push(one);
    // One that has just left makes a domain, too, where it could come in with the next decision.
    else if (hasDomains && tierOf(one.name) !== undefined) contest.offer(contest.placeOf(candidates.view(one.name)));
  }
  const groups = contest.groups(clusters, (name) => candidates.view(name), tierOf);
  for (const group of groups) contest.offer(group);
  return groups;
}

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
