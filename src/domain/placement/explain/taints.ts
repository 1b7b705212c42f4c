import { TAINTS } from '../../../api/names.js';
import { LAST_TIME, timestamp } from '../../../runtime/vocabulary/meta.js';
import { isNeverJoined } from '../../health/taints.js';
import { wordText } from './requirementtext.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { ClusterView } from '../spec/cluster.js';
import type { StuckCluster } from '../select/decision.js';
import {
  knownEnd,
  taintsAgainstNew,
  taintsAgainstSelected,
  taintsOfSelected,
  type LimitedTaint,
  type OtherTaint,
} from '../select/standing.js';
import { type Taint, toleranceOf } from '../spec/taint.js';

/** What taints do to a cluster, as text. Times are those that are stored. */

/** What `drain` adds. */
const DRAINING: Taint = { key: TAINTS.draining, value: '', effect: 'NoSelect', since: undefined };

/** A cluster, and whether the decision of the Placement names it. */
export interface TaintedSubject {
  readonly cluster: ClusterView | undefined;
  readonly inDecision: boolean;
}

/** The taints that keep the cluster out, or that make it leave where it is selected, now or later. */
export function limitedTaints(
  { cluster, inDecision }: TaintedSubject,
  { tolerations }: PlacementRules,
): readonly LimitedTaint[] {
  const taints = cluster?.taints ?? [];
  return inDecision ? taintsAgainstSelected(taints, tolerations) : taintsAgainstNew(taints, tolerations);
}

/**
 * The taint that keeps the cluster out or makes it leave first, since and until when, and how many more there are:
 * `taint maintenance=disks:NoSelect since 2026-01-02T03:04:05Z`. Undefined without one.
 */
export function taintedText(subject: TaintedSubject, rules: PlacementRules): string | undefined {
  const limited = limitedTaints(subject, rules);
  const first = firstOf(limited, subject);
  if (first === undefined) return undefined;
  const text = limitedText(first, subject);
  return limited.length === 1 ? text : `${text} (and ${limited.length - 1} more)`;
}

/** The key of the taint that {@link taintedText} names. */
export function taintedKey(subject: TaintedSubject, rules: PlacementRules): string | undefined {
  return firstOf(limitedTaints(subject, rules), subject)?.taint.key;
}

function firstOf(limited: readonly LimitedTaint[], { inDecision }: TaintedSubject): LimitedTaint | undefined {
  return inDecision ? firstToEnd(limited) : limited[0];
}

/** One taint with since and until when. */
export function limitedText({ taint, tolerance }: LimitedTaint, { inDecision }: TaintedSubject): string {
  const text = sinceText(taint);
  if (!inDecision && isNeverJoined(taint)) return `${text}: the cluster has never joined, and no toleration lets it in`;
  if (tolerance === undefined || (!inDecision && tolerance.isImplied)) return text;
  if (!inDecision) return `${text}, tolerated for ${tolerance.seconds} s where the cluster is selected`;
  const until = timeText(knownEnd({ taint, tolerance }));
  return `${text}, tolerated ${until === undefined ? `for ${tolerance.seconds} s` : `until ${until}`}`;
}

/** The taints of a selected cluster that do not make it leave. */
export function otherTaints(
  { cluster, inDecision }: TaintedSubject,
  { tolerations }: PlacementRules,
): readonly OtherTaint[] {
  return taintsOfSelected(cluster?.taints ?? [], tolerations, inDecision);
}

/**
 * A taint, and why the cluster is selected with it: `taint maintenance:NoSelect, tolerated for ever by spec.tolerations[0]`,
 * `taint cluster.fleetmgmt.io/cordoned:NoSelectIfNew, which removes no selected cluster (kubectl mce drain edge-1 does)`.
 * The command is left out where the Placement tolerates the taint of `drain`.
 */
export function otherTaintText(
  { taint, toleration }: OtherTaint,
  { cluster }: TaintedSubject,
  { tolerations }: PlacementRules,
): string {
  if (toleration !== undefined) return `${sinceText(taint)}, tolerated for ever by spec.tolerations[${toleration}]`;
  const text = `${sinceText(taint)}, which removes no selected cluster`;
  if (cluster === undefined || toleranceOf(DRAINING, tolerations) !== undefined) return text;
  return `${text} (kubectl mce drain ${wordText(cluster.name)} does)`;
}

/**
 * The taint of a selected cluster whose toleration ends first, else the first of {@link otherTaints}, and how many more
 * there are. Undefined without one.
 */
export function selectedTaintsText(subject: TaintedSubject, rules: PlacementRules): string | undefined {
  const limited = subject.inDecision ? limitedTaints(subject, rules) : [];
  const others = otherTaints(subject, rules);
  const first = firstOf(limited, subject);
  const [other] = others;
  const more = limited.length + others.length - 1;
  const count = more > 0 ? ` (and ${more} more)` : '';
  if (first !== undefined) return `${limitedText(first, subject)}${count}`;
  return other === undefined ? undefined : `${otherTaintText(other, subject, rules)}${count}`;
}

function sinceText(taint: Taint): string {
  const since = timeText(taint.since);
  return `taint ${taintName(taint)}${since === undefined ? '' : ` since ${since}`}`;
}

/** `maintenance=disks:NoSelect`, as kubectl writes taints. */
function taintName({ key, value, effect }: Taint): string {
  return `${wordText(key)}${value === '' ? '' : `=${wordText(value)}`}:${effect}`;
}

/**
 * Why no other cluster has taken the place of one that yields it. `isPlaceKept`: a pause keeps others out; `whose`: `its`, `their`.
 */
export function placeText(isPlaceKept: boolean, whose = 'its'): string {
  return isPlaceKept ? `spec.paused keeps others out of ${whose} place` : `no other cluster can take ${whose} place`;
}

/** `edge-1 is unreachable and no other cluster can take its place`, one text for each key of the hub's taints. */
export function stuckTexts(
  { stuck, isPlaceKept }: { readonly stuck: readonly StuckCluster[]; readonly isPlaceKept: boolean },
  list: (names: readonly string[]) => string,
): readonly string[] {
  const byKey = new Map<string, string[]>();
  for (const { cluster, key } of stuck) byKey.set(key, [...(byKey.get(key) ?? []), cluster]);
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([key, names]) => {
    const state = key.slice(key.indexOf('/') + 1);
    const [are, their] = names.length === 1 ? ['is', 'its'] : ['are', 'their'];
    return `${list(names)} ${are} ${state} and ${placeText(isPlaceKept, their)}`;
  });
}

/** A taint that is not tolerated, else the one whose toleration ends first. */
function firstToEnd(limited: readonly LimitedTaint[]): LimitedTaint | undefined {
  const endOf = (one: LimitedTaint): number => (one.tolerance === undefined ? -Infinity : (knownEnd(one) ?? Infinity));
  return limited.reduce<LimitedTaint | undefined>(
    (first, one) => (first === undefined || endOf(one) < endOf(first) ? one : first),
    undefined,
  );
}

/** A time in the format of Kubernetes; undefined for an unknown one, and for one that this format cannot express. */
export function timeText(ms: number | undefined): string | undefined {
  return ms === undefined || Math.abs(ms) > LAST_TIME ? undefined : timestamp(ms);
}
