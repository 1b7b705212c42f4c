import { setMaxListeners } from 'node:events';

import type { StoredState } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { errorText } from '../../src/runtime/errors.js';
import { resourceOf } from '../../src/runtime/client/path.js';
import { CustomResourceDefinitions } from '../../src/runtime/vocabulary/kinds.js';
import { AgentCheck } from './checks/agents.js';
import { BoundsCheck } from './checks/bounds.js';
import { checkContents } from './checks/contents.js';
import { DecisionCheck, type Movements } from './checks/decisions.js';
import { EndCheck } from './checks/ends.js';
import { EngineCheck } from './checks/engines.js';
import { reviewEngineWrite } from './checks/enginewrites.js';
import { AgentProgram } from './hub/agent.js';
import { TEAM, type BaseHub } from './hub/base.js';
import { TimesCheck } from './checks/times.js';
import { Clients } from './hub/clients.js';
import { DeploymentController } from './hub/deployments.js';
import { Hands, PEOPLE } from './hub/hands.js';
import { EVENTS, Injector, textOf } from './hub/injector.js';
import { meddlerOf } from './hub/meddler.js';
import type { Process } from './hub/process.js';
import { Program } from './hub/program.js';
import { difference, digestsOf, storedTexts } from './hub/stored.js';
import type { Fault, Plan, Sort } from './plan.js';
import { programsOf, wait, type Scenario } from './scenario.js';

/** What a run without faults does: by this, all others are judged. */
export interface Reference {
  /** What is stored at the end of each step; the first is the start. */
  readonly states: readonly ReadonlyMap<string, string>[];
  readonly movements: readonly Movements[];
  /** How many edits by others the histories tell of at the end of each step. */
  readonly repairs: readonly number[];
  /** How often each object is made and deleted: `+collection key`, `-collection key`. */
  readonly births: ReadonlyMap<string, number>;
  /** How many requests and events of each sort each step has; the first is that of `from`. */
  readonly counts: readonly Readonly<Record<Sort, number>>[];
  /** What each of them was: `step sort n verb resource name`. */
  readonly named: readonly string[];
}

/** What is stored at the end of a step, and when that is. */
export interface Moment {
  readonly state: StoredState;
  /** Of each collection, and of what clients were answered in the step. */
  readonly digests: Readonly<Record<string, string>>;
  /** Wall time since the start of the scenario, ms. */
  readonly at: number;
}

export interface Violation {
  readonly rule: string;
  readonly detail: string;
  /** The step in which it was seen, from 0. */
  readonly step: number;
}

export interface Outcome extends Reference {
  readonly violations: readonly Violation[];
  /** The faults of the plan that were met. */
  readonly reached: readonly Fault[];
  /** The end of each step. */
  readonly moments: readonly Moment[];
}

export interface RunOptions {
  readonly base: BaseHub;
  /** What is stored before any scenario. */
  readonly empty: StoredState;
  readonly scenario: Scenario;
  readonly plan: Plan;
  /** Where the run begins; absent: with what the scenario gives. */
  readonly start?: Moment;
  /** Absent: this run makes the reference. */
  readonly reference?: Reference;
  readonly log?: (line: string) => void;
}

/** How long nothing may happen before a step counts as over, ms. */
const QUIET_MS = 3_000;
/** A watch that is silent is noticed after 150 s, and a collection that fails is asked for every 45 s at most. */
const LATEST_MS = 600_000;
/** From the last fault, or when a silent watch was noticed, to the end of a step: a brake takes 240 s to end, and its toleration passes. */
const CONVERGED_MS = 300_000;
const LOOK_EVERY_MS = 500;
const MOST_PASSES = 5;
/** While a fault lasts: as a backoff from 5 ms to a minute has them, and one a second. */
const MOST_TRIES = 30;
/** A controller looks again so often while a cache is not current. */
const LOOK_AGAIN_MS = 5_000;
/** In which the last count of a series of Events is written. */
const EVENTS_MS = 12_000;
const DAY_MS = 24 * 3_600_000;
/** Over which a resync spreads its passes, with time for what they write: with seed 0, all of them belong to the day. */
const RESYNC_MS = 70_000;
/**
 * One of so many random plans, and each with seed 0, has the checks that cost as much as a step: a day of quiet, and the
 * explanations. A run without faults from the middle of a scenario has neither: many plans with faults follow it.
 */
