import { hold } from './budget.js';
import type { Decision } from './decision.js';
import { Draft } from './draft.js';
import { move } from './rebalance.js';
import type { PlacementSnapshot } from './snapshot.js';
import { choose, noteOpen } from './turnover.js';
import { pause, waitForWindow } from './waiting.js';

/**
 * Decides which clusters are selected, stage by stage. A draft begins with the sets that are eligible, and with the clusters selected
 * before, judged by the rules. The result does not depend on the order of the lists of the snapshot.
 */
export function schedule(snapshot: PlacementSnapshot): Decision {
  const draft = new Draft(snapshot);
  for (const stage of STAGES) stage(draft);
  return draft.decision();
}

const STAGES: readonly ((draft: Draft) => void)[] = [
  /** Who fails a rule leaves, unless a lost definition, deletions in bulk or the disruption budget hold it … */
  hold,
  /** … or it waits for a change window. */
  waitForWindow,
  /** Who is not needed leaves, or waits; new ones come in, or the budget keeps them out. */
  choose,
  /** Who yields a place that nobody takes, and what rules keep out. */
  noteOpen,
  /** A cluster moves for a better one, where nothing else changes. */
  move,
  /** Nothing changes while the Placement is paused. */
  pause,
];
