import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BudgetWorld, CLUSTERS, type Budget, type Change, type Step } from './budgetworld.js';
import { AFTER_EACH, BEFORE_EACH, type Death } from './placementprocess.js';

/** Random histories of {@link BudgetWorld}, and their runs with and without crashes. */

export interface History {
  readonly budget: Budget | undefined;
  readonly wanted: number | undefined;
  readonly steps: readonly Step[];
}

const someNames = fc.subarray([...CLUSTERS], { minLength: 1, maxLength: 4 });
/** One, or what a command takes along by mistake. */
const someOrMany = fc.oneof(
  fc.constantFrom(...CLUSTERS).map((name) => [name]),
  fc.subarray([...CLUSTERS], { minLength: 3 }),
);
const someBound = fc.constantFrom(0, 1, 2, 3, '0%', '20%', '34%', '50%', '100%');
/** With one bound or both, or none at all. */
const someBudget: fc.Arbitrary<Budget | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ maxRemovals: someBound }) },
  { weight: 1, arbitrary: fc.record({ maxAdditions: someBound }) },
  { weight: 2, arbitrary: fc.record({ maxRemovals: someBound, maxAdditions: someBound }) },
  { weight: 2, arbitrary: fc.constant(undefined) },
);
const someWanted = fc.constantFrom(undefined, undefined, 0, 2, 4, 5, 6, 7);
const someChange: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('tier' as const), clusters: someNames, gold: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('set' as const), clusters: someNames, member: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('taint' as const), clusters: someNames, tainted: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('delete', 'terminate', 'create'), clusters: someOrMany }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('binding', 'setExists'), there: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('budget' as const), budget: someBudget }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wanted' as const), clusters: someWanted }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('releaseClusters', 'releaseAdditions'),
      seconds: fc.constantFrom(-5, 5, 50),
      names: fc.oneof(
        fc.constant('*'),
        someNames.map((names) => names.join(',')),
      ),
    }),
  },
);
const someTime = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
  { weight: 3, arbitrary: fc.constantFrom(59_000, 60_000, 61_000, 840_000, 900_000, 901_000, 3_600_000) },
  { weight: 1, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
);

export const someHistory: fc.Arbitrary<History> = fc.record({
  budget: someBudget,
  wanted: someWanted,
  steps: fc.array(fc.record({ passedMs: someTime, changes: fc.array(someChange, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
});

/** What a run ends in, for comparison: decisions with their records, and conditions without their times. */
interface Played {
  readonly writes: number;
  readonly crashes: number;
  readonly end: unknown;
}

/** When the processes of a run end, each followed at once by the next; undefined: it lives on. */
type Deaths = (process: number) => Death | undefined;

const NEVER: Deaths = () => undefined;

/** Plays a history undisturbed, and with crashes at all writes: each run ends alike. Returns the number of crashes. */
export async function playWithCrashes(history: History): Promise<number> {
  const { end } = await play(history, NEVER);
  let sum = 0;
  for (const deaths of [AFTER_EACH, BEFORE_EACH]) {
    const run = await play(history, () => deaths);
    assert.deepEqual(run.end, end);
    sum += run.crashes;
  }
  return sum;
}

/** As {@link playWithCrashes}, with one crash in each run: at every write, stored or not. */
export async function playWithSingleCrashes(history: History): Promise<number> {
  const { end, writes } = await play(history, NEVER);
  let sum = 0;
  for (let write = 1; write <= writes; write++) {
    for (const phase of ['before', 'after'] as const) {
      const run = await play(history, (process) => (process === 0 ? { write, phase } : undefined));
      assert.equal(run.crashes, 1);
      assert.deepEqual(run.end, end);
      sum += run.crashes;
    }
  }
  return sum;
}

/** Plays a history with the real reconcile, and checks every write. */
async function play(history: History, deaths: Deaths): Promise<Played> {
  const world = new BudgetWorld(history);
  let process = world.process(deaths(0));
  let writes = 0;
  let crashes = 0;
  for (const step of [undefined, ...history.steps]) {
    if (step !== undefined) world.take(step);
    while (!(await process.survives())) {
      crashes += 1;
      writes += process.writes;
      process = world.process(deaths(crashes));
    }
    world.checkRest();
  }
  return { writes: writes + process.writes, crashes, end: world.end() };
}
