import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import { COMPLAINT_DELAY_MS } from '../../../src/operator/controllers/clusters/controller.js';
import { startBaseHub } from '../hub/base.js';
import { BrokenReference } from '../explore/explorer.js';
import type { Fault, Plan, What } from '../plan.js';
import { run, type Outcome, type Reference } from '../run.js';
import type { Scenario } from '../scenario.js';
import { SCENARIOS } from '../scenarios/all.js';

/** Of one program, of which nothing waits for a time of day or for minutes to pass. */
const TIMED = ['additions', 'both-bounds', 'removals', 'sets-and-health', 'shared'].map((name) => `timed/${name}`);

/** A cluster whose set is gone says so later: on a real server a step may take as long. */
export const QUIET_MS = COMPLAINT_DELAY_MS + 2_000;

/** What can run on a real server, where time passes by itself: steps in which only time passes are left out. */
export const REAL_SCENARIOS: readonly Scenario[] = SCENARIOS.filter(
  ({ name }) => name.startsWith('placement/') || TIMED.includes(name),
).map((one) => ({ ...one, quietMs: QUIET_MS, steps: one.steps.filter(({ minutes }) => minutes === undefined) }));

/**
 * What each scenario does in this process without faults. To be called before a server is started: simulated time needs a
 * process in which nothing else is under way. @throws BrokenReference where a scenario breaks a rule
 */
export async function referencesOf(scenarios: readonly Scenario[]): Promise<readonly Reference[]> {
  const base = await startBaseHub();
  const empty = base.server.state();
  const references: Outcome[] = [];
  for (const scenario of scenarios) {
    const plan = { scenario: scenario.name, seed: 0, faults: [] };
    const made = await run({ base, empty, scenario, plan });
    if (made.violations.length > 0) throw new BrokenReference({ plan, violations: made.violations });
    references.push(made);
  }
  await base.server.close();
  return references;
}

const MOST_FAULTS = 6;
/** A process that is stopped for longer than a Lease loses it. */
const WHAT: readonly What[] = [
  { kind: 'crash', ms: 0 },
  { kind: 'crash', ms: 0 },
  { kind: 'crash', ms: 1_000 },
  { kind: 'stop', ms: 2_000 },
  { kind: 'stop', ms: 20_000 },
];

/** A random plan of a whole scenario: the process is killed or stopped at up to six of its writes. */
export function realPlan(seed: number, { name }: Scenario, { named }: Reference): Plan {
  const dice = new Dice(seed);
  const faults: Fault[] = [];
  // Each write of the run in one process, but for Events, which are not counted on a real server.
  const writes = named.filter((one) => / write /.test(one) && !/ events\b/.test(one));
  for (const one of dice.some(writes, dice.between(1, MOST_FAULTS))) {
    const step = Number(/^step (\d+)/.exec(one)?.[1]);
    const n = writes.filter((other) => other.startsWith(`step ${step} `)).indexOf(one) + 1;
    const when = dice.pick(['before', 'applied', 'answered'] as const);
    faults.push({ where: { step, of: 'write', n }, when, what: dice.pick(WHAT) });
  }
  faults.sort((a, b) => a.where.step - b.where.step || a.where.n - b.where.n);
  return { scenario: name, seed, faults };
}
