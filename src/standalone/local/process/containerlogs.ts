import type { Readable } from 'node:stream';

import type { ContainerLogRequest, LogLine, PodLogs } from '@multicluster-engine/kube-apiserver';
import type { Clock } from '../../../runtime/clock.js';
import { LineLog } from './linelog.js';

/** Runs whose output is kept of each pod: the current one and the one before. */
const KEPT_RUNS = 2;

/** The last output of the processes of all pods, by the ID of their run: what `kubectl logs` shows. */
export class ContainerLogs implements PodLogs {
  readonly #clock: Clock;
  /** By pod (`namespace/name`), then by container ID, oldest first. */
  readonly #pods = new Map<string, Map<string, LineLog>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps the output of a new run; that of the run before the previous one is dropped. */
  record(pod: string, containerID: string, output: Readable): void {
    const log = new LineLog();
    const runs = this.#pods.get(pod) ?? new Map<string, LineLog>();
    this.#pods.set(pod, runs.set(containerID, log));
    for (const old of [...runs.keys()].slice(0, -KEPT_RUNS)) runs.delete(old);
    output.on('data', (chunk: Buffer) => log.append(chunk, this.#clock.now()));
    for (const event of ['end', 'close']) output.once(event, () => log.end(this.#clock.now()));
  }

  /** Drops the output of a pod. Readers that follow it get the rest. */
  forget(pod: string): void {
    this.#pods.delete(pod);
  }

  open(request: ContainerLogRequest): AsyncIterable<LogLine> | undefined {
    const { namespace, pod, containerID } = request;
    return this.#pods.get(`${namespace}/${pod}`)?.get(containerID)?.read(request);
  }
}
