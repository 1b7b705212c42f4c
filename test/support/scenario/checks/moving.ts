import {
  Choosing,
  fillAndReplace,
  hashByTheBook,
  type ModelCluster,
  type ModelConstraint,
  type ModelSpec,
  predicateOf,
  servingDomainOf,
  type Question,
} from './choice.js';

/**
 * What `rebalance`, change windows and a pause do to a decision, and the pieces of its groups, read literally from the rules of
 * scheduling, like `choice.ts`.
 */

export interface ModelRebalance {
  readonly scoreMargin: number;
  readonly minSelectedSeconds?: number;
  readonly intervalSeconds?: number;
}

/** A decision that was made before: `ages`, for how many seconds each selected cluster is selected. */
export interface MoveQuestion extends Omit<Question, 'before'> {
  readonly rebalance: ModelRebalance;
  readonly ages: Readonly<Record<string, number>>;
  /** How many removals the disruption budget has left. */
  readonly left: number;
}

/** How many selected clusters are above what `maxSkew` allows. */
function excess(state: Choosing, constraint: ModelConstraint, selected: readonly ModelCluster[]): number {
  const counts = new Map<string, number>();
  for (const one of selected) {
    const domain = servingDomainOf(constraint, one);
    if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const allowed = state.lowest(constraint, [...selected]) + (constraint.maxSkew ?? 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.max(count - allowed, 0), 0);
}

interface Pair {
  readonly leaves: ModelCluster;
  readonly comes: ModelCluster;
  readonly gain: number;
  readonly excess: readonly number[];
}

function difference(a: readonly number[], b: readonly number[]): number {
  return a.map((one, index) => one - (b[index] ?? 0)).find((one) => one !== 0) ?? 0;
}

/** Negative when `a` ranks before `b`. */
function byRankOf(placement: string, a: ModelCluster, b: ModelCluster): number {
  if (a === b) return 0;
  const [first, second] = [hashByTheBook(placement, a.name), hashByTheBook(placement, b.name)];
  return first === second ? (a.name < b.name ? -1 : 1) : first > second ? -1 : 1;
}

/** The pair that moves, as `leaves → comes`; undefined for none. What is selected is what steps 1 to 3 leave as it is. */
export function moveByTheBook({ ages, rebalance, left, ...question }: MoveQuestion): string | undefined {
  const { scoreMargin, minSelectedSeconds = 3_600, intervalSeconds = 60 } = rebalance;
  const state = new Choosing({ ...question, before: Object.keys(ages) });
  const { selected, constraints } = state;
  if (left < 1 || Object.values(ages).some((age) => age < intervalSeconds)) return undefined;
  const before = constraints.map((one) => excess(state, one, selected));
  const pairs = selected
    .filter(({ name, state: is }) => is !== 'silent' && (ages[name] ?? 0) >= minSelectedSeconds)
    .flatMap((leaves) =>
      state.selectable
        .filter((comes) => !selected.includes(comes) && comes.unpreferred <= leaves.unpreferred)
        .flatMap((comes): readonly Pair[] => {
          state.selected = selected.filter((one) => one !== leaves);
          const isAllowed = state.allows(comes);
          const then = [...state.selected, comes];
          state.selected = selected;
          const pair = {
            leaves,
            comes,
            gain: state.score(comes) - state.score(leaves),
            excess: constraints.map((one) => excess(state, one, then)),
          };
          const spread = difference(pair.excess, before);
          const isBetter = pair.gain > 0 && pair.gain >= Math.round(scoreMargin * 100);
          return isAllowed && (spread < 0 || (spread === 0 && isBetter)) ? [pair] : [];
        }),
    );
  const [best] = pairs.sort(
    (a, b) =>
      difference(a.excess, b.excess) ||
      b.gain - a.gain ||
      byRankOf(question.placement, b.leaves, a.leaves) ||
      byRankOf(question.placement, a.comes, b.comes),
  );
  return best === undefined ? undefined : `${best.leaves.name} → ${best.comes.name}`;
}

/** How many clusters can be selected: the numbers of the predicates are limits of their own. */
export function mostByTheBook({ numberOfClusters = Infinity, predicates = [] }: ModelSpec): number {
  const numbers = predicates.map((one) => one.numberOfClusters ?? Infinity);
  return Math.min(numberOfClusters, numbers.length === 0 ? Infinity : numbers.reduce((sum, one) => sum + one, 0));
}

/**
 * The clusters that are selected while changes wait for a window: who exists leaves only for silence, and what is missing is
 * filled up.
 * `before` has as many as can be selected at most; those that wait keep their places.
 */
export function fillByTheBook(question: Question): readonly string[] {
  const state = new Choosing(question);
  const staying = question.clusters.filter(({ name }) => question.before.includes(name));
  state.selected = staying;
  const counting = (all: readonly ModelCluster[], like: ModelCluster): number =>
    all.filter((one) => predicateOf(question.spec, one) === predicateOf(question.spec, like)).length;
  const isSilent = ({ state: is }: ModelCluster): boolean => is === 'silent';
  // One that is above the number of its predicate leaves for that in a window only, else for one that has come in.
  const stays = (one: ModelCluster): boolean => {
    const came = state.selected.filter((each) => !staying.includes(each));
    const kept = counting(state.selected.filter(isSilent), one);
    return state.hasPlace(one) || kept < counting(staying.filter(isSilent), one) - counting(came, one);
  };
  fillAndReplace(state, mostByTheBook(question.spec), undefined, stays);
  return state.selected.map(({ name }) => name).sort();
}

/** A piece of a group: its clusters, how many were selected when it was begun, and the size with which it was cut. */
export interface ModelPiece {
  readonly group: string;
  readonly clusters: readonly string[];
  readonly begun: number;
  readonly size: number | string;
}

export interface PieceQuestion {
  /** The groups in their order; the last is the one without a name. */
  readonly groups: readonly string[];
  readonly groupOf: (name: string) => string;
  readonly before: readonly ModelPiece[];
  /** All that are selected now: first those that stay, then new ones in the order in which they come in. */
  readonly selected: readonly string[];
  /** `clustersPerDecisionGroup`. */
  readonly size: number | string;
}

/** The pieces of a decision by group, each group without empty pieces at its end. */
export function piecesByTheBook({ groups, groupOf, before, selected, size }: PieceQuestion): readonly ModelPiece[] {
  const room = ({ clusters, begun }: ModelPiece): number => {
    if (typeof size === 'number') return size;
    if (size === '100%') return Infinity;
    const of = clusters.length === 0 ? selected.length : Math.min(begun, selected.length);
    return Math.max(1, Math.ceil((of * Number.parseInt(size, 10)) / 100));
  };
  const numberOf = (name: string): number => {
    const piece = before.find(({ clusters }) => clusters.includes(name));
    return before.filter(({ group }) => group === piece?.group).findIndex((one) => one === piece);
  };
  const isNew = (name: string): boolean => before.every(({ clusters }) => !clusters.includes(name));
  const stayed = selected.filter((name) => !isNew(name)).sort((a, b) => numberOf(a) - numberOf(b));
  const ordered = [...stayed, ...selected.filter(isNew)];
  return groups.flatMap((group) => {
    const members = ordered.filter((name) => groupOf(name) === group);
    const pieces = before
      .filter((piece) => piece.group === group && piece.size === size)
      .map((piece) => ({ ...piece, clusters: piece.clusters.filter((name) => members.includes(name)) }));
    const placed = new Set(pieces.flatMap(({ clusters }) => clusters));
    for (const name of members.filter((one) => !placed.has(one))) {
      let index = pieces.findIndex((piece) => piece.clusters.length < room(piece));
      if (index < 0) index = pieces.push({ group, clusters: [], begun: selected.length, size }) - 1;
      const piece = pieces[index] ?? { group, clusters: [], begun: selected.length, size };
      const begun = piece.clusters.length === 0 ? selected.length : piece.begun;
      pieces[index] = { ...piece, clusters: [...piece.clusters, name], begun };
    }
    return pieces.slice(0, pieces.findLastIndex(({ clusters }) => clusters.length > 0) + 1);
  });
}
