import type { KubeObject } from '../../../runtime/vocabulary/meta.js';
import { isRecord } from '../../../runtime/vocabulary/json.js';
import { SOURCE_ANNOTATION } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import type { GuardRow } from '../../../runtime/client/guard.js';

const clusterScoped = (namespace: string): boolean => namespace === '';

/**
 * What the inventories may write. On the API server, the policy of `deploy/inventories` confines all of these writes to
 * ManagedClusters that are marked with their source.
 */
export const inventoryRights: readonly GuardRow[] = [
  {
    verbs: ['apply'],
    type: ManagedClusters,
    namespace: clusterScoped,
    check: ({ object }) => whyNotPermitted(object),
  },
  { verbs: ['applyStatus', 'delete'], type: ManagedClusters, namespace: clusterScoped },
];

/** Why the object may not be applied; undefined when it may. */
function whyNotPermitted(object: KubeObject | undefined): string | undefined {
  if (object?.metadata.annotations?.[SOURCE_ANNOTATION] === undefined) return 'it is not marked with its source';
  const spec: unknown = Reflect.get(object, 'spec');
  if (!isRecord(spec) || Object.keys(spec).some((field) => field !== 'taints'))
    return 'its spec has other fields than taints';
  return undefined;
}
