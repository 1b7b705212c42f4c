import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { HISTORY_ANNOTATION } from '../../../src/api/names.js';
import type { World } from '../../../src/answers/world/world.js';
import { nextHistory, type HistoryEntry } from '../../../src/domain/placement/stored/history.js';
import { EXAMPLE_SPEC, exampleWorld } from './examplefleet.js';
import { rawDecision, rawPlacement } from './world.js';

const NONE = { added: 0, removed: 0, repaired: 0 };
const FIRST: HistoryEntry = {
  time: '2026-11-22T10:00:00Z',
  trigger: 'Placement/web',
  added: ['edge-4', 'edge-eu-2', 'prod-eu-2'],
  removed: [],
  repaired: [],
  more: NONE,
};
/** As the API server keeps who has created the Placement. */
const EDITS = [
  {
    manager: 'kubectl-client-side-apply',
    operation: 'Update',
    time: '2026-11-22T09:59:59Z',
    fieldsV1: { 'f:spec': { 'f:numberOfClusters': {}, 'f:predicates': {} } },
  },
];
const SECOND: HistoryEntry = {
  time: '2026-11-22T11:58:00Z',
  trigger: 'ManagedCluster/edge-4',
  added: ['prod-us-1'],
  removed: [{ cause: 'NotMatched', why: 'label tier=silver, wanted tier=gold', clusters: ['edge-4'] }],
  repaired: [],
  more: NONE,
};

/** The example after one cluster has taken the place of another, with the history of its decision; `cut`: some of it did not fit. */
export function historyWorld(cut = false): World {
  const entries = cut ? [{ ...SECOND, more: { added: 12, removed: 3, repaired: 0 } }] : [FIRST, SECOND];
  const stored = nextHistory(HISTORY_ANNOTATION, {}, { entries, dropped: 0 }) ?? '';
  const text = cut ? stored.replace(/}$/, ',"dropped":7}') : stored;
  const decision: RawObject = rawDecision(1, ['edge-eu-2', 'prod-eu-2', 'prod-us-1']);
  const annotations = { ...decision.metadata.annotations, [HISTORY_ANNOTATION]: text };
  const placement = rawPlacement(EXAMPLE_SPEC);
  const edited = { ...placement, metadata: { ...placement.metadata, managedFields: EDITS } };
  return exampleWorld(EXAMPLE_SPEC, {
    placements: [edited],
    placementdecisions: [{ ...decision, metadata: { ...decision.metadata, annotations } }],
  });
}
