import { field, sameJson } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { keptNow, merelyWaits } from '../../domain/placement/select/decision.js';
import { COLLECTION_WINDOW } from '../../domain/placement/select/waiting.js';
import { someNames } from '../output.js';
import { forecastOf, type PublishedState } from '../world/forecast.js';
import { worldsOf } from '../world/overlay.js';
import { WorldInputs, type World } from '../world/world.js';
import type { Changed } from './changed.js';
import type { PlannedApart, PlannedPlacement } from './document.js';

/**
 * What changes do one after another, where that differs from what they do together. A plan judges them together, as the
 * controller judges writes that follow each other shortly where a bound counts them. Of others each may be a decision of its
 * own, which leaves the next one less of a bound, or another choice.
 */

/** For how many clusters the rules are judged at most: some ten seconds. */
const MOST_JUDGED = 20_000_000;
/** Clusters that a line names. */
const MOST_NAMES = 5;

/** A Placement before, between or after the writes. */
interface Interim {
  /** Its clusters before the first write. */
  readonly first: ReadonlySet<string>;
  /** Its clusters now. */
  readonly clusters: ReadonlySet<string>;
  readonly published: PublishedState;
  /** Those held or waiting. */
  readonly held: readonly string[];
  /** How many of `held` only wait. */
  readonly waiting: number;
  /** Those of `first` that have left so far, in order, also if they came back. */
  readonly leave: Set<string>;
  /** Others that have come in so far, also if they left again. */
  readonly come: Set<string>;
}

/**
 * For each of the plans what its changes do one after another, if that differs from what they do together; undefined where it
 * would take too long. In O(writes × plans × clusters).
 */
export function plansApart(
  before: World,
  { after, writes, isOrdered }: Changed,
  plans: readonly PlannedPlacement[],
  onDecision?: () => void,
): ReadonlyMap<PlannedPlacement, PlannedApart> | undefined {
  const found = new Map<PlannedPlacement, PlannedApart>();
  const specs = [before, after].map(
    ({ objects }) => new Map(objects.placements.map((one) => [keyOf(one.metadata), one.spec])),
  );
  const specsOf = (plan: PlannedPlacement): readonly unknown[] => specs.map((all) => all.get(keyOf(plan)));
  const judged = plans.filter((plan) => orderMatters(plan, specsOf(plan)));
  if (judged.length === 0 || writes.length < 2 || !isOrdered) return found;
  if (writes.length * (judged.length + 1) * before.objects.managedclusters.length > MOST_JUDGED) return undefined;
  const interims = new Map<PlannedPlacement, Interim | undefined>(judged.map((plan) => [plan, undefined]));
  let last: WorldInputs | undefined;
  for (const world of worldsOf(before, writes)) {
    const inputs: WorldInputs = new WorldInputs(world, last, onDecision);
    if (last !== undefined && inputs.isBalanced) inputs.continueFrom(last);
    last = inputs;
    for (const [plan, interim] of interims) {
      const next = nextInterim(inputs, plan, interim);
      if (next === undefined) interims.delete(plan);
      else interims.set(plan, next);
    }
  }
  for (const [plan, interim] of interims) {
    const apart = interim && apartOf(plan, interim, specsOf(plan));
    if (apart !== undefined) found.set(plan, apart);
  }
  return found;
}

/** Whether the order of the writes may matter: a bound may concern the Placement, or a number of clusters is wanted. */
function orderMatters(plan: PlannedPlacement, specs: readonly unknown[]): boolean {
  const { change, before, after } = plan;
  if (change !== 'Changed' || before === undefined || after === undefined) return false;
  return isBounded(plan, specs) || before.wanted !== undefined || after.wanted !== undefined;
}

/** Whether a bound may concern it: a disruption budget, or that of deleted clusters. */
function isBounded({ remove, held }: PlannedPlacement, specs: readonly unknown[]): boolean {
  const isDeletion = ({ cause }: { readonly cause: string }): boolean => cause === 'Gone' || cause === 'Deleting';
  return specs.some((spec) => field(spec, 'disruptionBudget') !== undefined) || [...remove, ...held].some(isDeletion);
}

/** Undefined where the Placement is gone meanwhile. */
function nextInterim(inputs: WorldInputs, plan: PlannedPlacement, last: Interim | undefined): Interim | undefined {
  const input = inputs.input(plan, last?.published);
  if (input === undefined || input.deleting) return undefined;
  const { clusters: list, published, decision } = forecastOf(input.snapshot);
  inputs.decided(plan, list);
  const clusters = new Set(list);
  const kept = keptNow(decision);
  const { first = clusters, leave = new Set<string>(), come = new Set<string>() } = last ?? {};
  for (const name of last?.clusters ?? []) if (first.has(name) && !clusters.has(name)) leave.add(name);
  for (const name of list) if (!first.has(name)) come.add(name);
  return {
    first,
    clusters,
    // What was recorded at an earlier write counts at a later one, too.
    published: {
      ...published,
      removals: published.removals + (last?.published.removals ?? 0),
      additions: published.additions + (last?.published.additions ?? 0),
    },
    held: kept.map(([name]) => name).sort(),
    waiting: kept.filter(([, { by }]) => merelyWaits(by)).length,
    leave,
    come,
  };
}

function apartOf(plan: PlannedPlacement, interim: Interim, specs: readonly unknown[]): PlannedApart | undefined {
  const { remove, add, held } = plan;
  const { clusters, waiting } = interim;
  const [leave, come] = [[...interim.leave], [...interim.come].filter((name) => clusters.has(name))];
  const together = [remove, add, held].map((list) => list.map(({ name }) => name));
  const apart = [leave, come, interim.held].map((list) => [...list].sort());
  if (together.every((names, index) => names.join() === apart[index]?.join())) return undefined;
  const lists = { leave, back: leave.filter((name) => clusters.has(name)), come, held: interim.held };
  // An edit of the Placement is decided at once; of others, those that a bound counts are judged together for a while.
  const isCollected = isBounded(plan, specs) && sameJson(specs[0], specs[1]);
  return { ...lists, message: apartText({ ...lists, waiting, isCollected }) };
}

/**
 * `written more than 2 s apart, in this order: 2 leave (a, b), 4 are held`; `written one after the other, …` where each write may
 * be decided before the next. `waiting`: how many of the held ones wait for a change window, or for the end of a pause.
 */
export function apartText({
  isCollected,
  leave,
  back,
  come,
  held: staying,
  waiting,
}: Omit<PlannedApart, 'message'> & { readonly isCollected: boolean; readonly waiting: number }): string {
  const held = staying.length - waiting;
  const parts = [
    leave.length === 0 ? undefined : `${leave.length} ${leave.length === 1 ? 'leaves' : 'leave'} (${namesText(leave)})`,
    back.length === 0 ? undefined : `of these ${back.length} come back (${namesText(back)})`,
    come.length === 0 ? undefined : `${come.length} ${come.length === 1 ? 'comes' : 'come'} in (${namesText(come)})`,
    held === 0 && waiting > 0 ? undefined : `${held || 'none'} ${held > 1 ? 'are' : 'is'} held`,
    waiting === 0 ? undefined : `${waiting} ${waiting === 1 ? 'waits' : 'wait'}`,
  ];
  const way = isCollected ? `more than ${COLLECTION_WINDOW.quietMs / 1_000} s apart` : 'one after the other';
  return `written ${way}, in this order: ${parts.filter((one) => one !== undefined).join(', ')}`;
}

function namesText(names: readonly string[]): string {
  return someNames(names, MOST_NAMES);
}
