import { systemRandom, type Clock, type Timer } from '../../runtime/clock.js';
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.js';
import type { EventNote } from '../../kube/events/event.js';
import type { Exit } from '@multicluster-engine/kube-apiserver';
import type { Probe } from '../process/container.js';
import type { LaunchedProcess } from '../process/launcher.js';
import { exitMessage, type TerminationMessage } from '../process/exitmessage.js';
import { Prober, type ProbeResult } from '../process/probe.js';
import type { PodContainer } from '../workload.js';

export interface ReplicaOptions {
  /** Name of the pod that it stands for. */
  readonly name: string;
  readonly container: PodContainer;
  readonly minReadyMs: number;
  readonly graceMs: number;
  /** Starts the process; throws what it still waits for (a Secret, a ServiceAccount). */
  readonly launch: () => Promise<LaunchedProcess>;
  /** What the process that has just ended said last, and where its log is. */
  readonly terminationMessage: () => Promise<TerminationMessage>;
  readonly clock: Clock;
  /** Told that {@link Replica.state} may have changed. */
  readonly onStateChange: () => void;
  /** Told of what people want to read: one line. */
  readonly report: (line: string) => void;
  /** Told what a kubelet would write Events of, in words that are the same when it happens again. */
  readonly event: (event: PodEvent) => void;
}

export type PodEvent = Omit<EventNote, 'regarding'>;
type ProbeName = 'liveness' | 'readiness' | 'startup';

export interface ReplicaState {
  readonly started: boolean;
  readonly ready: boolean;
  readonly available: boolean;
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
  /** Ms since the epoch: the last start or the last change of readiness. */
  readonly changedAt: number;
}

const RESTART_BACKOFF = { baseMs: 1_000, maxMs: 300_000, jitter: 0.1 };
/** What it lacks may come at any moment. */
const START_BACKOFF = { ...RESTART_BACKOFF, maxMs: 5_000 };
/** A process that lived as long starts its backoff anew. */
const BACKOFF_RESET_MS = 600_000;

