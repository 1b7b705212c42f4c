import type { IncomingMessage } from 'node:http';
import { asError } from '../../runtime/errors.js';
import { StatusError } from '../statuserror.js';
import { MAX_BODY, tooLarge } from './body.js';
import type { Budget, Reservation } from './budget.js';

/** The budgets of bodies that are received: one for tokens that the API server has accepted, one for all others. */
export interface UploadBudgets {
  readonly accepted: Budget;
  readonly unaccepted: Budget;
}

export interface UploadOptions {
  readonly budgets: UploadBudgets;
  /** Whether the API server has accepted the token within the last seconds. */
  readonly accepted: boolean;
  /**
   * Resolves when the API server accepts the token.
   * @throws StatusError, UpstreamError
   */
  readonly confirmToken: () => Promise<void>;
}

/** A larger body is not read before the API server has accepted the token. */
export const MAX_UNACCEPTED_BODY = 64 * 1024;

/**
 * The body of one request while it is received. Its bytes count against the budget of its token. A token that the API
 * server has not accepted lately is confirmed there as soon as the body needs more than an unknown client may have: it
 * is larger than 64 KiB, or the budget that such clients share is exhausted.
 */
export class Upload {
  readonly #options: UploadOptions;
  readonly #evicted: Promise<never>;
  #reject: (error: StatusError) => void = () => undefined;
  #accepted: boolean;
  #received = 0;
  #reservation: Reservation;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#evicted = new Promise((_resolve, reject) => (this.#reject = reject));
    this.#evicted.catch(() => undefined);
    this.#accepted = options.accepted;
    this.#reservation = this.#reserve();
  }

  /** Whether the API server has accepted the token. */
  get accepted(): boolean {
    return this.#accepted;
  }

  /** Bytes read so far. */
  get received(): number {
    return this.#received;
  }

  /**
   * Confirms the token, unless that was done.
   * @throws StatusError, UpstreamError
   */
  async confirmToken(): Promise<void> {
    if (this.#accepted) return;
    await this.#options.confirmToken();
    this.#accepted = true;
    this.#reservation.release();
    this.#reservation = this.#reserve();
  }

  /**
   * Reads the body to its end, at most 1 MiB whatever length was announced. After an error the rest is left unread. An
   * iterator of the stream would cost more than all checks of a small body.
   * @throws StatusError; UpstreamError when the token cannot be confirmed; another Error when the client leaves
   */
  read(message: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    return new Promise((resolve, reject) => {
      let confirmed: Promise<void> | undefined;
      const stop = (): void => {
        message.off('data', onData).off('end', onEnd).off('close', onClose);
      };
      const fail = (error: unknown): void => {
        stop();
        message.pause();
        reject(asError(error));
      };
      const onData = (bytes: Buffer): void => {
        chunks.push(bytes);
        this.#received += bytes.length;
        if (this.#received > MAX_BODY) {
          fail(tooLarge());
        } else if (!this.#grow()) {
          message.pause();
          confirmed = this.#confirmSize();
          confirmed.then(() => void message.resume(), fail);
        }
      };
      const finish = (): void => {
        stop();
        this.#reservation.complete();
        resolve(Buffer.concat(chunks));
      };
      const onEnd = (): void => {
        if (confirmed === undefined) finish();
        else confirmed.then(finish, () => undefined);
      };
      const onClose = (): void => {
        if (!message.readableEnded) fail(message.errored ?? new Error('the connection has closed'));
      };
      this.#evicted.catch(fail);
      if (message.destroyed) onClose();
      else message.on('data', onData).on('end', onEnd).on('close', onClose).resume();
    });
  }

  release(): void {
    this.#reservation.release();
  }

  /** Reserves what was received; false when the token has to be confirmed for it, or there is no room. */
  #grow(): boolean {
    return (this.#accepted || this.#received <= MAX_UNACCEPTED_BODY) && this.#reservation.grow(this.#received);
  }

  async #confirmSize(): Promise<void> {
    await this.confirmToken();
    if (!this.#grow()) throw new StatusError('unavailable', { message: 'too many bodies at once', close: true });
  }

  #reserve(): Reservation {
    const { accepted, unaccepted } = this.#options.budgets;
    return (this.#accepted ? accepted : unaccepted).reserve(() =>
      this.#reject(
        new StatusError('slow', { message: 'the body has stopped arriving while others need its memory', close: true }),
      ),
    );
  }
}
