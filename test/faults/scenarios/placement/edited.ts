import { PLACEMENT_LABEL } from '../../../../src/api/names.js';
import { PlacementDecisions } from '../../../../src/api/resources.js';
import { TEAM } from '../../hub/base.js';
import { step, type Scenario } from '../../scenario.js';
import { deleteDecision, fleet, place } from '../fleet.js';
import { editDecision, OPERATOR } from './words.js';

const OBJECT = 'web-decision-1';

/**
 * Others delete and edit the object of a decision, which is put right. Who was selected is stored nowhere else: a process that is
 * started meanwhile chooses anew. So the decision is one that is chosen again in the same order, f, e and a: nothing has changed since.
 */
export const edited: Scenario = {
  name: 'placement/edited',
  othersEdit: true,
  programs: OPERATOR,
  given: (hands) => fleet(hands, 'abcdef'),
  steps: [
    place('web', { numberOfClusters: 3 }),
    deleteDecision(OBJECT),
    editDecision(OBJECT, ''),
    editDecision(OBJECT, 'feabcd'),
    step(`somebody takes the label off decision object ${OBJECT}`, (hands) =>
      hands.patch(
        PlacementDecisions,
        { name: OBJECT, namespace: TEAM },
        { metadata: { labels: { [PLACEMENT_LABEL]: null } } },
      ),
    ),
  ],
};
