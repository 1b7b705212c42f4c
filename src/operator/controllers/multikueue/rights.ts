import { FOLLOWS_PLACEMENT_ANNOTATION } from '../../../api/names.js';
import { MultiKueueConfigs } from '../../../api/resources.js';
import type { GuardRow } from '../../../runtime/client/guard.js';

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
