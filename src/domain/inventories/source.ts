import { SCOPE_LEAST } from '../health/brake.js';
import { CONTROL_PLANE_HEALTHY_CONDITION, AVAILABLE_CONDITION } from '../../api/clusterreasons.js';
import { asRecord, characters, field, recordsIn } from '../../runtime/vocabulary/json.js';
import { ClusterProfiles, ManagedClusters, OcmManagedClusters } from '../../api/resources.js';
import { OWN_KEY_PREFIX, PRODUCT, SOURCE_ANNOTATION } from '../../api/names.js';
import type { Taint } from '../health/taints.js';
import type { ConditionStatus, KubeObject, ObjectName, ResourceType } from '../../runtime/vocabulary/meta.js';
import { keyOf, nameOf } from '../../runtime/vocabulary/names.js';
import { clip } from '../conditions.js';
import { translatedClaim } from './ocmnames.js';

/** What every inventory can say of a cluster, in the terms of this project. */

/** An object of an inventory, unchecked. */
export type SourceObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

interface SourcedClaim {
  readonly name: string;
  readonly value: string;
}

/** Whether the API of a cluster serves, as its inventory says. */
export interface Availability {
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; undefined: the inventory has no observation of the cluster. */
  readonly since: string | undefined;
}

export interface SourcedCluster {
  readonly name: string;
  /** The object that it was read from: `PLURAL.GROUP/[NAMESPACE/]NAME`. */
  readonly source: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly claims: readonly SourcedClaim[];
  /** Undefined: the inventory does not say. */
  readonly availability: Availability | undefined;
}

/**
 * One inventory. `read` is pure and returns undefined for an object that stands for no cluster of the fleet, such as one
 * that its hub has not accepted.
 */
export interface Inventory {
  readonly type: ResourceType;
  readonly read: (object: SourceObject) => SourcedCluster | undefined;
}

/** Longest values of the ManagedCluster's schema. */
const LONGEST_CLAIM_NAME = 253;
const LONGEST_CLAIM = 1024;
const LONGEST_MESSAGE = 32_768;

export function sourceOf(type: ResourceType, object: KubeObject): string {
  return `${prefixOf(type)}${keyOf(object.metadata)}`;
}

/** Whether the value of the annotation names an object of this type. */
export function isSourceOf(type: ResourceType, source: string): boolean {
  return source.startsWith(prefixOf(type));
}

/** The name of the object that the annotation names; undefined for one of another type. */
export function sourceName(type: ResourceType, source: string): ObjectName | undefined {
  return isSourceOf(type, source) ? nameOf(source.slice(prefixOf(type).length)) : undefined;
}

/** Whether a cluster is available, or its inventory does not say. */
export function isAvailable({ availability }: Pick<SourcedCluster, 'availability'>): boolean {
  return availability === undefined || availability.status === 'True';
}

function prefixOf(type: ResourceType): string {
  return `${type.plural}.${type.group}/`;
}

