import { DECISION_SIZE } from '../../../api/names.js';
import type { Problem } from '../../selectors.js';
import { admit } from './additions.js';
import { ration, type HeldRemoval, type HoldKind } from './budget.js';
import { definitionsTrusted } from './definitions.js';
import { isOwn } from '../stored/decision.js';
import { eligibleSets, type Eligibility } from './eligible.js';
import { judgeSelected, type SelectedClusters } from './judge.js';
import { bestFirst, bestNewClusters, tierOfSelected } from './order.js';
import { seedOf } from './rank.js';
import { taintEffects, type TaintEffects } from './tainteffects.js';
import type { FailedRule } from './rules.js';
import type { PlacementSnapshot, Slots, StoredDecision } from './snapshot.js';

/**
 * Why a selected cluster is dropped: the first rule that it fails, or `NotNeeded`. For `Gone` and `NotMember` some object is
 * missing, and its deletion has to be confirmed before the cluster is dropped. `Tainted` also for one that has yielded its
 * place to another.
 */
export type DropCause = FailedRule | 'NotNeeded';

export interface Dropped {
  readonly cluster: string;
  readonly cause: DropCause;
}

/** What a Placement selects. Names in lists are unique; no cluster is both kept and added. */
export interface Schedule extends TaintEffects {
  readonly eligibility: Eligibility;
  /** The invalid field; the last decision then stays published, without clusters that are deleted. */
  readonly problem: Problem | undefined;
  /** numberOfClusters; undefined for all matching clusters. */
  readonly wanted: number | undefined;
  /** Number of candidates, including clusters kept because a set is unreadable. This and `matched`: 0 with a `problem`. */
  readonly candidates: number;
  readonly matched: number;
  /** The clusters selected before, by decision object. */
  readonly current: Slots;
  /** The clusters selected before and still, by decision object, in their order there. */
  readonly kept: Slots;
  /** Newly selected, highest rank first. */
  readonly added: readonly string[];
  /** Sorted by name. */
  readonly dropped: readonly Dropped[];
  /** Those that fail a rule and are held, sorted by name; they are in `kept` too. */
  readonly heldRemovals: readonly HeldRemoval[];
  /** What holds them; undefined when nothing is held. */
  readonly hold: HoldKind | undefined;
  /** Those of `dropped` whose removal counts against a bound, and how many of them leave first, uncounted. */
  readonly counted: ReadonlySet<string>;
  readonly uncounted: number;
  /** Those of `added` that count against the disruption budget. */
  readonly countedAdditions: ReadonlySet<string>;
  /** Those that would come in, and that the disruption budget keeps out, highest rank first. */
  readonly heldAdditions: readonly string[];
}

/** Selects clusters. The result does not depend on the order of the lists of the snapshot. */
export function schedule(snapshot: PlacementSnapshot): Schedule {
  const { placement, candidates } = snapshot;
  const eligibility = eligibleSets(placement.rules, snapshot.bindings, snapshot.sets);
  const { problem, wanted } = placement.rules;
  const current = currentSlots(snapshot);
  const judged = judgeSelected(snapshot, eligibility, current);
  const { held, hold, holdUntil, counted, surplus: uncounted } = ration(snapshot, judged);
  const limit = problem === undefined ? (wanted ?? Infinity) : Infinity;
  const dropped = new Map<string, DropCause>([...judged.failing].filter(([name]) => !held.has(name)));
  const staying = { current, dropped, held, limit, judged };
  for (const [name, cause] of notNeeded(staying, snapshot)) dropped.set(name, cause);
  const { added, replaced, ...additions } = newClusters(staying, snapshot);
  for (const name of replaced) dropped.set(name, 'Tainted');
  const kept = current.map((list) => list.filter((name) => !dropped.has(name)));
  const size = judged.passing + judged.failing.size - dropped.size + added.length;
  const heldRemovals = byCluster(held).filter(({ cluster }) => !dropped.has(cluster));
  const effects = taintEffects({ dropped, held, size, limit }, judged, snapshot);
  return {
    eligibility,
    problem,
    wanted,
    candidates: problem === undefined ? candidates.count + judged.keptOnly : 0,
    matched: problem === undefined ? candidates.matched.size + judged.keptOnly : 0,
    current,
    kept,
    added,
    dropped: byCluster(dropped),
    heldRemovals,
    hold: heldRemovals.length === 0 ? undefined : hold,
    counted,
    uncounted,
    ...additions,
    ...effects,
    until: Math.min(effects.until, holdUntil, definitionsTrusted(snapshot)),
  };
}

