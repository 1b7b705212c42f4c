import { beforeAll, expect, test } from '@jest/globals';

import type { JsonObject } from '@multicluster-engine/values/json';
import type { ControlPlane } from '../../testing/controlplane/plane.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';
import { ownName } from '../../testing/names.js';
import { Dice } from '../../testing/random.js';
import { waitFor } from '../../testing/wait.js';
import { CONFIG_MAP, DEPLOYMENT, SERVICE } from './ownership/builtin.js';
import { OwnershipDriver } from './ownership/driver.js';
import type { Subject } from './ownership/subject.js';
import { CHANGED_THING, definitionOf, THING } from './ownership/thing.js';

/** After this many steps new names are used, so that objects are created again. */
const STEPS_OF_A_NAME = 400;

const STEPS = Number(process.env['OWNERSHIP_STEPS'] ?? 300);
const SEED = Number(process.env['OWNERSHIP_SEED'] ?? 1);

describeWithServer('field ownership', {}, (server) => {
  beforeAll(async () => {
    await install(server(), definitionOf(THING));
  });

  test.each<[string, Subject]>([
    ['a custom resource with every kind of list, map and struct', THING],
    ['ConfigMaps', CONFIG_MAP],
    ['Services', SERVICE],
    ['Deployments', DEPLOYMENT],
  ])(
    'object, managedFields, conflicts and errors of random requests to %s are predicted correctly',
    async (_name, subject) => {
      const rig = new OwnershipDriver((request) => server().call(request), new Dice(SEED), subject);
      const prefix = ownName('owned');
      for (let step = 0; step < STEPS; step += 1) {
        const mismatch = await rig.step(`${prefix}-${Math.floor(step / STEPS_OF_A_NAME)}-`);
        expect({ seed: SEED, step, mismatch }).toEqual({ seed: SEED, step, mismatch: undefined });
      }
      expect(rig.tally.steps).toBe(STEPS);
    },
    60_000 + STEPS * 200,
  );

  test(
    'managedFields are predicted correctly after the schema changed between atomic and granular',
    async () => {
      const rig = new OwnershipDriver((request) => server().call(request), new Dice(SEED), THING);
      const prefix = ownName('changed');
      for (let turn = 0; turn < 4; turn += 1) {
        const subject = turn % 2 === 0 ? THING : CHANGED_THING;
        await reinstall(server(), subject);
        rig.change(subject);
        for (let step = 0; step < STEPS / 4; step += 1) {
          const mismatch = await rig.step(`${prefix}-`);
          expect({ seed: SEED, turn, step, mismatch }).toEqual({ seed: SEED, turn, step, mismatch: undefined });
        }
      }
      await reinstall(server(), THING);
    },
    60_000 + STEPS * 200,
  );
});

async function reinstall(server: ControlPlane, subject: Subject): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${subject.resource.group}`;
  const { spec } = definitionOf(subject);
  const answer = await server.call({
    method: 'PATCH',
    path,
    body: { spec },
    contentType: 'application/merge-patch+json',
  });
  expect(answer.status).toBe(200);
  const probe = { ...PROBE, apiVersion: 'ownership.example.com/v1' };
  const wanted = subject === THING ? PROBE_OWNED : PROBE_OWNED_CHANGED;
  await waitFor('the schema has changed', async () => {
    const { body } = await server.call({
      method: 'PATCH',
      path: `${subject.path}/probe?dryRun=All&fieldManager=probe&force=true`,
      body: probe,
      contentType: 'application/apply-patch+yaml',
    });
    return JSON.stringify(body.metadata?.['managedFields'] ?? '').includes(wanted);
  });
}

const PROBE = { kind: 'Thing', metadata: { name: 'probe' }, spec: { whole: { a: 'x' } } };
const PROBE_OWNED = '"f:whole":{}';
const PROBE_OWNED_CHANGED = '"f:whole":{"f:a":{}}';

async function install(server: ControlPlane, definition: JsonObject): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const answer = await server.call({ method: 'POST', path, body: definition });
  expect([201, 409]).toContain(answer.status);
  await waitFor('the definition is served', async () => (await server.call({ path: THING.path })).status === 200);
}
