import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import type { Injector } from './injector.js';
import type { Simulation } from './time.js';

/** A process in the simulation: started, killed and started again. */
export interface Process {
  /** As plans and traces name it. */
  readonly name: string;
  /** Whether it writes from time to time although nothing has changed. */
  readonly isPeriodic: boolean;
  /** How many passes each key had since `passes` was emptied: `controller key`. */
  readonly passes: Map<string, number>;
  /** Monotonic ms of the last moment at which it did something that leads to a state. */
  readonly activeAt: number;
  /** Whether it runs as it should, and has nothing under way: every watch has delivered all, and no request is unanswered. */
  readonly isCurrent: boolean;
  start(): void;
  kill(): void;
  /** Ends it as SIGKILL does; it is started again after `ms`. */
  crash(ms: number): void;
  /** SIGTERM; it is started again when it has ended. */
  quit?(): void;
  /** SIGSTOP, and SIGCONT after `ms`. */
  stop(ms: number): void;
}

/** What every process gets of the world around it. */
export interface ProcessOptions {
  readonly simulation: Simulation;
  readonly server: MemoryServer;
  readonly injector: Injector;
  readonly seed: number;
  /** Fires when the run is over: what a killed process has waited for all the time ends, and can be collected. */
  readonly over: AbortSignal;
  /** Receives what the program should never have done. */
  readonly complain: (text: string) => void;
  /** Receives each log line, for people. */
  readonly log?: ((line: string) => void) | undefined;
}
