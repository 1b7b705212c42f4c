import {
  ADDITIONS_ANNOTATION,
  ALLOW_ADDITIONS_ANNOTATION,
  ALLOW_REMOVALS_ANNOTATION,
  MESSAGE_LIMIT,
  REMOVALS_ANNOTATION,
} from '../../../api/names.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { boundedList, clip, nameList, problemText } from '../../conditions.js';
import { isOwn } from '../stored/decision.js';
import { leavingByText } from '../explain/causes.js';
import { keptOut, staying, type Decision, type HeldCluster, type Leaving } from '../select/decision.js';
import {
  isHold,
  isKeptBySet,
  ownWindowIn,
  setText,
  type Hold,
  type ClosedWindow,
  type Holder,
  type Holders,
  type SetText,
} from '../select/holders.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { releaseOfLoss, replacedDefinitions } from '../select/definitions.js';
import { budgetInForce } from '../select/limits.js';
import { restoreText } from './releases.js';
import { isReleased, limitValue } from '../spec/budget.js';

/** What holds clusters, and what they wait for, a change window or the end of a pause, as text. */

/** Characters of the clusters that a message names. */
const HELD_LIMIT = 540;
const GROUP = 'cluster.fleetmgmt.io';
const PAUSED = 'spec.paused is true';

/** What the condition RemovalsHeld says: what holds the clusters, which with their causes, and how to let them go. */
export function heldMessage(bound: Hold, snapshot: PlacementSnapshot, decision: Decision): string {
  const { namespace, name, release } = snapshot.placement;
  const tail =
    `; to let them go: kubectl mce release placement ${name} -n ${namespace} ` +
    `(annotation ${ALLOW_REMOVALS_ANNOTATION})`;
  const clusters = staying(decision, isHold);
  const held = (): string => `; held: ${causesText(clusters, snapshot, decision)}`;
  switch (bound) {
    case 'Definitions': {
      const isOld = release !== undefined && releaseOfLoss(snapshot) === undefined;
      const ignored = isOld ? '; the release that the Placement had before does not count' : '';
      return clippedHead(`${replacedText(snapshot)}${ignored}${held()}`, `; ${restoreText(namespace)}${tail}`);
    }
    case 'Deletions':
      return clippedHead(deletionsHead(clusters), `; those that are created again stay${tail}`);
    case 'Budget': {
      const head = `${exceededText(snapshot, 'maxRemovals')}${unreadableText(snapshot, 'removals')}${held()}`;
      return clippedHead(head, `${tail}, or ${raiseText(snapshot, 'maxRemovals')}`);
    }
  }
}

function clippedHead(head: string, tail: string): string {
  return `${clip(head, MESSAGE_LIMIT - tail.length)}${tail}`;
}

/** `maxRemovals 10% in 3600 s would be exceeded`. */
function exceededText({ placement }: PlacementSnapshot, field: 'maxRemovals' | 'maxAdditions'): string {
  const inForce = budgetInForce(placement);
  const { limit, isFormer = false } = inForce?.[field] ?? {};
  const before = isFormer ? ', which spec.disruptionBudget had before,' : '';
  const value = limit === undefined ? '' : ` ${limitValue(limit)} in ${inForce?.windowSeconds} s`;
  return `${field}${value}${before} would be exceeded`;
}

function raiseText({ placement }: PlacementSnapshot, field: 'maxRemovals' | 'maxAdditions'): string {
  const isFormer = budgetInForce(placement)?.[field]?.isFormer === true;
  return `${isFormer ? 'set a larger' : 'raise'} spec.disruptionBudget.${field}`;
}

/** What keeps a change from being made: the bound or, without one, each thing that it waits for. */
export function holdersText(by: Holders, snapshot: PlacementSnapshot): string {
  return (isHold(by) ? by.slice(0, 1) : by).map((one) => holderText(one, snapshot)).join(', and ');
}

