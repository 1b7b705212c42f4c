import type { Readable } from 'node:stream';

import { truncateBytes } from '../../kube/events/event.js';
import type { Clock } from '../../runtime/clock.js';

const KEPT_BYTES = 16_384;
const LINE_LIMIT = 300;
/** The end of a process may be known before all is read that it printed. */
const WAIT_MS = 500;

/** The end of what a process prints. */
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

  /** The last line, once all of them are there or will not come soon; '' when it printed none. */
  async lastLine(clock: Clock): Promise<string> {
    let timer = { cancel: (): void => undefined };
    await Promise.race([this.#ended, new Promise<void>((resolve) => (timer = clock.after(WAIT_MS, resolve)))]);
    timer.cancel();
    return lastLineOf(this.#kept.toString('utf8'));
  }
}

/** What stands around the message when Node itself reports an error that nobody caught. */
const NODE_ERROR_FRAME = /^(\s|[{}]|$|Node\.js v\d|Emitted 'error' event)/;

/** The last line that says something, in one line of at most 300 bytes: of a line of JSON its `msg` and the `reason` or the error. */
export function lastLineOf(text: string): string {
  const lines = text.split(/\r?\n/);
  const line = lines.findLast((one) => one.startsWith('{"') || !NODE_ERROR_FRAME.test(one)) ?? '';
  const said = jsonMessage(line) ?? line;
  const plain = said.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return truncateBytes(plain, LINE_LIMIT);
}

/** `msg: reason` of a line of a JSON log; undefined for other lines. */
function jsonMessage(line: string): string | undefined {
  const fields = parseFields(line);
  if (fields === undefined) return undefined;
  const { msg, reason, err } = fields;
  const error = typeof err === 'object' && err !== null && 'message' in err ? err.message : err;
  const parts = [msg, reason, error].filter((one) => typeof one === 'string' && one !== '');
  return parts.length === 0 ? undefined : parts.join(': ');
}

function parseFields(
  line: string,
): { readonly msg?: unknown; readonly reason?: unknown; readonly err?: unknown } | undefined {
  if (!line.startsWith('{"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
