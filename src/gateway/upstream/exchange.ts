import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { WaitLimit } from '../waitlimit.js';
import { toUpstreamError, UpstreamError } from './error.js';

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

export interface ExchangeOptions {
  /** Limits each wait for a chunk of the body; undefined: none of them. */
  readonly waits: WaitLimit | undefined;
  /** The connection is used no more: the response is over, or the connection is closed or was never made. */
  readonly onOver: () => void;
}

/** Of a body. A response that announces more fails before its first chunk. */
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** What is received of a body before it is asked for. Then the connection is read no further. */
const MAX_UNREAD_BYTES = 64 * 1024;

/**
 * One request at the dispatcher, and its response: first the head, then the chunks of the body, in order, for one reader.
 * `Dispatcher.request` does the same with a stream and an AbortSignal, for a fifth more CPU time of a small request.
 */
export class Exchange implements Dispatcher.DispatchHandler, ResponseBody {
  /** The head of the response. Rejects with UpstreamError when there is none. */
  readonly head: Promise<ResponseHead>;
  readonly #options: ExchangeOptions;
  readonly #chunks: Buffer[] = [];
  #unread = 0;
  #complete = false;
  #error: UpstreamError | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #resolveHead: (head: ResponseHead) => void = () => undefined;
  #rejectHead: (error: UpstreamError) => void = () => undefined;
  #wakeReader: () => void = () => undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
    this.head.catch(() => undefined);
  }

  /** Whether it has failed: a request that was not sent yet must not be sent. */
  get failed(): boolean {
    return this.#error !== undefined;
  }

  /** Ends it: whoever waits gets the error at once, also while the connection is being made. The first error counts. */
  abort(error: UpstreamError): void {
    this.#fail(error);
    this.#controller?.abort(error);
  }

  takeWhole(): Buffer[] | undefined {
    return this.#complete && this.#error === undefined ? this.#chunks.splice(0) : undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * The next chunk of the body. To be called again when it has settled.
   * @throws UpstreamError
   */
  async next(): Promise<IteratorResult<Buffer, undefined>> {
    const { waits } = this.#options;
    if (this.#chunks.length === 0 && !this.#complete && this.#error === undefined) {
      waits?.start();
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    waits?.stop();
    if (this.#error !== undefined) throw this.#error;
    const value = this.#chunks.shift();
    if (value === undefined) return { done: true, value };
    this.#unread -= value.length;
    if (this.#chunks.length === 0) this.#controller?.resume();
    return { done: false, value };
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Others are provisional.
    if (status < 200) return;
    this.#resolveHead({ status, headers });
    const length = Number(headers['content-length'] ?? 0);
    if (length > MAX_RESPONSE_BYTES) this.abort(new UpstreamError('broken', 'TOO_LARGE'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > MAX_UNREAD_BYTES) controller.pause();
    this.#wakeReader();
  }

  onResponseEnd(): void {
    this.#complete = true;
    this.#wakeReader();
    this.#options.onOver();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(toUpstreamError(error));
    this.#options.onOver();
  }

  #fail(error: UpstreamError): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#chunks.length = 0;
    this.#rejectHead(error);
    this.#wakeReader();
  }
}