/** A status has no name of a set that is not bound to the namespace: who reads it may not know the set. */
export function publishedSetText({ sets }: PlacementSnapshot): SetText {
  return (set) => (sets.has(set) ? setText(set) : 'a ManagedClusterSet that is not bound to the namespace');
}

function holderText(holder: Holder, snapshot: PlacementSnapshot, textOf = setText): string {
  switch (holder.kind) {
    case 'Definitions':
      return replacedText(snapshot);
    case 'Deletions':
      return 'more than half of the decision was deleted within a minute and stays for 15 minutes';
    case 'Budget':
      return exceededText(snapshot, 'maxRemovals');
    case 'Pause':
      if (holder.set === undefined) return PAUSED;
      return holder.problem === undefined
        ? `spec.paused of ${textOf(holder.set)} is true`
        : `${textOf(holder.set)} counts as paused: ${problemText(holder.problem)}`;
    case 'Window': {
      const of = holder.set === undefined ? '' : ` of ${textOf(holder.set)}`;
      return `waits for the change window${of} that opens at ${openingText(holder)}`;
    }
  }
}

/**
 * The number changes with each cluster that is deleted or comes back, so that the time of the condition is that of the last. It
 * does not say of how many: an unrelated change of the decision would make the hold longer.
 */
function deletionsHead(clusters: readonly Leaving[]): string {
  const names = clusters.map((one) => one.cluster);
  const head = `${names.length} ${names.length === 1 ? 'cluster was deleted and stays' : 'clusters were deleted and stay'} for 15 minutes`;
  return `${head}, since more than half of the decision was deleted within a minute: ${boundedList(names, ', ', HELD_LIMIT)}`;
}

function replacedText(snapshot: PlacementSnapshot): string {
  const names = replacedDefinitions(snapshot).map((one) => `${one}.${GROUP}`);
  if (names.length > 1)
    return `CustomResourceDefinitions ${names.join(', ')} were deleted with all their objects, and created again`;
  const which = names[0] ?? 'of clusters, sets or bindings';
  return `CustomResourceDefinition ${which} was deleted with all its objects, and created again`;
}

/** What the condition AdditionsHeld says. */
export function heldAdditionsMessage(snapshot: PlacementSnapshot, decision: Decision): string {
  const { namespace, name } = snapshot.placement;
  const tail =
    `; to let them in: kubectl mce release placement ${name} -n ${namespace} --additions ` +
    `(annotation ${ALLOW_ADDITIONS_ANNOTATION}), or ${raiseText(snapshot, 'maxAdditions')}`;
  const names = boundedList([...keptOut(decision, isHold)].sort(), ', ', HELD_LIMIT);
  return clippedHead(`${heldBackCause(snapshot)}${unreadableText(snapshot, 'additions')}; held: ${names}`, tail);
}

/** Why a cluster is held back. */
export function heldBackCause(snapshot: PlacementSnapshot): string {
  return exceededText(snapshot, 'maxAdditions');
}

/** The objects whose record cannot be read: while there is one, the budget counts as full. */
function unreadableText({ stored }: PlacementSnapshot, records: 'removals' | 'additions'): string {
  const names = stored.flatMap((one) => (isOwn(one) && one[records]?.kind === 'unreadable' ? [one.name] : []));
  if (names.length === 0) return '';
  const annotation = records === 'removals' ? REMOVALS_ANNOTATION : ADDITIONS_ANNOTATION;
  return ` (annotation ${annotation} of PlacementDecision ${nameList(names.sort())} cannot be read and counts as full)`;
}

/** `prod-eu-2, prod-us-1 (there is no ManagedClusterSet production)`: the clusters by cause, in the order of their names. */
export function causesText(removals: readonly Leaving[], snapshot: PlacementSnapshot, decision: Decision): string {
  // A status says the same after a restart, when nothing is known of the decision before.
  const byCause = leavingByText(removals, { ...snapshot, before: undefined }, decision);
  let text = '';
  let left = removals.length;
  for (const [cause, names] of byCause) {
    const next = `${text === '' ? '' : `${text}, `}${nameList(names)} (${cause})`;
    if (text !== '' && next.length > HELD_LIMIT) return `${text} and ${left} more`;
    text = next;
    left -= names.length;
  }
  return text;
}

