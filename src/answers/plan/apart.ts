import { field, sameJson } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { keptNow } from '../../domain/placement/select/decision.js';
import { merelyWaits } from '../../domain/placement/select/holders.js';
import { COLLECTION_WINDOW } from '../../domain/placement/select/waiting.js';
import { someNames } from '../output.js';
import { forecastOf, type PublishedState } from '../world/forecast.js';
import { worldsOf } from '../world/overlay.js';
import { WorldInputs, type World } from '../world/world.js';
import type { Changed } from './changed.js';
import type { PlannedApart, PlannedPlacement } from './document.js';

/**
 * What changes do when they are written apart, one after another, where that differs from what they do when they are written
 * together.
 *
 * A plan computes one decision for all changes. So does the controller where a bound counts them and each write follows the one
 * before within {@link COLLECTION_WINDOW}. Otherwise each write may lead to a decision of its own. It can use up the bound, or
 * select other clusters, so that the next write has another effect.
 */

/** The most clusters that are judged, over all writes and Placements: about ten seconds. Above it nothing is computed. */
const MOST_JUDGED = 20_000_000;
/** How many clusters of each list a line names. */
const MOST_NAMES = 5;

/** What a Placement has come to after some of the writes. `now`: after the last of them. */
interface Progress {
  /** Its clusters before the first write. */
  readonly first: ReadonlySet<string>;
  /** Its clusters now. */
  readonly clusters: ReadonlySet<string>;
  readonly published: PublishedState;
  /** The clusters that are held or wait now, sorted. */
  readonly held: readonly string[];
  /** How many of `held` only wait. */
  readonly waiting: number;
  /** The clusters of `first` that have left so far, in order, including those that came back. */
  readonly leave: ReadonlySet<string>;
  /** The other clusters that have come in so far, in order, including those that left again. */
  readonly come: ReadonlySet<string>;
}

/** The spec of a Placement before and after all writes. */
type Specs = readonly [before: unknown, after: unknown];

/**
 * The plans whose changes have another effect when they are written apart, each with that effect; none where `writes`
 * lacks some changes. Undefined where this would take too long: O(writes × plans × clusters).
 */
export function plansApart(
  before: World,
  { after, writes, hasAllWrites }: Changed,
  plans: readonly PlannedPlacement[],
  onDecision?: () => void,
): ReadonlyMap<PlannedPlacement, PlannedApart> | undefined {
  const found = new Map<PlannedPlacement, PlannedApart>();
  if (!hasAllWrites || writes.length < 2) return found;
  const [specsBefore, specsAfter] = [specsIn(before), specsIn(after)];
  const specsOf = (plan: PlannedPlacement): Specs => [specsBefore.get(keyOf(plan)), specsAfter.get(keyOf(plan))];
  const dependent = plans.filter((plan) => orderMatters(plan, specsOf(plan)));
  if (dependent.length === 0) return found;
  // One more than the Placements: each world has a table of its clusters.
  if (writes.length * (dependent.length + 1) * before.objects.managedclusters.length > MOST_JUDGED) return undefined;
  for (const [plan, progress] of afterAllWrites(worldsOf(before, writes), dependent, onDecision)) {
    const apart = apartOf(plan, progress, specsOf(plan));
    if (apart !== undefined) found.set(plan, apart);
  }
  return found;
}

function specsIn({ objects }: World): ReadonlyMap<string, unknown> {
  return new Map(objects.placements.map((one) => [keyOf(one.metadata), one.spec]));
}

/** The Placements after the last write but those that a write has deleted. `worlds`: before the first write, and after each. */
function afterAllWrites(
  worlds: Iterable<World>,
  plans: readonly PlannedPlacement[],
  onDecision?: () => void,
): ReadonlyMap<PlannedPlacement, Progress> {
  const progress = new Map<PlannedPlacement, Progress>();
  let existing = plans;
  let last: WorldInputs | undefined;
  for (const world of worlds) {
    const inputs: WorldInputs = new WorldInputs(world, last, onDecision);
    // Balance counts the decisions of other Placements: those after the write before.
    if (last !== undefined && inputs.isBalanced) inputs.continueFrom(last);
    last = inputs;
    for (const plan of existing) {
      const next = afterWrite(inputs, plan, progress.get(plan));
      if (next === undefined) progress.delete(plan);
      else progress.set(plan, next);
    }
    existing = existing.filter((plan) => progress.has(plan));
  }
  return progress;
}

