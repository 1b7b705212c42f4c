import { clip } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { Schedule } from '../select/schedule.js';
import type { Opening, Waiting } from '../select/waiting.js';
import { causesText } from './holds.js';

/** What waits for a change window, or for the end of a pause, as text. */

/** What the condition Paused says: always the same, whatever would change. */
function pausedMessage({ placement: { namespace, name } }: PlacementSnapshot): string {
  return `spec.paused is true: no cluster comes in and none leaves; to resume: kubectl mce resume placement ${name} -n ${namespace}`;
}

/** What the condition ChangesWaiting says: when the next window opens, and which clusters leave then, with their causes. */
function waitingMessage(snapshot: PlacementSnapshot, schedule: Schedule): string {
  const { removals, opens } = schedule.waiting ?? { removals: [], opens: undefined };
  const leaving = causesText(removals, snapshot, schedule);
  return clip(
    `outside of spec.changeWindows; the next one opens at ${openingText(opens)}; then these leave: ${leaving}`,
  );
}

/** The message of the condition Paused or ChangesWaiting; undefined where neither is True. */
export function waitingText(snapshot: PlacementSnapshot, schedule: Schedule): string | undefined {
  if (schedule.waiting === undefined) return undefined;
  return schedule.waiting.until === 'Resumed' ? pausedMessage(snapshot) : waitingMessage(snapshot, schedule);
}

/** Why a change waits. */
export function waitCause({ until, opens }: Pick<Waiting, 'until' | 'opens'>): string {
  return until === 'Resumed'
    ? 'spec.paused is true'
    : `waits for the change window that opens at ${openingText(opens)}`;
}

/** `2026-11-30T21:00:00Z (Mon 22:00 Europe/Berlin)`. */
function openingText(opens: Opening | undefined): string {
  return opens === undefined ? 'no time' : `${timestamp(opens.at)} (${opens.text})`;
}
