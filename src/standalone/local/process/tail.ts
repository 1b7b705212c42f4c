import type { Readable } from 'node:stream';
import type { Exit } from '@multicluster-engine/kube-apiserver';
import { field, parseJson } from '../../../runtime/vocabulary/json.js';
import { truncateBytes } from '../../../runtime/events/event.js';
import { within, type Clock } from '../../../runtime/clock.js';

const KEPT_BYTES = 16_384;
const LINE_LIMIT = 300;
const WAIT_MS = 500;

/** Waits for the end of the output, 0.5 s at most: a process may exit before all of its output is read. */
export async function waitForOutput(ended: Promise<void>, clock: Clock): Promise<void> {
  await within(clock, WAIT_MS, ended);
}

/** The last 16 KiB of the output of a process. */
export class Tail {
  #kept: Buffer = Buffer.alloc(0);
  readonly #ended: Promise<void>;

  constructor(output: Readable) {
    output.on('data', (chunk: Buffer) => (this.#kept = Buffer.concat([this.#kept, chunk]).subarray(-KEPT_BYTES)));
    this.#ended = new Promise((resolve) => {
      output.once('end', resolve);
      output.once('close', resolve);
    });
  }

  /** The last line, after the output has ended or 0.5 s have passed; '' when nothing was printed. */
  async lastLine(clock: Clock): Promise<string> {
    await waitForOutput(this.#ended, clock);
    return lastLineOf(this.#kept.toString('utf8'));
  }
}

/** Lines that Node prints around the message of an uncaught error. */
const NODE_ERROR_FRAME = /^(\s|[{}]|$|Node\.js v\d|Emitted 'error' event)/;

/** The last line with a message, at most 300 bytes. Of a JSON log line: its `msg`, `reason` and error. */
export function lastLineOf(text: string): string {
  const lines = text.split(/\r?\n/);
  const line = lines.findLast((one) => one.startsWith('{"') || !NODE_ERROR_FRAME.test(one)) ?? '';
  const message = jsonMessage(line) ?? line;
  const plain = message.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return truncateBytes(plain, LINE_LIMIT);
}

/** `msg: reason: error` of a JSON log line; undefined for other lines. */
function jsonMessage(line: string): string | undefined {
  const fields = line.startsWith('{"') ? parseJson(line) : undefined;
  const err = field(fields, 'err');
  const parts = [field(fields, 'msg'), field(fields, 'reason'), field(err, 'message') ?? err];
  const texts = parts.filter((one) => typeof one === 'string' && one !== '');
  return texts.length === 0 ? undefined : texts.join(': ');
}

/** The last output of a process. */
export interface TerminationMessage {
  /** Its last line; '' when it printed nothing. */
  readonly line: string;
  /** The file with all of its output. */
  readonly log: string;
}

/**
 * Describes the exit of a process that should have kept running. Its last line is given as the cause only when it
 * exited by itself with an error. `killReason`: why the runtime has stopped it; undefined when it has not.
 */
export function exitMessage(exit: Exit, killReason: string | undefined, { line, log }: TerminationMessage): string {
  const last = line === '' ? 'it printed nothing' : `its last line: "${line}"`;
  if (killReason !== undefined) return `was stopped after ${killReason}; ${last} (log: ${log})`;
  if (exit.code === null) return `was terminated by ${exit.signal ?? 'a signal'}; ${last} (log: ${log})`;
  if (exit.code === 0) return `exited with code 0; ${last} (log: ${log})`;
  return `exited with code ${exit.code}: ${line === '' ? last : line} (log: ${log})`;
}
