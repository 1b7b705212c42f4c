import { CLUSTER_SET_LABEL } from '../../src/api/names.js';
import type { KubeObject, ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets, Placements } from '../../src/api/resources.js';
import { apiVersionOf, Namespaces } from '../../src/runtime/vocabulary/kinds.js';

/** The objects of a fleet: computed from their numbers, so that each run has the same. */

export interface FleetSize {
  readonly clusters: number;
  readonly placements: number;
}

/** An object that is created, and the status that is written afterwards. */
export interface FleetObject {
  readonly type: ResourceType;
  readonly object: KubeObject & { readonly spec?: object };
  readonly status?: object;
}

const SETS = 10;
const NAMESPACES = 10;
/** Each namespace is bound to three of the ten sets: its own number plus these. */
const BOUND = [0, 3, 7] as const;
const WANTED = 5;
/** Placements in a group: one label of a cluster is named by all of them. */
const GROUP = 100;

/** A label that no Placement names. */
export const UNNAMED_LABEL = 'fleet.example.com/note';

/** The label that takes a cluster away from Placement `index`, and concerns no other Placement. */
export function excludingLabel(index: number): string {
  return `fleet.example.com/without-web-${index}`;
}

/** The label that takes a cluster away from the Placements of the group of Placement `index`. */
export function groupLabel(index: number): string {
  return `fleet.example.com/without-group-${Math.floor(index / GROUP)}`;
}

export function clusterName(index: number): string {
  return `cluster-${index}`;
}

