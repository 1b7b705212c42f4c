import { clip, nameList } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { isReleased } from '../spec/budget.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import {
  isHeld,
  staying,
  windowIn,
  type ClosedWindow,
  type Decision,
  type HeldCluster,
  type Holder,
  type Holders,
} from '../select/decision.js';
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
function waitingMessage(snapshot: PlacementSnapshot, decision: Decision, { clusters, window }: Windowed): string {
  const { rebalance, paused } = snapshot.placement.rules;
  const released = releasedTooShort(snapshot, clusters, window);
  const others = [
    ...(paused ? [PAUSED] : []),
    ...(clusters.some(({ by }) => isHeld(by)) ? ['they are held'] : []),
    ...(released === undefined
      ? []
      : [`they are held again after their release, which ends at ${timestamp(released)}`]),
  ];
  const unless = others.length === 0 ? '' : `, unless ${others.join(' or ')},`;
  const leaving = causesText(clusters, snapshot, decision);
  const further =
    decision.move === undefined ? '' : `; further moves may follow, one in ${rebalance?.intervalSeconds} s`;
  return clip(
    `outside of spec.changeWindows; the next one opens at ${openingText(window)}; then${unless} these leave: ${leaving}${further}`,
  );
}

const PAUSED = 'spec.paused is true';

/** The clusters that leave when the next window opens, where nothing else keeps them then, sorted by name. */
interface Windowed {
  readonly clusters: readonly HeldCluster[];
  readonly window: ClosedWindow;
}

/** Undefined where none waits for a window. */
function windowedIn(decision: Decision): Windowed | undefined {
  const clusters = staying(decision, (by) => windowIn(by) !== undefined);
  const [first] = clusters;
  const window = first && windowIn(first.by);
  return window && { clusters, window };
}

/** When a release ends that lets some of the clusters go, and that has ended when the window opens; undefined without one. */
function releasedTooShort(
  { placement: { release, rules }, now }: PlacementSnapshot,
  windowed: readonly HeldCluster[],
  { opens }: ClosedWindow,
): number | undefined {
  if (release === undefined || release.until > opens || rules.budget === undefined) return undefined;
  return windowed.some(({ cluster }) => isReleased(release, cluster, now)) ? release.until : undefined;
}

/** The messages of the conditions Paused and ChangesWaiting, those that are True. */
export function waitingTexts(
  snapshot: PlacementSnapshot,
  decision: Decision,
): readonly { readonly awaits: 'Pause' | 'Window'; readonly message: string }[] {
  const windowed = windowedIn(decision);
  return [
    ...(snapshot.placement.rules.paused ? [{ awaits: 'Pause' as const, message: pausedMessage(snapshot) }] : []),
    ...(windowed === undefined
      ? []
      : [{ awaits: 'Window' as const, message: waitingMessage(snapshot, decision, windowed) }]),
  ];
}

/** What a change waits for: `spec.paused is true, and waits for the change window that opens at …`. Empty for one that is only held. */
export function waitText(by: Holders): string {
  return by.flatMap(waitTextOf).join(', and ');
}

function waitTextOf(holder: Holder): readonly string[] {
  if (holder.kind === 'Pause') return [PAUSED];
  return holder.kind === 'Window' ? [`waits for the change window that opens at ${openingText(holder)}`] : [];
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
  decision: Decision,
  { clusters, until }: { readonly clusters: readonly string[]; readonly until: number },
): ReleaseWaits {
  const { paused } = rules;
  const isAll = clusters.includes('*');
  const { clusters: waiting = [], window } = windowedIn(decision) ?? {};
  const windowed = waiting.map((one) => one.cluster).filter((name) => isAll || clusters.includes(name));
  if (windowed.length === 0 || window === undefined)
    return { text: paused ? 'they stay while spec.paused is true' : '' };
  const are = !isAll && windowed.length === clusters.length;
  const which = are ? 'they' : nameList(windowed);
  const one = !are && windowed.length === 1;
  if (window.opens >= until) {
    const text = `the release ends before the next change window opens, at ${openingText(window)}: ${which} ${one ? 'stays' : 'stay'}`;
    return { text, ...(are && { tooLate: window.opens }) };
  }
  const resumed = paused ? ', if spec.paused is not true then' : '';
  const text = `a release opens no change window: ${which} ${one ? 'leaves' : 'leave'} when the next one opens, at ${openingText(window)}${resumed}`;
  return { text };
}

/** `2026-11-30T21:00:00Z (Mon 22:00 Europe/Berlin)`. */
function openingText({ opens, text }: ClosedWindow): string {
  return `${timestamp(opens)} (${text})`;
}
