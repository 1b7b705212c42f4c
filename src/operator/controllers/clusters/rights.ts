import { isRecord } from '../../../runtime/vocabulary/json.js';
import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../../api/resources.js';
import { isHealthTaint } from '../../../domain/health/taints.js';
import type { GuardRow } from '../../../runtime/client/guard.js';

/** The writes that the controllers of clusters, sets and bindings are allowed. */
export const clusterRights: readonly GuardRow[] = [
  { verbs: ['updateStatus'], type: ManagedClusters, namespace: (namespace) => namespace === '' },
  { verbs: ['updateStatus'], type: ManagedClusterSets, namespace: (namespace) => namespace === '' },
  { verbs: ['updateStatus'], type: ManagedClusterSetBindings, namespace: (namespace) => namespace !== '' },
];

/** The writes that the health controller is allowed: policy `health` confines them to its own taints on the API server too. */
export const healthRights: readonly GuardRow[] = [
  {
    verbs: ['apply', 'applyStatus', 'updateStatus'],
    type: ManagedClusters,
    namespace: (namespace) => namespace === '',
    check: (write) => (write.verb === 'apply' ? foreignField(write.object) : undefined),
  },
];

/** Why an apply changes more than the taints of the health controller; undefined: it does not. */
function foreignField(object: KubeObject | undefined): string | undefined {
  const spec = object === undefined ? {} : Reflect.get(object, 'spec');
  if (!isRecord(spec) || Object.keys(spec).some((field) => field !== 'taints'))
    return 'it has other fields than taints';
  const { taints = [] } = spec;
  const isOwn = Array.isArray(taints) && taints.every((taint) => isRecord(taint) && isHealthTaint(taint as HasKey));
  return isOwn ? undefined : 'it has taints of others';
}

type HasKey = Parameters<typeof isHealthTaint>[0];