const WHOLE = 5;
/** In each run, the share of turns in which another than the oldest ready work is taken; with seed 0, none. */
const DISORDER = 0.3;

/** Runs one plan from an empty hub to its end, and checks all that has to hold. */
export async function run(options: RunOptions): Promise<Outcome> {
  if (options.start !== undefined) await options.base.server.restore(options.start.state);
  const one = new Run(options);
  try {
    return await one.play();
  } finally {
    await one.end();
  }
}

class Run {
  readonly #options: RunOptions;
  readonly #injector: Injector;
  readonly #programs: readonly Process[];
  readonly #operators: readonly Program[];
  readonly #hands: Hands;
  readonly #clients: Clients | undefined;
  readonly #violations: Violation[] = [];
  readonly #states: ReadonlyMap<string, string>[] = [];
  readonly #births = new Map<string, number>();
  readonly #repairs: number[] = [];
  readonly #decisions: DecisionCheck;
  readonly #ends: EndCheck | undefined;
  readonly #bounds: BoundsCheck;
  readonly #subscriptions: { end(): void }[] = [];
  readonly #from: number;
  readonly #moments: Moment[] = [];
  readonly #isWhole: boolean;
  readonly #over = new AbortController();
  #step: number;
  #changedAt = 0;
  /** Since when passes are counted, monotonic ms: since the step began, or the effect of a fault ended. */
  #countedFrom: number;

