import { timestamp } from '../../runtime/vocabulary/meta.js';
import { pieceText } from '../../domain/placement/explain/piecetext.js';
import { heldBackCause, heldCause } from '../../domain/placement/report/holds.js';
import { emptyGroupsText } from '../../domain/placement/report/groups.js';
import { waitText } from '../../domain/placement/report/waits.js';
import { sameList } from '../../domain/placement/stored/items.js';
import { notNeededText } from '../../domain/placement/explain/choicetext.js';
import { causeText } from '../../domain/placement/explain/causes.js';
import { explainDropped } from '../../domain/placement/explain/explain.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { absentKeys } from '../../domain/placement/explain/absentkeys.js';
import { readsViews, type PlacementRules } from '../../domain/placement/spec/predicates.js';
import type { Piece } from '../../domain/placement/stored/piece.js';
import { predicateOf } from '../../domain/placement/select/rules.js';
import { keptNow, leaving, waitsFor, windowIn, type Cause } from '../../domain/placement/select/decision.js';
import type { Scorer } from '../../domain/placement/select/scores.js';
import type { Before, Candidates, ClusterView } from '../../domain/placement/select/snapshot.js';
import type { Forecast } from '../world/forecast.js';
import { NONE_FOLLOW, type FollowingMoves } from './movesahead.js';
import type { Name, Side, Sides } from './sides.js';
import type { WorldInputs } from '../world/world.js';

/** What becomes of the decisions of all Placements when one world becomes another. */

/** A cluster that comes in. */
export interface PlannedAdd {
  readonly name: string;
  /** The first predicate that it matches; undefined without predicates. */
  readonly predicate: number | undefined;
  readonly why: string;
  /** Undefined without prioritizers. */
  readonly score?: number;
  /** The piece of a group that it comes into; undefined without groups. */
  readonly piece?: PieceName;
}

/** A cluster that leaves, or that is held or waits where it would; `HeldBack`: it would come in, and is kept out. */
export interface PlannedRemoval {
  readonly name: string;
  readonly cause: Cause | 'PlacementDeleted' | 'HeldBack';
  readonly why: string;
  /** Of one that is not needed any more; undefined without prioritizers. */
  readonly score?: number;
  /** The field of the spec that it waits for; undefined for one that leaves, or is held. */
  readonly waitsFor?: NonNullable<ReturnType<typeof waitsFor>>;
  /** When the change window opens that it waits for, RFC 3339. */
  readonly waitsUntil?: string;
}

/** A cluster that stays and changes its group or piece; undefined: the Placement has no groups then. */
export interface PlannedRegroup {
  readonly name: string;
  readonly from: PieceName | undefined;
  readonly to: PieceName | undefined;
}

export type PieceName = Pick<Piece, 'group' | 'index'>;

/**
 * `Unknown`: objects that it depends on could not be read, so `before`, `after` and all lists are empty. `Changed`: some
 * cluster comes in or leaves, other ones are held or wait, phase, reason or the wanted number differ, or a key or a group is new
 * that no cluster has.
 */
export type PlanKind = 'Created' | 'Deleted' | 'Changed' | 'Unchanged' | 'Unknown';

/** A Placement before or after the change. */
export interface PlacementState extends Pick<Forecast, 'phase' | 'satisfied' | 'clusters'> {
  readonly rules: PlacementRules;
  /** Those that are held or wait, in the decision or out of it, sorted by name. */
  readonly held: readonly string[];
  /** What is said of each key of spread, scores, groups and details that no matching cluster has. */
  readonly absentKeys: readonly string[];
  /** What is said of groups without a cluster; undefined for none. */
  readonly emptyGroups: string | undefined;
}

export interface PlacementPlan extends FollowingMoves {
  readonly namespace: string;
  readonly name: string;
  readonly kind: PlanKind;
  /** Undefined when the Placement does not exist then, or is being deleted. */
  readonly before: PlacementState | undefined;
  readonly after: PlacementState | undefined;
  /** All lists are sorted by name. */
  readonly adds: readonly PlannedAdd[];
  readonly removes: readonly PlannedRemoval[];
  readonly stays: readonly string[];
  readonly held: readonly PlannedRemoval[];
  readonly regrouped: readonly PlannedRegroup[];
}

