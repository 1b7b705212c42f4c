import { FLEET_GROUP, Placements, SigPlacementDecisions } from '../../../api/resources.js';
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