/** Namespace and name of Placement `index`. */
export function placementName(index: number): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${index % NAMESPACES}`, name: `web-${index}` };
}

/** Namespaces, sets and bindings. */
export function frame(): readonly FleetObject[] {
  const sets = Array.from({ length: SETS }, (_, set) => made(ManagedClusterSets, { name: `set-${set}` }, {}));
  const namespaces = Array.from({ length: NAMESPACES }, (_, index) => made(Namespaces, { name: `team-${index}` }));
  const bindings = Array.from({ length: NAMESPACES }, (_, index) =>
    BOUND.map((offset) => {
      const clusterSet = `set-${(index + offset) % SETS}`;
      return made(ManagedClusterSetBindings, { namespace: `team-${index}`, name: clusterSet }, { clusterSet });
    }),
  ).flat();
  return [...namespaces, ...sets, ...bindings];
}

/** Cluster `index` of set `index` modulo ten, with eight labels and eight claims: about 3 KB as it is stored. */
export function cluster(index: number): FleetObject {
  const labels = {
    [CLUSTER_SET_LABEL]: `set-${index % SETS}`,
    tier: nth(['gold', 'silver'], index, SETS),
    region: nth(['eu-central', 'eu-west', 'us-east', 'us-west', 'ap-south'], index, 3),
    zone: `zone-${Math.floor(index / 7) % 12}`,
    environment: nth(['production', 'staging', 'test'], index, 11),
    vendor: nth(['openshift', 'eks', 'aks', 'gke'], index, 5),
    'fleet.example.com/owner': `team-${Math.floor(index / 13) % 20}`,
    'fleet.example.com/cost-center': `cc-${Math.floor(index / 17) % 50}`,
  };
  const object = made(ManagedClusters, { name: clusterName(index), labels }, { displayName: `Cluster ${index}` });
  return { ...object, status: clusterStatus(index, 0) };
}

/** Cluster `index` as a server has stored it; `beat` as in {@link clusterStatus}. */
export function storedCluster(index: number, resourceVersion: number, beat: number): KubeObject {
  const { object } = cluster(index);
  const metadata = {
    ...object.metadata,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    resourceVersion: String(resourceVersion),
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: ['import', 'agent'].map((manager) => ({
      manager,
      operation: 'Update',
      apiVersion: object.apiVersion,
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:tier': {}, 'f:region': {}, 'f:zone': {} } } },
    })),
  };
  const stored = { ...object, metadata, status: clusterStatus(index, beat) };
  return stored;
}

/** The claim that Placements with {@link SCHEDULING} prefer clusters by. */
const PRICE_CLAIM = 'nodes.fleet.example.com';

/** What a Placement has beside its predicates in the rows about scores: five coordinates and two constraints. */
export const SCHEDULING = {
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Claim', claim: { name: PRICE_CLAIM, order: 'Ascending' } }, weight: 3 },
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' } },
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableMemory' } },
      { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { vendor: 'eks' } } } } },
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
    ],
  },
  spreadPolicy: {
    spreadConstraints: [
      { topologyKey: 'region.fleet.example.com', topologyKeyType: 'Claim', whenUnsatisfiable: 'DoNotSchedule' },
      { topologyKey: 'zone', topologyKeyType: 'Label' },
    ],
  },
};

/** What the rows about moves add to {@link SCHEDULING}. No score is so much higher, and nothing is spread. */
export const MOVES = {
  spreadPolicy: null,
  rebalance: { scoreMargin: 1_000_000, minSelectedSeconds: 0, intervalSeconds: 60 },
};

/**
 * The status that an agent reports; `beat` counts its heartbeats, of which selection reads nothing; `price`: the value of the
 * claim by which Placements may prefer clusters.
 */
export function clusterStatus(index: number, beat: number, price = 3 + (index % 40)): object {
  const version = nth(['v1.36.3', 'v1.35.7', 'v1.34.9'], index, 2);
  const claims = {
    'id.k8s.io': `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    'name.fleet.example.com': clusterName(index),
    platform: nth(['aws', 'azure', 'gcp', 'metal'], index, 3),
    product: nth(['openshift', 'eks', 'aks', 'gke'], index, 5),
    kubernetes: version,
    'region.fleet.example.com': nth(['eu-central', 'eu-west', 'us-east', 'us-west', 'ap-south'], index, 3),
    [PRICE_CLAIM]: String(price),
    'storage.fleet.example.com': nth(['ssd', 'hdd'], index, 19),
  };
  const at = new Date(Date.UTC(2026, 0, 1) + beat * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    clusterClaims: Object.entries(claims).map(([name, value]) => ({ name, value })),
    version: { kubernetes: version },
    capacity: { cpu: String(16 + (index % 64)), memory: `${64 + (index % 256)}Gi`, pods: '2500' },
    allocatable: { cpu: String(15 + (index % 64)), memory: `${60 + (index % 256)}Gi`, pods: '2400' },
    conditions: ['HubAcceptedManagedCluster', 'ManagedClusterJoined', 'ManagedClusterConditionAvailable'].map(
      (type, number) => ({
        type,
        status: 'True',
        reason: 'Reported',
        message: number === 2 ? `The agent has reported at ${at}` : 'Reported by the agent of the cluster',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      }),
    ),
  };
}

/** Placement `index`: five clusters of one tier and two platforms, without those of two labels that no cluster has. */
export function placement(index: number): FleetObject {
  return made(Placements, placementName(index), placementSpec(index, [excludingLabel(index), groupLabel(index)]));
}

/** The spec of Placement `index`: five clusters of one tier and three platforms, without those that have one of these labels. */
export function placementSpec(index: number, without: readonly string[]): object {
  const requiredClusterSelector = {
    labelSelector: {
      matchLabels: { tier: nth(['gold', 'silver'], index, NAMESPACES) },
      matchExpressions: without.map((key) => ({ key, operator: 'DoesNotExist' })),
    },
    claimSelector: { matchExpressions: [{ key: 'platform', operator: 'In', values: platforms(index) }] },
  };
  return { numberOfClusters: WANTED, predicates: [{ requiredClusterSelector }] };
}

function platforms(index: number): readonly string[] {
  return index % 2 === 0 ? ['aws', 'azure', 'gcp'] : ['azure', 'gcp', 'metal'];
}

function made(type: ResourceType, metadata: KubeObject['metadata'], spec?: object): FleetObject {
  const head = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
  return { type, object: spec === undefined ? head : { ...head, spec } };
}

/** One of the values, the next one after every `stride` numbers. */
function nth(values: readonly string[], index: number, stride: number): string {
  return values[Math.floor(index / stride) % values.length] ?? '';
}
