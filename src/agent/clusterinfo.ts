import type { ClientConfig } from '../domain/agent/report/report.js';
import { field, textField } from '../runtime/vocabulary/json.js';
import { httpsUrl } from '../runtime/vocabulary/url.js';
import { parseKubeconfig, type ClusterEntry } from '../runtime/kubeconfig/document.js';
import { KubeconfigError } from '../runtime/transport/credentials.js';

/**
 * URL and certificates of the cluster's API server as kubeadm publishes them: the kubeconfig in ConfigMap
 * kube-public/cluster-info. Undefined when it has none.
 */
export function clusterInfoConfig(configMap: unknown): ClientConfig | undefined {
  const cluster = firstCluster(textField(field(configMap, 'data'), 'kubeconfig'));
  const url = cluster?.server ?? '';
  if (httpsUrl(url) === undefined) return undefined;
  const caBundle = cluster?.caData ?? '';
  return caBundle === '' ? { url } : { url, caBundle };
}

/** Undefined for a text that is not a kubeconfig. */
function firstCluster(text: string): ClusterEntry | undefined {
  try {
    const [first] = parseKubeconfig(Buffer.from(text), '').clusters.values();
    return first;
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    return undefined;
  }
}
