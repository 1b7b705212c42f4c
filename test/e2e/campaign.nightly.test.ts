// Crashes at many more points than the daily tests; takes hours.
import { beforeAll, it } from '@jest/globals';

import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { playKilled, playUndisturbed, type Reference } from '../support/scenario/run/campaign.js';
import { deploy } from '../support/scenario/run/deployed.js';
import { script } from '../support/scenario/script/script.js';

const SEED = Number(process.env['SCRIPT_SEED'] ?? 2);
const STEPS = 200;
const MINUTE = 60_000;
const RUNS = 5;
const CRASHES = 10;

describeWithServer('a campaign of crashes', { own: true, capabilities: ['requestLog'] }, (server) => {
  let reference: Reference | undefined;

  beforeAll(async () => {
    await deploy(server(), 'lax');
    reference = await playUndisturbed(server(), script(SEED, STEPS), SEED);
  }, 15 * MINUTE);

  it.each(Array.from({ length: RUNS }, (_, n) => SEED * 100 + n))(
    `a campaign changes no decision when the controller is killed at ${CRASHES} of the ${RUNS * CRASHES} points, seed %i`,
    async (seed) => {
      if (reference === undefined) throw new Error('the undisturbed run did not come to its end');
      await playKilled(server(), reference, { seed, count: CRASHES });
    },
    15 * MINUTE,
  );
});
