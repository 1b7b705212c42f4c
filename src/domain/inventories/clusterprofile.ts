import type { ManagedCluster } from '../../api/generated/managedcluster.js';
import { AVAILABLE_CONDITION, CONTROL_PLANE_HEALTHY_CONDITION, JOINED_CONDITION } from '../../api/clusterreasons.js';
import { CLUSTER_MANAGER_LABEL, PRODUCT, SOURCE_ANNOTATION, SOURCE_REVISION_ANNOTATION } from '../../api/names.js';
import { ClusterProfiles, ManagedClusters } from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { JsonRecord } from '../../runtime/vocabulary/json.js';
import type { Condition, KubeObject, ObjectName } from '../../runtime/vocabulary/meta.js';
import { byText } from '../../runtime/vocabulary/names.js';
import { hash64, hex64 } from '../hash.js';
import { fieldsToApply, type FieldsToApply, type WantedObject } from './managedcluster.js';
import { availabilityIn, isOwnProfile, isSourceOf, sourceOf } from './source.js';

/**
 * The ClusterProfile of SIG Multicluster (multicluster.x-k8s.io/v1alpha1, KEP-4322) of a ManagedCluster: what its hub knows, for
 * readers of that API. `source.ts` has the other way.
 */

export interface ClusterProfile extends KubeObject {
  spec: { clusterManager: { name: string } };
  status?: {
    version?: { kubernetes: string };
    properties?: { name: string; value: string }[];
    conditions?: ProfileCondition[];
    /** Where the API of the cluster is served. Who reads it has credentials, and what it calls their provider (KEP-5339). */
    accessProviders?: { name: string; cluster: { server: string } & JsonRecord }[];
  };
}

type ProfileStatus = NonNullable<ClusterProfile['status']>;
type ClientConfig = NonNullable<NonNullable<ManagedCluster['status']>['managedClusterClientConfigs']>[number];
type ProfileCondition = Omit<Condition, 'lastUpdateTime' | 'observedGeneration'>;

/** What is known of one profile. */
export interface ProfileInput {
  readonly name: ObjectName;
  /** The cluster of its name; undefined for one that is gone. */
  readonly cluster: ManagedCluster | undefined;
  readonly stored: ClusterProfile | undefined;
}

/** What becomes of the profile of one cluster. */
export type ProfileChange =
  | { readonly kind: 'none' }
  /** Somebody else made the profile of this name: it is left alone. */
  | { readonly kind: 'foreign' }
  /** To be created with what never changes of it, `base`, and given all fields of `changed`. */
  | { readonly kind: 'create'; readonly base: ClusterProfile; readonly changed: FieldsToApply<ClusterProfile> }
  | { readonly kind: 'apply'; readonly stored: ClusterProfile; readonly changed: FieldsToApply<ClusterProfile> }
  /** To be deleted, if its cluster is gone for certain, and unless most of the fleet is. */
  | { readonly kind: 'remove'; readonly stored: ClusterProfile };

/** The conditions of a profile, by the conditions of a ManagedCluster that they repeat. */
const CONDITIONS = [
  [AVAILABLE_CONDITION, CONTROL_PLANE_HEALTHY_CONDITION],
  [JOINED_CONDITION, 'Joined'],
] as const;
/** The form of a reason in the schema of the profile. That of a ManagedCluster takes any text. */
const REASON = /^[A-Za-z](?:[\w,:]*\w)?$/;
/** What a plugin for credentials gets of a cluster, by the client authentication API of Kubernetes. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/**
 * What makes the stored profile say what the hub knows of the cluster. A cluster that was made from a ClusterProfile has that one,
 * and gets no second.
 */
