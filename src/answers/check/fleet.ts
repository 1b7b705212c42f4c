import { AVAILABLE_CONDITION } from '../../api/clusterreasons.js';
import type { MultiClusterEngineSpec } from '../../api/generated/multiclusterengine.js';
import { LOCAL_CLUSTER_ANNOTATION } from '../../api/names.js';
import { conditionIn } from '../../domain/conditions.js';
import { effectiveSpec } from '../../domain/engine/spec.js';
import { field } from '../../runtime/vocabulary/json.js';
import { brakeText, fleetSummary, maintenanceText, type FleetSummary } from '../fleetsummary.js';
import { someNames } from '../output.js';
import type { HubInput } from './input.js';
import { isLeaseHeld } from './leases.js';
import { failed, passed, unread, warning, type CheckResult } from './result.js';

const NAME = 'fleet';
const MOST_NAMES = 3;
const REMEDY = 'kubectl mce cluster list -o wide';

/**
 * Checks whether the joined clusters are available. A few silent ones are a warning: Placements replace them. It is a failure while
 * most of the fleet or of a set is silent, since the brake then keeps decisions as they are, and while no controller judges clusters.
 */
export function checkFleet({ reading, clustersLease, now }: HubInput): CheckResult {
  const withheld = reading.world.withheld.find(({ resource }) => resource === 'managedclusters');
  if (withheld !== undefined) return unread(NAME, 'whether clusters are silent', withheld);
  const fleet = fleetSummary(reading.world.objects.managedclusters);
  const { joined, silent, unavailable, brake, mostSilent, others } = fleet;
  if (joined === 0) return passed(NAME, 'no cluster has joined');
  if (isLeaseHeld(clustersLease, now) === false)
    return failed(NAME, `no controller judges the health of ${countText(joined)}`, 'kubectl get mce');
  if (silent + unavailable === 0) return passed(NAME, `${countText(joined)} ${joined === 1 ? 'is' : 'are'} available`);
  const names = others.map(({ name }) => name);
  const text = `${goneText(fleet)} of ${countText(joined)}: ${someNames(names, MOST_NAMES)}`;
  if (brake.length > 0) return failed(NAME, `${text}; the brake: ${brakeText(brake)}`, REMEDY);
  return mostSilent ? failed(NAME, `${text}; most of the fleet`, REMEDY) : warning(NAME, text, REMEDY);
}

/** Warns of clusters in maintenance: somebody may have forgotten to end it. No result without such clusters. */
export function checkMaintenance({ reading }: Pick<HubInput, 'reading'>): readonly CheckResult[] {
  const text = maintenanceText(fleetSummary(reading.world.objects.managedclusters));
  if (text === undefined) return [];
  const message = `Placements keep away from clusters in maintenance: ${text}`;
  return [warning('maintenance', message, 'kubectl mce uncordon NAME')];
}

/** Warns of agents that lack something in their own cluster: they go on working, but cannot start again. No result without them. */
export function checkAgents({ reading }: Pick<HubInput, 'reading'>): readonly CheckResult[] {
  const { degraded } = fleetSummary(reading.world.objects.managedclusters);
  const [first] = degraded;
  if (first === undefined) return [];
  const all = degraded.map(({ name }) => name);
  const what = degraded.length === 1 ? 'an agent lacks' : `${degraded.length} agents lack`;
  const text = `${what} something in its cluster: ${someNames(all, MOST_NAMES)}: ${first.message}`;
  return [warning('agents', text, `kubectl describe mcl ${first.name}`)];
}

/** Warns of ManagedClusters of the hub itself that are still available by their status although no engine reports for them. */
export function checkLocalClusters({ reading: { world } }: HubInput): readonly CheckResult[] {
  const { multiclusterengines, managedclusters } = world.objects;
  if (world.withheld.some(({ resource }) => resource === 'multiclusterengines')) return [];
  const reported = multiclusterengines
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => effectiveSpec(spec as MultiClusterEngineSpec).localCluster);
  return managedclusters.flatMap(({ metadata: { name, annotations }, spec, status }) => {
    const isLocal = annotations?.[LOCAL_CLUSTER_ANNOTATION] === 'true' && field(spec, 'hubAcceptsClient') === undefined;
    const isAvailable = conditionIn(status, AVAILABLE_CONDITION)?.['status'] === 'True';
    if (!isLocal || reported.includes(name) || !isAvailable) return [];
    const text = `ManagedCluster ${name} stands for the hub and is available by its status, and nobody reports for it`;
    return [warning(NAME, text, `kubectl mce cluster remove ${name}`)];
  });
}

/** `2 silent and 1 unavailable`. */
function goneText({ silent, unavailable }: FleetSummary): string {
  const parts = [
    [silent, 'silent'],
    [unavailable, 'unavailable'],
  ] as const;
  return parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(' and ');
}

function countText(joined: number): string {
  return `${joined} joined ${joined === 1 ? 'cluster' : 'clusters'}`;
}
