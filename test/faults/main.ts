import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { errorText } from '../../src/runtime/errors.js';
import { Explorer, foundText, scenarioOf, stretchesOf } from './explore/explorer.js';
import { bytePlans, crashPlans, eventPlans, randomPlan, requestPlans } from './explore/plans.js';
import { FOUND } from './found.js';
import { readPlan, type Plan } from './plan.js';
import { SCENARIOS } from './scenarios/all.js';

/**
 * `npm run faults -- --plans N --seed S`: N random plans, after those of each `--exhaustive bytes|crashes|events|requests`.
 * `npm run faults -- --plan JSON [--log]`: one plan, with the log of the programs.
 *   --found           before these, the plans that have found a fault of the product
 *   --scenario NAME   only the scenarios whose names begin so
 *   --first           ends with the first plan that breaks a rule, as it is
 *   --workers N       in N processes; default: one for each core
 * The last line is `N plans, V violations`; the exit code is 0 only for none.
 */
const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    exhaustive: { type: 'string', multiple: true, default: [] },
    found: { type: 'boolean', default: false },
    scenario: { type: 'string', default: '' },
    plan: { type: 'string' },
    log: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
    /** Of a worker: `1/2` runs every second plan. */
    part: { type: 'string' },
  },
});

/** What a worker tells. */
type Message = { readonly kind: 'found'; readonly text: string } | ({ readonly kind: 'end' } & Counts);

interface Counts {
  readonly plans: number;
  readonly violations: number;
}

const EXHAUSTIVE = { bytes: bytePlans, crashes: crashPlans, events: eventPlans, requests: requestPlans };

/** Ends the program with what is wrong with its arguments. */
function refuse(what: string): never {
  console.error(`faults: ${what}`);
  process.exit(2);
}

function planOfArguments(text: string): Plan {
  try {
    const plan = readPlan(text);
    scenarioOf(plan.scenario);
    return plan;
  } catch (error) {
    return refuse(`--plan: ${errorText(error)}`);
  }
}

function count(option: 'plans' | 'seed' | 'workers', least: number): number {
  const number = Number(values[option]);
  if (!Number.isInteger(number) || number < least)
    refuse(`--${option}: ${JSON.stringify(values[option])} is not an integer of at least ${least}`);
  return number;
}

const names = SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith(values.scenario));
if (names.length === 0) refuse(`--scenario: no scenario begins with ${JSON.stringify(values.scenario)}`);
const sorts = values.exhaustive.map((sort) => {
  if (sort !== 'bytes' && sort !== 'crashes' && sort !== 'events' && sort !== 'requests')
    return refuse(`--exhaustive: ${JSON.stringify(sort)} is none of ${Object.keys(EXHAUSTIVE).join(', ')}`);
  return EXHAUSTIVE[sort];
});
const wanted = count('plans', 0);
const seed = count('seed', 0);

/** The plans of one part of this run: every `parts`-th from `part` on. */
async function* plansOf(explorer: Explorer, part: number, parts: number): AsyncGenerator<Plan> {
  let made = 0;
  for (const { plan } of values.found ? FOUND : [])
    if (names.includes(plan.scenario) && made++ % parts === part) yield plan;
  for (const name of sorts.length === 0 ? [] : names)
    for (const stretch of stretchesOf(name)) {
      const window = await explorer.window(stretch);
      for (const make of sorts) for (const plan of make(window)) if (made++ % parts === part) yield plan;
    }
  for (let n = 0; made < wanted; n++) {
    // Without the run without faults of those that others make.
    if (made++ % parts !== part) continue;
    const stretches = stretchesOf(names[n % names.length] ?? '');
    const stretch = stretches[Math.floor(n / names.length) % stretches.length];
    if (stretch !== undefined) yield randomPlan(seed * 1_000_003 + n, await explorer.window(stretch));
  }
}

/** Runs the plans of one part; `told` receives what was found. */
async function work(part: number, parts: number, told: (text: string) => void): Promise<Counts> {
  const explorer = await Explorer.start();
  let [plans, violations] = [0, 0];
  for await (const plan of plansOf(explorer, part, parts)) {
    plans += 1;
    const [first] = (await explorer.run(plan)).violations;
    if (first === undefined) continue;
    violations += 1;
    told(foundText(values.first ? { plan, violations: [first] } : await explorer.shrink(plan, first.rule)));
  }
  await explorer.close();
  return { plans, violations };
}

async function onePlan(plan: Plan): Promise<Counts> {
  const explorer = await Explorer.start();
  const outcome = await explorer.run(plan, values.log ? (line) => console.log(line) : undefined);
  if (values.log) console.log(outcome.named.join('\n'));
  if (outcome.violations.length > 0) console.log(foundText({ plan, violations: outcome.violations }));
  await explorer.close();
  return { plans: 1, violations: Math.min(outcome.violations.length, 1) };
}

function tell(text: string): void {
  console.log(text);
  if (values.first) process.exit(1);
}

function inWorkers(parts: number): Promise<Counts> {
  if (parts === 1) return work(0, 1, tell);
  const workers = Array.from({ length: parts }, (_, part) => {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), `--part=${part}/${parts}`]);
    return new Promise<Counts>((resolve, reject) => {
      child.on('message', (message: Message) => {
        if (message.kind === 'end') resolve(message);
        else tell(message.text);
      });
      process.on('exit', () => child.kill());
      child.on('exit', (code) => reject(new Error(`a worker has ended with exit code ${code}`)));
    });
  });
  return Promise.all(workers).then((all) =>
    all.reduce((sum, one) => ({ plans: sum.plans + one.plans, violations: sum.violations + one.violations })),
  );
}

if (values.part === undefined) {
  const counts = await (values.plan === undefined
    ? inWorkers(count('workers', 1))
    : onePlan(planOfArguments(values.plan)));
  console.log(`${counts.plans} plans, ${counts.violations} violations`);
  process.exitCode = counts.violations === 0 ? 0 : 1;
} else {
  const [part = 0, parts = 1] = values.part.split('/').map(Number);
  const told = (text: string): void => void process.send?.({ kind: 'found', text } satisfies Message);
  const counts = await work(part, parts, told);
  process.send?.({ kind: 'end', ...counts } satisfies Message, () => process.disconnect());
}
