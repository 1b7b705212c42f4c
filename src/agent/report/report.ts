import type { ClusterClaim, ClusterCondition } from '../../api/generated/managedcluster.js';
import { CONTROL_PLANE_HEALTHY_CONDITION } from '../../api/clusterreasons.js';
import type { ControlPlaneState } from './controlplane.js';
import { nodeTotals, type NodeFacts, type NodeTotals } from './nodes.js';
import { field, textField } from '../../runtime/vocabulary/json.js';
import { parseKubeconfig, type ClusterEntry } from '../../runtime/kubeconfig/document.js';
import { KubeconfigError } from '../../runtime/transport/credentials.js';

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

/**
 * URL and certificates of the cluster's API server as kubeadm publishes them: the kubeconfig in ConfigMap
 * kube-public/cluster-info. Undefined when it has none.
 */
export function clusterInfoConfig(configMap: unknown): ClientConfig | undefined {
  const cluster = firstCluster(textField(field(configMap, 'data'), 'kubeconfig'));
  const url = cluster?.server ?? '';
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') return undefined;
  const caBundle = cluster?.certificateAuthorityData.toString('base64') ?? '';
  return caBundle === '' ? { url } : { url, caBundle };
}

/** Undefined for a text that is not a kubeconfig. */
function firstCluster(text: string): ClusterEntry | undefined {
  try {
    const [first] = parseKubeconfig(Buffer.from(text)).clusters.values();
    return first;
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    return undefined;
  }
}
