import { execFileSync } from 'node:child_process';

import { startBaseHub, type BaseHub } from '../hub/base.js';
import { difference } from '../hub/stored.js';
import { faultText, planText, type Plan } from '../plan.js';
import { run, type Moment, type Outcome, type Violation } from '../run.js';
import type { Scenario } from '../scenario.js';
import type { Stretch, Window } from './plans.js';
import { unlikeRecord, type Recorded } from '../checks/recorded.js';
import { scenarioNamed, SCENARIOS } from '../scenarios/all.js';
import type { StoredState } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

/** A plan that broke something, made as small as it gets. */
export interface Found {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
}

/** A scenario that breaks a rule without any fault. */
export class BrokenReference extends Error {
  readonly found: Found;

  constructor(found: Found) {
    const [first] = found.violations;
    super(`${found.plan.scenario}, without faults: step ${first?.step}: ${first?.rule}: ${first?.detail}`);
    this.found = found;
  }
}

/** Runs plans on one hub in this process. The reference of each scenario is made once. */
export class Explorer {
  readonly #base: BaseHub;
  readonly #empty: StoredState;
  readonly #recorded: Recorded | undefined;
  readonly #references = new Map<string, Outcome>();

  private constructor(base: BaseHub, recorded?: Recorded) {
    this.#base = base;
    this.#empty = base.server.state();
    this.#recorded = recorded;
  }

  /** Runs without faults are compared with what is `recorded` of them; absent: with nothing. */
  static async start(recorded?: Recorded): Promise<Explorer> {
    return new Explorer(await startBaseHub(), recorded);
  }

  /** The run without faults of these steps. @throws BrokenReference where the scenario breaks a rule in it */
  async reference(
    { scenario: name, from = 0, to }: Omit<Plan, 'seed' | 'faults'>,
    log?: (line: string) => void,
  ): Promise<Outcome> {
    const key = `${name} ${from} ${to ?? ''}`;
    const known = this.#references.get(key);
    if (known !== undefined) return known;
    const scenario = scenarioOf(name);
    const plan = { scenario: name, seed: 0, faults: [], from, to: to ?? scenario.steps.length };
    const start = await this.#start(name, from);
    const made = await run({ base: this.#base, empty: this.#empty, scenario, plan, ...start, ...(log && { log }) });
    const checks = [
      () => made.violations,
      () => this.#checkRestart(name, from, made),
      () =>
        this.#recorded === undefined || from > 0 || scenario.isDrawn === true
          ? []
          : unlikeRecord(this.#recorded, plan, made.moments),
    ];
    let violations: readonly Violation[] = [];
    for (const check of checks) if (violations.length === 0) violations = await check();
    if (violations.length > 0) throw new BrokenReference({ plan, violations });
    this.#references.set(key, made);
    return made;
  }

  /** What happens in these steps without faults. */
  async window(stretch: Stretch): Promise<Window> {
    const reference = await this.reference(stretch);
    // Without places, faults have none.
    return {
      ...stretch,
      reference: scenarioOf(stretch.scenario).isTimed === true ? { ...reference, counts: [] } : reference,
    };
  }

  async #start(scenario: string, from: number): Promise<{ readonly start?: Moment }> {
    const start = from === 0 ? undefined : (await this.reference({ scenario })).moments[from];
    return start === undefined ? {} : { start };
  }

  /** Programs that start on what is stored at the end of a step leave it as it is. */
  async #checkRestart(scenario: string, from: number, { states }: Outcome): Promise<readonly Violation[]> {
    if (from === 0) return [];
    const { states: whole } = await this.reference({ scenario });
    const [before, after] = [whole[from], states[0]];
    const changed = before && after && difference(before, after);
    return changed === undefined ? [] : [{ rule: 'restart', step: from, detail: changed }];
  }

  async run(plan: Plan, log?: (line: string) => void): Promise<Outcome> {
    log?.('--- the run without faults');
    const reference = await this.reference(plan, log);
    log?.('--- the plan');
    const start = await this.#start(plan.scenario, plan.from ?? 0);
    const scenario = scenarioOf(plan.scenario);
    return run({ base: this.#base, empty: this.#empty, scenario, plan, reference, ...start, ...(log && { log }) });
  }

  /**
   * The smallest plan that still breaks the same rule: faults are left out one by one, the order of events made plain, and their
   * places named.
   */
  async shrink(plan: Plan, rule: string): Promise<Found> {
    let smallest: Found & Pick<Outcome, 'named'> = { plan, ...(await this.run(plan)) };
    const stillBreaks = async (smaller: Plan): Promise<boolean> => {
      const { violations, named } = await this.run(smaller);
      if (!violations.some((one) => one.rule === rule)) return false;
      smallest = { plan: smaller, violations, named };
      return true;
    };
    await stillBreaks({ ...plan, seed: 0 });
    for (let size = smallest.plan.faults.length; size > 0;) {
      let hasShrunk = false;
      for (let index = smallest.plan.faults.length - 1; index >= 0; index--) {
        const faults = smallest.plan.faults.filter((_, at) => at !== index);
        hasShrunk = (await stillBreaks({ ...smallest.plan, faults })) || hasShrunk;
      }
      size = hasShrunk ? smallest.plan.faults.length : 0;
    }
    await stillBreaks(namedPlan(smallest.plan, smallest.named));
    return smallest;
  }

  /** Drops what was kept of the scenarios so far. */
  forget(): void {
    this.#references.clear();
  }

  close(): Promise<void> {
    return this.#base.server.close();
  }
}

/** The steps of a scenario, two at a time: the start of the programs, a change, and what follows it. */
export function stretchesOf(scenario: string): readonly Stretch[] {
  const { steps } = scenarioOf(scenario);
  const starts = steps.length === 0 ? [0] : steps.map((_, from) => from);
  return starts.map((from) => ({ scenario, from, to: Math.min(from + 2, steps.length) }));
}

/** With the name of each place, as it was met in a run of the plan: `step sort n: name` of each. */
function namedPlan(plan: Plan, named: readonly string[]): Plan {
  const faults = plan.faults.map((fault) => {
    const { step, of, n } = fault.where;
    const sort = `step ${step} ${of} `;
    const own = named.find((one) => one.startsWith(`${sort}${n}: `));
    if (of === 'client' || own === undefined || fault.where.name !== undefined) return fault;
    const name = own.slice(own.indexOf(': ') + 2);
    const before = named.slice(0, named.indexOf(own) + 1);
    const count = before.filter((one) => one.startsWith(sort) && one.endsWith(`: ${name}`)).length;
    return { ...fault, where: { step, of, n: count, name } };
  });
  return { ...plan, faults };
}

/** @throws Error that names the scenarios there are */
function scenarioOf(name: string): Scenario {
  const found = scenarioNamed(name);
  if (found === undefined)
    throw new Error(`scenario: ${JSON.stringify(name)} is none of ${SCENARIOS.map((one) => one.name).join(', ')}`);
  return found;
}

/** What to print of a plan that broke something: seed, commit, the faults, and the command that runs it again. */
export function foundText({ plan, violations }: Found, command = 'faults'): string {
  const lines = [
    `${plan.scenario}, seed ${plan.seed}, commit ${commit()}`,
    ...plan.faults.map((fault) => `  ${faultText(fault)}`),
    ...violations.map(({ rule, step, detail }) => `  step ${step}: ${rule}: ${detail}`),
    `  npm run ${command} -- --plan '${planText(plan)}'`,
  ];
  return lines.join('\n');
}

/** What the working tree is at, and whether it has changes beyond that. */
export function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+changes'}`;
  } catch {
    return 'unknown';
  }
}
