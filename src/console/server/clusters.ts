import { drainedPlacements, drainText } from '../../answers/drain.js';
import { setsOf } from '../../answers/world/clustertable.js';
import { ranksIn, selectionsOf, whySelected, withoutText } from '../../answers/selections.js';
import { explain } from '../../domain/placement/explain/explain.js';
import type { ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { matches } from '../../domain/placement/select/rules.js';
import { maintenanceOf } from '../../domain/clusters/maintenance.js';
import type { ClusterView as View } from '../../domain/placement/select/snapshot.js';
import { timeText } from '../../domain/placement/explain/taints.js';
import { asRecord } from '../../runtime/vocabulary/json.js';
import { reasonText } from '../../answers/reasons.js';
import type { ClusterCandidacy, ClusterSelection, ClusterView, DrainPreview } from '../wire/cluster.js';
import { selectorsOf, versionOf } from './fleet.js';
import { conditionsOf } from './placements.js';
import type { Snapshot } from './reading/snapshot.js';

/** One cluster: who selects it, who could, and what a drain does. */

/** Undefined when there is no such cluster. */
export function clusterAnswer(snapshot: Snapshot, name: string): ClusterView | undefined {
  return snapshot.once(`cluster ${name}`, () => {
    const { world, health, inputs } = snapshot;
    const object = world.objects.managedclusters.find(({ metadata }) => metadata.name === name);
    const view = inputs.cluster(name);
    if (object === undefined || view === undefined) return undefined;
    const selectedBy = selectionRows(snapshot, name);
    const { health: state, since } = health.of(name);
    const version = versionOf(object.status, view.claims);
    const maintenance = maintenanceOf(asRecord(object.spec));
    return {
      name,
      health: state,
      ...(since === undefined ? {} : { since }),
      ...(version === undefined ? {} : { version }),
      sets: setsOf(view, selectorsOf(world)),
      labels: view.labels,
      claims: view.claims,
      taints: view.taints.map(({ key, value, effect, since: from }) => {
        const time = timeText(from);
        return { key, value, effect, ...(time === undefined ? {} : { since: time }) };
      }),
      ...(maintenance === undefined ? {} : { maintenance }),
      conditions: conditionsOf(object.status),
      selectedBy,
      matchedBy: candidacies(snapshot, view, selectedBy),
      placements: world.objects.placements.length,
      deleting: object.metadata.deletionTimestamp !== undefined,
    };
  });
}

/** As `who-selects` says it. */
function selectionRows(snapshot: Snapshot, name: string): readonly ClusterSelection[] {
  return selectionsOf(snapshot.world, name).map(({ namespace, placement, explained }) => ({
    namespace,
    placement,
    verdict: explained?.cluster.verdict ?? 'Unknown',
    ...(explained === undefined ? {} : rankIn(snapshot, [namespace, placement], explained.cluster)),
    why: explained === undefined ? 'not readable' : whySelected(explained),
    without: withoutText(explained?.without),
  }));
}

/** None of a cluster that a rule keeps out or takes away. The ranks of a Placement are those of all its clusters, made once. */
function rankIn(
  snapshot: Snapshot,
  [namespace, placement]: readonly [namespace: string, placement: string],
  { name, verdict }: ClusterExplanation,
): { readonly rank?: number } {
  if (verdict !== 'Selected' && verdict !== 'NotNeeded') return {};
  const ranks = snapshot.once(`ranks ${namespace}/${placement}`, () => {
    const input = snapshot.inputs.input({ namespace, name: placement });
    return input === undefined ? undefined : ranksIn(input);
  });
  const found = ranks?.get(name);
  return found === undefined ? {} : { rank: found };
}

/** The Placements that the cluster matches and that do not hold it, with what keeps it out. */
function candidacies(
  snapshot: Snapshot,
  view: View,
  selectedBy: readonly ClusterSelection[],
): readonly ClusterCandidacy[] {
  const { world, inputs } = snapshot;
  const holding = new Set(selectedBy.map(({ namespace, placement }) => `${namespace}/${placement}`));
  return world.objects.placements.flatMap(({ metadata: { namespace = '', name: placement } }): ClusterCandidacy[] => {
    const input = holding.has(`${namespace}/${placement}`) ? undefined : inputs.input({ namespace, name: placement });
    if (input === undefined || !input.readable.fleet) return [];
    const sets = setsOf(view, input.selectors);
    if (sets.length === 0 || !matches(input.snapshot.placement.rules, view)) return [];
    const explanation = explain({ ...input, members: [{ cluster: view, sets }] });
    const found = explanation.clusters.find(({ name }) => name === view.name);
    if (found === undefined) return [];
    const rank = rankIn(snapshot, [namespace, placement], found);
    return [{ namespace, placement, verdict: found.verdict, ...rank, why: reasonText(found, explanation) }];
  });
}

export function drainAnswer(snapshot: Snapshot, cluster: string): DrainPreview {
  const rows = snapshot.once(`drain ${cluster}`, () => drainedPlacements(snapshot.world, cluster));
  return {
    rows: rows.map(({ namespace, name, effect }) => ({
      namespace,
      placement: name,
      effect: effect.kind,
      text: drainText(effect, cluster, { namespace, name }),
    })),
  };
}
