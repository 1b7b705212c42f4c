import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs } from '../../../src/runtime/backoff.js';
import { WorkQueue } from '../../../src/runtime/controller/workqueue.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';

type Step =
  | { readonly do: 'add'; readonly key: string }
  | { readonly do: 'after'; readonly key: string; readonly ms: number }
  | { readonly do: 'end'; readonly nth: number; readonly fails: boolean; readonly holdMs: number }
  | { readonly do: 'pass'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key }),
  fc.record({ do: fc.constant('after' as const), key, ms: fc.integer({ min: 0, max: 300 }) }),
  fc.record({
    do: fc.constant('end' as const),
    nth: fc.nat(3),
    fails: fc.boolean(),
    holdMs: fc.constantFrom(0, 0, 0, 200),
  }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 200 }) }),
);

interface Open {
  readonly key: string;
  readonly end: (fails: boolean) => void;
}

const RANDOM = (): number => 0.5;

/**
 * A queue and a model of it: for each key, the due time of its earliest request without a later run, and the end of its
 * backoff.
 */
class Model {
  readonly clock = new ManualClock();
  readonly open: Open[] = [];
  readonly owed = new Map<string, number>();
  readonly held = new Map<string, number>();
  readonly queue: WorkQueue;
  readonly #workers: number;
  overlaps = 0;
  most = 0;
  late: string[] = [];
  early: string[] = [];
  readonly #failures = new Map<string, number>();

  constructor(workers: number) {
    this.#workers = workers;
    this.queue = new WorkQueue({ workers, clock: this.clock, random: RANDOM, work: (one) => this.#work(one) });
  }

  #work(one: string): Promise<void> {
    if (this.open.some((run) => run.key === one)) this.overlaps += 1;
    if (this.#earliest(one) > this.clock.monotonic()) this.early.push(one);
    this.owed.delete(one);
    return new Promise((resolve, reject) => {
      const end = (fails: boolean): void => (fails ? reject(new Error('boom')) : resolve());
      this.open.push({ key: one, end });
      this.most = Math.max(this.most, this.open.length);
    });
  }

  async take(one: Step): Promise<void> {
    switch (one.do) {
      case 'add':
        this.#owe(one.key, 0);
        this.queue.add(one.key);
        break;
      case 'after':
        this.#owe(one.key, one.ms);
        this.queue.addAfter(one.key, one.ms);
        break;
      case 'end':
        await this.end(one.nth, one.fails, one.holdMs);
        break;
      case 'pass':
        await this.clock.advance(one.ms);
        break;
    }
    await settle();
    this.#lookForLate();
  }

  #owe(one: string, ms: number): void {
    this.owed.set(one, Math.min(this.owed.get(one) ?? Infinity, this.clock.monotonic() + ms));
  }

  /** When `one` may run: when a request is due and its backoff is over; never without a request. */
  #earliest(one: string): number {
    return Math.max(this.owed.get(one) ?? Infinity, this.held.get(one) ?? 0);
  }

  /** With a worker free, nothing that is due and not held back may wait. */
  #lookForLate(): void {
    const now = this.clock.monotonic();
    if (this.open.length >= this.#workers) return;
    for (const [one, due] of this.owed) {
      const running = this.open.some((run) => run.key === one);
      if (due <= now && !running && (this.held.get(one) ?? 0) <= now) this.late.push(one);
    }
  }

  async end(nth: number, fails: boolean, holdMs = 0): Promise<void> {
    const [run] = this.open.splice(nth % Math.max(this.open.length, 1), 1);
    if (run === undefined) return;
    if (holdMs > 0) this.#hold(run.key, holdMs);
    else if (!fails) this.#forget(run.key);
    if (fails) this.#fail(run.key, 0);
    run.end(fails);
    await settle();
  }

  #hold(one: string, ms: number): void {
    this.held.set(one, Math.max(this.held.get(one) ?? 0, this.clock.monotonic() + ms));
    this.#fail(one, ms);
    this.queue.retry(one, ms);
  }

  /** Counts a failure: a run is owed after the backoff. */
  #fail(one: string, atLeastMs: number): void {
    const failures = (this.#failures.get(one) ?? 0) + 1;
    this.#failures.set(one, failures);
    this.#owe(one, Math.max(backoffMs(failures, RANDOM), atLeastMs));
  }

  #forget(one: string): void {
    this.held.delete(one);
    this.#failures.delete(one);
    this.queue.forget(one);
  }

  /** Time passes and every run succeeds until nothing is left to do. */
  async rest(): Promise<void> {
    for (let round = 0; round < 200 && (this.open.length > 0 || this.clock.pending > 0); round++) {
      while (this.open.length > 0) await this.end(0, false);
      await this.clock.advance(this.clock.nextIn ?? 0);
    }
  }
}

describe('a work queue under any sequence of adds, ends and failures', () => {
  it('no key runs twice at once, before it is due or during its backoff, no request is lost, and nothing is kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 40 }), async (workers, steps) => {
        const model = new Model(workers);
        for (const one of steps) await model.take(one);

        await model.rest();

        expect(model.overlaps).toBe(0);
        expect(model.late).toEqual([]);
        expect(model.early).toEqual([]);
        expect(model.most).toBeLessThanOrEqual(workers);
        expect([...model.owed.keys()]).toEqual([]);
        expect(model.queue.size).toBe(0);
        expect(model.clock.pending).toBe(0);
      }),
      { numRuns: 300 },
    );
  }, 180_000);

  it('a drain ends with nothing running and nothing armed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const model = new Model(2);
        for (const one of steps) await model.take(one);

        const drained = model.queue.drain(0);
        while (model.open.length > 0) await model.end(0, true);
        await drained;
        const begunBefore = model.most;
        model.queue.add('a');
        await model.clock.advance(120_000);

        expect(model.open).toEqual([]);
        expect(model.most).toBe(begunBefore);
        expect(model.clock.pending).toBe(0);
      }),
      { numRuns: 150 },
    );
  }, 180_000);
});
