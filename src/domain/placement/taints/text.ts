import { timestamp } from '../../conditions.js';
import { wordText } from '../explain/requirementtext.js';
import type { ClusterView, PlacementRules } from '../predicates.js';
import type { StuckCluster } from '../room.js';
import { knownEnd, taintsAgainstNew, taintsAgainstSelected, type LimitedTaint } from './standing.js';
import type { Taint } from './taint.js';

/** What taints do to a cluster, as text. Times are those that are stored. */

/** Later times have no text in the format of Kubernetes. */
const LAST_TIME = Date.UTC(9999, 11, 31);

/** A cluster, and whether the decision of the Placement holds it. */
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
  const since = timeText(taint.since);
  const text = `taint ${taintName(taint)}${since === undefined ? '' : ` since ${since}`}`;
  if (tolerance === undefined || (!inDecision && tolerance.isImplied)) return text;
  if (!inDecision) return `${text}, tolerated for ${tolerance.seconds} s where the cluster is selected`;
  const until = timeText(knownEnd({ taint, tolerance }));
  return `${text}, tolerated ${until === undefined ? `for ${tolerance.seconds} s` : `until ${until}`}`;
}

/** `maintenance=disks:NoSelect`, as kubectl writes taints. */
export function taintName({ key, value, effect }: Taint): string {
  return `${wordText(key)}${value === '' ? '' : `=${wordText(value)}`}:${effect}`;
}

/** `edge-1 is unreachable and no other cluster can take its place`, one text for each key of the hub's taints. */
export function stuckTexts(
  stuck: readonly StuckCluster[],
  list: (names: readonly string[]) => string,
): readonly string[] {
  const byKey = new Map<string, string[]>();
  for (const { cluster, key } of stuck) byKey.set(key, [...(byKey.get(key) ?? []), cluster]);
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([key, names]) => {
    const state = key.slice(key.indexOf('/') + 1);
    const [are, their] = names.length === 1 ? ['is', 'its'] : ['are', 'their'];
    return `${list(names)} ${are} ${state} and no other cluster can take ${their} place`;
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
