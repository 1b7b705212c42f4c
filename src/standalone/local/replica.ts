import http from 'node:http';
import os from 'node:os';

import type { V1Container, V1Probe } from '@kubernetes/client-node';
import type { Exit } from '@multicluster-engine/kube-apiserver';
import { backoffMs } from '../../runtime/backoff.js';
import { delay, systemRandom, type Clock } from '../../runtime/clock.js';
import { errorText } from '../../runtime/errors.js';
import type { EventNote } from '../../runtime/events/recorder.js';
import type { LaunchedProcess } from './launcher.js';
import { lastLineIn } from './output.js';
import type { PodObject, ReplicaState } from './podobject.js';

interface ReplicaOptions {
  /** The pod that it represents. */
  readonly pod: PodObject;
  /** Starts the run with this number, from 0 on; throws while something is missing (a Secret, a ServiceAccount). */
  readonly launch: (run: number) => Promise<Run>;
  readonly clock: Clock;
  /** Called when {@link Replica.state} has changed. */
  readonly onStateChange: () => void;
  /** Called with one line for the user: starts, exits and probe failures. */
  readonly report: (line: string) => void;
  /** Called for each Event that a kubelet would write; a repeated one has the same text, so that it is counted. */
  readonly event: (event: PodEvent) => void;
}

export type PodEvent = Omit<EventNote, 'regarding'>;

/** A run of the container. */
export interface Run {
  readonly containerID: string;
  readonly process: LaunchedProcess;
  /** The file with all of its output. */
  readonly log: string;
  /** Renews the files of its volumes. */
  readonly refresh: () => Promise<void>;
}

const RESTART_BACKOFF = { baseMs: 1_000, maxMs: 300_000, jitter: 0.1 };
/** Short, because a missing object may be created at any moment. */
const START_BACKOFF = { ...RESTART_BACKOFF, maxMs: 5_000 };
/** The backoff of a process that has run for so long is reset. */
const BACKOFF_RESET_MS = 600_000;
/** While a process is not ready it is probed more often than its probe says, so that a fast start is observed soon. */
const STARTUP_PERIOD_MS = 250;
/** Interval at which mounted Secrets and ConfigMaps are refreshed. */
const REFRESH_MS = 10_000;

