import type { ClusterClaim, ClusterCondition, ManagedCluster } from '../../api/generated/managedcluster.js';
import { AVAILABLE_CONDITION, CONTROL_PLANE_HEALTHY_CONDITION } from '../../api/clusterreasons.js';
import {
  LOCAL_CLUSTER_ANNOTATION,
  LOCAL_CLUSTER_FIELD_MANAGER,
  LOCAL_CLUSTER_LABEL,
  SOURCE_ANNOTATION,
} from '../../api/names.js';
import { sameJson } from '../../runtime/vocabulary/json.js';
import { claimsOf, ID_CLAIM, isOwnClaim } from '../agent/report/claims.js';
import { type ControlPlaneState, reportOf, withoutEmpty } from '../agent/report/report.js';
import type { NodeFacts } from '../agent/report/nodes.js';
import { timedCondition } from '../conditions.js';
import { itemsAt } from './manifest/manifest.js';

/** The hub as a ManagedCluster of its own: who reports for it, and what. */

type Status = NonNullable<ManagedCluster['status']>;

/** What is known of the hub. */
export interface HubSample {
  /** The uid of the namespace kube-system. */
  readonly clusterId: string;
  /** `gitVersion` of /version. */
  readonly version: string;
  readonly nodes: readonly NodeFacts[];
}

/**
 * Who reports for a ManagedCluster.
 * - ours: the hub, since it is marked as the one that stands for it.
 * - agent: an agent, which knows as much and is believed or refused by a person. `hasReported`: what it says is stored.
 * - foreign: somebody else; it is never written.
 */
export type ReportedBy =
  | { readonly kind: 'ours' }
  | { readonly kind: 'agent'; readonly hasReported: boolean; readonly message: string }
  | { readonly kind: 'foreign'; readonly message: string };

/** `hubId`: the id of this hub; undefined: not known. */
export function reportedBy({ metadata, spec, status }: ManagedCluster, hubId: string | undefined): ReportedBy {
  const { name, annotations = {} } = metadata;
  const isMarked = annotations[LOCAL_CLUSTER_ANNOTATION] === 'true';
  const source = annotations[SOURCE_ANNOTATION];
  const remedy = `not changed; choose another spec.localCluster.name, or remove it (kubectl mce cluster remove ${name})`;
  const foreign = (why: string): ReportedBy => ({ kind: 'foreign', message: `${why}; ${remedy}` });
  // Absent in what admission should have refused.
  if ((spec as ManagedCluster['spec'] | undefined)?.hubAcceptsClient !== undefined) {
    const hasReported = status?.conditions?.some(({ type }) => type === CONTROL_PLANE_HEALTHY_CONDITION) === true;
    const id = status?.clusterClaims?.find((one) => one.name === ID_CLAIM)?.value;
    if (hasReported && hubId !== undefined && id !== hubId)
      return foreign(`its agent reports cluster ${id ?? 'without an id'}, and this hub is cluster ${hubId}`);
    if (!hasReported && !isMarked) return foreign('spec.hubAcceptsClient is set: an agent is expected');
    const message = hasReported
      ? 'spec.hubAcceptsClient is set: its agent reports for it, and the hub does not'
      : 'spec.hubAcceptsClient is set, and no agent has reported: nobody reports for it until then';
    return { kind: 'agent', hasReported, message };
  }
  if (isMarked) return { kind: 'ours' };
  if (source !== undefined) return foreign(`it is made from ${source}`);
  const handOver = `hand it over (kubectl annotate mcl ${name} ${LOCAL_CLUSTER_ANNOTATION}=true)`;
  return foreign(`was created by somebody else; ${handOver}`);
}

/** The ManagedCluster to create. It joins no set: which one is for people to say. */
export function newLocalCluster(name: string): ManagedCluster {
  return {
    metadata: {
      name,
      labels: { [LOCAL_CLUSTER_LABEL]: 'true' },
      annotations: { [LOCAL_CLUSTER_ANNOTATION]: 'true' },
    },
    spec: {},
  };
}

