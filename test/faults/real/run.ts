import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { resourceOf } from '../../../src/runtime/client/path.js';
import type { Fault as ProxyFault } from '../../support/proxy/fault.js';
import type { PassingRequest } from '../../support/proxy/request.js';
import { BoundsCheck } from '../checks/bounds.js';
import { DecisionCheck } from '../checks/decisions.js';
import { EndCheck } from '../checks/ends.js';
import type { Hands } from '../hub/hands.js';
import { difference, storedTexts } from '../hub/stored.js';
import type { Fault } from '../plan.js';
import type { Reference, Violation } from '../run.js';
import { programsOf, type Scenario, type Stage } from '../scenario.js';
import { explainedBy } from './commandline.js';
import { absent, clear, FLEET, RealHands } from './hub.js';
import { Mirror } from './mirror.js';
import { RealProcess } from './process.js';

const COLLECTIONS: readonly string[] = FLEET.map((type) => resourceOf(type));
const LOOK_EVERY_MS = 100;
/** How long nothing may have changed at the end of a step. */
const QUIET_MS = 1_000;
/** A Lease that a stopped process holds runs out after 15 s; a process needs some seconds to start. */
const LATEST_MS = 120_000;
const MOST_VIOLATIONS = 20;
const NO_SIMULATION = absent<Stage['simulation']>('simulation');
/** Neither is part of a decision. */
const UNCOUNTED = ['leases', 'events'];

export interface RealOptions {
  readonly server: ControlPlane;
  readonly scenario: Scenario;
  /** What the run in one process does: on a real server the same has to happen. */
  readonly reference: Reference;
  readonly faults?: readonly Fault[];
}

/** A scenario on a real server, with the program as it is deployed, step by step. */
export class RealRun {
  /** In the order of the scenario. */
  readonly processes: readonly RealProcess[];
  readonly violations: Violation[] = [];
  /** The faults that were met. */
  readonly reached: Fault[] = [];
  readonly mirror: Mirror;
  readonly #options: RealOptions;
  readonly #hands: Hands;
  readonly #births = new Map<string, number>();
  readonly #ends: EndCheck;
  #decisions: DecisionCheck;
  /** Undefined up to the next step, when something was changed of which it does not know. */
  #bounds: BoundsCheck | undefined;
  /** Whether the checks have ended, since it is not known what has happened. */
  #isPaused = false;
  #step = 0;
  /** Writes of the step so far. */
  #writes = 0;

