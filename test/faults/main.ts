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
 *   --share N         only each N-th of the exhaustive plans; the seed names the first, so that N seeds in a row have all
 *   --found           before these, the plans that have found a fault of the product
 *   --scenario NAME   only the scenarios whose names begin so
 *   --first           ends with the first plan that breaks a rule, as it is
 *   --workers N       in N processes, each with scenarios of its own; default: one for each core
 * The last line is `N plans, V violations`; the exit code is 0 only for none.
 */
const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    exhaustive: { type: 'string', multiple: true, default: [] },
    share: { type: 'string', default: '1' },
    found: { type: 'boolean', default: false },
    scenario: { type: 'string', default: '' },
    plan: { type: 'string' },
    log: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
    /** Of a process that another one has started: it asks for scenarios. */
    worker: { type: 'boolean', default: false },
  },
});

/** What a worker tells. */
type Message =
  | { readonly kind: 'next' }
  | { readonly kind: 'found'; readonly text: string }
  | ({ readonly kind: 'end' } & Counts);

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

function count(option: 'plans' | 'seed' | 'share' | 'workers', least: number): number {
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
const share = count('share', 1);

/** How many random plans a scenario gets for one of an engine or of agents: those cost five times as much as the cheapest. */
const WEIGHTS: Readonly<Record<string, number>> = { placement: 8, gateway: 10, timed: 4 };

function weightOf(scenario: string): number {
  return WEIGHTS[scenario.split('/')[0] ?? ''] ?? 1;
}

/** The numbers of the random plans of each scenario: from the first, to the one after the last. */
const shares = new Map<string, readonly [number, number]>();
const whole = names.reduce((sum, name) => sum + weightOf(name), 0);
let before = 0;
for (const name of names) {
  const first = Math.floor((before * wanted) / whole);
  before += weightOf(name);
  shares.set(name, [first, Math.floor((before * wanted) / whole)]);
}

async function* plansOf(explorer: Explorer, name: string): AsyncGenerator<Plan> {
  for (const { plan } of values.found ? FOUND : []) if (plan.scenario === name) yield plan;
  const stretches = stretchesOf(name);
  let index = seed;
  for (const stretch of sorts.length === 0 ? [] : stretches) {
    const window = await explorer.window(stretch);
    for (const plan of sorts.flatMap((make) => make(window))) if (index++ % share === 0) yield plan;
  }
  const [first, end] = shares.get(name) ?? [0, 0];
  for (let n = first; n < end; n++) {
    // Few plans begin elsewhere with each seed.
    const stretch = stretches[(n + seed) % stretches.length];
    if (stretch !== undefined) yield randomPlan(seed * 1_000_003 + n, await explorer.window(stretch));
  }
}

/** Runs the plans of each scenario that `next` names; `told` receives what was found. */
async function work(next: () => Promise<string | undefined>, told: (text: string) => void): Promise<Counts> {
  // Most errors of a run are answers that faults have made: nobody reads where they were.
  Error.stackTraceLimit = 0;
  const explorer = await Explorer.start();
  let [plans, violations] = [0, 0];
  for (let name = await next(); name !== undefined; name = await next()) {
    for await (const plan of plansOf(explorer, name)) {
      plans += 1;
      const [first] = (await explorer.run(plan)).violations;
      if (first === undefined) continue;
      violations += 1;
      told(foundText(values.first ? { plan, violations: [first] } : await explorer.shrink(plan, first.rule)));
    }
    explorer.forget();
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

/** Each worker gets the next scenario when it is done with one; the dearest come first. */
function inWorkers(workers: number): Promise<Counts> {
  const waiting = names.toSorted((a, b) => weightOf(a) - weightOf(b));
  if (workers === 1) return work(async () => waiting.shift(), tell);
  const running = Array.from({ length: workers }, () => {
    const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--worker']);
    return new Promise<Counts>((resolve, reject) => {
      child.on('message', (message: Message) => {
        if (message.kind === 'end') resolve(message);
        else if (message.kind === 'found') tell(message.text);
        else child.send({ name: waiting.shift() });
      });
      process.on('exit', () => child.kill());
      child.on('exit', (code) => reject(new Error(`a worker has ended with exit code ${code}`)));
    });
  });
  return Promise.all(running).then((all) =>
    all.reduce((sum, one) => ({ plans: sum.plans + one.plans, violations: sum.violations + one.violations })),
  );
}

function send(message: Message, sent: () => void = () => undefined): void {
  process.send?.(message, sent);
}

if (values.worker) {
  const next = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      process.once('message', ({ name }: { readonly name?: string }) => resolve(name));
      send({ kind: 'next' });
    });
  const counts = await work(next, (text) => send({ kind: 'found', text }));
  send({ kind: 'end', ...counts }, () => process.disconnect());
} else {
  const counts = await (values.plan === undefined
    ? inWorkers(count('workers', 1))
    : onePlan(planOfArguments(values.plan)));
  console.log(`${counts.plans} plans, ${counts.violations} violations`);
  process.exitCode = counts.violations === 0 ? 0 : 1;
}