type Lists = Pick<PlacementPlan, 'adds' | 'removes' | 'stays' | 'held' | 'regrouped'>;

const NO_LISTS: Lists = { adds: [], removes: [], stays: [], held: [], regrouped: [] };

export function unknownPlan(name: Name): PlacementPlan {
  return { ...name, kind: 'Unknown', before: undefined, after: undefined, ...NO_LISTS, ...NONE_FOLLOW };
}

/** `after`: where the clusters that come in are. */
export function planPlacement(name: Name, sides: Sides, after: WorldInputs): PlacementPlan {
  const lists = listsOf(sides, after);
  const states = { before: stateOf(sides.before), after: stateOf(sides.after) };
  return { ...name, kind: kindOf(states, lists), ...states, ...lists, ...NONE_FOLLOW };
}

function stateOf(side: Side | undefined): PlacementState | undefined {
  if (side === undefined) return undefined;
  const { phase, satisfied, clusters } = side.forecast;
  const held = keptNow(side.forecast.schedule)
    .map(([name]) => name)
    .sort();
  const { placement, candidates } = side.input.snapshot;
  const keys = readsViews(placement.rules) ? absentKeys(placement.rules, matching(candidates), NO_MATCH) : [];
  const emptyGroups = emptyGroupsText(placement.rules.groups, side.forecast.pieces.values());
  const absent = keys.map(({ message }) => message);
  return { phase, satisfied, clusters, held, rules: placement.rules, absentKeys: absent, emptyGroups };
}

const NO_MATCH = 'no cluster that matches';

function matching(candidates: Candidates): Iterable<ClusterView> {
  return {
    *[Symbol.iterator]() {
      for (const { name } of candidates.matched) {
        const one = candidates.view(name);
        if (one !== undefined) yield one;
      }
    },
  };
}

function kindOf(
  { before, after }: Pick<PlacementPlan, 'before' | 'after'>,
  { adds, removes, regrouped }: Lists,
): PlanKind {
  if (before === undefined) return after === undefined ? 'Unchanged' : 'Created';
  if (after === undefined) return 'Deleted';
  const moves = adds.length + removes.length + regrouped.length;
  const isSame =
    before.phase === after.phase &&
    sameList(before.held, after.held) &&
    before.satisfied.reason === after.satisfied.reason &&
    before.rules.wanted === after.rules.wanted &&
    newlySaid(before, after).length === 0;
  return moves === 0 && isSame ? 'Unchanged' : 'Changed';
}

/** What is said of keys and groups after the change, and not before it. */
export function newlySaid(before: PlacementState | undefined, after: PlacementState | undefined): readonly string[] {
  const [was, is] = [before, after].map((one) => [...(one?.absentKeys ?? []), one?.emptyGroups]);
  return (is ?? []).filter((text) => text !== undefined).filter((text) => was?.includes(text) !== true);
}

function listsOf(sides: Sides, inputs: WorldInputs): Lists {
  const [first, then] = [sides.before?.forecast.clusters ?? [], sides.after?.forecast.clusters ?? []];
  const [had, has] = [new Set(first), new Set(then)];
  const { after } = sides;
  const added = then.filter((name) => !had.has(name));
  const kept = after === undefined ? [] : keptNow(after.forecast.schedule);
  const staying = new Set(kept.flatMap(([name, { kind }]) => (kind === 'held' ? [name] : [])));
  return {
    adds: after === undefined ? [] : added.map((name) => addOf(name, inputs.cluster(name), after)),
    removes: removalsOf(
      first.filter((name) => !has.has(name)),
      sides,
    ),
    stays: first.filter((name) => has.has(name) && !staying.has(name)),
    held: heldOf(sides),
    regrouped: regroupedOf(sides),
  };
}