/**
 * What one pod would be: a process that is started, probed, started again with a backoff when it ends, and stopped.
 *
 * Guarantees: one process at a time; `stop` resolves when none is left; a failing liveness or startup probe ends the process,
 * which then is started again as after a crash.
 */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  #process: LaunchedProcess | undefined;
  #probers: Prober[] = [];
  #timer: Timer | undefined;
  #starting: Promise<void> | undefined;
  #stopped = false;
  #failures = 0;
  /** Why the process that runs was told to end. */
  #sentence: string | undefined;
  #state: ReplicaState;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
    this.#state = {
      started: false,
      ready: false,
      available: false,
      problem: undefined,
      changedAt: options.clock.now(),
    };
    this.#start();
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /** The process that runs now, if one does. */
  get process(): LaunchedProcess | undefined {
    return this.#process;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#endProbes();
    await this.#starting;
    if (this.#process?.exit() === undefined) await this.#process?.stop(this.#options.graceMs);
  }

  #start(): void {
    this.#timer = undefined;
    if (this.#stopped) return;
    this.#starting = this.#launch();
  }

  async #launch(): Promise<void> {
    const { launch, clock, report } = this.#options;
    try {
      const process = await launch();
      this.#process = process;
      this.#sentence = undefined;
      const startedAt = clock.monotonic();
      void process.exited.then((exit) => this.#ended(exit, startedAt));
      report(`started ${this.name} (pid ${process.pid})`);
      this.#set({ started: true, ready: false, available: false, problem: undefined });
      if (!this.#stopped) this.#watchOver(process);
    } catch (error) {
      this.#set({
        started: false,
        ready: false,
        available: false,
        problem: { reason: 'FailedCreate', message: messageOf(error) },
      });
      this.#again(START_BACKOFF);
    }
  }

  #ended(exit: Exit, startedAt: number): void {
    this.#process = undefined;
    this.#timer?.cancel();
    this.#endProbes();
    if (this.#stopped) return;
    if (this.#options.clock.monotonic() - startedAt >= BACKOFF_RESET_MS) this.#failures = 0;
    void this.#tell(exit, this.#again(RESTART_BACKOFF));
  }

  async #tell(exit: Exit, inMs: number): Promise<void> {
    const { terminationMessage: lastWords, report, event } = this.#options;
    const why = `${this.name} ${exitMessage(exit, this.#sentence, await lastWords())}`;
    // Another one has been started, which knows better.
    if (this.#stopped || this.#timer === undefined) return;
    const message = `${why}; it is started again in ${Math.ceil(inMs / 1000)} s`;
    report(message);
    event({ type: 'Warning', reason: 'BackOff', action: 'Restarting', note: why });
    this.#set({ started: true, ready: false, available: false, problem: { reason: 'CrashLoopBackOff', message } });
  }

  #again(backoff: BackoffOptions): number {
    this.#failures += 1;
    const inMs = backoffMs(this.#failures, systemRandom, backoff);
    this.#timer = this.#options.clock.after(inMs, () => this.#start());
    return inMs;
  }

  /** As a kubelet: the startup probe first, then readiness and liveness; without a readiness probe a started process is ready. */
  #watchOver(process: LaunchedProcess): void {
    const { startupProbe } = this.#options.container;
    if (startupProbe === undefined) {
      this.#watchReadiness(process);
      return;
    }
    this.#probe(process, startupProbe, (outcome) => {
      if (!outcome.passes) {
        this.#kill(process, 'startup', outcome);
        return;
      }
      this.#endProbes();
      this.#watchReadiness(process);
    });
  }

  #watchReadiness(process: LaunchedProcess): void {
    const { readinessProbe, livenessProbe } = this.#options.container;
    if (readinessProbe === undefined) this.#becomeReady();
    else
      this.#probe(process, readinessProbe, (outcome) =>
        outcome.passes ? this.#becomeReady() : this.#becomeUnready(outcome),
      );
    if (livenessProbe === undefined) return;
    this.#probe(process, livenessProbe, (outcome) => {
      if (!outcome.passes) this.#kill(process, 'liveness', outcome);
    });
  }

  #probe(process: LaunchedProcess, probe: Probe, report: (outcome: ProbeResult) => void): void {
    const address = addressOf(this.#options.container, probe, process.addresses);
    if (address === undefined) {
      const detail = `no address for port ${probe.httpGet?.port ?? '(none)'} of container ${this.#options.container.name}`;
      report({ passes: false, detail, failures: 1 });
      return;
    }
    this.#probers.push(new Prober({ probe, address, clock: this.#options.clock, report }));
  }

  #becomeReady(): void {
    const { minReadyMs, clock } = this.#options;
    this.#set({ started: true, ready: true, available: minReadyMs === 0, problem: undefined });
    if (minReadyMs === 0) return;
    this.#timer = clock.after(minReadyMs, () => {
      if (this.#state.ready) this.#set({ started: true, ready: true, available: true, problem: undefined });
    });
  }

  #becomeUnready({ detail }: ProbeResult): void {
    this.#timer?.cancel();
    this.#unhealthy('readiness', detail);
    const trouble = { reason: 'Unready', message: `${this.name}: readiness probe: ${detail}` };
    this.#options.report(trouble.message);
    this.#set({ started: true, ready: false, available: false, problem: trouble });
  }

  #kill(process: LaunchedProcess, probe: ProbeName, { detail, failures }: ProbeResult): void {
    const { report, event, container } = this.#options;
    report(`${this.name}: ${probe} probe: ${detail}; it is ended`);
    this.#unhealthy(probe, detail);
    event({
      type: 'Normal',
      reason: 'Killing',
      action: 'Stopping',
      note: `Container ${container.name} failed ${probe} probe, will be restarted`,
    });
    this.#sentence = `its ${probe} probe failed ${failures} time${failures === 1 ? '' : 's'}`;
    this.#endProbes();
    void process.stop(this.#options.graceMs);
  }

  #unhealthy(probe: ProbeName, detail: string): void {
    const note = `${probe.charAt(0).toUpperCase()}${probe.slice(1)} probe failed: ${detail}`;
    this.#options.event({ type: 'Warning', reason: 'Unhealthy', action: 'Probing', note });
  }

  #endProbes(): void {
    for (const prober of this.#probers) prober.stop();
    this.#probers = [];
  }

  #set(next: Omit<ReplicaState, 'changedAt'>): void {
    const { ready, started } = this.#state;
    const changedAt =
      ready === next.ready && started === next.started ? this.#state.changedAt : this.#options.clock.now();
    this.#state = { ...next, changedAt };
    this.#options.onStateChange();
  }
}

/**
 * Where the process listens in place of a container's port: the launcher gave each `…_LISTEN` variable an address of its own, and the
 * variable's own value tells which port it stood for.
 */
export function addressOf(
  container: PodContainer,
  probe: Probe,
  addresses: Readonly<Record<string, string>>,
): string | undefined {
  const asked = probe.httpGet?.port;
  const port = typeof asked === 'string' ? container.ports?.find(({ name }) => name === asked)?.containerPort : asked;
  if (port === undefined) return undefined;
  const variable = (container.env ?? []).find(({ value }) => value?.endsWith(`:${port}`) === true);
  return variable === undefined ? undefined : addresses[variable.name];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