function byCluster<C extends DropCause>(causes: ReadonlyMap<string, C>): { cluster: string; cause: C }[] {
  return [...causes].map(([cluster, cause]) => ({ cluster, cause })).sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

/**
 * The selected clusters, each once: the remembered lists or, without these, the lists stored in objects of this Placement
 * (including adoptable ones). Of a cluster in several lists the first place counts.
 */
function currentSlots(snapshot: PlacementSnapshot): Slots {
  const lists = snapshot.remembered ?? storedLists(snapshot.stored);
  const seen = new Set<string>();
  return Array.from(lists, (list) => once(list ?? [], seen));
}

function storedLists(stored: readonly StoredDecision[]): (readonly string[])[] {
  const lists: (readonly string[])[] = [];
  for (const { ordinal, clusters } of stored.filter(isOwn))
    if (ordinal !== undefined) lists[ordinal - 1] = clusters.slice(0, DECISION_SIZE);
  return lists;
}

function once(list: readonly string[], seen: Set<string>): string[] {
  const first: string[] = [];
  for (const name of list) {
    if (seen.has(name)) continue;
    seen.add(name);
    first.push(name);
  }
  return first;
}

/** The clusters that a schedule selects, in no particular order; without those that are only held. */
export function selectedClusters(of: Schedule): readonly string[] {
  const held = new Set(of.heldRemovals.map((one) => one.cluster));
  return [...of.kept.flat().filter((name) => !held.has(name)), ...of.added];
}

/** What stays of a decision, before it is cut to `limit`. */
interface Staying {
  readonly current: Slots;
  readonly dropped: ReadonlyMap<string, DropCause>;
  readonly held: ReadonlyMap<string, FailedRule>;
  readonly limit: number;
  readonly judged: SelectedClusters;
}

/**
 * The clusters to remove so that `limit` stay, with their causes: held ones first, then those that yield, then those with a
 * taint that is not tolerated for ever, and of equals those that rank lowest.
 */
function notNeeded(
  { current, dropped, held, limit, judged }: Staying,
  { placement }: PlacementSnapshot,
): readonly (readonly [string, DropCause])[] {
  const staying = current.flat().filter((name) => !dropped.has(name));
  if (staying.length <= limit) return [];
  const tiers: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const name of staying) tiers[held.has(name) ? 3 : tierOfSelected(judged.tainted.get(name))].push(name);
  const needed = new Set(bestFirst(tiers, limit, seedOf(placement.namespace, placement.name)));
  return staying.filter((name) => !needed.has(name)).map((name) => [name, held.get(name) ?? 'NotNeeded'] as const);
}

/** What comes in, and what leaves for it. */
interface NewClusters extends Pick<Schedule, 'added' | 'countedAdditions' | 'heldAdditions'> {
  readonly replaced: readonly string[];
}

/** The clusters that come in, and those that yield their place to one of them: the lowest ranked first. */
function newClusters({ current, dropped, limit, judged }: Staying, snapshot: PlacementSnapshot): NewClusters {
  const { placement, candidates } = snapshot;
  const { passing, keptOnly, failing, tainted } = judged;
  if (placement.rules.problem !== undefined || candidates.matched.size <= passing - keptOnly)
    return { added: [], countedAdditions: new Set(), heldAdditions: [], replaced: [] };
  const yielding: string[] = [];
  for (const [name, { standing }] of tainted)
    if (standing.kind === 'yields' && limit !== Infinity && !dropped.has(name)) yielding.push(name);
  const size = passing + failing.size - dropped.size;
  const free = limit - size;
  const best = bestNewClusters(snapshot, current, free + yielding.length);
  const { admitted, counted, heldBack } = admit(snapshot, best, size - Math.max(best.length - free, 0));
  const decided = { added: admitted, countedAdditions: counted, heldAdditions: heldBack };
  const replaced = Math.max(admitted.length - free, 0);
  if (replaced === 0) return { ...decided, replaced: [] };
  const seed = seedOf(placement.namespace, placement.name);
  const staying = new Set(bestFirst([yielding], yielding.length - replaced, seed));
  return { ...decided, replaced: yielding.filter((name) => !staying.has(name)) };
}
