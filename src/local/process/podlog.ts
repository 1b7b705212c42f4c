import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

import type { Clock } from '../../runtime/clock.js';

/** Logs that are kept of each Deployment, that of its present pod included. */
const KEPT_LOGS = 5;
/** The end of a process may be known before all is written that it printed. */
const WAIT_MS = 500;

/** The file `FOLDER/NAMESPACE.POD.log` with what a pod prints, among those of earlier pods of its Deployment. */
export class PodLog {
  readonly file: string;
  readonly #folder: string;
  readonly #kin: string;
  #written: Promise<void> = Promise.resolve();

  constructor(
    folder: string,
    { namespace, deployment, name }: { readonly namespace: string; readonly deployment: string; readonly name: string },
  ) {
    this.#folder = folder;
    this.#kin = `${namespace}.${deployment}-`;
    this.file = path.join(folder, `${namespace}.${name}.log`);
  }

  /** Removes what is empty or too old of earlier pods; before the process starts: none of the Deployment runs then. */
  async removeOldLogs(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).filter(
      (name) => name.startsWith(this.#kin) && HASH.test(name.slice(this.#kin.length)),
    );
    const others = names.map((name) => path.join(this.#folder, name)).filter((file) => file !== this.file);
    const seen = await Promise.all(others.map(async (file) => ({ file, ...(await sizeAndTime(file)) })));
    const full = seen.filter(({ size }) => size > 0).sort((a, b) => b.time - a.time || (a.file < b.file ? -1 : 1));
    const kept = new Set(full.slice(0, KEPT_LOGS - 1).map(({ file }) => file));
    for (const file of others.filter((one) => !kept.has(one))) await rm(file, { force: true });
  }

  /** Writes what a process prints behind what is there. What cannot be written is lost: the process goes on. */
  append(output: Readable): void {
    const sink = createWriteStream(this.file, { flags: 'a', mode: 0o600 });
    sink.on('error', () => output.resume());
    this.#written = new Promise((resolve) => sink.once('close', resolve));
    output.pipe(sink);
  }

  /** At the end of the pod: an empty log says nothing. */
  async close(clock: Clock): Promise<void> {
    let timer = { cancel: (): void => undefined };
    await Promise.race([this.#written, new Promise<void>((resolve) => (timer = clock.after(WAIT_MS, resolve)))]);
    timer.cancel();
    if ((await sizeAndTime(this.file)).size === 0) await rm(this.file, { force: true });
  }
}

/** The rest of the name of a log, behind that of the Deployment. */
const HASH = /^[0-9a-f]{10}\.log$/;

/** Bytes, and ms since the epoch of the last write. */
async function sizeAndTime(file: string): Promise<{ readonly size: number; readonly time: number }> {
  const found = await stat(file).catch(() => undefined);
  return { size: found?.size ?? 0, time: found?.mtimeMs ?? 0 };
}
