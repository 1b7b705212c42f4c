import type { Logger } from '../logger.js';

/** What is logged of a failed list or watch. */
interface LoggedFailure {
  readonly resource: string;
  readonly kind: string;
  readonly error: string;
  /** Whether the whole collection has to be listed. */
  readonly listing: boolean;
}

/** The log of the failures of one cache: each cause once, and again after something was received. */
export class FailureLog {
  readonly #log: Logger;
  #last = '';

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Something was received. */
  received(): void {
    this.#last = '';
  }

  failed(failure: LoggedFailure): void {
    const level = failure.error === this.#last ? 'debug' : 'info';
    this.#last = failure.error;
    this.#log[level](failure, 'list or watch failed, retrying');
  }
}
