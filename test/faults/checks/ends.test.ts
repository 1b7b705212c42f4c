import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { HISTORY_ANNOTATION, PLACEMENT_LABEL } from '../../../src/api/names.js';
import { PlacementDecisions, Placements } from '../../../src/api/resources.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import { startBaseHub, TEAM, type BaseHub } from '../hub/base.js';
import { Hands } from '../hub/hands.js';
import { fleet, placementOf } from '../scenarios/fleet.js';
import { EndCheck } from './ends.js';

let hub: BaseHub;
let hands: Hands;

beforeAll(async () => {
  hub = await startBaseHub();
  hands = new Hands(hub.server);
  await fleet(hands, 'abc');
  await hands.create(placementOf('web', { numberOfClusters: 2 }));
});

afterAll(() => hub.server.close());

/** What is said of a decision for two of the clusters a, b and c, whose history says that these came in. */
async function saidOf(clusters: string, came: string): Promise<readonly string[]> {
  const said: string[] = [];
  const name = { name: 'web-decision-1', namespace: TEAM };
  const placement = await hands.find(Placements, { name: 'web', namespace: TEAM });
  const entries = [{ time: '2026-11-22T10:00:00.000Z', trigger: 'unknown', added: Array.from(came) }];
  await hands.put({
    apiVersion: apiVersionOf(PlacementDecisions),
    kind: PlacementDecisions.kind,
    metadata: {
      ...name,
      labels: { [PLACEMENT_LABEL]: 'web' },
      annotations: { [HISTORY_ANNOTATION]: JSON.stringify({ entries }) },
      ownerReferences: [
        {
          apiVersion: apiVersionOf(Placements),
          kind: Placements.kind,
          name: 'web',
          uid: placement?.metadata.uid,
          controller: true,
        },
      ],
    },
    status: { decisions: Array.from(clusters, (clusterName) => ({ clusterName, reason: '' })) },
  });
  const check = new EndCheck(hub.server, (rule, detail) => said.push(`${rule}: ${detail}`));
  check.check(hub.simulation.now(), true);
  return said;
}

describe('the check of the end of a step', () => {
  it('says where a decision is not that of the second model, of explain and of its history', async () => {
    // Of a, b and c, the rank of the Placement has these two first.
    expect(await saidOf('ac', 'ac')).toEqual([]);
    expect(await saidOf('ab', 'ac')).toEqual([
      'by the book: team/web has a b, and not a c',
      'history: team/web has a b, and not a c',
    ]);
    expect(await saidOf('a', 'a')).toEqual([
      'by the book: team/web has a, and not a c',
      'explain: team/web has a, and not a c',
    ]);
  });
});
