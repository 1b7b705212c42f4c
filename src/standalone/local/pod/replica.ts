import { systemRandom, type Clock, type Timer } from '../../../runtime/clock.js';
import { backoffMs, type BackoffOptions } from '../../../runtime/backoff.js';
import { errorText } from '../../../runtime/errors.js';
import type { EventNote } from '../../../runtime/events/event.js';
import type { Exit } from '@multicluster-engine/kube-apiserver';
import type { LaunchedProcess } from '../process/launcher.js';
import { exitMessage, type TerminationMessage } from '../process/tail.js';
import { ContainerRuns } from './containerruns.js';
import { Prober, type ProbeResult } from '../process/probe.js';
import type { PodContainer, Probe } from '../workload.js';

interface ReplicaOptions {
  /** Name of the pod that it represents. */
  readonly name: string;
  readonly container: PodContainer;
  readonly minReadyMs: number;
  readonly graceMs: number;
  /** Starts the process; throws while something is missing (a Secret, a ServiceAccount). */
  readonly launch: (containerID: string) => Promise<LaunchedProcess>;
  /** The last line of the process that has just exited, and the path of its log. */
  readonly terminationMessage: () => Promise<TerminationMessage>;
  readonly clock: Clock;
  /** Called when {@link Replica.state} may have changed. */
  readonly onStateChange: () => void;
  /** Called with one line for the user: starts, exits and probe failures. */
  readonly report: (line: string) => void;
  /** Called for each Event that a kubelet would write; a repeated one has the same text, so that it is counted. */
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

const NOT_STARTED = { started: false, ready: false, available: false, problem: undefined };
const RESTART_BACKOFF = { baseMs: 1_000, maxMs: 300_000, jitter: 0.1 };
/** Short, because a missing object may be created at any moment. */
const START_BACKOFF = { ...RESTART_BACKOFF, maxMs: 5_000 };
/** The backoff of a process that has run for so long is reset. */
const BACKOFF_RESET_MS = 600_000;

/**
 * The process of one pod: started, probed, restarted with a backoff when it exits, and stopped.
 *
 * Guarantees: one process at a time; `stop` resolves when none is left; a process whose liveness or startup probe fails
 * is stopped and restarted as after a crash.
 */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  #process: LaunchedProcess | undefined;
  readonly #runs: ContainerRuns;
  #probers: Prober[] = [];
  #timer: Timer | undefined;
  #starting: Promise<void> | undefined;
  #stopped = false;
  #failures = 0;
  /** Why the running process was stopped. */
  #killReason: string | undefined;
  #state: ReplicaState;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
    this.#runs = new ContainerRuns(options.name);
    this.#state = { ...NOT_STARTED, changedAt: options.clock.now() };
    this.#start();
  }

  get state(): ReplicaState {
    return this.#state;
  }

  get runs(): Pick<ContainerRuns, 'current' | 'last' | 'restartCount'> {
    return this.#runs;
  }

  /** The running process; undefined while none runs. */
  get process(): LaunchedProcess | undefined {
    return this.#process;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#stopProbes();
    await this.#starting;
    if (this.#process === undefined || this.#process.exit() !== undefined) return;
    this.#recordNormal('Killing', 'Stopping', `Stopping container ${this.#options.container.name}`);
    await this.#process.stop(this.#options.graceMs);
  }

  #start(): void {
    this.#timer = undefined;
    if (this.#stopped) return;
    this.#starting = this.#launch();
  }

  async #launch(): Promise<void> {
    const { launch, clock, report, container } = this.#options;
    try {
      const process = await launch(this.#runs.nextID);
      this.#process = process;
      this.#runs.started(clock.now());
      this.#recordNormal('Created', 'Starting', `Created container: ${container.name}`);
      this.#recordNormal('Started', 'Starting', `Started container ${container.name}`);
      this.#killReason = undefined;
      const startedAt = clock.monotonic();
      void process.exited.then((exit) => this.#onExit(exit, startedAt));
      report(`started ${this.name} (pid ${process.pid})`);
      this.#set({ started: true, ready: false, available: false, problem: undefined });
      if (!this.#stopped) this.#startProbes(process);
    } catch (error) {
      const message = errorText(error);
      this.#set({ ...NOT_STARTED, problem: { reason: 'FailedCreate', message } });
      this.#scheduleStart(START_BACKOFF);
    }
  }

  #onExit(exit: Exit, startedAt: number): void {
    this.#process = undefined;
    this.#runs.ended(exit, this.#options.clock.now());
    this.#timer?.cancel();
    this.#stopProbes();
    if (this.#stopped) return;
    if (this.#options.clock.monotonic() - startedAt >= BACKOFF_RESET_MS) this.#failures = 0;
    void this.#reportExit(exit, this.#scheduleStart(RESTART_BACKOFF));
  }

  async #reportExit(exit: Exit, inMs: number): Promise<void> {
    const { terminationMessage, report, event } = this.#options;
    const last = await terminationMessage();
    const why = `${this.name} ${exitMessage(exit, this.#killReason, last)}`;
    // The next process has been started already: its state counts.
    if (this.#stopped || this.#timer === undefined) return;
    if (exit.code !== null) this.#runs.explain(last.line);
    const message = `${why}; it is restarted in ${Math.ceil(inMs / 1000)} s`;
    report(message);
    event({ type: 'Warning', reason: 'BackOff', action: 'Restarting', note: why });
    this.#set({ started: true, ready: false, available: false, problem: { reason: 'CrashLoopBackOff', message } });
  }

  #scheduleStart(backoff: BackoffOptions): number {
    this.#failures += 1;
    const inMs = backoffMs(this.#failures, systemRandom, backoff);
    this.#timer = this.#options.clock.after(inMs, () => this.#start());
    return inMs;
  }

  /** As a kubelet: the startup probe first, then readiness and liveness. Without a readiness probe it is ready. */
  #startProbes(process: LaunchedProcess): void {
    const { startupProbe } = this.#options.container;
    const onStartup = (result: ProbeResult): void => {
      if (!result.passes) return this.#kill(process, 'startup', result);
      this.#stopProbes();
      this.#probeReadiness(process);
    };
    if (startupProbe === undefined) this.#probeReadiness(process);
    else this.#probe(process, startupProbe, onStartup);
  }

  #probeReadiness(process: LaunchedProcess): void {
    const { readinessProbe, livenessProbe } = this.#options.container;
    if (readinessProbe === undefined) this.#becomeReady();
    else
      this.#probe(process, readinessProbe, (result) =>
        result.passes ? this.#becomeReady() : this.#becomeUnready(result),
      );
    if (livenessProbe === undefined) return;
    this.#probe(process, livenessProbe, (result) => {
      if (!result.passes) this.#kill(process, 'liveness', result);
    });
  }

  #probe(process: LaunchedProcess, probe: Probe, report: (result: ProbeResult) => void): void {
    const address = addressFor(this.#options.container, probe, process.addresses);
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
    this.#recordUnhealthy('readiness', detail);
    const problem = { reason: 'Unready', message: `${this.name}: readiness probe: ${detail}` };
    this.#options.report(problem.message);
    this.#set({ started: true, ready: false, available: false, problem });
  }

  #kill(process: LaunchedProcess, probe: ProbeName, { detail, failures }: ProbeResult): void {
    const { report, container } = this.#options;
    report(`${this.name}: ${probe} probe: ${detail}; it is stopped`);
    this.#recordUnhealthy(probe, detail);
    const note = `Container ${container.name} failed ${probe} probe, will be restarted`;
    this.#recordNormal('Killing', 'Stopping', note);
    this.#killReason = `its ${probe} probe failed ${failures} time${failures === 1 ? '' : 's'}`;
    this.#stopProbes();
    void process.stop(this.#options.graceMs);
  }

  #recordNormal(reason: string, action: string, note: string): void {
    this.#options.event({ type: 'Normal', reason, action, note });
  }

  #recordUnhealthy(probe: ProbeName, detail: string): void {
    const note = `${probe.charAt(0).toUpperCase()}${probe.slice(1)} probe failed: ${detail}`;
    this.#options.event({ type: 'Warning', reason: 'Unhealthy', action: 'Probing', note });
  }

  #stopProbes(): void {
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
 * The address where the process listens in place of a container port. The launcher sets each `…_LISTEN` variable to an
 * address of its own; the value in the pod template names the port that the variable is for.
 */
function addressFor(
  container: PodContainer,
  probe: Probe,
  addresses: Readonly<Record<string, string>>,
): string | undefined {
  const wanted = probe.httpGet?.port;
  const port =
    typeof wanted === 'string' ? container.ports?.find(({ name }) => name === wanted)?.containerPort : wanted;
  if (port === undefined) return undefined;
  const variable = (container.env ?? []).find(({ value }) => value?.endsWith(`:${port}`) === true);
  return variable === undefined ? undefined : addresses[variable.name];
}
