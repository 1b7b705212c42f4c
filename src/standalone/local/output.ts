import { createReadStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import type { ContainerLogRequest, LogLine, PodLogs } from '@multicluster-engine/kube-apiserver';
import { delay, type Clock } from '../../runtime/clock.js';
import { truncateBytes } from '../../runtime/events/recorder.js';
import { field, parseJson, textField } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';

/** A longer line is read in parts. */
const PART_BYTES = 65_536;
/** Interval at which a reader that follows a log looks for more. */
const FOLLOW_MS = 250;
/** The end of a log that is searched for its last line. */
const TAIL_BYTES = 16_384;
const LAST_LINE_BYTES = 300;

/** The file with the output of a run. */
interface RunLog {
  readonly containerID: string;
  readonly file: string;
  /** Whether the process has exited. */
  readonly isOver: () => boolean;
}

/** The log files of the current and of the previous run of each Pod: what `kubectl logs` shows. */
export class ContainerLogs implements PodLogs {
  readonly #clock: Clock;
  /** By `namespace/name`, the previous one first. */
  readonly #pods = new Map<string, readonly RunLog[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes room for the output of the next run of a Pod: that of the current one goes to another file. */
  async rotate(pod: string, file: string): Promise<void> {
    const previous = `${file}.previous`;
    await rename(file, previous).catch(() => undefined);
    this.#pods.set(
      pod,
      (this.#pods.get(pod) ?? []).slice(-1).map((run) => ({ ...run, file: previous })),
    );
  }

  add(pod: string, run: RunLog): void {
    this.#pods.set(pod, [...(this.#pods.get(pod) ?? []), run]);
  }

  forget(pod: string): void {
    this.#pods.delete(pod);
  }

  open(request: ContainerLogRequest): AsyncIterable<LogLine> | undefined {
    const runs = this.#pods.get(keyOf({ namespace: request.namespace, name: request.pod }));
    const run = runs?.find(({ containerID }) => containerID === request.containerID);
    return run && this.read(run, request);
  }

  /** The lines that are selected; with `follow` also later ones, until the process or the signal ends it. */
  async *read(run: RunLog, { follow, tailLines, since = 0, signal }: LineSelection): AsyncGenerator<LogLine> {
    let skipped = 0;
    if (tailLines !== undefined) {
      for await (const _line of this.#lines(run, { follow: false, signal })) skipped += 1;
      skipped -= tailLines;
    }
    let time = 0;
    for await (const line of this.#lines(run, { follow, signal })) {
      time = timeOf(line) ?? time;
      skipped -= 1;
      if (skipped < 0 && time >= since) yield { time, text: line };
    }
  }

  async *#lines(
    { file, isOver }: RunLog,
    { follow, signal }: Pick<LineSelection, 'follow' | 'signal'>,
  ): AsyncGenerator<string> {
    const handle = await open(file);
    try {
      const decoder = new TextDecoder();
      let rest = '';
      while (!signal.aborted) {
        const wasOver = isOver();
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(PART_BYTES));
        const lines = (rest + decoder.decode(buffer.subarray(0, bytesRead), { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) yield `${line}\n`;
        if (bytesRead > 0) continue;
        if (!follow || wasOver) break;
        await delay(this.#clock, FOLLOW_MS, signal).catch(() => undefined);
      }
      if (rest !== '') yield rest;
    } finally {
      await handle.close();
    }
  }
}

export type LineSelection = Pick<ContainerLogRequest, 'follow' | 'tailLines' | 'since' | 'signal'>;

/** The time in a line of a JSON log, in ms since the epoch; undefined for other lines. */
function timeOf(line: string): number | undefined {
  const time = Date.parse(textField(line.startsWith('{"') ? parseJson(line) : undefined, 'ts'));
  return Number.isNaN(time) ? undefined : time;
}

/** Lines that Node prints around the message of an uncaught error. */
const NODE_ERROR_FRAME = /^(\s|[{}]|$|Node\.js v\d|Emitted 'error' event)/;

/** The last line of a log with a message; '' where there is none. */
export async function lastLineIn(file: string): Promise<string> {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  return size === 0 ? '' : lastLineOf(await text(createReadStream(file, { start: Math.max(size - TAIL_BYTES, 0) })));
}

/** The last line with a message, at most 300 bytes. Of a JSON log line: its `msg`, `reason` and error. */
export function lastLineOf(output: string): string {
  const lines = output.split(/\r?\n/);
  const line = lines.findLast((one) => one.startsWith('{"') || !NODE_ERROR_FRAME.test(one)) ?? '';
  const fields = line.startsWith('{"') ? parseJson(line) : undefined;
  const err = field(fields, 'err');
  const parts = [field(fields, 'msg'), field(fields, 'reason'), field(err, 'message') ?? err];
  const message = parts.filter((one) => typeof one === 'string' && one !== '').join(': ');
  const plain = (message === '' ? line : message).replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return truncateBytes(plain, LAST_LINE_BYTES);
}
