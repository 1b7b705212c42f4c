import { ManagedClusters, ManagedClusterSetBindings, ManagedClusterSets } from '../../api/resources.js';
import type { GuardRow } from '../../kube/guard/guard.js';

/** The writes that the controllers of clusters, sets and bindings are allowed. */
export const clusterRights: readonly GuardRow[] = [
  { verbs: ['updateStatus'], type: ManagedClusters, namespace: (namespace) => namespace === '' },
  { verbs: ['updateStatus'], type: ManagedClusterSets, namespace: (namespace) => namespace === '' },
  { verbs: ['updateStatus'], type: ManagedClusterSetBindings, namespace: (namespace) => namespace !== '' },
];
