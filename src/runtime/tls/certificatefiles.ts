import { errorText } from '../errors.js';
import { FileReloader, type ReloadOptions } from './filereloader.js';
import { parseServingPair, type ServingPair } from './serving.js';
import { validityProblem } from '../vocabulary/keypair.js';

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