/**
 * The process of one pod: started, probed, restarted with a backoff when it exits, and stopped.
 *
 * Guarantees: one process at a time; `stop` resolves when none is left; a process whose liveness probe fails, or does not pass
 * within the time of its startup probe, is stopped and restarted as after a crash.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #name: string;
  readonly #container: V1Container;
  readonly #end = new AbortController();
  readonly #ended: Promise<void>;
  #state: ReplicaState = { runs: 0, current: undefined, last: undefined, ready: false, problem: undefined };

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#name = options.pod.metadata.name;
    [this.#container] = options.pod.spec.containers;
    this.#ended = this.#loop(this.#end.signal);
  }

  get state(): ReplicaState {
    return this.#state;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#ended;
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { launch, clock } = this.#options;
    for (let attempts = 1; !signal.aborted; attempts += 1) {
      let inMs = backoffMs(attempts, systemRandom, START_BACKOFF);
      try {
        const run = await launch(this.#state.runs);
        const began = clock.monotonic();
        const killReason = await this.#attend(run, signal);
        if (clock.monotonic() - began >= BACKOFF_RESET_MS) attempts = 1;
        inMs = backoffMs(attempts, systemRandom, RESTART_BACKOFF);
        await this.#reportExit(run, { killReason, inMs });
      } catch (error) {
        this.#set({ problem: { reason: 'FailedCreate', message: errorText(error) } });
      }
      await delay(clock, inMs, signal).catch(() => undefined);
    }
  }

  /** Attends one run to its end. Stops it when `signal` fires, or when a probe demands it: then returns that reason. */
  async #attend({ process, containerID, refresh }: Run, signal: AbortSignal): Promise<string | undefined> {
    const { report, clock, pod } = this.#options;
    const graceSeconds = pod.spec.terminationGracePeriodSeconds ?? 30;
    const current = { containerID, startedAt: clock.now() };
    report(`started ${this.#name} (pid ${process.pid})`);
    this.#record('Started', 'Starting', `Started container ${this.#container.name}`);
    this.#set({ runs: this.#state.runs + 1, current, ready: false, problem: undefined });
    // Fires when the process has exited, or a probe has ended the run.
    const over = new AbortController();
    void process.exited.then(() => over.abort());
    const running = AbortSignal.any([signal, over.signal]);
    const [killReason] = await Promise.all([
      this.#probe(process, running).finally(() => over.abort()),
      this.#keepFresh(refresh, running),
    ]);
    if (process.exit() === undefined) this.#record('Killing', 'Stopping', `Stopping container ${this.#container.name}`);
    await process.stop(graceSeconds * 1000);
    return killReason;
  }

  /**
   * Probes a process until `signal` fires; resolves earlier, with the reason, when it has to be stopped. Without a readiness
   * probe it is ready, without a liveness probe it is alive. Both run at the period of the readiness probe, which is the shorter
   * one in the pods of this project, and of a startup probe only the patience counts, since it asks what the liveness probe asks.
   */
  async #probe(process: LaunchedProcess, signal: AbortSignal): Promise<string | undefined> {
    const { clock, report } = this.#options;
    const { readinessProbe, livenessProbe, startupProbe = livenessProbe } = this.#container;
    const [readiness, liveness] = [new Patience(clock), new Patience(clock)];
    for (let hasLived = false; !signal.aborted;) {
      const [unready, dead] = await Promise.all([
        failureOf(this.#container, readinessProbe, process),
        failureOf(this.#container, livenessProbe, process),
      ]);
      if (signal.aborted) return undefined;
      const periodMs = Math.min(periodOf(readinessProbe), this.#state.ready ? Infinity : STARTUP_PERIOD_MS);
      readiness.note(unready === '');
      liveness.note(dead === '');
      hasLived ||= dead === '';
      if (dead !== '' && liveness.endsWith(hasLived ? livenessProbe : startupProbe)) {
        const probe = hasLived ? 'Liveness' : 'Startup';
        report(`${this.#name}: ${probe.toLowerCase()} probe: ${dead}; it is stopped`);
        this.#record('Unhealthy', 'Probing', `${probe} probe failed: ${dead}`);
        return `its ${probe.toLowerCase()} probe failed`;
      }
      if (unready === '') this.#becomeReady();
      else if (readiness.endsWith(readinessProbe)) this.#becomeUnready(unready);
      await delay(clock, periodMs, signal).catch(() => undefined);
    }
    return undefined;
  }

  #becomeReady(): void {
    if (!this.#state.ready) this.#set({ ready: true, problem: undefined });
  }

  #becomeUnready(detail: string): void {
    const message = `${this.#name}: readiness probe: ${detail}`;
    if (this.#state.problem?.message === message) return;
    this.#record('Unhealthy', 'Probing', `Readiness probe failed: ${detail}`);
    this.#options.report(message);
    this.#set({ ready: false, problem: { reason: 'Unready', message } });
  }

  /** A kubelet tries again when files cannot be renewed, too. */
  async #keepFresh(refresh: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.#options.clock, REFRESH_MS, signal).catch(() => undefined);
      if (!signal.aborted)
        await refresh().catch((error: unknown) => this.#record('FailedMount', 'Mounting', errorText(error)));
    }
  }

  async #reportExit(
    { process, log }: Run,
    { killReason, inMs }: { readonly killReason: string | undefined; readonly inMs: number },
  ): Promise<void> {
    const { report, clock } = this.#options;
    const { current } = this.#state;
    const exit = await process.exited;
    const line = await lastLineIn(log);
    const exitCode = exit.code ?? 128 + (exit.signal === null ? 0 : os.constants.signals[exit.signal]);
    const last = current && { ...current, finishedAt: clock.now(), exitCode, message: exitCode === 0 ? '' : line };
    const why = `${this.#name} ${exitMessage(exit, killReason, line)} (log: ${log})`;
    const message = `${why}; it is restarted in ${Math.ceil(inMs / 1000)} s`;
    const state = { current: undefined, last, ready: false };
    if (this.#end.signal.aborted) return this.#set(state);
    report(message);
    this.#record('BackOff', 'Restarting', why);
    this.#set({ ...state, problem: { reason: 'CrashLoopBackOff', message } });
  }

  #record(reason: string, action: string, note: string): void {
    const type = reason === 'Started' || reason === 'Killing' ? 'Normal' : 'Warning';
    this.#options.event({ type, reason, action, note });
  }

  #set(change: Partial<ReplicaState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onStateChange();
  }
}

