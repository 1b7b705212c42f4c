import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.js';

/** The head of a response with its body, which may not have been received yet. */
export interface IncomingResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponseBody;
}

/** Received bytes that nobody has read yet: above this the connection is paused. */
const HIGH_WATER_BYTES = 1024 * 1024;

/**
 * Sends a request; resolves with the head of the response. Rejects with the error of the connection, or with the reason of
 * `deadline`, which ends the response too.
 *
 * This is undici's `request` without Node's streams: most of the CPU time of a small call, and of an event of a watch, was
 * spent in a stream and its iterator, which are made for each response and pass each chunk on in several turns.
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  deadline: Deadline,
): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new Exchange(deadline, resolve, reject));
  });
}

/** Receives what undici reads of one response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #deadline: Deadline;
  readonly #resolve: (response: IncomingResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #body = new ResponseBody();

  constructor(deadline: Deadline, resolve: (response: IncomingResponse) => void, reject: (error: Error) => void) {
    this.#deadline = deadline;
    this.#resolve = resolve;
    this.#reject = reject;
    deadline.onEnd(this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#body.start(controller);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#resolve({ status, headers, body: this.#body });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body.push(chunk);
  }

  onResponseEnd(): void {
    this.#deadline.offEnd(this.#abort);
    this.#body.end(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#deadline.offEnd(this.#abort);
    this.#body.end(error);
    this.#reject(error);
  }

  readonly #abort = (reason: Error): void => {
    this.#body.abort(reason);
    this.#reject(reason);
  };
}

/** The body of a response: read once, as a whole or by chunk. */
export class ResponseBody {
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  /** Bytes in `#chunks`. */
  #size = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  /** The request is being sent. */
  start(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > HIGH_WATER_BYTES && this.#wake === undefined) this.#controller?.pause();
    this.#wake?.();
  }

  /** The response has ended, with `error` if it is not complete. */
  end(error: Error | undefined): void {
    this.#ended = true;
    this.#error ??= error;
    this.#wake?.();
  }

  /** Ends the request or the response, whatever of it is going on. */
  abort(error: Error): void {
    if (this.#ended) return;
    this.end(error);
    this.#controller?.abort(error);
  }

  /** The whole body; undefined, and the response ends, when it is longer than `limit` bytes. @throws the error of the connection. */
  async bytes(limit: number): Promise<Buffer | undefined> {
    if (this.#controller?.paused === true) this.#controller.resume();
    while (!this.#ended && this.#size <= limit) await this.#changed();
    if (this.#error !== undefined) throw this.#error;
    if (this.#size > limit) {
      this.abort(new Error('the response is too long'));
      return undefined;
    }
    const [only] = this.#chunks;
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#size);
  }

  /** The chunks as they come. @throws the error of the connection, once the chunks before it are read. */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const taken = this.#chunks;
      this.#chunks = [];
      this.#size = 0;
      for (const chunk of taken) yield chunk;
      if (this.#chunks.length > 0) continue;
      if (this.#controller?.paused === true) this.#controller.resume();
      if (this.#error !== undefined) throw this.#error;
      if (this.#ended) return;
      await this.#changed();
    }
  }

  async #changed(): Promise<void> {
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}
