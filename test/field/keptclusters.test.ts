import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { tree } from '../../src/cli/tree/run.js';
import { whoSelects } from '../../src/cli/whoselects/run.js';
import { placementAnswer } from '../../src/console/server/placements.js';
import { Snapshot } from '../../src/console/server/snapshot.js';
import { worldOf } from '../../src/answers/world/world.js';
import type { FleetReading } from '../../src/answers/world/worlds.js';
import { readingOf } from '../support/builders/hubinput.js';
import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

/*
 * A cluster has lost its label and stays: a budget, a pause or a change window keeps it. `tree` said why for the pause and the
 * window and nothing for the budget, and `who-selects` and the console called each of them held, where `explain`
 * had Waiting and `release` found nothing to release. Right: each says it of each, in the words of the condition and `explain`.
 */

const PREDICATES = [{ requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } }];
const WINDOW = { start: 'Mon 03:00', duration: '1m', timeZone: 'UTC' };
const OUTPUT = { output: 'text', colored: false } as const;
const CAUSE = 'label tier=silver, wanted tier=gold';

/** A hub whose cluster a has lost its label, and stays. */
async function hubWhere(spec: object): Promise<PlacementRig> {
  const hub = new PlacementRig();
  hub.cluster('a', { tier: 'gold' });
  hub.place('web', { predicates: PREDICATES });
  await hub.start();
  hub.place('web', { predicates: PREDICATES, ...spec });
  await hub.untilIdle(60_000);
  hub.cluster('a', { tier: 'silver' });
  await hub.untilIdle(60_000);
  return hub;
}

function readingIn(hub: PlacementRig): FleetReading {
  const world = worldOf({
    // As a response has them: the console prints manifests.
    placements: JSON.parse(JSON.stringify(hub.api.all(Placements))) as RawObject[],
    placementdecisions: hub.api.all(PlacementDecisions),
    managedclusters: hub.api.all(ManagedClusters),
    managedclustersets: hub.api.all(ManagedClusterSets),
    managedclustersetbindings: hub.api.all(ManagedClusterSetBindings),
  });
  return readingOf({ ...world, at: hub.clock.now() });
}

describe('a cluster that stays against a rule', () => {
  it.each([
    { what: 'a budget', spec: { disruptionBudget: { maxRemovals: 0 } }, type: 'RemovalsHeld', why: 'held' },
    { what: 'a pause', spec: { paused: true }, type: 'Paused', why: 'waits' },
    { what: 'a change window', spec: { changeWindows: [WINDOW] }, type: 'ChangesWaiting', why: 'waits' },
  ])('by $what is spoken of alike in tree, who-selects and the console', async ({ spec, type, why }) => {
    const hub = await hubWhere(spec);
    const message = hub.condition('web', type)?.message;

    expect(message).toBeDefined();
    expect(tree(readingIn(hub), 'web', OUTPUT)).toContain(`, ${message}\n`);
    expect(whoSelects(readingIn(hub), 'a', OUTPUT)).toContain(`  ${why}: ${CAUSE}  `);
    const page = placementAnswer(new Snapshot(readingIn(hub)), NAMESPACE, 'web');
    expect({ held: page?.held, waiting: page?.waiting }).toEqual(
      why === 'held' ? { held: 1 } : { held: 0, waiting: 1 },
    );
  });
});
