import { selects, type ClusterSelector } from '../../domain/clusters/selector.js';
import type { Member } from '../../domain/placement/explain/verdict.js';
import type { PlacementRules, Predicate } from '../../domain/placement/spec/predicates.js';
import type { ClusterView } from '../../domain/placement/spec/cluster.js';
import { unmatchedPredicates, type CandidateAnswers } from '../../domain/placement/select/unmatched.js';
import { clusterHash, type Candidate, type MatchedClusters } from '../../domain/placement/select/rank.js';
import {
  foundIn,
  sourcedRequirements,
  textOf,
  type ClusterRequirement,
  type KeySource,
  type Source,
} from '../../domain/placement/select/rules.js';
import { NO_CANDIDATES, type Candidates } from '../../domain/placement/select/snapshot.js';
import { admits } from '../../domain/selectors.js';

/** The selectors of readable sets, by name. */
export type Selectors = ReadonlyMap<string, ClusterSelector>;

/** The clusters of some sets, as rows of the table. */
interface Pool {
  /** Every member. */
  readonly members: readonly number[];
  /** The members that are not being deleted. */
  readonly candidates: readonly number[];
  /** 1 for a candidate, by row. */
  readonly isCandidate: Uint8Array;
  /** The candidates that have taints. */
  readonly tainted: readonly number[];
}

/** The rows of the candidates that match each predicate. */
type Matching = ReadonlyMap<Predicate, readonly number[]>;

/** What some rules match among the clusters of some sets. */
interface Matches {
  readonly rules: PlacementRules;
  readonly pool: Pool;
  readonly byPredicate: Matching;
  /** The candidates that match some predicate. */
  readonly matched: readonly number[];
  /** 1 for each of `matched`, by row. */
  readonly isMatched: Uint8Array;
}

/** The value of one label or claim, or the result of an expression, for each row; undefined where the cluster has none. */
type Column = readonly (string | undefined)[];

/**
 * The clusters of a world as rows, of which each label, claim and expression that somebody asks for is a column. A column and the
 * members of a set are read once, since many Placements ask for the same ones; then a requirement costs one comparison a cluster. If
 * several clusters have one name, the last counts.
 */
export class ClusterTable {
  readonly clusters: readonly ClusterView[];
  readonly #rows: ReadonlyMap<string, number>;
  readonly #hashed: readonly Candidate[];
  readonly #columns = new Map<string, Column>();
  readonly #pools = new Map<string, Pool>();
  /** The matches that were computed last: the same Placement is often asked for twice in a row. */
  #last: Matches | undefined;

  constructor(clusters: readonly ClusterView[]) {
    const rows = new Map<string, number>();
    const views: ClusterView[] = [];
    for (const one of clusters) {
      const row = rows.get(one.name) ?? views.length;
      views[row] = one;
      rows.set(one.name, row);
    }
    this.clusters = views;
    this.#rows = rows;
    this.#hashed = this.clusters.map(({ name }) => ({ name, hash: clusterHash(name) }));
  }

