import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

import type { Clock } from '../../../runtime/clock.js';
import { waitForOutput } from './tail.js';

/** How many logs are kept of each Deployment, that of its current pod included. */
const KEPT_LOGS = 5;

/** Longer lines are split, so that the output of a process that prints no line break does not fill the memory. */
const MAX_LINE_BYTES = 64 * 1024;
/** The end of the name of a log, after that of the Deployment: the hash of the ReplicaSet and the suffix of the pod. */
const POD_SUFFIX = /^[0-9a-f]{10}(-[a-z0-9]{5})?\.log$/;

/** A log file. Its methods do not throw: what cannot be written is dropped. */
export interface LogFile {
  write(line: string | Uint8Array): void;
  close(): void;
}

/** Opens a log file for appending; throws when that fails. */
export type OpenLog = (file: string) => LogFile;

/** The file `FOLDER/NAMESPACE.POD.log` with the output of a pod. The folder has the logs of earlier pods, too. */
export class PodLog {
  readonly file: string;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #open: OpenLog;
  /** Resolves when the output of the process that was started last has ended and is written. */
  #written: Promise<void> = Promise.resolve();

  constructor(
    folder: string,
    { namespace, deployment, name }: { readonly namespace: string; readonly deployment: string; readonly name: string },
    open: OpenLog,
  ) {
    this.#folder = folder;
    this.#open = open;
    this.#prefix = `${namespace}.${deployment}-`;
    this.file = path.join(folder, `${namespace}.${name}.log`);
  }

  /** Removes empty and old logs of earlier pods. Called while no process of the Deployment runs. */
  async removeOldLogs(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).filter(
      (name) => name.startsWith(this.#prefix) && POD_SUFFIX.test(name.slice(this.#prefix.length)),
    );
    const others = names.map((name) => path.join(this.#folder, name)).filter((file) => file !== this.file);
    const logs = await Promise.all(others.map(async (file) => ({ file, ...(await sizeAndTime(file)) })));
    const nonEmpty = logs.filter(({ size }) => size > 0).sort((a, b) => b.time - a.time || (a.file < b.file ? -1 : 1));
    const kept = new Set(nonEmpty.slice(0, KEPT_LOGS - 1).map(({ file }) => file));
    for (const file of others.filter((one) => !kept.has(one))) await rm(file, { force: true });
  }

  /** Appends the output of a process. Lines that cannot be written are dropped; the process keeps running. */
  append(output: Readable): void {
    const log = this.#tryOpen();
    let rest: Buffer = Buffer.alloc(0);
    output.on('data', (chunk: Buffer) => {
      rest = writeLines(log, Buffer.concat([rest, chunk]));
    });
    this.#written = new Promise((resolve) => {
      output.once('close', () => {
        if (rest.length > 0) log.write(rest);
        log.close();
        resolve();
      });
    });
  }

  /** Opens the file; where that fails, returns a log that drops everything. */
  #tryOpen(): LogFile {
    try {
      return this.#open(this.file);
    } catch {
      return { write: () => undefined, close: () => undefined };
    }
  }

  /** Waits for the output at the end of the pod, and removes an empty log. */
  async close(clock: Clock): Promise<void> {
    await waitForOutput(this.#written, clock);
    if ((await sizeAndTime(this.file)).size === 0) await rm(this.file, { force: true });
  }
}

/** Writes the complete lines of `text`, and what is too long for a line; returns the rest. */
function writeLines(log: LogFile, text: Buffer): Buffer {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    log.write(text.subarray(start, end + 1));
    start = end + 1;
  }
  const rest = text.subarray(start);
  if (rest.length < MAX_LINE_BYTES) return rest;
  log.write(rest);
  return Buffer.alloc(0);
}

/** Size in bytes, and time of the last write in ms since the epoch; zeros for a missing file. */
async function sizeAndTime(file: string): Promise<{ readonly size: number; readonly time: number }> {
  const found = await stat(file).catch(() => undefined);
  return { size: found?.size ?? 0, time: found?.mtimeMs ?? 0 };
}
