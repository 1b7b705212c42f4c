import { FLEET_GROUP, PlacementDecisions, Placements } from '../../../api/resources.js';
import type { GuardRow } from '../../../runtime/client/guard.js';

const anyNamespace = (namespace: string): boolean => namespace !== '';
const placement = { group: FLEET_GROUP, kind: Placements.kind };

/** What the placement controller may write. */
export const placementRights: readonly GuardRow[] = [
  {
    verbs: ['create', 'update'],
    type: PlacementDecisions,
    namespace: anyNamespace,
    name: (name) => /-decision-[1-9][0-9]*$/.test(name),
    owner: placement,
  },
  { verbs: ['delete'], type: PlacementDecisions, namespace: anyNamespace },
  { verbs: ['updateStatus'], type: Placements, namespace: anyNamespace },
];