function regroupedOf({ before, after }: Sides): readonly PlannedRegroup[] {
  if (before === undefined || after === undefined) return [];
  const [first, then] = [before.forecast, after.forecast];
  if (first.pieces.size + then.pieces.size === 0) return [];
  const stays = new Set(then.clusters);
  return first.clusters.flatMap((name): PlannedRegroup[] => {
    const [from, to] = [first.pieces.get(name), then.pieces.get(name)];
    const isSame = from?.group === to?.group && from?.index === to?.index;
    return !stays.has(name) || isSame ? [] : [{ name, from: nameOf(from), to: nameOf(to) }];
  });
}

function nameOf(piece: Piece | undefined): PieceName | undefined {
  return piece && { group: piece.group, index: piece.index };
}

/** The clusters that stay, or stay out: what keeps them, and what those wait for that are not held. */
function heldOf({ before, after }: Sides): readonly PlannedRemoval[] {
  if (after === undefined) return [];
  const snapshot = { ...after.input.snapshot, before: changeSince(before) };
  const { schedule } = after.forecast;
  const heldBack = heldBackCause(snapshot);
  const planned = keptNow(schedule).map(([name, fate]): PlannedRemoval => {
    const { kind, by } = fate;
    const field = waitsFor(by);
    const waits = field && { waitsFor: field };
    if (kind === 'keptOut') return { name, cause: 'HeldBack', why: waits ? waitText(by) : heldBack, ...waits };
    const why = heldCause({ cluster: name, cause: fate.cause }, snapshot, schedule);
    if (waits === undefined) return { name, cause: fate.cause, why };
    const window = windowIn(by);
    const until = window && { waitsUntil: timestamp(window.opens) };
    return { name, cause: fate.cause, why: `${why}; ${waitText(by)}`, ...waits, ...until };
  });
  return planned.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function addOf(name: string, cluster: ClusterView | undefined, { input, forecast, scorer }: Side): PlannedAdd {
  const predicate = cluster && predicateOf(input.snapshot.placement.rules, cluster);
  const why = predicate === undefined ? 'every cluster matches' : `predicate ${predicate}`;
  const add = { name, predicate, ...scored(why, cluster, scorer) };
  const piece = nameOf(forecast.pieces.get(name));
  return piece === undefined ? add : { ...add, why: `${add.why}, ${pieceText(piece)}`, piece };
}

/** The reason, with the score of the cluster where scores count. */
function scored(
  why: string,
  cluster: ClusterView | undefined,
  scorer: Scorer | undefined,
): { readonly why: string; readonly score?: number } {
  if (cluster === undefined || scorer === undefined) return { why };
  const score = scorer.total(cluster) / 100;
  return { why: `${why}, score ${score}`, score };
}

function removalsOf(names: readonly string[], { before, after }: Sides): readonly PlannedRemoval[] {
  if (names.length === 0) return [];
  if (after === undefined)
    return names.map((name) => ({ name, cause: 'PlacementDeleted', why: 'the Placement is deleted' }));
  const explained = new Map(
    explainDropped(after.input.snapshot, after.forecast.schedule).map((one) => [one.name, one]),
  );
  const causes = new Map(leaving(after.forecast.schedule).map((one) => [one.cluster, one.cause]));
  return names.map((name) => {
    const [one, cause] = [explained.get(name), causes.get(name)];
    if (one === undefined || cause === undefined)
      return { name, cause: 'PlacementDeleted', why: 'the Placement is deleted and created again' };
    const why = removalText(one, { before, after });
    return { name, cause, ...(cause === 'NotNeeded' ? scored(why, one.cluster, after.scorer) : { why }) };
  });
}

function removalText(one: ClusterExplanation, { before, after }: Sides): string {
  if (after === undefined) return '';
  const { placement } = after.input.snapshot;
  if (one.verdict === 'NotNeeded') return notNeededText(one.cluster, placement.rules);
  return causeText(one, { placement, schedule: after.forecast.schedule }, changeSince(before)) ?? '';
}

/** What the causes of removals are compared with. */
function changeSince(before: Side | undefined): Before | undefined {
  if (before === undefined) return undefined;
  const { input, forecast, inputs } = before;
  return {
    rules: input.snapshot.placement.rules,
    eligible: forecast.schedule.eligibility.eligible,
    selectors: input.selectors,
    cluster: (name) => inputs.cluster(name),
  };
}
