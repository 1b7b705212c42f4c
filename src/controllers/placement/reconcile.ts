import { nameOf } from '../../api/resources.js';
import { schedule as decide, type DropCause, type Schedule } from '../../domain/placement/schedule.js';
import { planSlices, type SlicePlan } from '../../domain/placement/slices.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import { isFailure } from '../../runtime/errors.js';
import type { PlacementMetrics } from '../../runtime/metrics.js';
import type { Pass, Reconciler, Result } from '../../runtime/result.js';
import { announceDecision, announceStatus } from './events.js';
import { apply, clearDoubts, isLive, type Applied, type Writer } from './apply.js';
import { gather, type Input, type Sources } from './gather.js';
import type { Inputs } from './inputs.js';
import type { Remembered } from './memory.js';
import { report, type Reporter } from './report.js';

export interface PlacementReconcilerOptions {
  readonly sources: Sources;
  readonly inputs: Inputs;
  readonly writing: Writer & Reporter;
  readonly recorder: EventRecorder;
  readonly metrics?: PlacementMetrics;
  /** Asks for another pass: something was seen during one that it did not decide on. */
  readonly again: (key: string) => void;
}

/** What a cluster leaves a decision for that rests on some object not being there. */
const ABSENCES: readonly DropCause[] = ['Gone', 'NotMember'];
const BEHIND: Result = { ending: 'wait', reason: 'the cache is behind what was seen', afterMs: 1_000 };
const DONE: Result = { ending: 'done' };
const INPUTS_MS = 30_000;
const TERMINATING: Result = { ending: 'wait', reason: 'the namespace is being deleted', afterMs: 5_000 };

/** One Placement: gather, decide, apply, report. */
export class PlacementReconciler implements Reconciler {
  readonly #options: PlacementReconcilerOptions;

  constructor(options: PlacementReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { sources, inputs, writing } = this.#options;
    const unknown = inputs.unknown();
    if (unknown !== undefined) return this.#hold(key, unknown);
    const doubtful = sources.memory.find(key);
    if (doubtful !== undefined) await clearDoubts(key, doubtful, writing);
    const gathered = gather(key, sources);
    if (gathered === 'behind') return BEHIND;
    if (gathered === undefined) return this.#gone(key);
    if (gathered.snapshot.placement.deleting) return DONE;
    return this.#alone(key, gathered.remembered, () => this.#decide(gathered, pass));
  }

  async #decide(gathered: Input, pass: Pass): Promise<Result> {
    const schedule = decide(gathered.snapshot);
    const plan = planSlices(gathered.snapshot, schedule);
    const doubt = await this.#doubt(gathered, schedule, plan);
    if (doubt !== undefined) return doubt;
    const applied = await apply(gathered, plan, this.#options.writing, pass);
    if (applied.error === undefined) this.#published(gathered, schedule, applied, pass);
    if (isWorthAReport(applied.error)) await this.#report(gathered, schedule, applied, pass);
    if (isTerminating(applied.error)) return TERMINATING;
    if (applied.error !== undefined) throw applied.error;
    return schedule.problem === undefined
      ? DONE
      : { ending: 'stalled', reason: `cannot be read: ${schedule.problem.field}` };
  }

  /** Why nothing may be written yet, if anything speaks against it. */
  async #doubt(gathered: Input, schedule: Schedule, plan: SlicePlan): Promise<Result | undefined> {
    const { inputs, writing } = this.#options;
    if (schedule.dropped.some(({ cause }) => ABSENCES.includes(cause))) {
      const doubt = await inputs.doubtAbsence(bornAt(gathered));
      if (doubt !== undefined) return { ending: 'wait', ...doubt };
    }
    const clears = plan.writes.some((write) => write.kind === 'delete' && write.cause === 'Predecessor');
    return clears && !(await isLive(gathered, writing)) ? BEHIND : undefined;
  }

  #published(gathered: Input, schedule: Schedule, { publication }: Applied, pass: Pass): void {
    const { recorder, metrics, writing } = this.#options;
    if (publication.done === 0) return;
    pass.log.info(
      { writes: publication.done, added: schedule.added.length, dropped: schedule.dropped.length },
      'decision published',
    );
    if (pass.enqueuedAt !== undefined) metrics?.decided((writing.clock.monotonic() - pass.enqueuedAt) / 1000);
    announceDecision(gathered, { schedule, publication }, recorder);
  }

  async #report(gathered: Input, schedule: Schedule, { publication, error }: Applied, pass: Pass): Promise<void> {
    const { writing, recorder, metrics } = this.#options;
    const said = await report(gathered, { schedule, publication }, writing, pass);
    if (!isTerminating(error)) announceStatus(gathered, { schedule, publication }, said, recorder);
    const { namespace, name } = gathered.owner;
    metrics?.placement({ namespace, name, phase: said.phase, clusters: said.numberOfSelectedClusters });
  }

  /** Held until all inputs are known again. */
  #hold(key: string, unknown: string): Result {
    this.#options.inputs.hold(key);
    return { ending: 'wait', reason: `not known: ${unknown}`, afterMs: INPUTS_MS };
  }

  #gone(key: string): Result {
    this.#options.sources.memory.forget(key);
    const { namespace = '', name } = nameOf(key);
    this.#options.metrics?.placementGone(namespace, name);
    return DONE;
  }

  /** Runs a pass; what is seen meanwhile is looked at afterwards, when it is known which of it was our own doing. */
  async #alone(key: string, remembered: Remembered, run: () => Promise<Result>): Promise<Result> {
    const { sources, again } = this.#options;
    remembered.passing = true;
    try {
      return await run();
    } finally {
      const { seen, news } = sources.memory.settle(remembered);
      // What was seen before a write of ours was answered is newer than the answer, which is held by now.
      for (const change of seen) sources.latestDecisions.observe(change);
      if (news) again(key);
    }
  }
}

/** When the oldest of what a pass may take a cluster from was made, ms since the epoch; NaN where that cannot be told. */
function bornAt({ placement, objects }: Input): number {
  return Math.min(
    ...[placement, ...objects.values()].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')),
  );
}

/**
 * Whether a write was refused because its namespace is being deleted: nothing can be created there any more, events
 * included, while the status of what exists can still be written.
 */
function isTerminating(error: unknown): boolean {
  return isFailure(error, 'Forbidden') && error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

/** Failures that pass by themselves within moments are not told: the pass is tried again and the status stays as it was. */
function isWorthAReport(error: unknown): boolean {
  return !isFailure(error, 'Conflict', 'Fenced', 'Aborted', 'Throttled', 'Transport', 'Malformed', 'Guarded');
}
