import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { argumentsOf, conclude, integerOf, NOTHING_TO_RUN, refuseBeside, seedOf, valueOf } from '../arguments.js';
import { BrokenReference, foundText } from '../explore/explorer.js';
import { readPlan, type Plan } from '../plan.js';
import type { Reference } from '../run.js';
import type { Scenario } from '../scenario.js';
import { deployOn } from './hub.js';
import { REAL_SCENARIOS, realPlan, referencesOf } from './plans.js';
import { RealRun } from './run.js';

const USAGE = `npm run faults:real -- --plans N --seed S [--scenario NAME]: N random plans on kube-apiserver, with the program in processes
that are killed and stopped. --plan JSON: one plan. The last line is "N plans, V violations"; the exit code is 0 only for none.`;
const options = {
  plans: { type: 'string' },
  seed: { type: 'string' },
  scenario: { type: 'string' },
  plan: { type: 'string' },
} as const;

const { given, scenarios, wanted, seed } = argumentsOf('faults:real', USAGE, options, (values) => {
  const { plan, scenario = '' } = values;
  refuseBeside(values, 'plan', ['plans', 'seed', 'scenario']);
  const read = plan === undefined ? undefined : valueOf('plan', () => readPlan(plan));
  if (read?.from !== undefined || read?.to !== undefined)
    throw new Error('--plan: from, to: on a real server all steps are run');
  if (read?.faults.some(({ where }) => where.name !== undefined) === true)
    throw new Error('--plan: where.name: on a real server all writes are counted');
  const all = {
    given: read,
    scenarios: REAL_SCENARIOS.filter(({ name }) =>
      read === undefined ? name.startsWith(scenario) : name === read.scenario,
    ),
    wanted: read === undefined ? integerOf('plans', values.plans ?? '0', 0) : 1,
    seed: seedOf(values.seed),
  };
  if (all.scenarios.length === 0)
    throw new Error(
      read === undefined
        ? `--scenario: no scenario for a real server begins with ${JSON.stringify(scenario)}`
        : `--plan: scenario: ${JSON.stringify(read.scenario)} is not for a real server`,
    );
  if (all.wanted === 0) throw new Error(`${NOTHING_TO_RUN}: give --plans or --plan`);
  return all;
});
const references = await referencesOf(scenarios).catch((error: unknown) => {
  if (!(error instanceof BrokenReference)) throw error;
  console.log(foundText(error.found));
  conclude('faults:real', '0 plans, 1 violations', 0, 1);
  process.exit();
});

function* plans(): Generator<readonly [Scenario, Reference, Plan]> {
  for (let n = 0; n < wanted; n++) {
    const scenario = scenarios[n % scenarios.length] as Scenario;
    const reference = references[n % scenarios.length] as Reference;
    yield [scenario, reference, given ?? realPlan(seed * 1_000_003 + n, scenario, reference)];
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
conclude('faults:real', `${count} plans, ${violations} violations`, count, violations);
