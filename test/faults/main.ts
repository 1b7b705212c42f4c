import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { argumentsOf, conclude, integerOf, NOTHING_TO_RUN, refuseBeside, seedOf, valueOf } from './arguments.js';
import { readRecorded } from './checks/recorded.js';
import { BrokenReference, Explorer, foundText, stretchesOf, type Found } from './explore/explorer.js';
import { bytePlans, crashPlans, eventPlans, randomPlan, requestPlans } from './explore/plans.js';
import { FOUND } from './found.js';
import { readPlan, type Plan } from './plan.js';
import { SCENARIOS } from './scenarios/all.js';
import { drawnNames, drawnScenario } from './scenarios/drawn.js';

const USAGE = `npm run faults -- --plans N --seed S: N random plans, after those of each --exhaustive bytes|crashes|events|requests.
npm run faults -- --plan JSON [--log]: one plan, with the log of the programs.
  --share N         only each N-th of the exhaustive plans; the seed names the first, so that N seeds in a row have all
  --found           before these, the plans that have found a fault of the product
  --scenario NAME   only the scenarios whose names begin so
  --unrecorded      what runs without faults store is not compared with scenarios/recorded.json
  --first           ends with the first plan that breaks a rule, as it is
  --workers N       in N processes, each with scenarios of its own; default: one for each core
The last line is "N plans, V violations"; the exit code is 0 only for none, and 2 where nothing was run.`;

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

const options = {
  plans: { type: 'string' },
  seed: { type: 'string' },
  exhaustive: { type: 'string', multiple: true },
  share: { type: 'string' },
  found: { type: 'boolean' },
  scenario: { type: 'string' },
  plan: { type: 'string' },
  log: { type: 'boolean' },
  first: { type: 'boolean' },
  unrecorded: { type: 'boolean' },
  workers: { type: 'string' },
  /** Of a process that another one has started: it asks for scenarios. */
  worker: { type: 'boolean' },
} as const;
/** A scenario that is drawn has so many random plans; so many times as many are of others, where these run beside it. */
const PLANS_OF_DRAWN = 20;
const OTHERS_BESIDE = 20;
/** Of many plans. */
const OF_MANY = ['plans', 'seed', 'exhaustive', 'share', 'found', 'scenario', 'first'] as const;

const { values, one, names, sorts, wanted, seed, share, workers } = argumentsOf('faults', USAGE, options, (given) => {
  const { plan, scenario = '', exhaustive = [] } = given;
  refuseBeside(given, 'plan', OF_MANY);
  if (plan === undefined && given.log === true) throw new Error('--log: is only for one --plan');
  const plansWanted = integerOf('plans', given.plans ?? '0', 0);
  const seedGiven = seedOf(given.seed);
  const all = {
    values: given,
    one: plan === undefined ? undefined : valueOf('plan', () => readPlan(plan)),
    names: namesOf(scenario, seedGiven, plansWanted),
    sorts: exhaustive.map((sort) => {
      if (sort !== 'bytes' && sort !== 'crashes' && sort !== 'events' && sort !== 'requests')
        throw new Error(`--exhaustive: ${JSON.stringify(sort)} is none of ${Object.keys(EXHAUSTIVE).join(', ')}`);
      return EXHAUSTIVE[sort];
    }),
    wanted: plansWanted,
    seed: seedGiven,
    share: integerOf('share', given.share ?? '1', 1),
    workers: integerOf('workers', given.workers ?? String(availableParallelism()), 1),
  };
  if (all.names.length === 0) throw new Error(`--scenario: no scenario begins with ${JSON.stringify(scenario)}`);
  if (plan === undefined && all.wanted === 0 && exhaustive.length === 0 && given.found !== true)
    throw new Error(`${NOTHING_TO_RUN}: give --plans, --exhaustive, --found or --plan`);
  return all;
});

/** Of the scenarios whose names begin with `scenario`; also one that is drawn, by its whole name. */
function namesOf(scenario: string, ofSeed: number, plans: number): readonly string[] {
  if (drawnScenario(scenario) !== undefined) return [scenario];
  const drawn = Math.ceil(plans / PLANS_OF_DRAWN / (scenario === '' ? OTHERS_BESIDE : 1));
  const all = [...SCENARIOS.map(({ name }) => name), ...drawnNames(ofSeed, drawn)];
  return all.filter((name) => name.startsWith(scenario));
}

/** How many random plans a scenario gets for one of an engine or of agents: those cost five times as much as the cheapest. */
const WEIGHTS: Readonly<Record<string, number>> = { placement: 20, gateway: 25, timed: 4 };

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

function startExplorer(): Promise<Explorer> {
  return Explorer.start(values.unrecorded === true ? undefined : readRecorded());
}

async function* plansOf(explorer: Explorer, name: string): AsyncGenerator<Plan> {
  // Each step is judged once without faults, also where few plans follow.
  await explorer.reference({ scenario: name });
  for (const { plan } of values.found === true ? FOUND : []) if (plan.scenario === name) yield plan;
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
  const explorer = await startExplorer();
  let [plans, violations] = [0, 0];
  for (let name = await next(); name !== undefined; name = await next()) {
    try {
      for await (const plan of plansOf(explorer, name)) {
        const [first] = (await explorer.run(plan)).violations;
        plans += 1;
        if (first === undefined) continue;
        violations += 1;
        const isFirst = values.first === true;
        told(foundText(isFirst ? { plan, violations: [first] } : await explorer.shrink(plan, first.rule)));
      }
    } catch (error) {
      // Without a run to compare with, the other plans of the scenario say nothing.
      plans += 1;
      violations += 1;
      told(foundText(foundIn(error)));
    }
    explorer.forget();
  }
  await explorer.close();
  return { plans, violations };
}

/** What a run without faults has broken. @throws any other error */
function foundIn(error: unknown): Found {
  if (error instanceof BrokenReference) return error.found;
  throw error;
}

async function onePlan(plan: Plan): Promise<Counts> {
  const explorer = await startExplorer();
  const run = async (): Promise<Found> => {
    const { named, violations } = await explorer.run(
      plan,
      values.log === true ? (line) => console.log(line) : undefined,
    );
    if (values.log === true) console.log(named.join('\n'));
    return { plan, violations };
  };
  const found = await run().catch(foundIn);
  if (found.violations.length > 0) console.log(foundText(found));
  await explorer.close();
  return { plans: 1, violations: Math.min(found.violations.length, 1) };
}

function tell(text: string): void {
  console.log(text);
  if (values.first === true) process.exit(1);
}

/** Each worker gets the next scenario when it is done with one; the dearest come first. */
function inWorkers(): Promise<Counts> {
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

if (values.worker === true) {
  const next = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      process.once('message', ({ name }: { readonly name?: string }) => resolve(name));
      send({ kind: 'next' });
    });
  const counts = await work(next, (text) => send({ kind: 'found', text }));
  send({ kind: 'end', ...counts }, () => process.disconnect());
} else {
  const { plans, violations } = await (one === undefined ? inWorkers() : onePlan(one));
  conclude('faults', `${plans} plans, ${violations} violations`, plans, violations);
}
