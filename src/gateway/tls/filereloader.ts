import { readFileSync, statSync } from 'node:fs';
import type { Clock, Timer } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import type { GatewayMetrics } from '../../runtime/metrics.js';

/** Files that are used together and may be replaced while the process runs. */
export interface WatchedFiles {
  /** In logs and metrics: `certificate` or `upstream-ca`. */
  readonly name: string;
  readonly paths: readonly string[];
  /** Takes their texts into use, in the order of `paths`. Throws, and changes nothing, when they are not fit for it. */
  readonly apply: (texts: readonly string[]) => void;
}

export interface ReloadOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: GatewayMetrics;
  readonly everyMs: number;
}

/**
 * Reads files again and again and takes them into use when they have changed. Mounted Secrets are replaced by a swap of
 * links, of which file watches say little; a small file is read faster than its watch is kept.
 *
 * Guarantees: what is in use stays in use until something fit for use takes its place.
 */
export class FileReloader {
  readonly #files: WatchedFiles;
  readonly #options: ReloadOptions;
  #texts: readonly string[] = [];
  #complaint = '';
  #timer: Timer | undefined;

  constructor(files: WatchedFiles, options: ReloadOptions) {
    this.#files = files;
    this.#options = options;
  }

  /**
   * Takes the files into use and looks at them from now on.
   * @throws Error that names the file, or says what is wrong with them
   */
  start(): void {
    this.#take(this.#read());
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(this.#options.everyMs, () => {
      this.#look();
      this.#arm();
    });
  }

  #look(): void {
    const { log, metrics } = this.#options;
    const { name } = this.#files;
    try {
      const texts = this.#read();
      if (texts.every((text, index) => text === this.#texts[index])) return;
      this.#take(texts);
      this.#complaint = '';
      metrics.reloaded(name, true);
      log.info({ files: name }, 'files changed, taken into use');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason === this.#complaint) return;
      this.#complaint = reason;
      metrics.reloaded(name, false);
      log.warn({ files: name, reason }, 'changed files cannot be used, the ones before stay in use');
    }
  }

  #take(texts: readonly string[]): void {
    this.#files.apply(texts);
    this.#texts = texts;
  }

  #read(): readonly string[] {
    return this.#files.paths.map(readText);
  }
}

function readText(file: string): string {
  try {
    // A pipe or a device may never end, and gives its text once.
    if (statSync(file).isFile()) return readFileSync(file, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unreadable';
    throw new Error(`${file}: cannot be read: ${code}`);
  }
  throw new Error(`${file}: cannot be read: it is no regular file`);
}
