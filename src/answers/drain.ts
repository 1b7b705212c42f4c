import { asRecord, field } from '../runtime/vocabulary/json.js';
import { TAINTS } from '../api/names.js';
import { MAINTENANCE_TAINTS, taintsOf } from '../domain/clusters/maintenance.js';
import { timestamp, type RawObject } from '../runtime/vocabulary/meta.js';
import { boundText } from '../domain/placement/report/holds.js';
import type { PlacementSnapshot } from '../domain/placement/select/snapshot.js';
import { standingOf } from '../domain/placement/select/standing.js';
import { waitText } from '../domain/placement/report/waits.js';
import { timeText } from '../domain/placement/explain/taints.js';
import { forecastOf } from './world/forecast.js';
import { holdersOf } from './whoselects.js';
import { inputsOf } from './world/once.js';
import { WorldInputs, type World } from './world/world.js';
import { boundIn, endOf } from '../domain/placement/select/decision.js';

/** What becomes of the decisions that name a cluster when it is drained. */

export type DrainEffect =
  /** Other clusters come in for it. */
  | { readonly kind: 'Replaced'; readonly by: readonly string[] }
  /** It leaves, and `selected` clusters of `wanted` are left; undefined: all that match are wanted. */
  | { readonly kind: 'Leaves'; readonly selected: number; readonly wanted: number | undefined }
  /** The Placement tolerates the taint; `until`: ms since the epoch, undefined for ever. */
  | { readonly kind: 'Tolerated'; readonly until: number | undefined }
  /** Its removal is held. `why`: by what; `ends`: whether time alone ends it. */
  | { readonly kind: 'Held'; readonly why: string; readonly ends: boolean }
  /** Its removal waits for a change window or, while the Placement is paused, for its end; a release changes nothing. */
  | { readonly kind: 'Waits'; readonly why: string; readonly ends: boolean }
  /** The last decision of a Placement with an invalid spec stays published. */
  | { readonly kind: 'Misconfigured' }
  /** It depends on objects that could not be read. */
  | { readonly kind: 'Unknown' };

/** A Placement whose decision names the cluster. */
export interface DrainedPlacement {
  readonly namespace: string;
  readonly name: string;
  readonly effect: DrainEffect;
  /** `edge-1 → edge-7`, `edge-1 leaves, unsatisfied 2 of 3`, `stays until 2026-01-02T03:04:05Z`. */
  readonly text: string;
}

/**
 * What the taint `cluster.fleetmgmt.io/draining` with the effect NoSelect, added when the world was read, does to each decision
 * that holds the cluster; by namespace and name. Decisions of Placements that are not in the world are left out.
 */
export function drainedPlacements(world: World, cluster: string): readonly DrainedPlacement[] {
  const inputs = inputsOf(world);
  const drainedInputs = new WorldInputs(drained(world, cluster));
  return [...holdersOf(world, cluster).keys()].sort().flatMap((key): readonly DrainedPlacement[] => {
    const [namespace = '', name = ''] = key.split('/');
    const input = inputs.input({ namespace, name });
    if (input === undefined || input.deleting) return [];
    const row = (effect: DrainEffect): readonly DrainedPlacement[] => {
      return [{ namespace, name, effect, text: drainText(effect, cluster, { namespace, name }) }];
    };
    if (!inputs.isKnown) return row({ kind: 'Unknown' });
    const before = forecastOf(input.snapshot);
    const after = drainedInputs.input({ namespace, name }, before.published);
    // A decision that, published as of now, does not hold the cluster anyway is not affected by the drain.
    if (after === undefined || !before.clusters.includes(cluster)) return [];
    return row(drainEffect(cluster, before.clusters, after.snapshot));
  });
}

/** Whether the cluster stays until somebody changes the Placement, or releases the cluster. */
export function isStaying(effect: DrainEffect): boolean {
  if (effect.kind === 'Tolerated') return effect.until === undefined;
  return effect.kind === 'Held' || effect.kind === 'Waits' ? !effect.ends : effect.kind === 'Misconfigured';
}

function drainText(
  effect: DrainEffect,
  cluster: string,
  { namespace, name }: Pick<DrainedPlacement, 'namespace' | 'name'>,
): string {
  switch (effect.kind) {
    case 'Replaced':
      return `${cluster} → ${effect.by.join(', ')}`;
    case 'Leaves':
      return effect.wanted === undefined
        ? `${cluster} leaves`
        : `${cluster} leaves, unsatisfied ${effect.selected} of ${effect.wanted}`;
    case 'Tolerated': {
      const until = timeText(effect.until);
      return until === undefined ? 'stays: spec.tolerations tolerates the taint' : `stays until ${until}`;
    }
    case 'Held':
      return `stays: ${effect.why}; to let it go: kubectl mce release placement ${name} -n ${namespace} --clusters ${cluster}`;
    case 'Waits':
      return `stays: ${effect.why}`;
    case 'Misconfigured':
      return 'stays: the spec is invalid';
    case 'Unknown':
      return 'not readable';
  }
}

/** `before`: the clusters of the decision without the taint. `snapshot`: with the taint. */
function drainEffect(cluster: string, before: readonly string[], snapshot: PlacementSnapshot): DrainEffect {
  const { rules } = snapshot.placement;
  const after = forecastOf(snapshot);
  if (after.clusters.includes(cluster)) {
    if (rules.problem !== undefined) return { kind: 'Misconfigured' };
    const fate = after.schedule.fates.get(cluster);
    if (fate?.kind === 'held') {
      const bound = boundIn(fate.by);
      const ends = fate.by.every((one) => endOf(one) !== undefined);
      if (bound !== undefined) return { kind: 'Held', why: boundText(bound, snapshot), ends };
      return { kind: 'Waits', why: waitText(fate.by), ends };
    }
    const standing = standingOf(snapshot.selected.get(cluster)?.taints ?? [], rules.tolerations, snapshot.now);
    const until = standing.kind === 'leaves' ? undefined : standing.until;
    return { kind: 'Tolerated', until };
  }
  const by = after.clusters.filter((name) => !before.includes(name));
  if (by.length > 0) return { kind: 'Replaced', by };
  return { kind: 'Leaves', selected: after.clusters.length, wanted: rules.wanted };
}

/** The world in which the cluster has the taint of `drain`. */
export function drained(world: World, name: string): World {
  const managedclusters = world.objects.managedclusters.map((one) =>
    one.metadata.name === name ? withTaint(one, timestamp(world.at)) : one,
  );
  return { ...world, objects: { ...world.objects, managedclusters } };
}

/** With its time: the rules compare it with the time of the world. */
function withTaint(cluster: RawObject, timeAdded: string): RawObject {
  const others = taintsOf(asRecord(cluster.spec)).filter((one) => field(one, 'key') !== TAINTS.draining);
  const draining = { ...MAINTENANCE_TAINTS.Draining, timeAdded };
  return { ...cluster, spec: { ...asRecord(cluster.spec), taints: [...others, draining] } };
}
