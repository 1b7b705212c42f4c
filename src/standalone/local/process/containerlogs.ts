import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ContainerLogRequest, LogLine, PodLogs } from '@multicluster-engine/kube-apiserver';
import type { Clock } from '../../../runtime/clock.js';

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

/** Characters that are kept of each process. */
const KEPT_CHARACTERS = 1_048_576;
/** A longer line is kept in parts, as a container runtime does. */
const PART_CHARACTERS = 16_384;

export interface LineSelection {
  readonly follow: boolean;
  readonly tailLines: number | undefined;
  /** Ms since the epoch. */
  readonly since: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * The last lines of the output of one process, in memory. The oldest are dropped beyond 1,048,576 characters; a reader that
 * follows and falls behind loses them too.
 */
export class LineLog {
  readonly #kept: number;
  readonly #lines = new Map<number, LogLine>();
  readonly #decoder = new StringDecoder('utf8');
  readonly #waiting = new Set<() => void>();
  /** Numbers of the oldest line and of the next one. */
  #first = 0;
  #next = 0;
  #characters = 0;
  #partial = '';
  #ended = false;

  constructor(kept = KEPT_CHARACTERS) {
    this.#kept = kept;
  }

  /** `now` in ms since the epoch. */
  append(chunk: Uint8Array, now: number): void {
    this.#split(this.#partial + this.#decoder.write(Buffer.from(chunk)), now);
    this.#wake();
  }

  end(now: number): void {
    if (this.#ended) return;
    const rest = this.#partial + this.#decoder.end();
    if (rest !== '') this.#add({ time: now, text: rest });
    this.#partial = '';
    this.#ended = true;
    this.#wake();
  }

  /** The lines that `selection` selects; with `follow` also later ones, until the output or the signal ends it. */
  async *read({ follow, tailLines = Infinity, since = -Infinity, signal }: LineSelection): AsyncGenerator<LogLine> {
    const known = this.#next;
    for (let at = this.#tailStart(tailLines); !signal.aborted; at += 1) {
      while (follow && at >= this.#next && !this.#ended && !signal.aborted) await this.#change(signal);
      at = Math.max(at, this.#first);
      const line = at < (follow ? this.#next : known) ? this.#lines.get(at) : undefined;
      if (line === undefined) return;
      if (line.time >= since) yield line;
    }
  }

  /** The number of the first of the last `count` lines. Parts of one line count as one. */
  #tailStart(count: number): number {
    let at = this.#next;
    for (let lines = 0; at > this.#first; at -= 1) {
      const ends = this.#lines.get(at - 1)?.text.endsWith('\n') === true || at === this.#next;
      if (ends) lines += 1;
      if (lines > count) break;
    }
    return at;
  }

  #split(text: string, now: number): void {
    let rest = text;
    for (let end = rest.indexOf('\n'); end >= 0 || rest.length > PART_CHARACTERS; end = rest.indexOf('\n')) {
      const length = end >= 0 && end < PART_CHARACTERS ? end + 1 : PART_CHARACTERS;
      this.#add({ time: now, text: rest.slice(0, length) });
      rest = rest.slice(length);
    }
    this.#partial = rest;
  }

  #add(line: LogLine): void {
    this.#lines.set(this.#next, line);
    this.#next += 1;
    this.#characters += line.text.length;
    while (this.#characters > this.#kept && this.#first < this.#next - 1) {
      this.#characters -= this.#lines.get(this.#first)?.text.length ?? 0;
      this.#lines.delete(this.#first);
      this.#first += 1;
    }
  }

  #wake(): void {
    for (const resume of this.#waiting) resume();
  }

  /** Resolves at the next change, or when the signal fires. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        this.#waiting.delete(resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      this.#waiting.add(resume);
      signal.addEventListener('abort', resume, { once: true });
    });
  }
}
