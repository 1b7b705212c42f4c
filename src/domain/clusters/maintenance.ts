import { field } from '../../runtime/vocabulary/json.js';
import { TAINTS } from '../../api/names.js';
import { isList } from '../selectors.js';
import type { ClusterSpecFields } from './fields.js';

/**
 * `spec.maintenance` of a ManagedCluster: cordoned or drained by people. It stands for a taint, and has a place of its own: who
 * applies a manifest with a list of taints replaces the whole list.
 */
export type Maintenance = 'Cordoned' | 'Draining';

interface MaintenanceTaint {
  readonly key: string;
  readonly effect: 'NoSelectIfNew' | 'NoSelect';
}

/**
 * Cordoned: no Placement that does not hold the cluster already selects it. Draining: Placements that do not tolerate the taint
 * remove the cluster from their decisions, too.
 */
export const MAINTENANCE_TAINTS: Readonly<Record<Maintenance, MaintenanceTaint>> = Object.freeze({
  Cordoned: { key: TAINTS.cordoned, effect: 'NoSelectIfNew' },
  Draining: { key: TAINTS.draining, effect: 'NoSelect' },
});

/** The maintenance that the spec asks for; undefined for none, and for a value that admission should have refused. */
export function maintenanceOf(spec: ClusterSpecFields): Maintenance | undefined {
  const value = spec?.maintenance;
  return value === 'Cordoned' || value === 'Draining' ? value : undefined;
}

/** What stands, by the field or by its taint in `spec.taints`. */
export function standingMaintenance(spec: ClusterSpecFields): readonly Maintenance[] {
  const taints = taintsOf(spec);
  return (Object.keys(MAINTENANCE_TAINTS) as Maintenance[]).filter((one) => {
    const { key, effect } = MAINTENANCE_TAINTS[one];
    return taints.some((taint) => field(taint, 'key') === key && field(taint, 'effect') === effect);
  });
}

/** The taints of a ManagedCluster, unchecked: `spec.taints`, and that of `spec.maintenance` unless the list has it. */
export function taintsOf(spec: ClusterSpecFields): readonly unknown[] {
  const taints = spec?.taints;
  const listed = isList(taints) ? taints : [];
  const maintenance = maintenanceOf(spec);
  if (maintenance === undefined) return listed;
  const { key, effect } = MAINTENANCE_TAINTS[maintenance];
  const isListed = listed.some((one) => field(one, 'key') === key && field(one, 'effect') === effect);
  return isListed ? listed : [...listed, { key, effect }];
}
