import { sameJson } from '../../runtime/vocabulary/json.js';
import { keptNow, merelyWaits } from '../../domain/placement/select/decision.js';
import type { PlacementPlan } from './plan.js';
import { forecastOf, type PublishedState } from '../world/forecast.js';
import { WorldInputs, type World } from '../world/world.js';

/**
 * What changes do one after another, where that differs from what they do together. A plan judges them together, as the
 * controller judges writes that follow each other shortly where a bound counts them. Of others each may be a decision of its
 * own, which leaves the next one less of a bound, or another choice.
 */
export interface ApartPlan {
  /** Whether the controller judges them together while they follow each other shortly. */
  readonly isCollected: boolean;
  /** The clusters of the decision before that leave, in the order in which they do. */
  readonly leave: readonly string[];
  /** Those of them that are in the decision at the end. */
  readonly back: readonly string[];
  /** The clusters that come in and are in the decision at the end, in the order in which they do. */
  readonly come: readonly string[];
  /** Those that are held or wait at the end, in the decision or out of it, sorted by name. */
  readonly held: readonly string[];
  /** How many of them wait for a change window, or for the end of a pause. */
  readonly waiting: number;
}

/** A Placement between two writes. */
interface Interim {
  readonly first: ReadonlySet<string>;
  readonly clusters: ReadonlySet<string>;
  readonly published: PublishedState;
  readonly held: readonly string[];
  readonly waiting: number;
  readonly leave: Set<string>;
  readonly come: Set<string>;
}

type Plans = readonly PlacementPlan[];

/** The plans for which the order of the writes may matter: those that a bound may concern, and those of a number of clusters. */
export function orderedPlans(plans: Plans): Plans {
  return plans.filter((plan) => {
    const { kind, before, after } = plan;
    if (kind !== 'Changed' || before === undefined || after === undefined) return false;
    return isBounded(plan) || [before, after].some(({ rules }) => rules.wanted !== undefined);
  });
}

/** Whether a bound may concern it: of removals by a budget or of deletions, or of additions. */
function isBounded({ before, after, removes, held }: PlacementPlan): boolean {
  const isDeletion = ({ cause }: { readonly cause: string }): boolean => cause === 'Gone' || cause === 'Deleting';
  return [before, after].some((one) => one?.rules.budget !== undefined) || [...removes, ...held].some(isDeletion);
}

/** An edit of the Placement is decided at once. */
function isEdited({ before, after }: PlacementPlan): boolean {
  return !sameJson(before?.rules, after?.rules);
}

/**
 * For each of the plans what its changes do one after another, if that differs from what they do together. `worlds`: before the
 * changes and after each. In O(worlds × plans × clusters).
 */
export function plansApart(
  worlds: Iterable<World>,
  plans: Plans,
  onDecision?: () => void,
): ReadonlyMap<PlacementPlan, ApartPlan> {
  const interims = new Map<PlacementPlan, Interim | undefined>(plans.map((plan) => [plan, undefined]));
  let before: WorldInputs | undefined;
  for (const world of worlds) {
    const inputs: WorldInputs = new WorldInputs(world, before, onDecision);
    if (before !== undefined && inputs.isBalanced) inputs.continueFrom(before);
    before = inputs;
    for (const [plan, interim] of interims) {
      const next = nextInterim(inputs, plan, interim);
      if (next === undefined) interims.delete(plan);
      else interims.set(plan, next);
    }
  }
  const found = new Map<PlacementPlan, ApartPlan>();
  for (const [plan, interim] of interims) {
    const apart = interim && apartOf(plan, interim);
    if (apart !== undefined) found.set(plan, apart);
  }
  return found;
}

/** Undefined where the Placement is gone meanwhile. */
function nextInterim(inputs: WorldInputs, plan: PlacementPlan, before: Interim | undefined): Interim | undefined {
  const input = inputs.input(plan, before?.published);
  if (input === undefined || input.deleting) return undefined;
  const { clusters: list, published, schedule } = forecastOf(input.snapshot);
  inputs.decided(plan, list);
  const clusters = new Set(list);
  const kept = keptNow(schedule);
  const { first = clusters, leave = new Set<string>(), come = new Set<string>() } = before ?? {};
  for (const name of before?.clusters ?? []) if (first.has(name) && !clusters.has(name)) leave.add(name);
  for (const name of list) if (!first.has(name)) come.add(name);
  return {
    first,
    clusters,
    // What was recorded at an earlier write counts at a later one, too.
    published: {
      ...published,
      removals: published.removals + (before?.published.removals ?? 0),
      additions: published.additions + (before?.published.additions ?? 0),
    },
    held: kept.map(([name]) => name).sort(),
    waiting: kept.filter(([, { by }]) => merelyWaits(by)).length,
    leave,
    come,
  };
}

function apartOf(plan: PlacementPlan, interim: Interim): ApartPlan | undefined {
  const { removes, adds, held } = plan;
  const { leave, clusters } = interim;
  const come = [...interim.come].filter((name) => clusters.has(name));
  const together = [removes, adds, held].map((list) => list.map(({ name }) => name));
  const apart = [[...leave], come, interim.held].map((list) => [...list].sort());
  if (together.every((names, index) => names.join() === apart[index]?.join())) return undefined;
  const isCollected = isBounded(plan) && !isEdited(plan);
  const back = [...leave].filter((name) => clusters.has(name));
  return { isCollected, leave: [...leave], back, come, held: interim.held, waiting: interim.waiting };
}