function periodOf(probe: V1Probe | undefined): number {
  return (probe?.periodSeconds ?? 10) * 1000;
}

/**
 * How often and how long a probe has failed. Both count: probes are more frequent here than they say, a process that does not
 * answer makes each take long, and a machine that stood still has failed once.
 */
class Patience {
  readonly #clock: Clock;
  #passedAt: number;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#passedAt = clock.monotonic();
  }

  note(hasPassed: boolean): void {
    this.#failures = hasPassed ? 0 : this.#failures + 1;
    if (hasPassed) this.#passedAt = this.#clock.monotonic();
  }

  /** Whether it has failed as often, and for as long, as the probe allows. */
  endsWith(probe: V1Probe | undefined): boolean {
    const most = probe?.failureThreshold ?? 3;
    return this.#failures >= most && this.#clock.monotonic() - this.#passedAt >= most * periodOf(probe);
  }
}

/**
 * Why a probe fails; '' for a success, and for one without `httpGet`: by the rules of a kubelet, status codes 200 to 399 are a
 * success. The launcher sets each `…_LISTEN` variable to an address of its own; the value in the pod template names the port
 * that the variable is for.
 */
function failureOf(
  container: V1Container,
  probe: V1Probe | undefined,
  { addresses }: LaunchedProcess,
): Promise<string> {
  const { ports = [], env = [] } = container;
  const wanted = probe?.httpGet?.port;
  if (wanted === undefined) return Promise.resolve('');
  const port = ports.find(({ name }) => name === wanted)?.containerPort ?? wanted;
  const variable = env.find(({ value }) => value?.endsWith(`:${port}`) === true)?.name ?? '';
  const address = addresses[variable];
  if (address === undefined) return Promise.resolve(`no address for port ${port} of container ${container.name}`);
  const url = `http://${address}${probe?.httpGet?.path ?? '/'}`;
  const options = { agent: false, timeout: (probe?.timeoutSeconds ?? 1) * 1000 };
  return new Promise((resolve) => {
    const request = http.get(url, options, (response) => {
      response.resume();
      const code = response.statusCode ?? 0;
      resolve(code >= 200 && code < 400 ? '' : `HTTP ${code} from ${url}`);
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', (error) => resolve(`${url}: ${error.message}`));
  });
}

/** Describes the exit of a process that should have kept running. `killReason`: why it was stopped, if it was. */
export function exitMessage({ code, signal }: Exit, killReason: string | undefined, line: string): string {
  const last = line === '' ? 'it printed nothing' : `its last line: "${line}"`;
  if (killReason !== undefined) return `was stopped after ${killReason}; ${last}`;
  // The last line is the cause of an exit with an error code.
  if (code !== null && code !== 0 && line !== '') return `exited with code ${code}: ${line}`;
  return `${code === null ? `was terminated by ${signal ?? 'a signal'}` : `exited with code ${code}`}; ${last}`;
}
