import { sameJson } from '../../runtime/vocabulary/json.js';
import { byText } from '../../runtime/vocabulary/names.js';
import { TAINTS } from '../../api/names.js';
import type { HealthTaint } from './judge.js';

/** The taints of a cluster and their times. Times are RFC 3339, of the hub's clock. */

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/** One item of status.taintTimes: when the hub first saw the taint. */
export interface TaintTime {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
  readonly since: string;
}

/** A taint of the hub with its time. */
export type TimedHealthTaint = HealthTaint & { readonly timeAdded: string };

/** What a cluster has now. */
export interface StoredTaints {
  readonly taints: readonly Taint[];
  readonly taintTimes: readonly TaintTime[];
}

/** Whether the taint has a key that only the hub itself sets, for a cluster that it judges unhealthy. */
export function isHealthTaint({ key }: { readonly key: string }): boolean {
  return key === TAINTS.unreachable || key === TAINTS.unavailable;
}

/** Whether the taint says that no agent of the cluster has ever reported: nothing runs there. */
export function isNeverJoined({ key, effect }: { readonly key: string; readonly effect: string }): boolean {
  return key === TAINTS.unreachable && effect === 'NoSelectIfNew';
}

/**
 * The taint with its time: that of the same taint, stored or remembered in taintTimes; for NoSelect also that of the other
 * key, so that a cluster which is first unavailable and then unreachable has one time. `now` for a new one.
 */
export function timedTaint(taint: HealthTaint, stored: StoredTaints, now: string): TimedHealthTaint {
  const isSame = ({ key, effect }: { readonly key: string; readonly effect: string }): boolean =>
    effect === taint.effect && (key === taint.key || (effect === 'NoSelect' && isHealthTaint({ key })));
  const remembered = stored.taintTimes.filter(isSame).map(({ since }) => since);
  const times = [...stored.taints.filter(isSame).flatMap(({ timeAdded }) => timeAdded ?? []), ...remembered].sort();
  return { key: taint.key, effect: taint.effect, timeAdded: times[0] ?? now };
}

/** Whether the hub's taints that are stored are other ones than `wanted`. */
export function differsFrom(wanted: TimedHealthTaint | undefined, taints: readonly Taint[]): boolean {
  const own = taints.filter(isHealthTaint);
  const [first] = own;
  if (wanted === undefined || first === undefined) return own.length > 0 || wanted !== undefined;
  const isSame = first.key === wanted.key && first.effect === wanted.effect && first.timeAdded === wanted.timeAdded;
  return own.length > 1 || !isSame;
}

/**
 * The times to store: one for each taint without timeAdded, since the hub first saw it with this value, and one for the
 * taint of the hub, so that one which somebody drops comes back with its time.
 */
export function wantedTaintTimes(
  taints: readonly Taint[],
  stored: readonly TaintTime[],
  own: TimedHealthTaint | undefined,
  now: string,
): readonly TaintTime[] {
  const times = taints.flatMap((taint): readonly TaintTime[] => {
    if (taint.timeAdded !== undefined) return [];
    const { key, effect, value } = taint;
    const known = stored.find((one) => one.key === key && one.effect === effect && one.value === value);
    return [{ key, effect, ...(value === undefined ? {} : { value }), since: known?.since ?? now }];
  });
  if (own !== undefined) times.push({ key: own.key, effect: own.effect, since: own.timeAdded });
  return times.sort(byKeyAndEffect);
}

/** Whether two lists of times say the same, whatever their order. */
export function sameTaintTimes(a: readonly TaintTime[], b: readonly TaintTime[]): boolean {
  if (a.length !== b.length) return false;
  return sameJson([...a].sort(byKeyAndEffect), [...b].sort(byKeyAndEffect));
}

function byKeyAndEffect(a: TaintTime, b: TaintTime): number {
  return byText(a.key, b.key) || byText(a.effect, b.effect);
}
