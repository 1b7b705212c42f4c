import type { Fault } from '../../proxy/fault.js';
import type { Proxy } from '../../proxy/proxy.js';
import type { PassingRequest } from '../../proxy/request.js';
import type { Controller } from './controller.js';
import type { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import type { Step } from '../script/script.js';

/** What counts as a write that publishes something: leases, events and the counts of sets come when they like. */
const PUBLISHING = ['placementdecisions', 'placements/status'];

export function publishes(request: PassingRequest): boolean {
  return request.write && PUBLISHING.includes(request.resource);
}

/** Counts, through a proxy, how many publishing writes each step of an undisturbed run takes. */
export class Trace {
  readonly #counts = new Map<number, number>();
  #step = 0;

  begin(step: Step): void {
    this.#step = step.number;
  }

  note(request: PassingRequest): void {
    if (publishes(request)) this.#counts.set(this.#step, this.writes(this.#step) + 1);
  }

  /** The publishing writes of a step. */
  writes(step: number): number {
    return this.#counts.get(step) ?? 0;
  }

  /** The steps that publish anything, in order. */
  get steps(): number[] {
    return [...this.#counts.keys()].filter((step) => step > 0).sort((a, b) => a - b);
  }
}

/** Where the controller is killed: at the n-th publishing write of a step, before the server has it or after it answered. */
export interface CrashPoint {
  readonly step: number;
  readonly write: number;
  readonly phase: 'before' | 'after';
}

/**
 * Crash points in different steps, half of them where a step takes several writes, both phases in turn. None in the last
 * step that publishes: a point that is missed waits for the next write, and there none need come.
 */
export function crashPoints(dice: Dice, trace: Trace, count: number): CrashPoint[] {
  const steps = trace.steps.slice(0, -1);
  const long = dice.some(
    steps.filter((step) => trace.writes(step) > 2),
    Math.ceil(count / 2),
  );
  const rest = dice.some(
    steps.filter((step) => !long.includes(step)),
    count - long.length,
  );
  const chosen = [...long, ...rest].sort((a, b) => a - b);
  return chosen.map((step, n) => ({
    step,
    write: dice.between(1, trace.writes(step)),
    phase: n % 2 === 0 ? 'before' : 'after',
  }));
}

/** Kills the controller at each point and starts it again with the same flags. */
export class Crashes {
  /** The points that were reached. */
  readonly reached: CrashPoint[] = [];
  readonly #points: CrashPoint[];
  readonly #controller: Controller;
  #step = 0;
  #write = 0;

  constructor(points: readonly CrashPoint[], controller: Controller, proxy: Proxy) {
    this.#points = [...points];
    this.#controller = controller;
    proxy.plan = (request) => this.#decide(request);
  }

  begin(step: Step): void {
    this.#step = step.number;
    this.#write = 0;
  }

  // Where a step needs fewer writes than before, its crash happens at the next write.
  #decide(request: PassingRequest): Fault | undefined {
    if (!publishes(request)) return undefined;
    this.#write += 1;
    const [next] = this.#points;
    if (next === undefined || next.step > this.#step || (next.step === this.#step && this.#write < next.write))
      return undefined;
    this.#points.shift();
    this.reached.push(next);
    const run = async (): Promise<void> => {
      await this.#controller.kill();
      await this.#controller.start();
    };
    return { kind: 'interrupt', applied: next.phase === 'after', run, passOn: false };
  }
}

export function describePoint({ step, write, phase }: CrashPoint): string {
  return `step ${step}, ${phase} write ${write}`;
}
