import { connect, type TLSSocket } from 'node:tls';

export interface SentRequest {
  readonly method: string;
  /** Path and query, starting with `/`. */
  readonly path: string;
  /** Sent unchanged. */
  readonly body?: string;
  /** Defaults to `application/json`. */
  readonly contentType?: string;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly body: Buffer;
}

interface PendingRequest {
  readonly resolve: (received: ReceivedResponse) => void;
  readonly reject: (error: Error) => void;
}

const EMPTY_LINE = '\r\n\r\n';
/** The last chunk of a chunked response: JSON cannot contain these bytes. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

/**
 * A persistent HTTPS connection for one request at a time. It does little work per request, so that benchmarks measure
 * the server. It supports JSON responses only, with a Content-Length or chunked.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #headers: string;
  #chunks: Buffer[] = [];
  #size = 0;
  #frame: Frame | undefined;
  #asked: PendingRequest | undefined;

  private constructor(socket: TLSSocket, headers: string) {
    this.#socket = socket;
    this.#headers = headers;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => this.#end(new Error('the connection has ended')));
  }

  /** Rejects where there is no server, or none that `ca` verifies. */
  static open({
    url,
    ca,
    token,
  }: {
    readonly url: string;
    readonly ca: string;
    readonly token: string;
  }): Promise<Connection> {
    const { hostname, host, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca }, () => {
        resolve(
          new Connection(socket, `Host: ${host}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`),
        );
      });
      socket.on('error', reject);
    });
  }

  /** Rejects where the connection ends before the response is complete. */
  request({ method, path, body = '', contentType = 'application/json' }: SentRequest): Promise<ReceivedResponse> {
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection has ended'));
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject };
      const about = body === '' ? '' : `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#headers}${about}\r\n${body}`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(error: Error): void {
    this.#asked?.reject(error);
    this.#asked = undefined;
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#frame ??= frameOf(Buffer.concat(this.#chunks));
    if (this.#frame === undefined || !this.#isWhole(this.#frame)) return;
    const bytes = Buffer.concat(this.#chunks);
    const rest = bytes.subarray(this.#frame.bodyAt);
    const body = this.#frame.end === undefined ? joined(rest) : rest;
    const asked = this.#asked;
    this.#chunks = [];
    this.#size = 0;
    this.#frame = undefined;
    this.#asked = undefined;
    asked?.resolve({ status: Number(bytes.toString('latin1', 9, 12)), body });
  }

  #isWhole({ end }: Frame): boolean {
    if (end !== undefined) return this.#size >= end;
    const last = this.#chunks.slice(-LAST_CHUNK.length).map((one) => one.subarray(-LAST_CHUNK.length));
    return Buffer.concat(last).subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }
}

/** The offset of the body of a response, and its end unless it is chunked. */
interface Frame {
  readonly bodyAt: number;
  readonly end: number | undefined;
}

/** undefined while the headers are incomplete. */
function frameOf(bytes: Buffer): Frame | undefined {
  const headersEnd = bytes.indexOf(EMPTY_LINE);
  if (headersEnd < 0) return undefined;
  const bodyAt = headersEnd + EMPTY_LINE.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headersEnd))?.[1];
  return { bodyAt, end: length === undefined ? undefined : bodyAt + Number(length) };
}

function joined(chunks: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const line = chunks.indexOf('\r\n', at);
    const size = Number.parseInt(chunks.toString('latin1', at, line), 16);
    if (size === 0) return Buffer.concat(parts);
    const begin = line + 2;
    parts.push(chunks.subarray(begin, begin + size));
    at = begin + size + 2;
  }
}