  cluster(name: string): ClusterView | undefined {
    return this.clusters[this.#rows.get(name) ?? -1];
  }

  /** The clusters that one of the sets selects, each once, with the names of these sets, sorted. */
  members(selectors: Selectors): readonly Member[] {
    const clusters = picked(this.#pool(selectors).members, this.clusters);
    return clusters.map((cluster) => ({ cluster, sets: setsOf(cluster, selectors) }));
  }

  /** The clusters that the set selects. */
  membersOf(name: string, selector: ClusterSelector): readonly string[] {
    return this.members(new Map([[name, selector]])).map(({ cluster }) => cluster.name);
  }

  /** The keys of all labels or claims. */
  keys(source: KeySource): ReadonlySet<string> {
    return new Set(this.clusters.flatMap(({ labels, claims }) => Object.keys(source === 'label' ? labels : claims)));
  }

  /** The value of a label or claim of each cluster; undefined for one that does not have it. */
  values(source: KeySource, key: string): ReadonlyMap<string, string | undefined> {
    const column = this.#valueColumn(source, key);
    return new Map(this.clusters.map(({ name }, row) => [name, column[row]]));
  }

  /** The candidates of these sets, and which of them match; none if the rules have a `problem`. */
  candidates(selectors: Selectors, rules: PlacementRules): Candidates {
    if (rules.problem !== undefined) return NO_CANDIDATES;
    const matches = this.#matches(rules, this.#pool(selectors));
    const { isCandidate, candidates, tainted } = matches.pool;
    const { isMatched } = matches;
    const sizes = { count: candidates.length, matched: this.#matchedClusters(matches) };
    return {
      ...sizes,
      has: (name) => isCandidate[this.#rows.get(name) ?? -1] === 1,
      tainted: this.#taintsOf(tainted.filter((row) => isMatched[row] === 1)),
      view: (name) => (sizes.matched.has(name) ? this.cluster(name) : undefined),
      unmatched: unmatchedPredicates(rules, sizes, this.#answers(matches)),
    };
  }

  #matches(rules: PlacementRules, pool: Pool): Matches {
    if (this.#last?.rules === rules && this.#last.pool === pool) return this.#last;
    const byPredicate = new Map(rules.predicates.map((one) => [one, this.#rowsMatching(one, pool.candidates)]));
    return (this.#last = { rules, pool, byPredicate, ...this.#matchedBySome(byPredicate, pool) });
  }

  #answers({ pool: { candidates }, byPredicate }: Matches): CandidateAnswers {
    return {
      someMatch: (predicate) => (byPredicate.get(predicate) ?? []).length > 0,
      someMeet: (one) => {
        const column = this.#requirementColumn(one);
        return candidates.some((row) => admits(one.requirement, column[row]));
      },
      someHave: (source, key) => {
        const column = this.#valueColumn(source, key);
        return candidates.some((row) => column[row] !== undefined);
      },
    };
  }

  /** The candidates that match some predicate; all without predicates. */
  #matchedBySome(byPredicate: Matching, { candidates, isCandidate }: Pool): Pick<Matches, 'matched' | 'isMatched'> {
    if (byPredicate.size === 0) return { matched: candidates, isMatched: isCandidate };
    const isMatched = new Uint8Array(this.clusters.length);
    for (const rows of byPredicate.values()) for (const row of rows) isMatched[row] = 1;
    return { matched: candidates.filter((row) => isMatched[row] === 1), isMatched };
  }

  #matchedClusters({ matched, isMatched }: Matches): MatchedClusters {
    const list = picked(matched, this.#hashed);
    const has = (name: string): boolean => isMatched[this.#rows.get(name) ?? -1] === 1;
    return { size: list.length, has, [Symbol.iterator]: () => list.values() };
  }

  #taintsOf(rows: readonly number[]): Candidates['tainted'] {
    return new Map(picked(rows, this.clusters).map(({ name, taints }) => [name, taints]));
  }

  /** Which of the rows meet every requirement of the predicate. */
  #rowsMatching(predicate: Predicate, rows: readonly number[]): readonly number[] {
    let matching = rows;
    for (const one of sourcedRequirements(predicate)) {
      const column = this.#requirementColumn(one);
      matching = matching.filter((row) => admits(one.requirement, column[row]));
    }
    return matching;
  }

  /** The values of a label or claim. */
  #valueColumn(source: KeySource, key: string): Column {
    return this.#column(source, key, (cluster) => textOf(cluster, source, key));
  }

  /** The values that a requirement is compared with. */
  #requirementColumn(one: ClusterRequirement): Column {
    return this.#column(one.source, one.requirement.key, (cluster) => foundIn(cluster, one));
  }

  #column(source: Source, key: string, valueOf: (cluster: ClusterView) => string | undefined): Column {
    const id = `${source} ${key}`;
    const known = this.#columns.get(id);
    if (known !== undefined) return known;
    const column = this.clusters.map(valueOf);
    this.#columns.set(id, column);
    return column;
  }

  #pool(selectors: Selectors): Pool {
    const id = [...selectors.keys()].sort().join(' ');
    const known = this.#pools.get(id);
    if (known !== undefined) return known;
    const each = [...selectors];
    const members: number[] = [];
    const isCandidate = new Uint8Array(this.clusters.length);
    for (const [row, { labels, deleting }] of this.clusters.entries()) {
      if (!each.some(([name, selector]) => selects(name, selector, labels))) continue;
      members.push(row);
      if (!deleting) isCandidate[row] = 1;
    }
    const candidates = members.filter((row) => isCandidate[row] === 1);
    const tainted = candidates.filter((row) => (this.clusters[row]?.taints.length ?? 0) > 0);
    const pool = { members, candidates, isCandidate, tainted };
    this.#pools.set(id, pool);
    return pool;
  }
}

/** The values at these rows. */
function picked<T>(rows: readonly number[], from: readonly T[]): readonly T[] {
  const list: T[] = [];
  for (const row of rows) {
    const one = from[row];
    if (one !== undefined) list.push(one);
  }
  return list;
}

/** The sets that the cluster is in, sorted. */
export function setsOf({ labels }: ClusterView, selectors: Selectors): readonly string[] {
  const sets: string[] = [];
  for (const [name, selector] of selectors) if (selects(name, selector, labels)) sets.push(name);
  return sets.length > 1 ? sets.sort() : sets;
}
