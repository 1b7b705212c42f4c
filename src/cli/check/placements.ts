import type { HubStatus, PlacementSummary } from '../../domain/fleet/hubstatus.js';
import { someNames } from '../terminal/output.js';
import { failed, warning, type CheckResult } from './result.js';

const NAME = 'holds';
const MOST_NAMES = 3;
const LOSS_PAGE = 'docs/how-to/recover-from-a-mistake.md#a-definition-was-deleted';

/**
 * The Placements that hold clusters. It is a failure where the objects of a definition are lost: the definitions are there
 * again, and nothing else shows that the decisions are of a fleet which the hub does not know any more. Other holds wait for a
 * decision of the Placement's owner.
 */
export function checkHolds({ placements }: HubStatus): readonly CheckResult[] {
  const held = placements.filter((one) => one.held);
  const lost = held.filter(({ reason }) => reason === 'DefinitionsReplaced');
  const others = held.filter(({ reason }) => reason !== 'DefinitionsReplaced');
  const results: CheckResult[] = [];
  if (lost.length > 0) {
    const text =
      `a definition was deleted and made anew, and its objects are lost; ${countText(lost)} as before: ${namesOf(lost)}; ` +
      'to recover, create the clusters, sets and bindings again, from Git or a backup';
    results.push(failed(NAME, text, LOSS_PAGE));
  }
  if (others.length > 0)
    results.push(
      warning(
        NAME,
        `${others.length} ${nounOf(others)} ${others.length === 1 ? 'holds' : 'hold'} clusters: ${namesOf(others)}`,
        'kubectl mce status -o wide',
      ),
    );
  return results;
}

function countText(lost: readonly PlacementSummary[]): string {
  return `${lost.length} ${nounOf(lost)} ${lost.length === 1 ? 'keeps its decision' : 'keep their decisions'}`;
}

function nounOf({ length }: readonly PlacementSummary[]): string {
  return length === 1 ? 'Placement' : 'Placements';
}

function namesOf(placements: readonly PlacementSummary[]): string {
  return someNames(
    placements.map(({ namespace, name }) => `${namespace}/${name}`),
    MOST_NAMES,
  );
}
