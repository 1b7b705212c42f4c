import type { IncomingMessage } from 'node:http';
import type { Clock, Timer } from '../../runtime/clock.js';
import type { Parse } from '../../runtime/http/connections.js';
import { errorForHead, isWellFormed, type ReceivedHead } from '../response/parseerror.js';
import { STATUS_ERRORS, StatusError } from '../statuserror.js';

/** The longest head of a request, from its first byte, which may be that of an empty line, to the empty line at its end. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** The longest body with its chunk sizes, chunk extensions and trailer fields. The parser limits these for each chunk only. */
const MAX_BODY_WIRE_BYTES = 4 * 1024 * 1024;
/** How many bytes of a body of unknown length the parser gets at a time: it may read on after the end of the body. */
const PIECE_BYTES = 1024;
const NOTHING = Buffer.alloc(0);
const END_OF_HEAD = Buffer.from('\r\n\r\n');
/** The same four bytes as one number, to compare with the last bytes: a chunked body ends with them, too. */
const END_OF_CHUNKED_BODY = END_OF_HEAD.readUInt32BE();
const CR = 0x0d;
const LF = 0x0a;

interface ScannerOptions {
  readonly clock: Clock;
  /** From the first byte of a head, empty lines before it included, to its end. Ms. */
  readonly headTimeoutMs: number;
  /** The bytes that were received cannot be served. Called at most once. */
  readonly onError: (error: StatusError) => void;
  /** There are bytes after the end of a request in one chunk with it: the client does not wait for the response. */
  readonly onPipelined: () => void;
}

/** A request whose body is being received. */
interface PendingBody {
  readonly message: IncomingMessage;
  readonly chunked: boolean;
  /** Content-Length. */
  readonly length: number;
}

/**
 * Reads the bytes of one connection before Node's parser gets them: the parser ignores the blanks and line ends between
 * the parts of a head, also for its limits, accepts several spaces in a request line, and makes a request of whatever
 * follows one.
 *
 * Flow: `receive` takes each chunk and passes it to the parser; meanwhile the server calls `accepts` for each request that
 * the parser has emitted.
 *
 * Guarantees: a request is accepted only when its head began at the start of a chunk, was scanned to its end, is within
 * the limits and well-formed. A head that shares a chunk with the end of the request before it is never accepted. Of the
 * bytes after a request in the same chunk, the parser gets none; after a chunked body, whose end the parser alone finds,
 * fewer than 1 KiB. After `stop` it gets none.
 *
 * Reads each byte of a head once; needs 16 KiB of memory while a head is incomplete, nothing in between.
 */
export class HeadScanner {
  readonly #options: ScannerOptions;
  /** The beginning of a head whose end was not in the same chunk. */
  #partial: Buffer | undefined;
  #partialLength = 0;
  /** How many bytes of line ends come before the request line, of those that were received. */
  #start = 0;
  /** A complete head whose request the parser has not emitted yet. */
  #head: string | undefined;
  #body: PendingBody | undefined;
  /** Bytes after the head, up to now. */
  #bodyBytes = 0;
  /** The last four bytes so far, as one number. */
  #tail = 0;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /**
   * Passes a chunk to the parser in pieces: the head, the body. Returns the bytes that have to wait until the
   * connection takes more.
   */
  receive(chunk: Buffer, parse: Parse): Buffer {
    let rest = chunk;
    while (rest.length > 0 && !this.#stopped) {
      const length = this.#body === undefined ? this.#scanHead(rest) : this.#scanBody(rest, this.#body);
      if (this.#stopped) break;
      const takesMore = parse(rest.subarray(0, length));
      rest = rest.subarray(length);
      this.#endRequest(rest);
      if (!takesMore && !this.#stopped) return rest;
    }
    return NOTHING;
  }

  /** Whether a request that the parser has emitted may be served. */
  accepts(message: IncomingMessage): boolean {
    if (this.#stopped || this.#head === undefined) return false;
    this.#head = undefined;
    const length = Number(message.headers['content-length'] ?? 0);
    this.#body = { message, chunked: message.headers['transfer-encoding'] !== undefined, length };
    this.#bodyBytes = 0;
    // Those of the head: with an empty Transfer-Encoding no byte follows them.
    this.#tail = END_OF_CHUNKED_BODY;
    return true;
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
    this.#body = undefined;
    this.#endPartial();
  }

  /** Returns how many bytes of the chunk belong to the head. */
  #scanHead(chunk: Buffer): number {
    const before = this.#partialLength;
    const room = MAX_HEAD_BYTES - before;
    const received = this.#partial === undefined ? chunk : this.#append(chunk.subarray(0, room));
    const end = this.#endOfHead(received, before);
    if (end === undefined && received.length < MAX_HEAD_BYTES) {
      if (this.#partial === undefined) this.#beginPartial(chunk);
      return chunk.length;
    }
    if (end === undefined || end > MAX_HEAD_BYTES) {
      this.#fail(new StatusError('headersTooLarge', { message: STATUS_ERRORS.headersTooLarge.when }));
      return 0;
    }
    const text = received.toString('latin1', 0, end);
    this.#endPartial();
    if (isWellFormed(text)) this.#head = text;
    else this.#fail(errorForHead({ text, complete: true }));
    return end - before;
  }

  /** The offset after the empty line at the end of the head; undefined when it is not in `bytes`. */
  #endOfHead(bytes: Buffer, searched: number): number | undefined {
    while (this.#start < bytes.length && isLineEnd(bytes[this.#start])) this.#start += 1;
    const at = bytes.indexOf(END_OF_HEAD, Math.max(this.#start, searched - END_OF_HEAD.length + 1));
    return at < 0 ? undefined : at + END_OF_HEAD.length;
  }

  /** Returns how many bytes of the chunk the parser may get: where the length is known, none after the body. */
  #scanBody(chunk: Buffer, { chunked, length }: PendingBody): number {
    const left = chunked ? 0 : length - this.#bodyBytes;
    const piece = chunk.subarray(0, left > 0 ? left : PIECE_BYTES);
    this.#bodyBytes += piece.length;
    for (const byte of piece.subarray(-4)) this.#tail = ((this.#tail << 8) | byte) >>> 0;
    if (this.#bodyBytes > MAX_BODY_WIRE_BYTES)
      this.#fail(new StatusError('tooLarge', { message: STATUS_ERRORS.tooLarge.when, close: true }));
    return piece.length;
  }

  /** Ends a request that the parser has read completely. `rest`: the bytes of the chunk that it did not get. */
  #endRequest(rest: Buffer): void {
    if (this.#stopped || this.#body?.message.complete !== true) return;
    const { chunked, length } = this.#body;
    this.#body = undefined;
    // The parser may have got the beginning of the next head with the last piece: then the piece does not end as a chunked body
    // does. A whole head does end so, but its request was not accepted.
    const endsWithPiece = chunked ? this.#tail === END_OF_CHUNKED_BODY : this.#bodyBytes === length;
    if (endsWithPiece && rest.length === 0) return;
    this.stop();
    this.#options.onPipelined();
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
