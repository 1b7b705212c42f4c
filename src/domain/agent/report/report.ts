import { isRecord } from '../../../runtime/vocabulary/json.js';
import type { ClusterClaim, ClusterCondition } from '../../../api/generated/managedcluster.js';
import { CONTROL_PLANE_HEALTHY_CONDITION } from '../../../api/clusterreasons.js';
import type { ControlPlaneState } from './controlplane.js';
import { nodeTotals, type NodeFacts, type NodeTotals } from './nodes.js';

/** How clients reach the API server of the cluster, as it reports. */
export interface ClientConfig {
  readonly url: string;
  /** PEM, base64. */
  readonly caBundle?: string | undefined;
}

/** What a report is made from; all of it is known. */
export interface ReportInput {
  readonly claims: readonly ClusterClaim[];
  /** As in /version: `v1.36.3`. */
  readonly version: string;
  readonly nodes: readonly NodeFacts[];
  readonly clientConfig: ClientConfig | undefined;
  readonly controlPlane: ControlPlaneState;
}

/** The part of a ManagedCluster's status that its agent writes. */
export interface ClusterReport extends NodeTotals {
  readonly clusterClaims: readonly ClusterClaim[];
  readonly version: { readonly kubernetes: string };
  readonly managedClusterClientConfigs?: readonly ClientConfig[];
  readonly conditions?: readonly ClusterCondition[];
}

/** The report. Equal inputs give equal JSON. There is no condition while the health of the API server is not known. */
export function reportOf({ claims, version, nodes, clientConfig, controlPlane }: ReportInput): ClusterReport {
  const condition = conditionOf(controlPlane);
  return {
    clusterClaims: claims,
    version: { kubernetes: version },
    ...nodeTotals(nodes),
    ...(clientConfig === undefined ? {} : { managedClusterClientConfigs: [clientConfig] }),
    ...(condition === undefined ? {} : { conditions: [condition] }),
  };
}

function conditionOf({ isHealthy, since, message }: ControlPlaneState): ClusterCondition | undefined {
  if (isHealthy === undefined) return undefined;
  return {
    type: CONTROL_PLANE_HEALTHY_CONDITION,
    status: isHealthy ? 'True' : 'False',
    reason: isHealthy ? 'ControlPlaneReady' : 'ControlPlaneNotReady',
    message,
    lastTransitionTime: since,
  };
}

/** The report without empty objects: one that is applied stays owned by who applied it, and becomes null when its last field goes. */
export function withoutEmpty(report: ClusterReport): Partial<ClusterReport> {
  return Object.fromEntries(
    Object.entries(report).filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );
}
