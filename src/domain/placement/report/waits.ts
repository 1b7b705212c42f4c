import { clip } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { Schedule } from '../select/schedule.js';
import { nextOpening, type Opening, type Waiting } from '../select/waiting.js';
import { causesText } from './holds.js';

/** What waits for a change window, or for the end of a pause, as text. */

/** What the condition Paused says: always the same, whatever would change. */
function pausedMessage({ placement: { namespace, name } }: PlacementSnapshot): string {
  return `spec.paused is true: no cluster comes in and none leaves; to resume: kubectl mce resume placement ${name} -n ${namespace}`;
}

/**
 * What the condition ChangesWaiting says: when the next window opens, and which clusters leave then, with their causes. It is True
 * beside Paused and RemovalsHeld, which keep clusters longer.
 */
function waitingMessage(snapshot: PlacementSnapshot, schedule: Schedule, { until, windowed, opens }: Waiting): string {
  const isHeld = schedule.heldRemovals.some((held) => windowed.some(({ cluster }) => cluster === held.cluster));
  const others = [...(until === 'Resumed' ? ['spec.paused is true'] : []), ...(isHeld ? ['they are held'] : [])];
  const unless = others.length === 0 ? '' : `, unless ${others.join(' or ')},`;
  const leaving = causesText(windowed, snapshot, schedule);
  return clip(
    `outside of spec.changeWindows; the next one opens at ${openingText(opens)}; then${unless} these leave: ${leaving}`,
  );
}

/** The messages of the conditions Paused and ChangesWaiting, those that are True. */
export function waitingTexts(
  snapshot: PlacementSnapshot,
  schedule: Schedule,
): readonly { readonly until: Waiting['until']; readonly message: string }[] {
  const { waiting } = schedule;
  if (waiting === undefined) return [];
  return [
    ...(waiting.until === 'Resumed' ? [{ until: waiting.until, message: pausedMessage(snapshot) }] : []),
    ...(waiting.windowed.length === 0
      ? []
      : [{ until: 'WindowOpens' as const, message: waitingMessage(snapshot, schedule, waiting) }]),
  ];
}

/** Why a change waits; `cluster`: of this one, else of one that comes in. */
export function waitCause({ until, opens, windowed }: Waiting, cluster?: string): string {
  const paused = 'spec.paused is true';
  if (until === 'Resumed' && !windowed.some((one) => one.cluster === cluster)) return paused;
  const text = `waits for the change window that opens at ${openingText(opens)}`;
  return until === 'Resumed' ? `${paused}, and ${text}` : text;
}

/** `; they leave when the change window opens, at …`, for what a release lets go; empty where it leaves at once. */
export function waitsBesideHolds(snapshot: PlacementSnapshot): string {
  const opens = nextOpening(snapshot);
  const { paused } = snapshot.placement.rules;
  if (opens === undefined) return paused ? '; they stay while spec.paused is true' : '';
  const resumed = paused ? ', if spec.paused is not true then' : '';
  return `; a release opens no change window: they leave when the next one opens, at ${openingText(opens)}${resumed}`;
}

/** `2026-11-30T21:00:00Z (Mon 22:00 Europe/Berlin)`. */
function openingText(opens: Opening | undefined): string {
  return opens === undefined ? 'no time' : `${timestamp(opens.at)} (${opens.text})`;
}
