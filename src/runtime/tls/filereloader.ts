import { readFileSync, statSync } from 'node:fs';
import type { Clock, Timer } from '../clock.js';
import { errorText, fileFault } from '../errors.js';
import type { Logger } from '../logger.js';
import { parseServingPair, type ServingPair } from './serving.js';
import { validityProblem } from '../vocabulary/keypair.js';

/** Files that are used together and may be replaced while the process runs. */
interface WatchedFiles {
  /** In logs and metrics, such as `certificate`. */
  readonly name: string;
  readonly paths: readonly string[];
  /** Uses these texts, in the order of `paths`. Throws, and changes nothing, when they cannot be used. */
  readonly apply: (texts: readonly string[]) => void;
}

export interface ReloadMetrics {
  /** Files were reloaded, such as `certificate`; whether they are usable. */
  reloaded(files: string, usable: boolean): void;
}

interface ReloadOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ReloadMetrics;
  readonly everyMs: number;
}

/**
 * Polls files and applies them when they have changed. It polls because a mounted Secret is replaced by a swap of
 * symbolic links, which file watches do not report reliably.
 *
 * Guarantee: the files in use stay in use until changed ones were applied without an error.
 */
export class FileReloader {
  readonly #files: WatchedFiles;
  readonly #options: ReloadOptions;
  #texts: readonly string[] = [];
  #lastError = '';
  #timer: Timer | undefined;

  constructor(files: WatchedFiles, options: ReloadOptions) {
    this.#files = files;
    this.#options = options;
  }

  /**
   * Applies the files and polls them from now on.
   * @throws Error with the file that cannot be read, or of `apply`
   */
  start(): void {
    this.#apply(this.#read());
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#options.clock.after(this.#options.everyMs, () => {
      this.#poll();
      this.#arm();
    });
  }

  #poll(): void {
    const { log, metrics } = this.#options;
    const { name } = this.#files;
    try {
      const texts = this.#read();
      if (texts.every((text, index) => text === this.#texts[index])) return;
      this.#apply(texts);
      this.#lastError = '';
      metrics.reloaded(name, true);
      log.info({ files: name }, 'files reloaded');
    } catch (error) {
      const reason = errorText(error);
      if (reason === this.#lastError) return;
      this.#lastError = reason;
      metrics.reloaded(name, false);
      log.warn({ files: name, reason }, 'changed files cannot be used; the previous ones stay in use');
    }
  }

  #apply(texts: readonly string[]): void {
    this.#files.apply(texts);
    this.#texts = texts;
  }

  #read(): readonly string[] {
    return this.#files.paths.map(readText);
  }
}

/** The text of a regular file. @throws Error with the file and what is wrong */
export function readText(file: string): string {
  try {
    // A pipe or a device may never end, and can be read once only.
    if (statSync(file).isFile()) return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: cannot be read: ${fileFault(error)}`, { cause: error });
  }
  throw new Error(`${file}: cannot be read: it is no regular file`);
}

/** The PEM files of a serving certificate and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A serving certificate that is read from files again whenever these change. */
export class ServingCertificateFiles {
  readonly #reloader: FileReloader;
  #pair: ServingPair | undefined;

  /** `use` gets the first pair, and each one that follows. */
  constructor({ cert, key }: CertificateFiles, use: (pair: ServingPair) => void, options: ReloadOptions) {
    const apply = ([certText = '', keyText = '']: readonly string[]): void => {
      try {
        const pair = parseServingPair(certText, keyText);
        use(pair);
        this.#pair = pair;
      } catch (error) {
        throw new Error(`${cert}, ${key}: ${errorText(error)}`, { cause: error });
      }
    };
    this.#reloader = new FileReloader({ name: 'certificate', paths: [cert, key], apply }, options);
  }

  /** @throws Error in one line: a file that cannot be read or used */
  start(): void {
    this.#reloader.start();
  }

  stop(): void {
    this.#reloader.stop();
  }

  /** Why the certificate cannot be served at this time, ms since the epoch; undefined where it can. */
  problem(now: number): string | undefined {
    return this.#pair === undefined ? 'not started' : validityProblem(this.#pair, now);
  }
}
