import type { Placement } from '../../api/generated/placement.js';
import { Placements } from '../../api/resources.js';
import { schedule, type Schedule } from '../../domain/placement/schedule.js';
import { planSlices, type SlicePlan } from '../../domain/placement/slices.js';
import type { Result } from '../../runtime/result.js';
import type { Input } from './gather.js';
import type { ReconcileScope } from './scope.js';

/** Which clusters are selected, and the writes that publish them. */
export interface Decision {
  readonly schedule: Schedule;
  readonly plan: SlicePlan;
}

export const CACHE_BEHIND: Result = { ending: 'wait', reason: 'the cache is older than what was read', afterMs: 1_000 };

export function decide({ snapshot }: Input): Decision {
  const selected = schedule(snapshot);
  return { schedule: selected, plan: planSlices(snapshot, selected) };
}

/**
 * Confirms by reads of the API what a decision takes for granted and the caches alone do not prove. These reads follow the
 * decision because it alone tells which of them are needed; they never change it. Returns what to wait for, or undefined
 * when the decision may be carried out. Throws when the API cannot be read.
 */
export async function confirmDecision(
  { placement, owner: { namespace, name, uid }, objects }: Input,
  { schedule: { dropped }, plan }: Decision,
  { client, deletions }: ReconcileScope,
): Promise<Result | undefined> {
  if (dropped.some(({ cause }) => cause === 'Gone' || cause === 'NotMember')) {
    // NaN, for an unknown time, wins: the deletion check then takes the objects for older than any definition.
    const created = [placement, ...objects.values()].map(({ metadata }) =>
      Date.parse(metadata.creationTimestamp ?? ''),
    );
    const result = await deletions.check(Math.min(...created));
    if (result.kind === 'unconfirmed') return { ending: 'wait', reason: result.reason, afterMs: result.afterMs };
  }
  // Objects of an earlier Placement are deleted only when the API server has the same Placement as the cache.
  if (plan.writes.some((write) => write.kind === 'delete' && write.cause === 'Predecessor')) {
    const found = await client.get<Placement>(Placements, { namespace, name }, { metadataOnly: true });
    if (found?.metadata.uid !== uid) return CACHE_BEHIND;
  }
  return undefined;
}
