import { FOLLOWS_PLACEMENT_ANNOTATION } from '../../../api/names.js';
import {
  ClusterProfiles,
  FLEET_GROUP,
  MultiKueueConfigs,
  Placements,
  SigPlacementDecisions,
} from '../../../api/resources.js';
import { isOwnProfile } from '../../../domain/inventories/source.js';
import type { GuardRow } from '../../../runtime/client/guard.js';

const anyNamespace = (namespace: string): boolean => namespace !== '';

/** What the controller of SIG Multicluster's decisions may write. */
export const sigDecisionRights: readonly GuardRow[] = [
  {
    verbs: ['create', 'update'],
    type: SigPlacementDecisions,
    namespace: anyNamespace,
    owner: { group: FLEET_GROUP, kind: Placements.kind },
  },
  { verbs: ['delete'], type: SigPlacementDecisions, namespace: anyNamespace },
];

/** What the controller of MultiKueueConfigs may write. */
export const multiKueueRights: readonly GuardRow[] = [
  {
    verbs: ['update'],
    type: MultiKueueConfigs,
    namespace: (namespace) => namespace === '',
    check: ({ object }) =>
      object?.metadata.annotations?.[FOLLOWS_PLACEMENT_ANNOTATION] === undefined
        ? 'it follows no Placement'
        : undefined,
  },
];

/** What the controller of ClusterProfiles may write, in their namespace. */
export function clusterProfileRights(profiles: string): readonly GuardRow[] {
  const namespace = (one: string): boolean => one === profiles;
  return [
    {
      verbs: ['create', 'apply'],
      type: ClusterProfiles,
      namespace,
      check: ({ object }) => (object && isOwnProfile(object) ? undefined : 'it is not made from a ManagedCluster'),
    },
    { verbs: ['applyStatus', 'delete'], type: ClusterProfiles, namespace },
  ];
}