/** Whether the order of the writes may matter: a bound may concern the Placement, or a number of clusters is wanted. */
function orderMatters(plan: PlannedPlacement, specs: Specs): boolean {
  const { change, before, after } = plan;
  if (change !== 'Changed' || before === undefined || after === undefined) return false;
  return isBounded(plan, specs) || before.wanted !== undefined || after.wanted !== undefined;
}

/** Whether a bound may concern the Placement: its disruption budget, or the bound for deleted clusters. */
function isBounded({ remove, held }: PlannedPlacement, specs: Specs): boolean {
  const isDeletion = ({ cause }: { readonly cause: string }): boolean => cause === 'Gone' || cause === 'Deleting';
  return specs.some((spec) => field(spec, 'disruptionBudget') !== undefined) || [...remove, ...held].some(isDeletion);
}

/** The Placement after one more write, `last` after the one before; undefined when that write has deleted it. */
function afterWrite(inputs: WorldInputs, plan: PlannedPlacement, last: Progress | undefined): Progress | undefined {
  const input = inputs.input(plan, last?.published);
  if (input === undefined || input.deleting) return undefined;
  const { clusters: list, published, decision } = forecastOf(input.snapshot);
  inputs.decided(plan, list);
  const clusters = new Set(list);
  const kept = keptNow(decision);
  const { first = clusters, clusters: before = clusters, leave = [], come = [] } = last ?? {};
  return {
    first,
    clusters,
    published,
    held: kept.map(([name]) => name).sort(),
    waiting: kept.filter(([, { by }]) => merelyWaits(by)).length,
    leave: new Set([...leave, ...[...before].filter((name) => first.has(name) && !clusters.has(name))]),
    come: new Set([...come, ...list.filter((name) => !first.has(name))]),
  };
}

/** What the plan says of the writes, `last` being the Placement after all of them; undefined where it is the same together. */
function apartOf(plan: PlannedPlacement, last: Progress, specs: Specs): PlannedApart | undefined {
  const { remove, add } = plan;
  const { clusters, held, waiting } = last;
  const leave = [...last.leave];
  const come = [...last.come].filter((name) => clusters.has(name));
  const together = [remove, add, plan.held].map((list) => list.map(({ name }) => name));
  const apart = [leave, come, held].map((list) => [...list].sort());
  if (together.every((names, index) => names.join() === apart[index]?.join())) return undefined;
  const lists = { leave, back: leave.filter((name) => clusters.has(name)), come, held };
  // Where a bound counts changes, the controller collects those that follow each other, but it decides at once for an edited spec.
  const isCollected = isBounded(plan, specs) && sameJson(specs[0], specs[1]);
  return { ...lists, message: apartText({ ...lists, waiting, isCollected }) };
}

/**
 * `written more than 2 s apart, in this order: 2 leave (a, b), 4 are held`. Without `isCollected` it begins with `written one after
 * the other`, since each write may be decided before the next. `waiting`: how many of `held` only wait, for a change window or for
 * the end of a pause.
 */
export function apartText({
  isCollected,
  leave,
  back,
  come,
  held,
  waiting,
}: Omit<PlannedApart, 'message'> & { readonly isCollected: boolean; readonly waiting: number }): string {
  const heldCount = held.length - waiting;
  const parts = [
    leave.length === 0 ? undefined : `${leave.length} ${leave.length === 1 ? 'leaves' : 'leave'} (${namesText(leave)})`,
    back.length === 0 ? undefined : `of these ${back.length} come back (${namesText(back)})`,
    come.length === 0 ? undefined : `${come.length} ${come.length === 1 ? 'comes' : 'come'} in (${namesText(come)})`,
    heldCount === 0 && waiting > 0 ? undefined : `${heldCount || 'none'} ${heldCount > 1 ? 'are' : 'is'} held`,
    waiting === 0 ? undefined : `${waiting} ${waiting === 1 ? 'waits' : 'wait'}`,
  ];
  const way = isCollected ? `more than ${COLLECTION_WINDOW.quietMs / 1_000} s apart` : 'one after the other';
  return `written ${way}, in this order: ${parts.filter((one) => one !== undefined).join(', ')}`;
}

function namesText(names: readonly string[]): string {
  return someNames(names, MOST_NAMES);
}
