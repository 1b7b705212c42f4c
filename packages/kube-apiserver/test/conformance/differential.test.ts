import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { missingPrograms } from '../../testing/controlplane/binaries.js';
import type { ControlPlane } from '../../testing/controlplane/plane.js';
import { startBackend } from '../../testing/controlplane/start.js';
import { describeDifference, runCampaign } from './differential/campaign.js';
import { targetOf } from './target.js';

const START_MS = 180_000;
/** A slice of what `make nightly` plays. */
const FIRST = 1;
const SEQUENCES = 60;

const missing = missingPrograms('api');
const suite = missing === undefined || process.env['CI'] === 'true' ? describe : describe.skip;

suite('the embedded server and kube-apiserver with the same random requests', () => {
  let embedded: ControlPlane | undefined;
  let real: ControlPlane | undefined;

  beforeAll(async () => {
    embedded = await startBackend('embedded', { size: 'api', label: 'differential-embedded' });
    real = await startBackend('real', { size: 'api', label: 'differential-real' });
  }, START_MS);
  afterAll(async () => {
    await embedded?.stop();
    await real?.stop();
  }, START_MS);

  it(
    `both servers respond alike to ${SEQUENCES} sequences of random requests`,
    async () => {
      if (embedded === undefined || real === undefined) throw new Error('the servers did not start');
      const servers = { embedded: await targetOf(embedded, 'embedded'), real: await targetOf(real, 'real') };
      const contest = await runCampaign(servers, FIRST, SEQUENCES);

      expect(contest.differences.map(describeDifference)).toEqual([]);
      expect(contest.sequences).toBe(SEQUENCES);
      expect(contest.requests).toBeGreaterThan(SEQUENCES * 10);
    },
    3 * START_MS,
  );
});
