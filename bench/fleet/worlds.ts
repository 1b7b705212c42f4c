import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { CLUSTER_SET_LABEL, PLACEMENT_LABEL } from '../../src/api/names.js';
import { PlacementDecisions, Placements } from '../../src/api/resources.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { forecastOf } from '../../src/answers/world/forecast.js';
import { WorldInputs, worldOf, type World } from '../../src/answers/world/world.js';

/** Worlds of a size, the same at every run. */

const VALUES = 5;
const LABELS = 20;

/** Cluster n of set n modulo `sets`, with twenty labels of five values and a claim. */
export function cluster(index: number, sets: number): RawObject {
  const labels = Object.fromEntries(
    Array.from({ length: LABELS }, (_, key) => [`k${key}`, `v${(Math.floor(index / sets) * 7 + key) % VALUES}`]),
  );
  return {
    metadata: { name: `cluster-${index}`, labels: { [CLUSTER_SET_LABEL]: `set-${index % sets}`, ...labels } },
    spec: {},
    status: { clusterClaims: [{ name: 'platform', value: ['aws', 'Azure', 'bare metal'][index % 3] ?? '' }] },
  };
}

/** One Placement of one set with all clusters, and `requirements` requirements in `predicates` predicates. */
export function explainedWorld(clusters: number, predicates: readonly unknown[]): World {
  return worldOf({
    placements: [{ metadata: { name: 'web', namespace: 'shop', uid: 'web', generation: 1 }, spec: { predicates } }],
    managedclusters: asListed(Array.from({ length: clusters }, (_, index) => cluster(index, 1))),
    managedclustersets: [{ metadata: { name: 'set-0' }, spec: {} }],
    managedclustersetbindings: [binding('shop', 'set-0')],
  });
}

/** In the order in which the API server lists them: by name. */
function asListed(objects: readonly RawObject[]): readonly RawObject[] {
  return objects.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

const NAMESPACES = 100;
const SETS = 20;
const SETS_OF_NAMESPACE = 4;

/**
 * Placements in 100 namespaces, of which each has four of twenty sets. Each Placement wants from ten to 99 clusters and has two
 * predicates of two requirements. Every decision is published.
 */
export function fleetWorld(placements: number, clusters: number): World {
  return worldWith(placements, clusters, SETS_OF_NAMESPACE);
}

/** As {@link fleetWorld}, with all sets in each namespace. */
export function wideWorld(placements: number, clusters: number): World {
  return worldWith(placements, clusters, SETS);
}

function worldWith(placements: number, clusters: number, setsOfNamespace: number): World {
  const bindings = Array.from({ length: NAMESPACES * setsOfNamespace }, (_, index) => {
    const namespace = index % NAMESPACES;
    return binding(`ns-${namespace}`, `set-${(namespace + Math.floor(index / NAMESPACES) * 3) % SETS}`);
  });
  const world = worldOf({
    placements: Array.from({ length: placements }, (_, index) => placement(index)),
    managedclusters: asListed(Array.from({ length: clusters }, (_, index) => cluster(index, SETS))),
    managedclustersets: Array.from({ length: SETS }, (_, index) => ({ metadata: { name: `set-${index}` }, spec: {} })),
    managedclustersetbindings: bindings,
  });
  const inputs = new WorldInputs(world);
  const placementdecisions = world.objects.placements.flatMap((one) => decisionsOf(one, inputs));
  return { ...world, objects: { ...world.objects, placementdecisions } };
}

function binding(namespace: string, clusterSet: string): RawObject {
  return { metadata: { name: clusterSet, namespace }, spec: { clusterSet } };
}

function placement(index: number): RawObject {
  const wants = (key: number, value: number): unknown => ({
    requiredClusterSelector: {
      labelSelector: {
        matchLabels: { [`k${key % LABELS}`]: `v${value % VALUES}` },
        matchExpressions: [{ key: `k${(key + 1) % LABELS}`, operator: 'NotIn', values: ['v0'] }],
      },
    },
  });
  const spec = { numberOfClusters: 10 + (index % 90), predicates: [wants(index, index), wants(index + 7, index + 1)] };
  const metadata = { name: `web-${index}`, namespace: `ns-${index % NAMESPACES}`, uid: `uid-${index}`, generation: 1 };
  return { metadata, spec };
}

function decisionsOf({ metadata }: RawObject, inputs: WorldInputs): readonly RawObject[] {
  const { namespace = '', name, uid = '' } = metadata;
  const input = inputs.input({ namespace, name });
  if (input === undefined) return [];
  const owner = { apiVersion: apiVersionOf(Placements), kind: Placements.kind, name, uid, controller: true };
  const { lists } = forecastOf(input.snapshot).published;
  return lists.map((clusters, index) => ({
    apiVersion: apiVersionOf(PlacementDecisions),
    kind: PlacementDecisions.kind,
    metadata: {
      name: `${name}-decision-${index + 1}`,
      namespace,
      labels: { [PLACEMENT_LABEL]: name },
      ownerReferences: [owner],
    },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  }));
}
