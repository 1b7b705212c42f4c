import {
  holdOf,
  comingIn,
  keptOut,
  leaving,
  staying,
  stuck,
  type Decision,
  type Leaving,
  type StuckCluster,
} from '../../../src/domain/placement/select/decision.js';
import { isHold, merelyWaits, opensIn, type Hold } from '../../../src/domain/placement/select/holders.js';
import { schedule } from '../../../src/domain/placement/select/schedule.js';
import type { PlacementSnapshot } from '../../../src/domain/placement/select/snapshot.js';

/** A decision with its clusters listed by what becomes of them: those that come in the best first, others by name. */
export interface Scheduled extends Decision {
  readonly added: readonly string[];
  readonly dropped: readonly Leaving[];
  /** The names of those that leave and count. */
  readonly counted: ReadonlySet<string>;
  readonly hold: Hold | undefined;
  readonly heldRemovals: readonly Leaving[];
  readonly heldAdditions: readonly string[];
  readonly waitingRemovals: readonly Leaving[];
  readonly waitingAdditions: readonly string[];
  /** Those that wait for a window, whatever else keeps them. */
  readonly windowed: readonly Leaving[];
  readonly stuck: readonly StuckCluster[];
}

export function scheduled(snapshot: PlacementSnapshot): Scheduled {
  const decision = schedule(snapshot);
  const named = (list: readonly Leaving[]): readonly Leaving[] =>
    list.map(({ cluster, cause }) => ({ cluster, cause }));
  const counts = [...decision.fates].filter(([, fate]) => fate.kind === 'leaves' && fate.counts);
  return {
    ...decision,
    added: comingIn(decision),
    dropped: leaving(decision),
    counted: new Set(counts.map(([name]) => name)),
    hold: holdOf(decision),
    heldRemovals: named(staying(decision, isHold)),
    heldAdditions: keptOut(decision, isHold),
    waitingRemovals: named(staying(decision, merelyWaits)),
    waitingAdditions: keptOut(decision, merelyWaits),
    windowed: named(staying(decision, (by) => opensIn(by) !== undefined)),
    stuck: stuck(decision),
  };
}
