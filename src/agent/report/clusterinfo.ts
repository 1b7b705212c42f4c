import { load as parseYaml } from 'js-yaml';
import { field, textField } from '../../api/json.js';
import type { ClientConfig } from './report.js';

/**
 * URL and certificates of the cluster's API server as kubeadm publishes them: the kubeconfig in ConfigMap
 * kube-public/cluster-info. Undefined when it has none.
 */
export function clusterInfoConfig(configMap: unknown): ClientConfig | undefined {
  const clusters = field(parsed(textField(field(configMap, 'data'), 'kubeconfig')), 'clusters');
  const [first]: readonly unknown[] = Array.isArray(clusters) ? clusters : [];
  const cluster = field(first, 'cluster');
  const url = textField(cluster, 'server');
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:') return undefined;
  const caBundle = textField(cluster, 'certificate-authority-data');
  return caBundle === '' ? { url } : { url, caBundle };
}

/** Undefined for a text that is not YAML. */
function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}