/** The labels, without those that only the hub decides: who writes in the inventory must not choose an exclusive set. */
function sourcedLabels({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !key.startsWith(OWN_KEY_PREFIX));
  return Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Claims of a list of objects with `name` and `value`: the first of each name, sorted, without what the schema refuses. Those that
 * agents publish by another name have both: a selection is the same when the cluster gets an agent.
 */
function sourcedClaims(value: unknown): readonly SourcedClaim[] {
  const claims = new Map<string, SourcedClaim>();
  for (const one of recordsIn(value)) {
    const { name, value: text } = one;
    if (typeof name !== 'string' || name === '' || characters(name) > LONGEST_CLAIM_NAME) continue;
    if (typeof text !== 'string' || characters(text) > LONGEST_CLAIM || claims.has(name)) continue;
    claims.set(name, { name, value: text });
  }
  for (const one of claims.values()) {
    const own = translatedClaim(one);
    if (own !== undefined && !claims.has(own.name)) claims.set(own.name, own);
  }
  return [...claims.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The condition of this type as an availability; undefined without one that can be read. */
export function availabilityIn(conditions: unknown, type: string): Availability | undefined {
  const found = recordsIn(conditions).find((one) => one['type'] === type);
  const status = found?.['status'];
  if (found === undefined || (status !== 'True' && status !== 'False' && status !== 'Unknown')) return undefined;
  const { reason, message, lastTransitionTime: since } = found;
  return {
    status,
    reason: typeof reason === 'string' ? clip(reason, LONGEST_CLAIM) : '',
    message: typeof message === 'string' ? clip(message, LONGEST_MESSAGE) : '',
    since: typeof since === 'string' ? since : undefined,
  };
}

/** ManagedCluster of Open Cluster Management (cluster.open-cluster-management.io/v1). */
export const ocmInventory: Inventory = Object.freeze({ type: OcmManagedClusters, read: readOcmCluster });

/** What the hub of OCM derives from the availability: it becomes the taint of this project instead. */
const DERIVED_TAINTS: readonly unknown[] = [
  'cluster.open-cluster-management.io/unavailable',
  'cluster.open-cluster-management.io/unreachable',
];
const EFFECTS: readonly unknown[] = ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'];
/** Most taints of a ManagedCluster, with places for that of the availability and for those of people. */
const MOST_TAINTS = 48;
const NEVER_REPORTED: Availability = {
  status: 'Unknown',
  reason: 'NotReported',
  message: 'Open Cluster Management has not reported yet whether the cluster is available',
  since: undefined,
};

/** Reads a cluster of OCM; undefined while it is being deleted, or its hub does not accept it, since anybody may register one. */
function readOcmCluster(cluster: SourceObject): SourcedCluster | undefined {
  const { name, deletionTimestamp } = cluster.metadata;
  const { hubAcceptsClient, taints } = asRecord(cluster.spec);
  if (deletionTimestamp !== undefined || hubAcceptsClient !== true) return undefined;
  const { clusterClaims, conditions } = asRecord(cluster.status);
  return {
    name,
    source: sourceOf(OcmManagedClusters, cluster),
    labels: sourcedLabels(cluster),
    taints: ocmTaints(taints),
    claims: sourcedClaims(clusterClaims),
    availability: availabilityIn(conditions, AVAILABLE_CONDITION) ?? NEVER_REPORTED,
  };
}

function ocmTaints(value: unknown): readonly Taint[] {
  const taints = new Map<string, Taint>();
  for (const { key, effect, value: text, timeAdded } of recordsIn(value)) {
    if (typeof key !== 'string' || typeof effect !== 'string' || !EFFECTS.includes(effect)) continue;
    if (key.startsWith(OWN_KEY_PREFIX) || DERIVED_TAINTS.includes(key) || taints.size === MOST_TAINTS) continue;
    taints.set(`${key} ${effect}`, {
      key,
      ...(typeof text === 'string' ? { value: text } : {}),
      effect,
      ...(typeof timeAdded === 'string' ? { timeAdded } : {}),
    });
  }
  return [...taints.values()];
}

/**
 * ClusterProfile of SIG Multicluster's Cluster Inventory API (multicluster.x-k8s.io/v1alpha1, KEP-4322): the properties of
 * the status are the claims. It has no taints.
 */
export const clusterProfileInventory: Inventory = Object.freeze({ type: ClusterProfiles, read: readClusterProfile });

/** Reads a ClusterProfile; undefined while it is being deleted, and for one that describes a ManagedCluster of this hub. */
function readClusterProfile(profile: SourceObject): SourcedCluster | undefined {
  const { name, deletionTimestamp } = profile.metadata;
  if (deletionTimestamp !== undefined || isOwnProfile(profile)) return undefined;
  const { properties, conditions } = asRecord(profile.status);
  return {
    name,
    source: sourceOf(ClusterProfiles, profile),
    labels: sourcedLabels(profile),
    taints: [],
    claims: sourcedClaims(properties),
    availability: availabilityIn(conditions, CONTROL_PLANE_HEALTHY_CONDITION),
  };
}

/**
 * Whether this product made the profile from the ManagedCluster of its name: it says so of itself, and has the mark. Without the
 * mark it is somebody else's, such as one that people made when the product made none.
 */
export function isOwnProfile({ metadata, spec }: SourceObject): boolean {
  const source = sourceName(ManagedClusters, metadata.annotations?.[SOURCE_ANNOTATION] ?? '');
  return field(field(spec, 'clusterManager'), 'name') === PRODUCT && source?.name === metadata.name;
}

/** The ManagedClusters that one inventory gave. */
export interface InventoryCount {
  readonly clusters: number;
  /** Those that the inventory does not know any more. */
  readonly missing: number;
  /** Those that it says are not available, or unknown. */
  readonly unavailable: number;
}

/**
 * Whether so many clusters are affected that the inventory is more likely at fault than the clusters: more than half, and at
 * least 3. Then none is deleted, nor its ClusterProfile, and none gets a taint that makes Placements move.
 */
export function isBraked(affected: number, { clusters }: Pick<InventoryCount, 'clusters'>): boolean {
  return affected >= SCOPE_LEAST && affected * 2 > clusters;
}

/** The scores that add-ons of Open Cluster Management have of a cluster, as claims `score/RESOURCE/NAME`. */

export interface ScoreClaims {
  readonly claims: readonly SourcedClaim[];
  /** When the first of them expires, in ms since the epoch; undefined for never. */
  readonly until: number | undefined;
}

const PREFIX = 'score/';
/** How many scores of one cluster become claims: the first by name. */
const MOST_SCORES = 64;
const LONGEST_NAME = 253;

/** The claim of the score `name` of the AddOnPlacementScore `resource`. */
export function scoreClaimName(resource: string, name: string): string {
  return `${PREFIX}${resource}/${name}`;
}

/** The claims of the AddOnPlacementScores of one cluster, at `now` (ms since the epoch): none of what has expired or is being deleted. */
export function scoreClaims(objects: readonly SourceObject[], now: number): ScoreClaims {
  const claims = new Map<string, SourcedClaim>();
  let until: number | undefined;
  for (const { metadata, status } of objects) {
    const { scores, validUntil } = asRecord(status);
    const time = typeof validUntil === 'string' ? Date.parse(validUntil) : NaN;
    const end = Number.isNaN(time) ? undefined : time;
    if (metadata.deletionTimestamp !== undefined || (end !== undefined && end <= now)) continue;
    for (const { name, value } of recordsIn(scores)) {
      const claim = scoreClaimName(metadata.name, String(name));
      const isScore = typeof name === 'string' && name !== '' && Number.isInteger(value);
      if (!isScore || characters(claim) > LONGEST_NAME || claims.has(claim)) continue;
      claims.set(claim, { name: claim, value: String(value) });
      if (end !== undefined) until = Math.min(until ?? end, end);
    }
  }
  const sorted = [...claims.values()].sort(byName);
  return { claims: sorted.slice(0, MOST_SCORES), until };
}

/** The claims of scores that a stored cluster has: they stay while the scores cannot be read. */
export function storedScoreClaims(status: unknown): ScoreClaims {
  const claims: SourcedClaim[] = [];
  for (const { name, value } of recordsIn(asRecord(status)['clusterClaims']))
    if (typeof name === 'string' && name.startsWith(PREFIX) && typeof value === 'string') claims.push({ name, value });
  return { claims: claims.sort(byName), until: undefined };
}

/** The cluster with these claims; one that it has of such a name itself is left out. */
export function withScores(cluster: SourcedCluster, { claims }: ScoreClaims): SourcedCluster {
  if (claims.length === 0) return cluster;
  const names = new Set(claims.map(({ name }) => name));
  const own = cluster.claims.filter(({ name }) => !names.has(name));
  return { ...cluster, claims: [...own, ...claims].sort(byName) };
}

function byName(a: SourcedClaim, b: SourcedClaim): number {
  return a.name < b.name ? -1 : 1;
}
