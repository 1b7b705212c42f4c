import type { IncomingMessage } from 'node:http';
import type { Clock, Timer } from '../../runtime/clock.js';
import { errorForHead, isWellFormed, type ReceivedHead } from '../response/parseerror.js';
import { STATUS_ERRORS, StatusError } from '../statuserror.js';

/** Of a request: from its first byte, empty lines before the request line included, to the empty line at its end. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** Of a body with its chunk sizes, chunk extensions and trailer fields: the parser limits these for one chunk only. */
const MAX_BODY_WIRE_BYTES = 4 * 1024 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const EMPTY_LINE = END_OF_HEAD.readUInt32BE();
const CR = 0x0d;
const LF = 0x0a;

export interface ScannerOptions {
  readonly clock: Clock;
  /** From the first byte of a head, empty lines before it included, to its end. Ms. */
  readonly headTimeoutMs: number;
  /** The bytes that were received cannot be served. Called at most once. */
  readonly onError: (error: StatusError) => void;
  /** There are bytes after the end of a request in one chunk with it: the client does not wait for the response. */
  readonly onPipelined: () => void;
}

/** The request whose body is being received. */
interface Framing {
  readonly message: IncomingMessage;
  readonly chunked: boolean;
  /** Content-Length. */
  readonly length: number;
}

/**
 * Reads the bytes of one connection before Node's parser gets them: the parser ignores the blanks and line ends between
 * the parts of a head, also for its limits, and accepts several spaces in a request line.
 *
 * Flow, for each chunk: `beforeParser`, the parser, `afterParser`. In between, the server calls `accepts` for each
 * request that the parser has emitted.
 *
 * Guarantees: a request is accepted only when its head began with a chunk, was scanned to its end, is within the limits
 * and well-formed. A head that shares a chunk with the end of the request before it is never accepted.
 *
 * Costs one pass over the head; 16 KiB of memory while a head is incomplete, nothing in between.
 */
export class HeadScanner {
  readonly #options: ScannerOptions;
  /** The beginning of a head whose end was not in the same chunk. */
  #partial: Buffer | undefined;
  #partialLength = 0;
  /** The offset of the request line, as far as known: after the line ends before it. */
  #start = 0;
  /** A complete head whose request the parser has not emitted yet. */
  #head: string | undefined;
  #framing: Framing | undefined;
  /** Bytes after the head, up to now. */
  #bodyBytes = 0;
  /** The last four bytes after the head. */
  #tail = 0;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** Takes a chunk that the parser gets next. */
  beforeParser(chunk: Buffer): void {
    if (this.#stopped) return;
    if (this.#framing === undefined) this.#scanHead(chunk);
    else this.#countBody(chunk);
  }

  /** Whether a request that the parser has emitted may be served. */
  accepts(message: IncomingMessage): boolean {
    if (this.#stopped || this.#head === undefined) return false;
    this.#head = undefined;
    const length = Number(message.headers['content-length'] ?? 0);
    this.#framing = { message, chunked: message.headers['transfer-encoding'] !== undefined, length };
    return true;
  }

  /** The parser has read the chunk. */
  afterParser(): void {
    if (this.#stopped || this.#framing?.message.complete !== true) return;
    const { chunked, length } = this.#framing;
    this.#framing = undefined;
    // A chunked body ends with an empty line, and the beginning of a head does not.
    const exact = chunked ? this.#tail === EMPTY_LINE : this.#bodyBytes === length;
    if (exact) return;
    this.stop();
    this.#options.onPipelined();
  }

  /** What was received of a head that was not accepted yet; undefined within a body and between requests. */
  received(): ReceivedHead | undefined {
    if (this.#head !== undefined) return { text: this.#head, complete: true };
    if (this.#partial === undefined) return undefined;
    return { text: this.#partial.toString('latin1', 0, this.#partialLength), complete: false };
  }

  /** Accepts no further request of the connection. */
  stop(): void {
    this.#stopped = true;
    this.#head = undefined;
    this.#framing = undefined;
    this.#endPartial();
  }

  #scanHead(chunk: Buffer): void {
    const before = this.#partialLength;
    const room = MAX_HEAD_BYTES - before;
    const received = this.#partial === undefined ? chunk : this.#append(chunk.subarray(0, room));
    const end = this.#endOfHead(received, before);
    if (end === undefined && received.length < MAX_HEAD_BYTES) {
      if (this.#partial === undefined) this.#beginPartial(chunk);
      return;
    }
    if (end === undefined || end > MAX_HEAD_BYTES) {
      this.#fail(new StatusError('headersTooLarge', { message: STATUS_ERRORS.headersTooLarge.when }));
      return;
    }
    const text = received.toString('latin1', 0, end);
    this.#endPartial();
    if (!isWellFormed(text)) {
      this.#fail(errorForHead({ text, complete: true }));
      return;
    }
    this.#head = text;
    this.#bodyBytes = 0;
    this.#tail = EMPTY_LINE;
    this.#countBody(chunk.subarray(end - before));
  }

  /** The offset after the empty line at the end of the head; undefined when it is not in `bytes`. */
  #endOfHead(bytes: Buffer, searched: number): number | undefined {
    while (this.#start < bytes.length && isLineEnd(bytes[this.#start])) this.#start += 1;
    const at = bytes.indexOf(END_OF_HEAD, Math.max(this.#start, searched - END_OF_HEAD.length + 1));
    return at < 0 ? undefined : at + END_OF_HEAD.length;
  }

  #countBody(chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    for (let index = Math.max(0, chunk.length - 4); index < chunk.length; index++)
      this.#tail = ((this.#tail << 8) | (chunk[index] ?? 0)) >>> 0;
    if (this.#bodyBytes <= MAX_BODY_WIRE_BYTES) return;
    this.#fail(new StatusError('tooLarge', { message: STATUS_ERRORS.tooLarge.when, close: true }));
  }

  #beginPartial(chunk: Buffer): void {
    this.#partial = Buffer.allocUnsafeSlow(MAX_HEAD_BYTES);
    this.#append(chunk);
    const { clock, headTimeoutMs } = this.#options;
    this.#timer = clock.after(headTimeoutMs, () =>
      this.#fail(new StatusError('slow', { message: 'the request did not arrive in time' })),
    );
  }

  /** Returns what was received of the head. */
  #append(chunk: Buffer): Buffer {
    const partial = this.#partial ?? chunk;
    this.#partialLength += chunk.copy(partial, this.#partialLength);
    return partial.subarray(0, this.#partialLength);
  }

  #endPartial(): void {
    this.#partial = undefined;
    this.#partialLength = 0;
    this.#start = 0;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #fail(error: StatusError): void {
    this.stop();
    this.#options.onError(error);
  }
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === CR || byte === LF;
}
