import { predicateOf } from '../rules.js';
import { byRank, clusterHash, pairHash, seedOf, type Candidate, type Ranked, type RankSeed, Queue } from '../rank.js';
import { hasNumbers, type PlacementRules } from '../../spec/predicates.js';
import type { ClusterView, PlacementSnapshot } from '../snapshot.js';
import { standingOf } from '../standing.js';
import { Topology, type Domain } from './topology.js';

/**
 * The choice of one cluster after the other: by tier, then by the domains with fewer selected clusters, then by score, hash and
 * name. Clusters that differ by the last three alone form a group, so that a choice looks at the first of each group and not at
 * every cluster.
 */

/** The score of a cluster, by `spec.prioritizerPolicy`; 0 without it. */
export type ScoreOf = (name: string) => number;

export interface Contender extends Ranked {
  readonly score: number;
}

/** Contenders of one tier, one predicate, and one domain of each constraint. */
export interface Group {
  readonly tier: number;
  /** 0 where predicates have no numbers; undefined for a cluster that counts for no predicate. */
  readonly predicate: number | undefined;
  /** By constraint; undefined without the key. */
  readonly domains: readonly (Domain | undefined)[];
  readonly queue: Queue<Contender>;
}

/** A contender that was taken, and its group. */
export interface Taken {
  readonly name: string;
  readonly group: Group;
}

/** Negative when the first comes before the second: the higher score, then the higher hash, then by name. */
export function byScore(a: Contender, b: Contender): number {
  return b.score - a.score || byRank(a, b);
}

/** The reverse of {@link byScore}. */
export function lowestFirst(a: Contender, b: Contender): number {
  return byScore(b, a);
}

/** Clusters by name, with their hashes. */
export function hashed(names: readonly string[]): readonly Candidate[] {
  return names.map((name) => ({ name, hash: clusterHash(name) }));
}

/** A cluster without the key counts as one of a domain that is fuller than all others. */
function countOf(domain: Domain | undefined): number {
  return domain === undefined ? Infinity : domain.count;
}

/** The numbers and constraints of a Placement, and what is selected so far. */
export class Contest {
  readonly topologies: readonly Topology[];
  /** The numbers of the predicates; none where they have none. */
  readonly wanted: readonly number[];
  /** How many more clusters each predicate may bring in; negative when it has too many. */
  readonly room: number[];
  readonly #rules: PlacementRules;
  readonly #now: number;
  readonly #seed: RankSeed;
  readonly #scoreOf: ScoreOf;

