import {
  meetsOne,
  sourcedRequirements,
  type ClusterRequirement,
  type KeySource,
  type Source,
} from '../../domain/placement/select/rules.js';
import { KEY_SOURCES, needsKey, type CandidateAnswers } from '../../domain/placement/select/unmatched.js';
import type { PlacementRules, Predicate } from '../../domain/placement/spec/predicates.js';
import type { ClusterView } from '../../domain/placement/select/snapshot.js';
import { isComparison } from '../../domain/comparison.js';
import { sameForExpressions } from '../../domain/placement/spec/cluster.js';
import { admits, valueOf, type StringMap } from '../../domain/selectors.js';
import { Bitset } from './bitset.js';
import { Multimap } from './multimap.js';

/** A requirement on a label or claim, or an expression; shared by all Placements that have it. */
interface SharedRequirement {
  readonly id: string;
  readonly one: ClusterRequirement;
  /** The keys of these Placements. */
  readonly placements: Set<string>;
  /** Ordinals of the clusters that meet it; undefined until it is needed. */
  met: Bitset | undefined;
}

/** The existing clusters by ordinal. */
export type ClustersByOrdinal = ReadonlyMap<number, ClusterView>;

const FIELDS = { label: 'labels', claim: 'claims' } as const;
const NO_TEXTS: StringMap = {};
const NO_PLACEMENTS: ReadonlySet<string> = new Set();

/**
 * Which clusters match which predicates, updated change by change.
 *
 * - Equal requirements are kept once, with one bit for each cluster, which are computed at the first use.
 * - A requirement is found by its terms: the presence of a key, a key with one value, or a key with any value, on which comparisons
 *   depend. So a change of labels or claims that no Placement names finds no requirement and costs nothing.
 * - An expression has no terms, since it may depend on all that it can read: it is evaluated again for each cluster that changes.
 * - Messages say whether a cluster has the key of a requirement at all, as a label or as a claim. So for each such key there are two
 *   more requirements: that it is present, as either.
 */