/** What a pause does: always the same, whatever would change. */
export const PAUSED_TEXT = `${PAUSED}: no cluster comes in and none leaves`;

/** What the condition Paused says. */
function pausedMessage({ placement: { namespace, name } }: PlacementSnapshot): string {
  return `${PAUSED_TEXT}; to resume: kubectl mce resume placement ${name} -n ${namespace}`;
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
    ...(clusters.some(({ by }) => isHold(by)) ? ['they are held'] : []),
    ...(clusters.some(({ by }) => isKeptBySet(by)) ? ['their cluster sets keep them'] : []),
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

/** What the condition ChangesWaiting says of each set that keeps clusters waiting: why, and which, those that leave with their causes. */
function setTexts(snapshot: PlacementSnapshot, decision: Decision): readonly string[] {
  const kept = new Map<string, { readonly leaving: Set<HeldCluster>; readonly coming: Set<string> }>();
  const note = (by: Holders, leaving: readonly HeldCluster[], coming: readonly string[]): void => {
    for (const one of by.filter((each) => isKeptBySet([each]))) {
      const text = holderText(one, snapshot, publishedSetText(snapshot));
      const lists = kept.get(text) ?? { leaving: new Set(), coming: new Set() };
      kept.set(text, lists);
      for (const cluster of leaving) lists.leaving.add(cluster);
      for (const cluster of coming) lists.coming.add(cluster);
    }
  };
  for (const one of staying(decision)) note(one.by, [one], []);
  for (const [name, { by }] of decision.fates.of('keptOut')) note(by, [], [name]);
  return [...kept]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([text, { leaving, coming }]) => {
      const causes = causesText([...leaving], snapshot, decision);
      const names = boundedList([...coming].sort(), ', ', HELD_LIMIT);
      return `${text}${causes && `; these wait to leave: ${causes}`}${names && `; these wait to come in: ${names}`}`;
    });
}

/** The clusters that leave when the next window of the Placement opens, where nothing else keeps them then, sorted by name. */
interface Windowed {
  readonly clusters: readonly HeldCluster[];
  readonly window: ClosedWindow;
}

/** The clusters that wait for a change window of the Placement, and this window; undefined without such clusters. */
function windowedIn(decision: Decision): Windowed | undefined {
  const clusters = staying(decision, (by) => ownWindowIn(by) !== undefined);
  const [first] = clusters;
  const window = first && ownWindowIn(first.by);
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

/** The conditions Paused and ChangesWaiting, those that are True, and what they say. */
export function waitingTexts(
  snapshot: PlacementSnapshot,
  decision: Decision,
): readonly { readonly type: 'Paused' | 'ChangesWaiting'; readonly message: string }[] {
  const windowed = windowedIn(decision);
  const paused = { type: 'Paused', message: pausedMessage(snapshot) } as const;
  const waiting = [
    ...(windowed ? [waitingMessage(snapshot, decision, windowed)] : []),
    ...(snapshot.timedSets.length === 0 ? [] : setTexts(snapshot, decision)),
  ];
  return [
    ...(snapshot.placement.rules.paused ? [paused] : []),
    ...(waiting.length > 0 ? [{ type: 'ChangesWaiting', message: clip(waiting.join('; ')) } as const] : []),
  ];
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
  const bySet = staying(decision, isKeptBySet).filter(({ cluster }) => isAll || clusters.includes(cluster));
  if (bySet.length > 0) {
    const names = nameList(bySet.map(({ cluster }) => cluster));
    return { text: `a release ends no pause and opens no change window of a cluster set: ${names} may still wait` };
  }
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