  constructor({ placement, now }: PlacementSnapshot, scoreOf: ScoreOf) {
    this.#rules = placement.rules;
    this.#now = now;
    this.#seed = seedOf(placement.namespace, placement.name);
    this.#scoreOf = scoreOf;
    const hasRoom = (predicate: number): boolean => (this.room[predicate] ?? 0) > 0;
    this.topologies = this.#rules.spread.map((one) => new Topology(one, hasRoom));
    this.wanted = hasNumbers(this.#rules) ? this.#rules.predicates.map(({ wanted = 0 }) => wanted) : [];
    this.room = this.wanted.length > 0 ? [...this.wanted] : [Infinity];
  }

  /** Groups clusters; `tierOf` undefined leaves one out. `compare` says who is the first of a group. */
  groups(
    clusters: Iterable<Candidate>,
    viewOf: (name: string) => ClusterView | undefined,
    tierOf: (name: string) => number | undefined,
    compare = byScore,
  ): readonly Group[] {
    const found = new Map<string, { readonly of: Omit<Group, 'queue'>; readonly members: Contender[] }>();
    for (const { name, hash } of clusters) {
      const tier = tierOf(name);
      if (tier === undefined) continue;
      const { predicate, domains } = this.placeOf(viewOf(name));
      let key = `${tier} ${predicate}`;
      for (const one of domains) key += ` ${one?.id ?? '-'}`;
      const contender = { name, score: this.#scoreOf(name), pairHash: pairHash(this.#seed, hash) };
      const known = found.get(key);
      if (known === undefined) found.set(key, { of: { tier, predicate, domains }, members: [contender] });
      else known.members.push(contender);
    }
    return [...found.values()].map(({ of, members }) => ({ ...of, queue: new Queue(compare, members) }));
  }

  /** What a cluster counts for: one that yields its place is in no domain, since it is to be replaced. */
  placeOf(view: ClusterView | undefined): Pick<Group, 'predicate' | 'domains'> {
    const predicate = this.#predicateOf(view);
    const isIn = view !== undefined && this.topologies.length > 0 && !this.#yields(view);
    const domains = this.topologies.map((one) => (isIn ? one.domainOf(view) : undefined));
    return { predicate, domains };
  }

  /** Notes that a cluster passes every rule: its domains exist while it can be selected. */
  offer({ predicate, domains }: Pick<Group, 'predicate' | 'domains'>): void {
    this.topologies.forEach((one, index) => {
      const domain = domains[index];
      if (domain !== undefined && predicate !== undefined) one.offer(domain, predicate);
    });
  }

  #yields({ taints }: ClusterView): boolean {
    return standingOf(taints, this.#rules.tolerations, this.#now).kind === 'yields';
  }

  #predicateOf(view: ClusterView | undefined): number | undefined {
    if (this.wanted.length === 0) return 0;
    return view && predicateOf(this.#rules, view);
  }

  /** How many more clusters of the predicate may come in; undefined for those that count for none. */
  roomOf({ predicate }: Pick<Group, 'predicate'>): number | undefined {
    return predicate === undefined ? undefined : this.room[predicate];
  }

  /** Counts all clusters of the groups as selected. */
  countAll(groups: readonly Group[]): void {
    for (const group of groups) for (let index = 0; index < group.queue.size; index++) this.count(group);
  }

  /** Counts a selected cluster, or one that is selected no more. */
  count({ predicate, domains }: Pick<Group, 'predicate' | 'domains'>, by: 1 | -1 = 1): void {
    const room = this.roomOf({ predicate });
    if (room !== undefined && predicate !== undefined) this.room[predicate] = room - by;
    if (room === (by === 1 ? 1 : 0)) for (const one of this.topologies) one.roomChanged();
    this.topologies.forEach((one, index) => {
      const domain = domains[index];
      if (domain !== undefined) one.change(domain, by);
    });
  }

  /** By constraint: how many selected clusters are more than `maxSkew` above the lowest count. */
  get excess(): readonly number[] {
    return this.topologies.map((one) => one.excess);
  }

  /** The first constraint that keeps a cluster of the group out; undefined for none. */
  blockedBy({ domains }: Pick<Group, 'domains'>): Topology | undefined {
    return this.topologies.find((one, index) => one.blocks(domains[index]));
  }
}

/** A group in a queue, with the counts of its domains when it was put there. */
interface Entry {
  readonly group: Group;
  readonly counts: readonly number[];
}

/**
 * Takes clusters in one after the other. The counts only grow meanwhile, so a group only falls behind: one that was put into the
 * queue with counts of before is put there again when its turn comes.
 */
export class Intake {
  readonly #contest: Contest;
  readonly #queue: Queue<Entry>;
  #blocked: Group[] = [];

  constructor(contest: Contest, groups: readonly Group[]) {
    this.#contest = contest;
    this.#queue = new Queue(compareIntake, groups.filter(({ queue }) => queue.first !== undefined).map(entryOf));
  }

  /** The best cluster that is allowed; undefined for none. It counts as selected. */
  next(): Taken | undefined {
    for (;;) {
      const entry = this.#queue.pop();
      if (entry === undefined) return undefined;
      const { group } = entry;
      if ((this.#contest.roomOf(group) ?? 0) <= 0) continue;
      if (isStale(entry)) this.#queue.push(entryOf(group));
      else if (this.#contest.blockedBy(group) !== undefined) this.#blocked.push(group);
      else return this.#take(group);
    }
  }

  #take(group: Group): Taken | undefined {
    const lowest = this.#contest.topologies.map((one) => one.lowest);
    const taken = group.queue.pop();
    this.#contest.count(group);
    if (group.queue.first !== undefined) this.#queue.push(entryOf(group));
    if (this.#contest.topologies.some((one, index) => one.lowest !== lowest[index])) {
      for (const blocked of this.#blocked) this.#queue.push(entryOf(blocked));
      this.#blocked = [];
    }
    return taken && { name: taken.name, group };
  }
}

/** Lets clusters go one after the other, from the end of the order. The counts only fall meanwhile. */
export class Outlet {
  readonly #contest: Contest;
  readonly #queue: Queue<Entry>;

  /** `groups`: those with what stands lowest first. */
  constructor(contest: Contest, groups: readonly Group[]) {
    this.#contest = contest;
    const filled = groups.filter(({ queue }) => queue.first !== undefined);
    this.#queue = new Queue((a, b) => -compareIntake(a, b), filled.map(entryOf));
  }

  /** The cluster that stands lowest, of those that `accepts` lets go: once refused, a group is not asked about again. */
  next(accepts: (group: Group) => boolean = () => true): Taken | undefined {
    for (;;) {
      const entry = this.#queue.pop();
      if (entry === undefined) return undefined;
      const { group } = entry;
      if (!accepts(group)) continue;
      if (isStale(entry)) {
        this.#queue.push(entryOf(group));
        continue;
      }
      const taken = group.queue.pop();
      this.#contest.count(group, -1);
      if (group.queue.first !== undefined) this.#queue.push(entryOf(group));
      return taken && { name: taken.name, group };
    }
  }
}

/** All clusters of the groups, in the order in which they stand now. It empties the groups. */
export function inOrder(groups: readonly Group[]): readonly Taken[] {
  const contenders = groups.flatMap((group) => {
    const members: { readonly entry: Entry; readonly one: Contender }[] = [];
    const entry = entryOf(group);
    for (let one = group.queue.pop(); one !== undefined; one = group.queue.pop()) members.push({ entry, one });
    return members;
  });
  contenders.sort((a, b) => compareCounts(a.entry, b.entry) || byScore(a.one, b.one));
  return contenders.map(({ entry: { group }, one: { name } }) => ({ name, group }));
}

function entryOf(group: Group): Entry {
  return { group, counts: group.domains.map(countOf) };
}

function isStale({ group, counts }: Entry): boolean {
  return group.domains.some((domain, index) => countOf(domain) !== counts[index]);
}

function compareCounts(a: Entry, b: Entry): number {
  if (a.group.tier !== b.group.tier) return a.group.tier - b.group.tier;
  for (let index = 0; index < a.counts.length; index++) {
    const [first = 0, second = 0] = [a.counts[index], b.counts[index]];
    if (first !== second) return first - second;
  }
  return 0;
}

function compareIntake(a: Entry, b: Entry): number {
  const order = compareCounts(a, b);
  if (order !== 0) return order;
  const [first, second] = [a.group.queue.first, b.group.queue.first];
  return first === undefined || second === undefined ? 0 : byScore(first, second);
}
