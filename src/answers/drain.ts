import { asRecord, field } from '../runtime/vocabulary/json.js';
import { MAINTENANCE_TAINTS, taintsOf, type Maintenance } from '../domain/clusters/maintenance.js';
import { timestamp, type RawObject } from '../runtime/vocabulary/meta.js';
import type { PlacementSnapshot } from '../domain/placement/select/snapshot.js';
import { standingOf } from '../domain/placement/select/standing.js';
import { holdersText } from '../domain/placement/report/holds.js';
import { timeText } from '../domain/placement/explain/taints.js';
import { forecastOf } from './world/forecast.js';
import { holdersOf } from './whoselects.js';
import { inputsOf, WorldInputs, type World } from './world/world.js';
import { endOf, isHold } from '../domain/placement/select/holders.js';

/** What becomes of the decisions that name a cluster when it is drained. */

/** A Placement whose decision names the cluster. */
export interface DrainedPlacement {
  readonly namespace: string;
  readonly name: string;
  /**
   * - `Replaced`: other clusters come in for it. `Leaves`: none does.
   * - `Tolerated`: the Placement tolerates the taint, for a time or for ever.
   * - `Held`: its removal is held. `Waits`: for a change window, or for the end of a pause; a release changes nothing.
   * - `Misconfigured`: the last decision of a Placement with an invalid spec stays published.
   * - `Unknown`: it depends on objects that could not be read.
   */
  readonly kind: 'Replaced' | 'Leaves' | 'Tolerated' | 'Held' | 'Waits' | 'Misconfigured' | 'Unknown';
  /** `edge-1 → edge-7`, `edge-1 leaves, unsatisfied 2 of 3`, `stays until 2026-01-02T03:04:05Z`. */
  readonly text: string;
  /** Whether the cluster stays until somebody changes the Placement, or releases the cluster. */
  readonly isStaying: boolean;
}

/**
 * What the taint `cluster.fleetmgmt.io/draining` with the effect NoSelect, added when the world was read, does to each decision
 * that holds the cluster; by namespace and name. Decisions of Placements that are not in the world are left out. `onDecision` runs
 * before each.
 */
export function drainedPlacements(world: World, cluster: string, onDecision?: () => void): readonly DrainedPlacement[] {
  const inputs = inputsOf(world);
  const drainedInputs = new WorldInputs(maintainedIn(world, cluster, 'Draining'), inputs);
  return [...holdersOf(world, cluster).keys()].sort().flatMap((key): readonly DrainedPlacement[] => {
    onDecision?.();
    const [namespace = '', name = ''] = key.split('/');
    const input = inputs.input({ namespace, name });
    if (input === undefined || input.deleting) return [];
    if (!inputs.isKnown) return [{ namespace, name, kind: 'Unknown', text: 'not readable', isStaying: false }];
    const before = forecastOf(input.snapshot);
    const after = drainedInputs.input({ namespace, name }, before.published);
    // A decision that, published as of now, does not hold the cluster anyway is not affected by the drain.
    if (after === undefined || !before.clusters.includes(cluster)) return [];
    return [{ namespace, name, ...effectOf(cluster, before.clusters, after.snapshot) }];
  });
}

/** What the taint does to a decision. `before`: its clusters without the taint. `snapshot`: what it is made of with the taint. */
function effectOf(
  cluster: string,
  before: readonly string[],
  snapshot: PlacementSnapshot,
): Pick<DrainedPlacement, 'kind' | 'text' | 'isStaying'> {
  const { namespace, name, rules } = snapshot.placement;
  const { clusters, decision } = forecastOf(snapshot);
  if (!clusters.includes(cluster)) {
    const by = clusters.filter((one) => !before.includes(one));
    if (by.length > 0) return { kind: 'Replaced', text: `${cluster} → ${by.join(', ')}`, isStaying: false };
    const short = rules.wanted === undefined ? '' : `, unsatisfied ${clusters.length} of ${rules.wanted}`;
    return { kind: 'Leaves', text: `${cluster} leaves${short}`, isStaying: false };
  }
  if (rules.problem !== undefined)
    return { kind: 'Misconfigured', text: 'stays: the spec is invalid', isStaying: true };
  const fate = decision.fates.get(cluster);
  if (fate?.kind === 'held') {
    const stays = `stays: ${holdersText(fate.by, snapshot)}`;
    const isStaying = fate.by.some((one) => endOf(one) === undefined);
    if (!isHold(fate.by)) return { kind: 'Waits', text: stays, isStaying };
    const release = `kubectl mce release placement ${name} -n ${namespace} --clusters ${cluster}`;
    return { kind: 'Held', text: `${stays}; to let it go: ${release}`, isStaying };
  }
  const { until } = standingOf(snapshot.selected.get(cluster)?.taints ?? [], rules.tolerations, snapshot.now);
  const time = timeText(until);
  const text = time === undefined ? 'stays: spec.tolerations tolerates the taint' : `stays until ${time}`;
  return { kind: 'Tolerated', text, isStaying: until === undefined };
}

/** The world once the hub has seen `spec.maintenance` of the cluster: with the taint that stands for it, added now. */
export function maintainedIn(world: World, name: string, maintenance: Maintenance | undefined): World {
  const keys = Object.values(MAINTENANCE_TAINTS).map(({ key }) => key);
  const changed = (cluster: RawObject): RawObject => {
    const { maintenance: _before, ...spec } = asRecord(cluster.spec);
    const others = taintsOf(asRecord(cluster.spec)).filter((one) => !keys.some((key) => field(one, 'key') === key));
    if (maintenance === undefined) return { ...cluster, spec: { ...spec, taints: others } };
    // The rules compare its time with that of the world.
    const taint = { ...MAINTENANCE_TAINTS[maintenance], timeAdded: timestamp(world.at) };
    return { ...cluster, spec: { ...spec, maintenance, taints: [...others, taint] } };
  };
  const managedclusters = world.objects.managedclusters.map((one) => (one.metadata.name === name ? changed(one) : one));
  return { ...world, objects: { ...world.objects, managedclusters } };
}
