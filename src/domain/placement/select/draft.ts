import { isOwn, type Slots } from '../stored/decision.js';
import { DECISION_SIZE } from '../../../api/names.js';
import { type Move, Fates, type Cause, type Decision, type Fate, type MoveWait } from './decision.js';
import { endOf, type Holders } from './holders.js';
import type { ScoreOf } from './choice/contest.js';
import { NO_SHORTAGE, type Shortage } from './choice/choose.js';
import { eligibleSets, type Eligibility } from './eligible.js';
import { judgeSelected, type Judged } from './judge.js';
import type { OutByRules } from './rules.js';
import { scoresOf } from './scores.js';
import { timedSetsOf, type TimedSets } from './timedsets.js';
import type { PlacementSnapshot, StoredDecision } from './snapshot.js';

/** A decision that is being made: each stage of `schedule` says what becomes of further clusters. */
export class Draft {
  readonly snapshot: PlacementSnapshot;
  readonly eligibility: Eligibility;
  /** The clusters selected before, each once: by decision object, and together. */
  readonly current: Slots;
  readonly clusters: readonly string[];
  readonly judged: Judged;
  readonly scoreOf: ScoreOf;
  readonly timedSets: TimedSets;
  readonly fates = new Fates();
  /** The clusters whose removal counts against a bound, but for the first `uncounted` of them that leave. */
  counted: ReadonlySet<string> = new Set();
  uncounted = 0;
  /** This and the next four: as in `Decision`. */
  shortage: Shortage = NO_SHORTAGE;
  hasRoom = false;
  outByRules: OutByRules = [];
  move: Move | undefined;
  moveWaits: MoveWait | undefined;
  #leaving = 0;
  #lookAgain: number | undefined;

  constructor(snapshot: PlacementSnapshot) {
    this.snapshot = snapshot;
    this.eligibility = eligibleSets(snapshot.placement.rules, snapshot.bindings, snapshot.sets);
    this.current = currentSlots(snapshot);
    this.clusters = this.current.flat();
    this.judged = judgeSelected(snapshot, this.eligibility, this.clusters);
    this.scoreOf = scoresOf(snapshot);
    this.timedSets = timedSetsOf(snapshot, this.eligibility);
  }

  /** How many are wanted; undefined for all that match, and with an invalid spec. */
  get limit(): number | undefined {
    const { problem, wanted } = this.snapshot.placement.rules;
    return problem === undefined ? wanted : undefined;
  }

  /** How many of those selected before stay, held ones included. */
  get size(): number {
    return this.clusters.length - this.#leaving;
  }

  leaves(name: string): boolean {
    return this.fates.get(name)?.kind === 'leaves';
  }

  isHeld(name: string): boolean {
    return this.fates.get(name)?.kind === 'held';
  }

  /** Lets a selected cluster leave. `counts`: its removal counts against a bound. */
  letGo(name: string, cause: Cause, counts = this.counted.has(name)): void {
    if (!this.leaves(name)) this.#leaving += 1;
    this.fates.set(name, { kind: 'leaves', cause, counts });
  }

  /** Holds a selected cluster that would leave. */
  keep(name: string, cause: Cause, by: Holders): void {
    if (this.leaves(name)) this.#leaving -= 1;
    this.fates.set(name, { kind: 'held', cause, by });
  }

  /** Selects another cluster. `counts`: this counts against the limit of additions. */
  letIn(name: string, counts: boolean): void {
    this.fates.set(name, counts ? COMES_IN_COUNTED : COMES_IN);
  }

  keepOut(name: string, by: Holders): void {
    this.fates.set(name, { kind: 'keptOut', by });
  }

  /** Notes when time alone may change the decision: ms since the epoch; undefined for never. */
  lookAt(time: number | undefined): void {
    if (time !== undefined) this.#lookAgain = Math.min(time, this.#lookAgain ?? time);
  }

  /** The decision as far as it is made. A holder that ends by itself says when. */
  decision(): Decision {
    for (const fate of this.fates.values())
      if (fate.kind === 'held' || fate.kind === 'keptOut') for (const one of fate.by) this.lookAt(endOf(one));
    const { snapshot, judged, eligibility, current, fates, uncounted, shortage, hasRoom, outByRules } = this;
    const { move, moveWaits } = this;
    const { candidates } = snapshot;
    const { problem, wanted } = snapshot.placement.rules;
    const isValid = problem === undefined;
    return {
      eligibility,
      problem,
      wanted,
      candidates: isValid ? candidates.count + judged.keptOnly : 0,
      matched: isValid ? candidates.matched.size + judged.keptOnly : 0,
      current,
      // From most decisions no cluster leaves.
      kept: this.#leaving === 0 ? current : current.map((list) => list.filter((name) => !this.leaves(name))),
      fates,
      uncounted,
      shortage,
      hasRoom,
      outByRules,
      move,
      moveWaits,
      lookAgain: this.#lookAgain,
    };
  }
}

/** One value for all: a first decision may have ten thousand of them. */
const COMES_IN: Fate = { kind: 'comesIn', counts: false };
const COMES_IN_COUNTED: Fate = { kind: 'comesIn', counts: true };

/**
 * The selected clusters, each once: the lists that this process published or, without these, the lists stored in objects of this
 * Placement (including adoptable ones). Of a cluster in several lists the first place counts.
 */
function currentSlots(snapshot: PlacementSnapshot): Slots {
  const seen = new Set<string>();
  return publishedLists(snapshot).map((list) => once(list, seen));
}

/** The list of each decision object as last published: a cluster that changes its object is in two of them for a moment. */
export function publishedLists({ published, stored }: PlacementSnapshot): Slots {
  return Array.from(published?.lists ?? storedLists(stored), (list) => list ?? []);
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
