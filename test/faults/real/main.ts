import { parseArgs } from 'node:util';

import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { foundText } from '../explore/explorer.js';
import { readPlan, type Plan } from '../plan.js';
import type { Reference } from '../run.js';
import type { Scenario } from '../scenario.js';
import { deployOn } from './hub.js';
import { REAL_SCENARIOS, realPlan, referencesOf } from './plans.js';
import { RealRun } from './run.js';

/**
 * `npm run faults:real -- --plans N --seed S [--scenario NAME]`: N random plans on kube-apiserver, with the program in processes
 * that are killed and stopped. `--plan JSON`: one plan. The last line is `N plans, V violations`; exit code 0 only for none.
 */
const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    scenario: { type: 'string', default: '' },
    plan: { type: 'string' },
  },
});

const given = values.plan === undefined ? undefined : readPlan(values.plan);
const scenarios = REAL_SCENARIOS.filter(({ name }) =>
  given === undefined ? name.startsWith(values.scenario) : name === given.scenario,
);
if (scenarios.length === 0)
  throw new Error(`no scenario for a real server begins with ${JSON.stringify(values.scenario)}`);
const references = await referencesOf(scenarios);

function* plans(): Generator<readonly [Scenario, Reference, Plan]> {
  for (let n = 0; n < (given === undefined ? Number(values.plans) : 1); n++) {
    const scenario = scenarios[n % scenarios.length] as Scenario;
    const reference = references[n % scenarios.length] as Reference;
    yield [scenario, reference, given ?? realPlan(Number(values.seed) * 1_000_003 + n, scenario, reference)];
  }
}

async function violationsOf(
  server: ControlPlane,
  [scenario, reference, plan]: readonly [Scenario, Reference, Plan],
): Promise<number> {
  const began = Date.now();
  const run = await RealRun.begin({ server, scenario, reference, faults: plan.faults });
  try {
    await run.finish();
  } finally {
    await run.end();
  }
  const { violations, reached } = run;
  console.log(`${scenario.name}: ${reached.length} of ${plan.faults.length} faults, ${Date.now() - began} ms`);
  if (violations.length > 0) console.log(foundText({ plan, violations }, 'faults:real'));
  return Math.min(violations.length, 1);
}

const server = await startBackend('real', { size: 'hub', label: 'faults' });
let [count, violations] = [0, 0];
try {
  await deployOn(server);
  for (const one of plans()) {
    violations += await violationsOf(server, one);
    count += 1;
  }
} finally {
  await server.stop();
}
console.log(`${count} plans, ${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;
