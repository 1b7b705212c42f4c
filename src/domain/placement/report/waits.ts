import { clip, nameList } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { isReleased } from '../spec/release.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { Schedule } from '../select/schedule.js';
import type { Opening, Waiting } from '../select/waiting.js';
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
function waitingMessage(snapshot: PlacementSnapshot, schedule: Schedule, { awaits, windowed, opens }: Waiting): string {
  const isHeld = schedule.heldRemovals.some((held) => windowed.some(({ cluster }) => cluster === held.cluster));
  const released = releasedTooShort(snapshot, windowed, opens);
  const others = [
    ...(awaits === 'Resumed' ? ['spec.paused is true'] : []),
    ...(isHeld ? ['they are held'] : []),
    ...(released === undefined
      ? []
      : [`they are held again after their release, which ends at ${timestamp(released)}`]),
  ];
  const unless = others.length === 0 ? '' : `, unless ${others.join(' or ')},`;
  const leaving = causesText(windowed, snapshot, schedule);
  const { rebalance } = snapshot.placement.rules;
  const further =
    schedule.move === undefined ? '' : `; further moves may follow, one in ${rebalance?.intervalSeconds} s`;
  return clip(
    `outside of spec.changeWindows; the next one opens at ${openingText(opens)}; then${unless} these leave: ${leaving}${further}`,
  );
}

/** When a release ends that lets some of the clusters go, and that has ended when the window opens; undefined without one. */
function releasedTooShort(
  { placement: { release, rules }, now }: PlacementSnapshot,
  windowed: Waiting['windowed'],
  opens: Opening | undefined,
): number | undefined {
  if (release === undefined || opens === undefined || release.until > opens.at || rules.budget === undefined)
    return undefined;
  return windowed.some(({ cluster }) => isReleased(release, cluster, now)) ? release.until : undefined;
}

/** The messages of the conditions Paused and ChangesWaiting, those that are True. */
export function waitingTexts(
  snapshot: PlacementSnapshot,
  schedule: Schedule,
): readonly { readonly awaits: Waiting['awaits']; readonly message: string }[] {
  const { waiting } = schedule;
  if (waiting === undefined) return [];
  return [
    ...(waiting.awaits === 'Resumed' ? [{ awaits: waiting.awaits, message: pausedMessage(snapshot) }] : []),
    ...(waiting.windowed.length === 0
      ? []
      : [{ awaits: 'WindowOpens' as const, message: waitingMessage(snapshot, schedule, waiting) }]),
  ];
}

/** Why a change waits; `cluster`: of this one, else of one that comes in. */
export function waitCause({ awaits, opens, windowed }: Waiting, cluster?: string): string {
  const paused = 'spec.paused is true';
  if (awaits === 'Resumed' && !windowed.some((one) => one.cluster === cluster)) return paused;
  const text = `waits for the change window that opens at ${openingText(opens)}`;
  return awaits === 'Resumed' ? `${paused}, and ${text}` : text;
}

/** What a release does not let go at once. */
export interface ReleaseWaits {
  /** `a release opens no change window: they leave when the next one opens, at …`; empty where all leave at once. */
  readonly text: string;
  /** When the change window opens for which all of its clusters wait, if it ends before, ms since the epoch. */
  readonly tooLate?: number;
}

/** `clusters`: names, or `*` alone. `until`: when the release ends, ms since the epoch. */
export function releaseWaits(
  { placement: { rules } }: PlacementSnapshot,
  { waiting }: Schedule,
  { clusters, until }: { readonly clusters: readonly string[]; readonly until: number },
): ReleaseWaits {
  const { paused } = rules;
  const isAll = clusters.includes('*');
  const windowed = (waiting?.windowed ?? [])
    .map((one) => one.cluster)
    .filter((name) => isAll || clusters.includes(name));
  const opens = waiting?.opens;
  if (windowed.length === 0 || opens === undefined)
    return { text: paused ? 'they stay while spec.paused is true' : '' };
  const are = !isAll && windowed.length === clusters.length;
  const which = are ? 'they' : nameList(windowed);
  const one = !are && windowed.length === 1;
  if (opens.at >= until) {
    const text = `the release ends before the next change window opens, at ${openingText(opens)}: ${which} ${one ? 'stays' : 'stay'}`;
    return { text, ...(are && { tooLate: opens.at }) };
  }
  const resumed = paused ? ', if spec.paused is not true then' : '';
  const text = `a release opens no change window: ${which} ${one ? 'leaves' : 'leave'} when the next one opens, at ${openingText(opens)}${resumed}`;
  return { text };
}

/** `2026-11-30T21:00:00Z (Mon 22:00 Europe/Berlin)`. */
function openingText(opens: Opening | undefined): string {
  return opens === undefined ? 'no time' : `${timestamp(opens.at)} (${opens.text})`;
}