export class RequirementIndex {
  /** Grows with each requirement that an existing cluster begins or ceases to meet. */
  changes = 0;
  readonly #clusters: ClustersByOrdinal;
  readonly #requirements = new Map<string, SharedRequirement>();
  readonly #byTerm = new Multimap<string, SharedRequirement>();
  readonly #expressions = new Set<SharedRequirement>();
  /** Key → how many clusters have it. */
  readonly #keyCounts: Readonly<Record<KeySource, Map<string, number>>> = {
    label: new Map(),
    claim: new Map(),
  };

  /** `clusters` is read, not copied: it has to be updated before `updateCluster` is called. */
  constructor(clusters: ClustersByOrdinal) {
    this.#clusters = clusters;
    for (const cluster of clusters.values()) this.#countKeys(undefined, cluster);
  }

  /** Keeps the requirements of these rules, for the Placement with this key. */
  addPlacement(key: string, rules: PlacementRules): void {
    for (const { id, one } of requirementsOf(rules)) {
      const shared = this.#requirements.get(id) ?? this.#create(id, one);
      shared.placements.add(key);
    }
  }

  /** Removes them again; `rules` as they were added. */
  removePlacement(key: string, rules: PlacementRules): void {
    for (const { id } of requirementsOf(rules)) {
      const shared = this.#requirements.get(id);
      shared?.placements.delete(key);
      if (shared !== undefined && shared.placements.size === 0) this.#drop(shared);
    }
  }

  /**
   * Applies a change of a cluster; returns the keys of the Placements with a requirement that it meets now and did not meet
   * before, or the other way round. For a new cluster and for one that is gone it returns none.
   */
  updateCluster(ordinal: number, before: ClusterView | undefined, after: ClusterView | undefined): ReadonlySet<string> {
    this.#countKeys(before, after);
    if (before === undefined || after === undefined) {
      for (const { met, one } of this.#requirements.values())
        met?.put(ordinal, after !== undefined && meetsOne(after, one));
      return NO_PLACEMENTS;
    }
    const placements = new Set<string>();
    const changed = new Set<SharedRequirement>();
    for (const source of KEY_SOURCES) this.#addChanged(source, { before, after }, changed);
    if (this.#expressions.size > 0 && !sameForExpressions(before, after))
      for (const shared of this.#expressions) changed.add(shared);
    for (const { one, met, placements: naming } of changed) {
      const meetsNow = meetsOne(after, one);
      if (meetsNow === (met?.has(ordinal) ?? meetsOne(before, one))) continue;
      met?.put(ordinal, meetsNow);
      this.changes += 1;
      for (const key of naming) placements.add(key);
    }
    return placements;
  }

  /** The ordinals of `candidates` that match, as a new set. */
  matching(rules: PlacementRules, candidates: Bitset): Bitset {
    if (rules.problem !== undefined) return new Bitset();
    const [first, ...others] = rules.predicates;
    if (first === undefined) return candidates.copy();
    const matching = this.#matchingOne(first, candidates);
    for (const predicate of others) matching.addAll(this.#matchingOne(predicate, candidates));
    return matching;
  }

  /** What messages ask about the candidates: whether some of them matches, meets or has it. `candidates` is read at each call. */
  answersAbout(candidates: Bitset): CandidateAnswers {
    const some = (all: readonly Bitset[]): boolean => Bitset.haveCommon([candidates, ...all]);
    return {
      someMatch: (predicate) => some(sourcedRequirements(predicate).map((one) => this.#met(one))),
      someMeet: (one) => some([this.#met(one)]),
      someHave: (source, key) => some([this.#met(presenceOf(source, key))]),
    };
  }

  #matchingOne(predicate: Predicate, candidates: Bitset): Bitset {
    const matching = candidates.copy();
    for (const one of sourcedRequirements(predicate)) matching.keepAll(this.#met(one));
    return matching;
  }

  /** The clusters that meet it: as they are kept, else computed, and then kept where a Placement has the requirement. */
  #met(one: ClusterRequirement): Bitset {
    const shared = this.#requirements.get(idOf(one));
    if (shared?.met !== undefined) return shared.met;
    const met = this.#evaluate(one);
    if (shared !== undefined) shared.met = met;
    return met;
  }

  #evaluate(one: ClusterRequirement): Bitset {
    const met = new Bitset();
    const { source, requirement } = one;
    // Where no cluster has the key, all or none of them meet the requirement.
    if (source === 'expression' || this.#keyCounts[source].has(requirement.key)) {
      for (const [ordinal, cluster] of this.#clusters) if (meetsOne(cluster, one)) met.add(ordinal);
    } else if (admits(requirement, undefined)) {
      for (const ordinal of this.#clusters.keys()) met.add(ordinal);
    }
    return met;
  }

  /** Keeps {@link #keyCounts} up to date with a change of a cluster. */
  #countKeys(before: ClusterView | undefined, after: ClusterView | undefined): void {
    for (const source of KEY_SOURCES) {
      const counts = this.#keyCounts[source];
      const field = FIELDS[source];
      const [old, current] = [before?.[field] ?? NO_TEXTS, after?.[field] ?? NO_TEXTS];
      if (old === current) continue;
      for (const key of Object.keys(current))
        if (valueOf(old, key) === undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const key of Object.keys(old)) {
        if (valueOf(current, key) !== undefined) continue;
        const left = (counts.get(key) ?? 0) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      }
    }
  }

  /** Adds the requirements that a change of labels or claims may affect. */
  #addChanged(
    source: KeySource,
    views: { readonly before: ClusterView; readonly after: ClusterView },
    changed: Set<SharedRequirement>,
  ): void {
    const field = FIELDS[source];
    const [before, after] = [views.before[field], views.after[field]];
    if (before === after) return;
    for (const key of Object.keys({ ...before, ...after })) {
      for (const term of changedTerms(source, key, valueOf(before, key), valueOf(after, key))) {
        for (const shared of this.#byTerm.get(term)) changed.add(shared);
      }
    }
  }

  #create(id: string, one: ClusterRequirement): SharedRequirement {
    const shared: SharedRequirement = { id, one, placements: new Set(), met: undefined };
    this.#requirements.set(id, shared);
    if (one.source === 'expression') this.#expressions.add(shared);
    for (const term of termsOf(one)) this.#byTerm.add(term, shared);
    return shared;
  }

  #drop(shared: SharedRequirement): void {
    this.#requirements.delete(shared.id);
    this.#expressions.delete(shared);
    for (const term of termsOf(shared.one)) this.#byTerm.delete(term, shared);
  }
}

/** The terms that hold for one of two values of a key and not for the other. */
function changedTerms(source: Source, key: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  const terms: string[] = [termFor(source, key, ANY)];
  if (before !== undefined) terms.push(termFor(source, key, before));
  if (after !== undefined) terms.push(termFor(source, key, after));
  if (before === undefined || after === undefined) terms.push(termFor(source, key));
  return terms;
}

/** The terms that a requirement depends on: its key with each of its values, or the presence of its key. */
function termsOf({ source, requirement: { key, operator, values } }: ClusterRequirement): string[] {
  if (source === 'expression') return [];
  if (operator === 'Exists' || operator === 'DoesNotExist') return [termFor(source, key)];
  if (isComparison(operator)) return [termFor(source, key, ANY)];
  return values.map((value) => termFor(source, key, value));
}

/** Any value of a key. */
const ANY = 0;

/** The term for a key with one value or any value or, without a `value`, for the presence of the key. */
function termFor(source: Source, key: string, value?: string | typeof ANY): string {
  return JSON.stringify([source, key, value]);
}

function idOf({ source, requirement: { key, operator, values } }: ClusterRequirement): string {
  return JSON.stringify([source, operator, key, values]);
}

/** The requirements of all predicates, with the presence of the keys that they need in both sources, and those of the groups. */
function* requirementsOf(rules: PlacementRules): Generator<{ id: string; one: ClusterRequirement }> {
  for (const one of rules.predicates.flatMap(sourcedRequirements)) {
    yield { id: idOf(one), one };
    if (!needsKey(one)) continue;
    for (const either of KEY_SOURCES) {
      const presence = presenceOf(either, one.requirement.key);
      yield { id: idOf(presence), one: presence };
    }
  }
  for (const one of (rules.groups?.groups ?? []).flatMap(sourcedRequirements)) yield { id: idOf(one), one };
}

function presenceOf(source: KeySource, key: string): ClusterRequirement {
  return { source, requirement: { path: '', key, operator: 'Exists', values: [] } };
}
