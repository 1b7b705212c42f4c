import { parseArgs } from 'node:util';

import { crashPlans, eventPlans, randomPlan, requestPlans, type Window } from './explore/plans.js';
import { Explorer, foundText, scenarioOf } from './explore/explorer.js';
import { readPlan, type Plan } from './plan.js';
import { SCENARIOS } from './scenarios/all.js';

/**
 * `npm run faults -- --plans N --seed S [--scenario NAME]`: N random plans.
 * `npm run faults -- --exhaustive crashes|events|requests [--scenario NAME]`: all plans of a sort.
 * `npm run faults -- --plan JSON [--log]`: one plan.
 * The last line is `N plans, V violations`; the exit code is 0 only for none.
 */
const { values } = parseArgs({
  options: {
    plans: { type: 'string' },
    seed: { type: 'string', default: '1' },
    scenario: { type: 'string', default: '' },
    exhaustive: { type: 'string' },
    plan: { type: 'string' },
    log: { type: 'boolean', default: false },
  },
});
const explorer = await Explorer.start();
let plans = 0;
let violations = 0;
const names = SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith(values.scenario));
if (names.length === 0) throw new Error(`--scenario: no scenario begins with ${JSON.stringify(values.scenario)}`);

async function one(plan: Plan): Promise<void> {
  plans += 1;
  const log = values.log ? (line: string) => console.log(line) : undefined;
  const outcome = await explorer.run(plan, log);
  if (values.log) console.log(outcome.named.join('\n'));
  const [first] = outcome.violations;
  if (first === undefined) return;
  violations += 1;
  console.log(foundText(values.plan === undefined ? await explorer.shrink(plan, first.rule) : { plan, ...outcome }));
}

/** The steps of a scenario, three at a time: the start of the programs, a change, and what follows it. */
async function windowsOf(scenario: string): Promise<readonly Window[]> {
  const { steps } = scenarioOf(scenario);
  const windows: Window[] = [];
  for (let from = 0; from === 0 || from < steps.length; from++) {
    const to = Math.min(from + 2, steps.length);
    windows.push({ scenario, from, to, reference: await explorer.reference({ scenario, from, to }) });
  }
  return windows;
}

if (values.plan !== undefined) await one(readPlan(values.plan));
else if (values.exhaustive !== undefined) {
  const make = { crashes: crashPlans, events: eventPlans, requests: requestPlans }[values.exhaustive];
  if (make === undefined) throw new Error(`--exhaustive: ${values.exhaustive} is none of crashes, events, requests`);
  for (const name of names)
    for (const window of await windowsOf(name)) for (const plan of make(window)) await one(plan);
} else {
  for (let n = 0; n < Number(values.plans ?? 1000); n++) {
    const seed = Number(values.seed) * 1_000_003 + n;
    const windows = await windowsOf(names[n % names.length] ?? '');
    const window = windows[seed % windows.length];
    if (window !== undefined) await one(randomPlan(seed, window));
  }
}
await explorer.close();
console.log(`${plans} plans, ${violations} violations`);
process.exitCode = violations === 0 ? 0 : 1;
