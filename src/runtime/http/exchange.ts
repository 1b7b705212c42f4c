import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock, Timer } from '../clock.js';

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The body of a response, for one reader. */
export interface ResponseBody extends AsyncIterableIterator<Buffer> {
  /**
   * The chunks that are left, when all of them have arrived: those of a small response do so with its head, and are read
   * without further promises and timers. Undefined when there is more to wait for, or it has failed.
   */
  takeWhole?(): Buffer[] | undefined;
}

interface ExchangeOptions {
  /** How many bytes of a body may be received and not yet read. Above it the connection is paused until somebody reads. */
  readonly maxUnreadBytes: number;
  /** Limits each wait for a chunk of the body; undefined: none of them. */
  readonly waits?: WaitLimit | undefined;
  /** Called when the connection is used no more: the response is over, or the connection is closed or was never made. */
  readonly onOver: () => void;
  /** Maps an error of the connection to the one that the reader gets; undefined: the reader gets the same. */
  readonly errorFor?: ((error: Error) => Error) | undefined;
}

/**
 * One request at the dispatcher, and its response: first the head, then the chunks of the body, in order, for one reader.
 * `Dispatcher.request` does the same with a stream and an AbortSignal, for a fifth more CPU time of a small request: its
 * stream and its iterator are made for each response and pass each chunk on in several turns.
 */
export class Exchange implements Dispatcher.DispatchHandler, ResponseBody {
  /** The head of the response. Rejects when there is none. */
  readonly head: Promise<ResponseHead>;
  readonly #options: ExchangeOptions;
  #chunks: Buffer[] = [];
  /** Bytes in `#chunks`. */
  #unread = 0;
  #complete = false;
  #error: Error | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #resolveHead: (head: ResponseHead) => void = () => undefined;
  #rejectHead: (error: Error) => void = () => undefined;
  /** Defined while the reader waits. */
  #wakeReader: (() => void) | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    this.head.catch(() => undefined);
  }

  /** Whether the exchange has failed: a request that was not sent yet must not be sent then. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  /**
   * Ends the exchange: whoever waits gets the error at once, also while the connection is being made, and unread chunks are
   * dropped. If there are several errors, the first counts.
   */
  abort(error: Error): void {
    this.#chunks = [];
    this.#fail(error);
    this.#controller?.abort(error);
  }

  takeWhole(): Buffer[] | undefined {
    return this.#complete && this.#error === undefined ? this.#chunks.splice(0) : undefined;
  }

  /**
   * The whole body; undefined, and the exchange is aborted, when it is longer than `limit`.
   * @throws the error of the exchange
   */
  async bytes(limit: number): Promise<Buffer | undefined> {
    this.#resume();
    while (!this.#complete && this.#error === undefined && this.#unread <= limit) await this.#changed();
    this.#wakeReader = undefined;
    if (this.#error !== undefined) throw this.#error;
    if (this.#unread > limit) {
      this.abort(new Error('the response is too long'));
      return undefined;
    }
    const [only] = this.#chunks;
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#unread);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * The next chunk of the body. Must not be called again before it has resolved.
   * @throws the error of the exchange, when the chunks that arrived before it are read
   */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    const { waits } = this.#options;
    if (this.#chunks.length === 0 && !this.#complete && this.#error === undefined) {
      waits?.start();
      await this.#changed();
      this.#wakeReader = undefined;
    }
    waits?.stop();
    const value = this.#chunks.shift();
    if (value === undefined) {
      if (this.#error !== undefined) throw this.#error;
      return { done: true, value };
    }
    this.#unread -= value.length;
    if (this.#chunks.length === 0) this.#resume();
    return { done: false, value };
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // A response with a lower status is provisional: the final one follows.
    if (status >= 200) this.#resolveHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#error !== undefined) return;
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > this.#options.maxUnreadBytes && this.#wakeReader === undefined) controller.pause();
    this.#wakeReader?.();
  }

  onResponseEnd(): void {
    this.#complete = true;
    this.#wakeReader?.();
    this.#options.onOver();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(this.#options.errorFor?.(error) ?? error);
    this.#options.onOver();
  }

  #fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#rejectHead(error);
    this.#wakeReader?.();
  }

  #resume(): void {
    if (this.#controller?.paused === true) this.#controller.resume();
  }

  /** Resolves when a chunk, the end or an error has arrived. */
  #changed(): Promise<void> {
    return new Promise((resolve) => (this.#wakeReader = resolve));
  }
}

interface WaitLimitOptions {
  readonly clock: Clock;
  /** How long one wait may take. */
  readonly ms: number;
  /** Called once, when a wait has taken longer. */
  readonly exceeded: () => void;
}

/** Limits each wait for the other end of a connection. */
export class WaitLimit {
  readonly #options: WaitLimitOptions;
  #timer: Timer | undefined;

  constructor(options: WaitLimitOptions) {
    this.#options = options;
  }

  /** To be called when a wait begins. Does nothing while one is going on. */
  start(): void {
    const { clock, ms, exceeded } = this.#options;
    this.#timer ??= clock.after(ms, exceeded);
  }

  /** To be called when the wait is over. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
