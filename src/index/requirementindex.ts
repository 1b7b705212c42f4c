import { Bitset } from './bitset.js';
import { meets, valueOf, type Requirement, type StringMap } from '../domain/selectors.js';
import type { PlacementRules, Predicate } from '../domain/placement/predicates.js';
import type { ClusterView } from '../domain/placement/snapshot.js';

type Source = 'labels' | 'claims';

/** One requirement, shared by every Placement that has it. */
interface Shared {
  readonly id: string;
  readonly source: Source;
  readonly requirement: Requirement;
  readonly users: Set<string>;
  /** The clusters that meet it, by number; undefined until somebody asks. */
  met: Bitset | undefined;
}

/** The clusters that exist, by number. */
export type Fleet = ReadonlyMap<number, ClusterView>;

const SOURCES: readonly Source[] = ['labels', 'claims'];
const NO_USERS: ReadonlySet<string> = new Set();

/**
 * Which clusters match which predicates, kept up to date change by change.
 *
 * Each different requirement is held once, as one bit a cluster, worked out when it is first asked for. Requirements are
 * found by what of a cluster they can tell apart (a key's presence, a key with one of the named values), so that a
 * change that no Placement names finds nothing, and costs nothing.
 */
export class RequirementIndex {
  readonly #fleet: Fleet;
  readonly #requirements = new Map<string, Shared>();
  /** What can be told apart → the requirements that do. */
  readonly #byMark = new Map<string, Set<Shared>>();

  /** `fleet` is followed, not copied: it is to hold a change before it is folded in here. */
  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** Enters the predicates of the Placement `key`. */
  addPlacement(key: string, rules: PlacementRules): void {
    for (const { id, source, requirement } of requirementsOf(rules)) {
      const shared = this.#requirements.get(id) ?? this.#create(id, source, requirement);
      shared.users.add(key);
    }
  }

  /** Takes them out again; `rules` as they were entered. */
  removePlacement(key: string, rules: PlacementRules): void {
    for (const { id } of requirementsOf(rules)) {
      const shared = this.#requirements.get(id);
      shared?.users.delete(key);
      if (shared !== undefined && shared.users.size === 0) this.#drop(shared);
    }
  }

  /** Folds a cluster's change in; the Placements that name something which changed. A new or gone cluster names nobody. */
  updateCluster(ordinal: number, before: ClusterView | undefined, after: ClusterView | undefined): ReadonlySet<string> {
    if (before === undefined || after === undefined) {
      for (const { met, source, requirement } of this.#requirements.values()) {
        met?.put(ordinal, after !== undefined && meets(requirement, after[source]));
      }
      return NO_USERS;
    }
    const users = new Set<string>();
    for (const source of SOURCES) {
      for (const shared of this.#touched(source, before[source], after[source])) {
        shared.met?.put(ordinal, meets(shared.requirement, after[source]));
        for (const user of shared.users) users.add(user);
      }
    }
    return users;
  }

  /** Those of `candidates` that match; a set of its own. */
  matching(rules: PlacementRules, candidates: Bitset): Bitset {
    if (rules.problem !== undefined) return new Bitset();
    if (rules.predicates.length === 0) return candidates.copy();
    const matching = new Bitset();
    for (const predicate of rules.predicates) matching.addAll(this.#meeting(predicate, candidates));
    return matching;
  }

  #meeting(predicate: Predicate, candidates: Bitset): Bitset {
    const meeting = candidates.copy();
    for (const source of SOURCES) {
      for (const requirement of predicate[source]) meeting.keepAll(this.#met(source, requirement));
    }
    return meeting;
  }

  #met(source: Source, requirement: Requirement): Bitset {
    const shared = this.#requirements.get(idOf(source, requirement));
    if (shared?.met !== undefined) return shared.met;
    const met = new Bitset();
    for (const [ordinal, cluster] of this.#fleet) if (meets(requirement, cluster[source])) met.add(ordinal);
    if (shared !== undefined) shared.met = met;
    return met;
  }

  #touched(source: Source, before: StringMap, after: StringMap): Set<Shared> {
    const touched = new Set<Shared>();
    if (before === after) return touched;
    for (const key of Object.keys({ ...before, ...after })) {
      for (const mark of changedMarks(source, key, valueOf(before, key), valueOf(after, key))) {
        for (const shared of this.#byMark.get(mark) ?? []) touched.add(shared);
      }
    }
    return touched;
  }

  #create(id: string, source: Source, requirement: Requirement): Shared {
    const shared: Shared = { id, source, requirement, users: new Set(), met: undefined };
    this.#requirements.set(id, shared);
    for (const mark of marksOf(source, requirement)) {
      const sharing = this.#byMark.get(mark) ?? new Set<Shared>();
      this.#byMark.set(mark, sharing.add(shared));
    }
    return shared;
  }

  #drop(shared: Shared): void {
    this.#requirements.delete(shared.id);
    for (const mark of marksOf(shared.source, shared.requirement)) {
      const sharing = this.#byMark.get(mark);
      sharing?.delete(shared);
      if (sharing?.size === 0) this.#byMark.delete(mark);
    }
  }
}

/** The marks in which two values of a key differ; none where they are the same. */
function changedMarks(source: Source, key: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after) return [];
  const marks: string[] = [];
  if (before !== undefined) marks.push(valueMark(source, key, before));
  if (after !== undefined) marks.push(valueMark(source, key, after));
  if (before === undefined || after === undefined) marks.push(presenceMark(source, key));
  return marks;
}

/** What a requirement looks at: the named values of its key, or whether the key is there. */
function marksOf(source: Source, { key, operator, values }: Requirement): string[] {
  if (operator === 'Exists' || operator === 'DoesNotExist') return [presenceMark(source, key)];
  return values.map((value) => valueMark(source, key, value));
}

function presenceMark(source: Source, key: string): string {
  return JSON.stringify([source, key]);
}

function valueMark(source: Source, key: string, value: string): string {
  return JSON.stringify([source, key, value]);
}

function idOf(source: Source, { key, operator, values }: Requirement): string {
  return JSON.stringify([source, operator, key, values]);
}

function* requirementsOf(rules: PlacementRules): Generator<{ id: string; source: Source; requirement: Requirement }> {
  for (const predicate of rules.predicates) {
    for (const source of SOURCES) {
      for (const requirement of predicate[source]) yield { id: idOf(source, requirement), source, requirement };
    }
  }
}
