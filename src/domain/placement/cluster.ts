import { isRecord } from '../../api/json.js';
import type { KubeObject } from '../../api/meta.js';
import { isList, type StringMap } from '../selectors.js';

/** The fields of a ManagedCluster that selection depends on. */
export interface ClusterView {
  readonly name: string;
  readonly deleting: boolean;
  readonly labels: StringMap;
  readonly claims: StringMap;
}

/** The view of a ManagedCluster. Of several claims of one name the first counts. */
export function clusterView(cluster: KubeObject & { readonly status?: unknown }): ClusterView {
  return {
    name: cluster.metadata.name,
    deleting: cluster.metadata.deletionTimestamp !== undefined,
    labels: cluster.metadata.labels ?? {},
    claims: claimsOf(cluster.status),
  };
}

function claimsOf(status: unknown): StringMap {
  const listed = isRecord(status) ? status['clusterClaims'] : undefined;
  const claims = new Map<string, string>();
  for (const claim of isList(listed) ? listed : []) {
    if (!isRecord(claim)) continue;
    const { name, value } = claim;
    if (typeof name === 'string' && typeof value === 'string' && !claims.has(name)) claims.set(name, value);
  }
  return Object.fromEntries(claims);
}
