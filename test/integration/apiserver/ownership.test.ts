import { beforeAll, expect, test } from '@jest/globals';

import type { JsonObject } from '../../../src/apiserver/json.js';
import type { ControlPlane } from '../../support/controlplane/plane.js';
import { describeWithServer } from '../../support/controlplane/suite.js';
import { ownName } from '../../support/names.js';
import { Dice } from '../../support/scenario/random.js';
import { waitFor } from '../../support/wait.js';
import { CONFIG_MAP, DEPLOYMENT, SERVICE } from './ownership/builtin.js';
import { Rig } from './ownership/rig.js';
import type { Subject } from './ownership/subject.js';
import { DEFINITION, THING } from './ownership/thing.js';

/** New names every so many steps, so that objects begin anew. */
const STEPS_OF_A_NAME = 400;

const STEPS = Number(process.env['OWNERSHIP_STEPS'] ?? 300);
const SEED = Number(process.env['OWNERSHIP_SEED'] ?? 1);

describeWithServer('who owns which field, foretold for random requests', {}, (server) => {
  beforeAll(async () => {
    await install(server(), DEFINITION);
  });

  test.each<[string, Subject]>([
    ['a custom resource with every kind of list, map and struct', THING],
    ['ConfigMaps', CONFIG_MAP],
    ['Services', SERVICE],
    ['Deployments', DEPLOYMENT],
  ])('of %s: object, managedFields, conflicts and refusals are as the server answers them', async (_name, subject) => {
    const rig = new Rig((request) => server().call(request), new Dice(SEED), subject);
    const prefix = ownName('owned');
    for (let step = 0; step < STEPS; step += 1) {
      const mismatch = await rig.step(`${prefix}-${Math.floor(step / STEPS_OF_A_NAME)}-`);
      expect({ seed: SEED, step, mismatch }).toEqual({ seed: SEED, step, mismatch: undefined });
    }
    expect(rig.tally.steps).toBe(STEPS);
  }, 60_000 + STEPS * 200);
});

async function install(server: ControlPlane, definition: JsonObject): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const answer = await server.call({ method: 'POST', path, body: definition });
  expect([201, 409]).toContain(answer.status);
  await waitFor('the definition is served', async () => (await server.call({ path: THING.path })).status === 200);
}