export function profileChange({ name, cluster, stored }: ProfileInput): ProfileChange {
  if (stored?.metadata.deletionTimestamp !== undefined) return { kind: 'none' };
  if (cluster === undefined || isSourceOf(ClusterProfiles, cluster.metadata.annotations?.[SOURCE_ANNOTATION] ?? ''))
    return stored !== undefined && isOwnProfile(stored) ? { kind: 'remove', stored } : { kind: 'none' };
  const base = baseProfile(name, cluster);
  const wanted = wantedProfile(base, cluster);
  if (stored === undefined) return { kind: 'create', base, changed: wanted };
  if (!isOwnProfile(stored)) return { kind: 'foreign' };
  const changed = fieldsToApply(wanted, stored);
  return changed.object || changed.status ? { kind: 'apply', stored, changed } : { kind: 'none' };
}

/** What never changes of a profile, and by which it is known as ours. */
function baseProfile({ namespace, name }: ObjectName, cluster: ManagedCluster): ClusterProfile {
  return {
    apiVersion: apiVersionOf(ClusterProfiles),
    kind: ClusterProfiles.kind,
    metadata: {
      ...(namespace !== undefined && { namespace }),
      name,
      labels: { [CLUSTER_MANAGER_LABEL]: PRODUCT },
      annotations: { [SOURCE_ANNOTATION]: sourceOf(ManagedClusters, cluster) },
    },
    spec: { clusterManager: { name: PRODUCT } },
  };
}

function wantedProfile(base: ClusterProfile, { metadata, status }: ManagedCluster): WantedObject<ClusterProfile> {
  const { name, labels = {} } = metadata;
  const all = Object.entries({ ...labels, ...base.metadata.labels }).sort(([a], [b]) => byText(a, b));
  const described = { labels: Object.fromEntries(all), status: profileStatus(name, status ?? {}) };
  const annotations = { ...base.metadata.annotations, [SOURCE_REVISION_ANNOTATION]: shapeOf(described) };
  return {
    object: { ...base, metadata: { ...base.metadata, labels: described.labels, annotations } },
    status: described.status,
  };
}

/**
 * The hash of which fields and items there are, without their values: a value that has changed is seen without it, and costs the
 * write of the status alone.
 */
function shapeOf(described: object): string {
  const withoutValues = (key: string, value: unknown): unknown =>
    typeof value === 'string' && key !== 'name' && key !== 'type' ? '' : value;
  return hex64(hash64(JSON.stringify(described, withoutValues)));
}

function profileStatus(name: string, status: NonNullable<ManagedCluster['status']>): ProfileStatus {
  const { version, clusterClaims = [], conditions, managedClusterClientConfigs = [] } = status;
  // The schema of a profile takes no empty value.
  const properties = clusterClaims.flatMap((one) => (one.value === '' ? [] : { name: one.name, value: one.value }));
  const told = CONDITIONS.flatMap(([from, to]) => profileCondition(conditions, from, to));
  // The first one with TLS: who reads the profile sends credentials there.
  const address = managedClusterClientConfigs.find(({ url }) => url.startsWith('https://'));
  return {
    ...(version?.kubernetes !== undefined && { version: { kubernetes: version.kubernetes } }),
    ...(properties.length > 0 && { properties }),
    ...(told.length > 0 && { conditions: told }),
    ...(address && { accessProviders: [{ name: PRODUCT, cluster: accessOf(name, address) }] }),
  };
}

/** The condition by its name in a profile; empty for one without a time, which the schema demands. */
function profileCondition(conditions: unknown, from: string, to: string): readonly ProfileCondition[] {
  const { status, reason = '', message = '', since } = availabilityIn(conditions, from) ?? {};
  if (status === undefined || since === undefined) return [];
  return [{ type: to, status, reason: REASON.test(reason) ? reason : 'Reported', message, lastTransitionTime: since }];
}

/** Which credentials a reader takes is said by the name of the cluster on the hub, and never by what the cluster says of itself. */
function accessOf(clusterName: string, { url: server, caBundle = '' }: ClientConfig): { server: string } & JsonRecord {
  const extensions = [{ name: EXEC_EXTENSION, extension: { clusterName } }];
  return { server, ...(caBundle !== '' && { 'certificate-authority-data': caBundle }), extensions };
}