  constructor(options: RunOptions) {
    const { base, plan, scenario, reference, log } = options;
    const { simulation, server } = base;
    this.#options = options;
    this.#hands = new Hands(server);
    simulation.rewind(options.start?.at ?? 0);
    this.#countedFrom = simulation.monotonic();
    this.#from = plan.from ?? 0;
    const isPart = reference === undefined && options.start !== undefined;
    this.#isWhole = !isPart && plan.seed % WHOLE === 0;
    this.#step = this.#from;
    simulation.reseed(plan.seed, plan.seed === 0 ? 0 : DISORDER);
    this.#injector = new Injector(simulation, meddlerOf(base, this.#hands), plan);
    this.#injector.begin(this.#from);
    const violate = (rule: string, detail: string): void => this.#violate(rule, detail);
    const complain = (text: string): void => violate('never logged', text);
    const over = this.#over.signal;
    setMaxListeners(0, over);
    const shared = { simulation, server, injector: this.#injector, seed: plan.seed, over, complain, log };
    const { homes = [] } = scenario;
    const isUndisturbed = (): boolean => this.#injector.reached.length === 0;
    const config = Object.assign({}, ...scenario.steps.slice(0, this.#from).map((one) => one.config ?? {})) as object;
    this.#operators = programsOf(scenario).map(
      (spec) =>
        new Program({
          ...shared,
          violate,
          user: spec.user ?? PEOPLE,
          spec,
          config,
          ...(spec.controllers.every((one) => one === 'engine') && {
            review: (call) => reviewEngineWrite(server, call, violate),
          }),
        }),
    );
    const agents = homes.map((home) => new AgentProgram({ ...shared, home, violate }));
    this.#clients = scenario.isServed === true ? new Clients({ ...shared, violate }, this.#hands) : undefined;
    this.#programs = [...this.#operators, ...agents, ...(this.#clients === undefined ? [] : [this.#clients.gateway])];
    this.#decisions = new DecisionCheck(server, reference?.movements ?? [], violate);
    const decides = programsOf(scenario).some(({ controllers }) => controllers.includes('placement'));
    this.#ends = decides ? new EndCheck(server, violate) : undefined;
    this.#bounds = new BoundsCheck(server, () => simulation.now(), violate, scenario.othersEdit);
    const others = [
      new EngineCheck(server, violate),
      new TimesCheck(server, isUndisturbed, violate),
      new DeploymentController(simulation, server, this.#hands),
    ];
    this.#subscriptions.push(this.#decisions, this.#bounds, ...others);
    if (homes.length > 0) this.#subscriptions.push(new AgentCheck(base, isUndisturbed, violate));
    // Those of which nothing is stored yet, too.
    const defined = server.store.list(resourceOf(CustomResourceDefinitions), '').map(({ key }) => key);
    for (const collection of new Set([...server.store.collections(), ...defined])) this.#count(collection);
  }

  async play(): Promise<Outcome> {
    const { scenario, base, reference, start, plan } = this.#options;
    if (start === undefined) await scenario.given(this.#hands);
    await base.simulation.pass(1_000);
    this.#ends?.begin();
    for (const program of this.#programs) program.start();
    if (start === undefined) await base.simulation.pass(scenario.startMs ?? 0);
    await this.#settle();
    const steps = scenario.steps.slice(this.#from, plan.to);
    const { pendingMinutes } = steps.at(-1) ?? {};
    if (pendingMinutes !== undefined) steps.push(wait(pendingMinutes));
    for (const { act, title, config } of steps) {
      this.#step += 1;
      this.#options.log?.(`--- step ${this.#step}: ${title}`);
      this.#injector.begin(this.#step);
      this.#decisions.beginStep();
      this.#bounds.beginStep();
      for (const program of this.#programs) program.passes.clear();
      this.#countedFrom = base.simulation.monotonic();
      if (config !== undefined) for (const program of this.#operators) program.restart(config);
      const { simulation } = base;
      const stage = { hands: this.#hands, simulation, programs: this.#programs, clients: this.#clients };
      await act(stage).catch((error: unknown) => this.#violate('act', errorText(error)));
      this.#changedAt = base.simulation.monotonic();
      await this.#settle();
    }
    if (this.#isWhole) await this.#checkDay();
    this.#injector.begin(this.#step + 1);
    if (reference !== undefined) this.#checkBirths(reference);
    return {
      states: this.#states,
      movements: this.#decisions.movements,
      repairs: this.#repairs,
      births: this.#births,
      counts: this.#injector.trace.slice(1),
      named: this.#injector.named,
      violations: this.#violations,
      reached: this.#injector.reached,
      moments: this.#moments,
    };
  }

  async end(): Promise<void> {
    const { base, empty } = this.#options;
    for (const program of this.#programs) program.kill();
    for (const one of this.#subscriptions) one.end();
    this.#over.abort();
    await base.simulation.pass(0);
    await base.server.restore(empty);
    await base.simulation.pass(0);
  }

  /** Waits for the end of a step: nothing is under way, nothing happens, and what is stored is what it has to be. */
  async #settle(): Promise<void> {
    const { base, reference, scenario } = this.#options;
    const { simulation } = base;
    const began = simulation.monotonic();
    const wanted = reference?.states[this.#step - this.#from];
    const quietMs = scenario.quietMs ?? QUIET_MS;
    let said: string | undefined;
    for (let next = LOOK_EVERY_MS; ;) {
      await simulation.pass(next);
      const now = simulation.monotonic();
      const { calmAt, awaitedUntil, noticedAt } = this.#injector;
      if (calmAt > this.#countedFrom && calmAt <= now) {
        // Who fails as long as a fault lasts tries again less and less often.
        this.#checkPasses('rate', MOST_TRIES + (calmAt - this.#countedFrom) / 1_000, 'while a fault lasts');
        this.#countedFrom = calmAt;
        for (const program of this.#programs) program.passes.clear();
      }
      const activeAt = Math.max(this.#changedAt, awaitedUntil, ...this.#programs.map((one) => one.activeAt));
      const isQuiet = now - activeAt >= quietMs && this.#programs.every((one) => one.isCurrent);
      const isLate = now - Math.max(began, calmAt) > LATEST_MS;
      // Passes count from the moment at which the effect of the last fault ends.
      next = Math.max(calmAt > now ? calmAt - now : activeAt + quietMs - now, LOOK_EVERY_MS);
      if (!isQuiet && !isLate) continue;
      const state = storedTexts(base.server, this.#options.empty);
      const open = this.#decisions.outdated() ?? (wanted && difference(wanted, state));
      if (open !== undefined && !isLate) {
        if (open !== said) this.#options.log?.(`${now} not yet: ${open}`);
        said = open;
        continue;
      }
      if (isLate) this.#violate('not settled', open ?? 'something is under way all the time');
      this.#states.push(state);
      if (reference === undefined) {
        const digests = digestsOf(base.server, this.#options.empty, this.#clients?.answers() ?? []);
        this.#moments.push({ state: base.server.state(), digests, at: simulation.sinceStart });
      }
      this.#checkTime(Math.max(began, calmAt, noticedAt), activeAt);
      if (reference === undefined) {
        this.#checkSelected();
        this.#bounds.checkRecords();
      }
      const isDated = this.#injector.reached.every(({ what }) => what.kind !== 'clock');
      this.#ends?.check(simulation.now(), isDated, this.#isWhole);
      this.#checkRepairs();
      this.#clients?.check();
      for (const one of this.#injector.early.splice(0)) this.#violate('early', `${textOf(one)} before its Retry-After`);
      return;
    }
  }

  #checkTime(from: number, to: number): void {
    if (to - from > CONVERGED_MS) this.#violate('late', `${Math.round((to - from) / 1000)} s after the last fault`);
    const { mostPasses = MOST_PASSES } = this.#options.scenario;
    if (this.#injector.calmAt > this.#options.base.simulation.monotonic()) return;
    this.#checkPasses(
      'passes',
      mostPasses + Math.max(to - this.#countedFrom, 0) / LOOK_AGAIN_MS,
      'after the last fault',
    );
  }

  #checkPasses(rule: string, most: number, when: string): void {
    for (const { passes, name } of this.#programs)
      for (const [key, count] of passes)
        if (count > most) this.#violate(rule, `${name}: ${count} passes of ${key} ${when}`);
  }

  /** The run without faults selects whom the scenario says, and stores what it says; all others are compared with it. */
  #checkSelected(): void {
    const { scenario, plan } = this.#options;
    // What is waited for after the last step is no step.
    if (this.#step > (plan.to ?? scenario.steps.length)) return;
    const stores = scenario.stores?.filter((one) => one.step === this.#step) ?? [];
    checkContents(this.#options.base.server, stores, (rule, detail) => this.#violate(rule, detail));
    if (this.#step === 0 || scenario.selects === undefined) return;
    const wanted = scenario.selects.split(' ')[this.#step - 1] ?? 'what the scenario says: nothing';
    const found = this.#decisions.selected(`${TEAM}/web`).join('') || '-';
    if (found !== wanted) this.#violate('selected', `web has ${found}, and not ${wanted}`);
  }

  /** Where nobody else has written, the histories tell of no more edits by others than without faults. */
  #checkRepairs(): void {
    const repairs = this.#ends?.repairs ?? 0;
    const wanted = this.#options.reference?.repairs[this.#repairs.length] ?? repairs;
    this.#repairs.push(repairs);
    const isAlone = this.#injector.reached.every(({ what }) => what.kind !== 'foreign');
    if (isAlone && repairs > wanted)
      this.#violate('history', `tells of ${repairs} edits by others, and there were ${wanted}`);
  }

  /** A day in which nobody does anything: no write. */
  async #checkDay(): Promise<void> {
    const { base, scenario } = this.#options;
    const { homes = [], repeatsEvents = homes.length > 0 } = scenario;
    this.#injector.close();
    await base.simulation.pass(EVENTS_MS);
    const before = this.#injector.writes.length;
    await base.simulation.leap(DAY_MS);
    await base.simulation.pass(this.#options.plan.seed === 0 ? RESYNC_MS : 5_000);
    const periodic = new Set(this.#programs.filter((one) => one.isPeriodic).map(({ name }) => name));
    // The leap suspends the operator, which announces again after it which sets are silent.
    const written = this.#injector.writes
      .slice(before)
      .filter(({ process, resource }) => !periodic.has(process) && !(repeatsEvents && resource === EVENTS));
    if (written.length > 0)
      this.#violate('not quiet', `written in a day of quiet: ${written.slice(0, 3).map(textOf).join('; ')}`);
  }

  #checkBirths({ births }: Reference): void {
    for (const [key, count] of births)
      if (this.#births.get(key) !== count)
        this.#violate('births', `${key}: ${this.#births.get(key) ?? 0} times, ${count} without faults`);
    for (const [key, count] of this.#births)
      if (!births.has(key)) this.#violate('births', `${key}: ${count} times, never without faults`);
  }

  #count(collection: string): void {
    if (/^(leases|events|secrets|serviceaccounts|configmaps)\b/.test(collection)) return;
    const seen = this.#options.base.server.observe(collection, ({ type, entry, previous }) => {
      const sign = type === 'remove' ? '-' : previous === undefined ? '+' : '';
      if (sign === '') return;
      const key = `${sign}${collection} ${entry.key}`;
      this.#births.set(key, (this.#births.get(key) ?? 0) + 1);
    });
    this.#subscriptions.push(seen);
  }

  #violate(rule: string, detail: string): void {
    if (this.#violations.length < 20 && !this.#over.signal.aborted)
      this.#violations.push({ rule, detail, step: this.#step });
  }
}