/** A status to apply to `cluster`; an empty one releases all fields. */
export function withStatus({ metadata: { name, uid = '' } }: ManagedCluster, status: Status): ManagedCluster {
  // An empty status would stay owned, and become null when its last field goes.
  return { metadata: { name, uid }, spec: {}, ...(Object.keys(status).length === 0 ? {} : { status }) };
}

/** What the hub reports of itself; times stay where nothing changes. `now` is RFC 3339. */
export function hubStatus(
  stored: Status | undefined,
  { sample, health }: { readonly sample: HubSample; readonly health: ControlPlaneState },
  now: string,
): Status {
  const { claims } = claimsOf({ ...sample, configMaps: [] });
  const { conditions: _, ...report } = reportOf({ ...sample, claims, clientConfig: undefined, controlPlane: health });
  const before = availableIn(stored);
  const available = health.isHealthy === undefined ? before : timedCondition(stateOf(health), before, now);
  return { ...withoutEmpty(report), ...(available && { conditions: [available] }) } as Status;
}

/** Whether the fields that the hub reports are stored as `wanted` has them; those of others do not count. */
export function hasStatus(stored: Status | undefined, wanted: Status): boolean {
  return sameJson(ownFields(stored), wanted);
}

/**
 * The status of a cluster that the hub reports for no more: all that it has said stays, since decisions may rest on it, and the
 * condition says that nobody reports. Undefined where it says so already. `cause`: for people.
 */
export function unreportedStatus(
  name: string,
  stored: Status | undefined,
  cause: string,
  now: string,
): Status | undefined {
  const before = availableIn(stored);
  if (before?.reason === NOT_REPORTED.reason) return undefined;
  const message = `nobody reports for this cluster since ${now}: ${cause}; kubectl mce cluster remove ${name} removes it`;
  const condition = timedCondition({ ...NOT_REPORTED, message }, before, now);
  return { ...ownFields(stored), conditions: [condition] };
}

/**
 * The status of a cluster whose agent is the one to report: without the hub's condition, and as soon as the agent has reported
 * without any field of the hub, so that no claim is missing meanwhile. Undefined where nothing is to be given up.
 */
export function statusForAgent({ metadata, status }: ManagedCluster, hasReported: boolean): Status | undefined {
  const isWriter = itemsAt(metadata, 'managedFields').some(
    (one) => one['manager'] === LOCAL_CLUSTER_FIELD_MANAGER && one['subresource'] === 'status',
  );
  if (!isWriter) return undefined;
  if (hasReported) return {};
  const { conditions, ...claims } = ownFields(status);
  return conditions === undefined ? undefined : claims;
}

const NOT_REPORTED = { type: AVAILABLE_CONDITION, status: 'Unknown', reason: 'LocalClusterNotReported' } as const;

function stateOf({ isHealthy, message }: ControlPlaneState) {
  const type = AVAILABLE_CONDITION;
  return isHealthy === true
    ? ({
        type,
        status: 'True',
        reason: 'ManagedClusterAvailable',
        message: 'the API server of this hub answers',
      } as const)
    : ({ type, status: 'False', reason: 'ManagedClusterKubeAPIServerUnavailable', message } as const);
}

function availableIn(status: Status | undefined): ClusterCondition | undefined {
  return status?.conditions?.find(({ type }) => type === AVAILABLE_CONDITION);
}

/** The fields that the hub reports, as they are stored. */
function ownFields(stored: Status | undefined): Status {
  const { clusterClaims = [], version, nodes, capacity, allocatable } = stored ?? {};
  const claims: ClusterClaim[] = clusterClaims
    .filter(({ name }) => isOwnClaim(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const available = availableIn(stored);
  return {
    ...(claims.length > 0 && { clusterClaims: claims }),
    ...(version !== undefined && { version }),
    ...(nodes !== undefined && { nodes }),
    ...(capacity !== undefined && { capacity }),
    ...(allocatable !== undefined && { allocatable }),
    ...(available !== undefined && { conditions: [available] }),
  };
}
