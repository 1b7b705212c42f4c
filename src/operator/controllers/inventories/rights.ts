import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { isRecord } from '../../../runtime/vocabulary/json.js';
import { SOURCE_ANNOTATION } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import type { GuardRow } from '../../../runtime/client/guard.js';

const clusterScoped = (namespace: string): boolean => namespace === '';

/** What the inventories may write; policy `inventories` confines them to marked ManagedClusters on the API server too. */
export const inventoryRights: readonly GuardRow[] = [
  {
    verbs: ['apply'],
    type: ManagedClusters,
    namespace: clusterScoped,
    check: ({ object }) => unpermitted(object),
  },
  { verbs: ['applyStatus', 'delete'], type: ManagedClusters, namespace: clusterScoped },
];

function unpermitted(object: KubeObject | undefined): string | undefined {
  if (object?.metadata.annotations?.[SOURCE_ANNOTATION] === undefined) return 'it is not marked with its source';
  const spec: unknown = Reflect.get(object, 'spec');
  if (!isRecord(spec) || Object.keys(spec).some((field) => field !== 'taints'))
    return 'its spec has other fields than taints';
  return undefined;
}
