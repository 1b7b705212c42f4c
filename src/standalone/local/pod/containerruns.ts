import os from 'node:os';

import type { Exit } from '@multicluster-engine/kube-apiserver';

/** One run of the container of a pod. Times in ms since the epoch. */
interface ContainerRun {
  /** `process://POD/N`: the N-th run, from 0. */
  readonly containerID: string;
  readonly startedAt: number;
}

export interface EndedRun extends ContainerRun {
  readonly finishedAt: number;
  /** 128 and the number of the signal, where one has ended it. */
  readonly exitCode: number;
  /** Its last line of output where it failed; '' before it is known. */
  readonly message: string;
}

/** The runs of the container of one pod. */
export class ContainerRuns {
  readonly #pod: string;
  #count = 0;
  #current: ContainerRun | undefined;
  #last: EndedRun | undefined;

  constructor(pod: string) {
    this.#pod = pod;
  }

  get current(): ContainerRun | undefined {
    return this.#current;
  }

  /** The last run that has ended. */
  get last(): EndedRun | undefined {
    return this.#last;
  }

  get restartCount(): number {
    return Math.max(this.#count - 1, 0);
  }

  /** The ID of the run that starts next. */
  get nextID(): string {
    return `process://${this.#pod}/${this.#count}`;
  }

  started(now: number): void {
    this.#current = { containerID: this.nextID, startedAt: now };
    this.#count += 1;
  }

  ended(exit: Exit, now: number): void {
    if (this.#current === undefined) return;
    this.#last = { ...this.#current, finishedAt: now, exitCode: exitCode(exit), message: '' };
    this.#current = undefined;
  }

  /** Adds the last line of output to the last run. */
  explain(message: string): void {
    if (this.#last !== undefined && this.#last.exitCode !== 0) this.#last = { ...this.#last, message };
  }
}

function exitCode({ code, signal }: Exit): number {
  return code ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}
