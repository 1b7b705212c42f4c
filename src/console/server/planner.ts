import { Worker } from 'node:worker_threads';
import type { ComputeOptions } from '../../answers/plan/plan.js';
import type { Clock } from '../../runtime/clock.js';
import { errorText } from '../../runtime/errors.js';
import { Slots } from '../../runtime/http/slots.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import type { PlannedCluster } from '../../answers/plan/text.js';
import type { Draft } from '../wire/plan.js';
import { plannedDraft, type Made, type PlannedDraft } from './plan.js';
import type { PlanJob } from './planworker.js';
import { Recent } from './recent.js';
import type { Snapshot } from './snapshot.js';

/** Others wait for a plan for so long, and for the decision that it has begun. */
const SHORT_MS = 200;
/** The most threads that compute plans at a time: each has a copy of what was read. */
const AT_ONCE = 2;
const HEAP_MIB = 512;
/** The plans whose lists are kept: those that were made last. */
const MOST_KEPT = 8;

export interface Planning {
  /** The namespace of objects of a draft that name none. */
  readonly namespace: string;
  /** Fires when nobody waits for the plan any more. */
  readonly gone: AbortSignal;
}

/** It takes longer than others may wait. */
class TooLong extends Error {}

/**
 * Plans drafts. A short plan is made where others are answered: a thread with a copy of the objects costs as much. A longer
 * one is begun again in a thread, which is ended when its time is over or nobody waits for it.
 */
export class Planner {
  readonly #clock: Clock;
  readonly #mostMs: number | undefined;
  readonly #slots = new Slots(AT_ONCE);
  /** `basedOn` of a plan → its lists, and what its maker may read. */
  readonly #kept = new Recent<Pick<Made, 'lists' | 'marks'> & { readonly limits: string }>(MOST_KEPT);

  /** `mostMs`: of a plan, with its wait for a thread; undefined: it may take any time. */
  constructor(clock: Clock, mostMs?: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  /** Plans a draft: here, and in a thread if it takes long. @throws the reason of `gone` */
  async plan(snapshot: Snapshot, draft: Draft, planning: Planning): Promise<PlannedDraft> {
    const planned = await this.#plan(snapshot, draft, planning);
    if ('fault' in planned) return planned;
    const { plan, lists, marks } = planned;
    this.#kept.set(plan.basedOn, { lists, marks, limits: limitsText(snapshot.reading) });
    return planned;
  }

  /** A list of a plan that somebody has made who may read as much as is in `reading`; undefined where it is not kept. */
  listOf(basedOn: string, key: string, reading: FleetReading): readonly PlannedCluster[] | undefined {
    const { lists = {} } = this.#keptOf(basedOn, reading) ?? {};
    return Object.hasOwn(lists, key) ? lists[key] : undefined;
  }

  /** What becomes of clusters by a plan, as for {@link listOf}. */
  marksOf(basedOn: string, reading: FleetReading): Made['marks'] | undefined {
    return this.#keptOf(basedOn, reading)?.marks;
  }

  #keptOf(basedOn: string, reading: FleetReading): Pick<Made, 'lists' | 'marks'> | undefined {
    const kept = this.#kept.get(basedOn);
    return kept?.limits === limitsText(reading) ? kept : undefined;
  }

  async #plan({ reading, inputs }: Snapshot, draft: Draft, { namespace, gone }: Planning): Promise<PlannedDraft> {
    const until = this.#clock.monotonic() + SHORT_MS;
    const onDecision: ComputeOptions['onDecision'] = () => {
      if (this.#clock.monotonic() > until) throw new TooLong();
    };
    try {
      return await plannedDraft(reading, draft, { namespace, known: inputs, onDecision });
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      return this.#planInThread({ reading, draft, namespace }, gone);
    }
  }

  async #planInThread(job: PlanJob, gone: AbortSignal): Promise<PlannedDraft> {
    const late = new AbortController();
    const mostMs = this.#mostMs;
    const timer = mostMs === undefined ? undefined : this.#clock.after(mostMs, () => late.abort());
    const ended = AbortSignal.any([gone, late.signal]);
    try {
      await this.#slots.take(ended);
      try {
        return await inThread(job, ended);
      } finally {
        this.#slots.release();
      }
    } catch (error) {
      gone.throwIfAborted();
      const why = late.signal.aborted ? `it takes longer than ${(mostMs ?? 0) / 1_000} s` : errorText(error);
      return { fault: `planning ${why}: plan fewer changes at once, or take kubectl mce plan, which waits` };
    } finally {
      timer?.cancel();
    }
  }
}

/** What is missing from a reading. */
function limitsText({ world, refused, namespace }: FleetReading): string {
  return JSON.stringify([world.withheld, refused, namespace]);
}

/** Runs a job in a thread. @throws Error when the thread fails, such as for lack of memory; the reason of `ended` */
async function inThread(job: PlanJob, ended: AbortSignal): Promise<PlannedDraft> {
  const options = { workerData: JSON.stringify(job), resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } };
  const worker = new Worker(new URL('./planworker.js', import.meta.url), options);
  try {
    return await new Promise<PlannedDraft>((resolve, reject) => {
      ended.addEventListener('abort', () => reject(ended.reason as Error), { once: true });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('failed')));
    });
  } finally {
    worker.on('error', () => undefined);
    void worker.terminate();
  }
}
