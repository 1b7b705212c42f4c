import { startBackend } from '../../../testing/controlplane/start.js';
import { targetOf } from '../target.js';
import { runCampaign } from './campaign.js';

/**
 * Runs the differential campaign: `node dist/test/conformance/differential/run.js [SEQUENCES] [FIRST SEED]`. The last line is
 * `N passed, N failed`, counted in sequences.
 */
const count = Number(process.argv[2] ?? 5000);
const first = Number(process.argv[3] ?? 1);
const embedded = await startBackend('embedded', { size: 'api', label: 'differential-embedded' });
const real = await startBackend('real', { size: 'api', label: 'differential-real' });
let failed = count;
try {
  const servers = { embedded: await targetOf(embedded, 'embedded'), real: await targetOf(real, 'real') };
  const campaign = await runCampaign(servers, first, count, (text) => void process.stdout.write(`${text}\n`));
  failed = campaign.differences.length;
  for (const [reason, times] of Object.entries(campaign.known))
    process.stdout.write(`known difference, ${times} times: ${reason}\n`);
  process.stdout.write(
    `${campaign.requests} requests to each\n${campaign.sequences - failed} passed, ${failed} failed\n`,
  );
} finally {
  await Promise.all([embedded.stop(), real.stop()]);
}
process.exit(failed === 0 ? 0 : 1);
