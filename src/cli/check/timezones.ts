import { TIME_ZONE_DATA_ANNOTATION } from '../../api/names.js';
import { timeZoneData } from '../../domain/placement/spec/changewindows.js';
import { field } from '../../runtime/vocabulary/json.js';
import type { HubInput } from './input.js';
import { passed, warning, type CheckResult } from './result.js';

/** Whether the controller and this program open change windows by the same zones. Without a window there is nothing to check. */
export function checkTimeZones({ reading, placementLease: { lease } }: HubInput): readonly CheckResult[] {
  const windows = reading.world.objects.placements.flatMap(({ spec }) => field(spec, 'changeWindows') ?? []);
  if (windows.length === 0 || lease.kind === 'Withheld' || lease.value === undefined) return [];
  const [check, own] = ['time-zones', timeZoneData()];
  const theirs = lease.value.metadata.annotations?.[TIME_ZONE_DATA_ANNOTATION];
  if (theirs === own) return [passed(check, `change windows open by time zone data ${own}`)];
  const text =
    theirs === undefined
      ? 'change windows open by time zone data that the placement controller does not name'
      : `change windows open by time zone data ${theirs} of the placement controller`;
  return [warning(check, `${text}; this program computes with ${own}, and may name other times`)];
}
