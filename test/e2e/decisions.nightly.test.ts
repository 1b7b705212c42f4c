import { beforeAll, expect, it } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { KEPT, playKilled, playUndisturbed, withRig, type Reference } from '../support/scenario/run/campaign.js';
import { deploy } from '../support/scenario/run/deployed.js';
import { OPENING } from '../support/scenario/script/opening.js';
import { play, report } from '../support/scenario/run/runner.js';
import { script, storms } from '../support/scenario/script/script.js';

/** The seed of the random changes; SCRIPT_SEED=7 runs that one. */
const SEED = Number(process.env['SCRIPT_SEED'] ?? 1);
const STEPS = 120;
const CRASHES = 6;
const MINUTE = 60_000;

describeWithServer('decisions', { own: true, capabilities: ['requestLog'] }, (server) => {
  let reference: Reference | undefined;

  beforeAll(() => deploy(server(), 'lax'), 6 * MINUTE);

  it(
    `decisions violate no invariant at any watch event through ${STEPS} steps`,
    async () => {
      reference = await playUndisturbed(server(), script(SEED, STEPS), SEED);
    },
    10 * MINUTE,
  );

  it(
    `decisions are the same when the controller is killed at ${CRASHES} points of these steps`,
    async () => {
      if (reference === undefined) throw new Error('the undisturbed run did not come to its end');
      await playKilled(server(), reference, { seed: SEED, count: CRASHES });
    },
    10 * MINUTE,
  );

  it(
    'decisions violate no invariant while many clusters change at once',
    async () => {
      await withRig(server(), 'stormy', async (rig) => {
        const { observer } = rig;
        const steps = storms(SEED, OPENING + 8, 60);
        const run = await play(steps, { server: server(), observer, seed: SEED });
        expect(report(await rig.judge(run.frames), SEED)).toBe(KEPT);
      });
    },
    10 * MINUTE,
  );
});