  readonly #violate = (rule: string, detail: string): void => {
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push({ rule, detail, step: this.#step });
  };

  private constructor(options: RealOptions, mirror: Mirror, processes: readonly RealProcess[]) {
    this.#options = options;
    this.#hands = new RealHands(options.server);
    this.mirror = mirror;
    this.processes = processes;
    for (const name of COLLECTIONS)
      mirror.observe(name, ({ type, entry, previous }) => {
        const sign = type === 'remove' ? '-' : previous === undefined ? '+' : '';
        const key = `${sign}${name} ${entry.key}`;
        if (sign !== '') this.#births.set(key, (this.#births.get(key) ?? 0) + 1);
      });
    this.#decisions = this.#begin();
    mirror.onGap = () => this.#pause();
    this.#ends = new EndCheck(mirror, this.#violate);
    for (const one of processes) one.proxy.plan = (request) => this.#next(request, one);
  }

  /** Empties the fleet, writes what the scenario gives, starts the programs and waits until they have settled. */
  static async begin(options: RealOptions): Promise<RealRun> {
    const { server, scenario } = options;
    await clear(server);
    const mirror = await Mirror.open(server, FLEET);
    const processes = await Promise.all(programsOf(scenario).map((spec) => RealProcess.open(server, spec)));
    const run = new RealRun(options, mirror, processes);
    await scenario.given(run.#hands);
    await waitFor('the watches', () => mirror.sync());
    run.#ends.begin();
    // The first one holds the Lease.
    for (const one of processes) {
      one.start();
      await run.#settle();
    }
    return run;
  }

  /** The next step of the scenario, up to its end; `meanwhile` runs just before it. */
  async next(meanwhile?: () => Promise<unknown> | void): Promise<void> {
    const step = this.#options.scenario.steps[this.#step];
    if (step === undefined) throw new Error(`the scenario has ${this.#step} steps`);
    this.#step += 1;
    this.#writes = 0;
    this.#decisions.beginStep();
    const { othersEdit } = this.#options.scenario;
    this.#bounds ??= new BoundsCheck(this.mirror, () => this.mirror.now(), this.#violate, othersEdit);
    this.#bounds.beginStep();
    await meanwhile?.();
    await step.act({ hands: this.#hands, simulation: NO_SIMULATION, programs: this.processes });
    await this.#settle();
  }

  /** All steps that are left; then what only a whole run shows. */
  async finish(): Promise<void> {
    const { scenario, reference, server } = this.#options;
    while (this.#step < scenario.steps.length) await this.next();
    for (const key of new Set([...reference.births.keys(), ...this.#births.keys()])) {
      const [found = 0, wanted = 0] = [this.#births.get(key), reference.births.get(key)];
      if (found !== wanted && isOfFleet(key.slice(1)))
        this.#violate('births', `${key}: ${found} times, ${wanted} without faults`);
    }
    for (const [placement, wanted] of this.#ends.decisions()) {
      const explained = await explainedBy(server, placement);
      if (explained !== wanted) this.#violate('explain', `${placement} has ${wanted}, and not ${explained}`);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.end()));
    this.mirror.close();
  }

  /** Waits for the end of a step: all that is stored is what it has to be. */
  async #settle(): Promise<void> {
    const began = Date.now();
    const all = this.#options.reference.states[this.#step] ?? new Map<string, string>();
    const wanted = new Map([...all].filter(([key]) => isOfFleet(key)));
    for (let open: string | undefined; ; await quietWindow(LOOK_EVERY_MS)) {
      const isLate = Date.now() - began > LATEST_MS;
      if (await this.mirror.sync()) {
        if (this.#isPaused) this.#decisions = this.#begin();
        open = this.#decisions.outdated() ?? difference(wanted, storedTexts(this.mirror, new Map()));
        const isQuiet = Date.now() - Math.max(this.mirror.changedAt, began) >= QUIET_MS;
        if (open === undefined && isQuiet && this.processes.every((one) => one.isCurrent)) break;
      }
      if (!isLate) continue;
      this.#violate('not settled', open ?? 'a process has ended, or something is under way all the time');
      break;
    }
    this.#ends.check(Date.now(), true);
  }

  /** Lets the checks begin anew with what is stored now: what has happened until now is not for them. */
  async restartChecks(): Promise<void> {
    this.#pause();
    await waitFor('the watches', () => this.mirror.sync());
    this.#decisions = this.#begin();
  }

  #pause(): void {
    this.#isPaused = true;
    this.#decisions.end();
    this.#bounds?.end();
    this.#bounds = undefined;
  }

  #begin(): DecisionCheck {
    this.#isPaused = false;
    const decisions = new DecisionCheck(this.mirror, this.#options.reference.movements, this.#violate);
    for (let step = 0; step < this.#step; step++) decisions.beginStep();
    return decisions;
  }

  /** What happens to a request of a program. */
  #next(request: PassingRequest, process: RealProcess): ProxyFault | undefined {
    if (!request.write || UNCOUNTED.includes(request.resource)) return undefined;
    this.#writes += 1;
    const fault = this.#options.faults?.find(({ where }) => where.step === this.#step && where.n === this.#writes);
    if (fault === undefined) return undefined;
    this.reached.push(fault);
    return proxied(fault, process);
  }
}

/** Only what a real process can meet at a write: it is killed or stopped. */
function proxied({ when, what }: Fault, process: RealProcess): ProxyFault {
  if (what.kind === 'crash' && when === 'answered')
    return {
      kind: 'interrupt',
      applied: true,
      passOn: true,
      run: () => undefined,
      afterwards: () => process.crash(what.ms),
    };
  if (what.kind === 'crash')
    return { kind: 'interrupt', applied: when === 'applied', passOn: false, run: () => process.crashed(what.ms) };
  if (what.kind !== 'stop') throw new Error(`${what.kind}: a real process is only killed or stopped`);
  // Its write is on the way, and the answer waits for it.
  return { kind: 'interrupt', applied: true, passOn: true, run: () => process.stop(what.ms) };
}

function isOfFleet(key: string): boolean {
  return COLLECTIONS.includes(key.slice(0, key.indexOf(' ')));
}
