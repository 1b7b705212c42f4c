import { field } from '../../runtime/vocabulary/json.js';
import { SOURCE_ANNOTATION, TAINTS } from '../../api/names.js';
import { isSilentScope } from '../../domain/health/brake.js';
import { isHealthTaint, isNeverJoined } from '../../domain/health/taints.js';
import type { ClusterView } from '../../domain/placement/spec/cluster.js';
import type { Taint } from '../../domain/placement/spec/taint.js';
import type { PlacementSnapshot } from '../../domain/placement/select/snapshot.js';
import type { World, WorldInputs } from '../world/world.js';

/**
 * Clusters that fall silent for good. They stay in the fleet, and the hub taints them: the rules of Placements decide what that
 * does, once all that tolerates it for a time has ended.
 */

/** The taint of the hub, for longer than any time for which it is tolerated. */
const SILENT: Taint = { key: TAINTS.unreachable, value: '', effect: 'NoSelect', since: -Infinity };

/** How silent clusters are, by name. */
export type SilentClusters = ReadonlyMap<string, ClusterView>;

/** Those of the clusters that exist, once they are silent. The hub gives a cluster one taint. */
export function silentClusters(inputs: WorldInputs, names: Iterable<string>): SilentClusters {
  const silent = new Map<string, ClusterView>();
  for (const name of names) {
    const view = inputs.cluster(name);
    if (view === undefined) continue;
    silent.set(name, { ...view, taints: [...view.taints.filter((one) => !isHealthTaint(one)), SILENT] });
  }
  return silent;
}

/** What the Placement selects from while these clusters are silent. */
export function snapshotWhile(snapshot: PlacementSnapshot, silent: SilentClusters): PlacementSnapshot {
  const { candidates } = snapshot;
  const [tainted, selected] = [new Map(candidates.tainted), new Map(snapshot.selected)];
  for (const [name, view] of silent) {
    if (candidates.matched.has(name)) tainted.set(name, view.taints);
    if (selected.has(name)) selected.set(name, view);
  }
  const view = (name: string): ClusterView | undefined => {
    const known = candidates.view(name);
    return known === undefined ? undefined : (silent.get(name) ?? known);
  };
  return { ...snapshot, selected, candidates: { ...candidates, tainted, view } };
}

/** What keeps the hub from tainting clusters that are silent: what follows from the loss does so only when somebody else does. */
export interface Unnoticed {
  /** Those of which no agent has ever reported, nor an inventory does; sorted, undefined for none. */
  readonly unnoticed?: readonly string[];
  /** Most of the fleet is silent then: the hub taints none. */
  readonly braked?: true;
}

/** What the hub notices of clusters that fall silent. By the names of those that are lost, with what it does not notice. */
export function unnoticedIn({ objects }: World, inputs: WorldInputs): (names: Iterable<string>) => Unnoticed {
  const unseen = new Set<string>();
  const answering = new Set<string>();
  let joined = 0;
  for (const { metadata, spec } of objects.managedclusters) {
    const { name, annotations } = metadata;
    const accepts = field(spec, 'hubAcceptsClient');
    const taints = inputs.cluster(name)?.taints ?? [];
    const reports = typeof accepts === 'boolean' && !taints.some(isNeverJoined);
    if (!reports && annotations?.[SOURCE_ANNOTATION] === undefined) unseen.add(name);
    if (!reports || accepts === false) continue;
    joined += 1;
    if (!taints.some(isHealthTaint)) answering.add(name);
  }
  return (names) => {
    const lost = [...new Set(names)];
    const falling = lost.filter((one) => answering.has(one)).length;
    const silent = joined - answering.size + falling;
    const unnoticed = lost.filter((one) => unseen.has(one)).sort();
    const braked = falling > 0 && isSilentScope({ joined, silent });
    return { ...(unnoticed.length > 0 && { unnoticed }), ...(braked && { braked }) };
  };
}
