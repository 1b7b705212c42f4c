import { schedule, type Schedule } from '../../domain/placement/schedule.js';
import { planSlices, type SlicePlan } from '../../domain/placement/slices.js';
import type { Input } from './gather.js';

/** Which clusters are selected, and the writes that publish them. */
export interface Decision {
  readonly schedule: Schedule;
  readonly plan: SlicePlan;
}

export function decide({ snapshot }: Input): Decision {
  const selected = schedule(snapshot);
  return { schedule: selected, plan: planSlices(snapshot, selected) };
}
