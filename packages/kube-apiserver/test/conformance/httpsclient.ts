import { readFileSync } from 'node:fs';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { createInterface } from 'node:readline';

import { retryTooManyRequests } from '../../testing/wait.js';
import type { ConformanceTarget } from './target.js';

export interface RawRequest {
  /** GET when left out. */
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. By default JSON is sent and accepted, as administrator. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface RawResponse {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly warnings: readonly string[];
  readonly text: string;
  readonly bytes: Buffer;
}

const DEADLINE_MS = 60_000;

interface Listener {
  readonly line: (line: string) => void;
  readonly end: () => void;
}

/** Sends HTTPS requests to one server and returns responses unchanged. */
export class HttpsClient {
  readonly #target: ConformanceTarget;
  readonly #agent: Agent;

  constructor(target: ConformanceTarget) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(target.caFile) });
  }

  close(): void {
    this.#agent.destroy();
  }

  send(request: RawRequest): Promise<RawResponse> {
    return retryTooManyRequests(
      () => this.#ask(request),
      ({ code }) => code,
    );
  }

  #ask(request: RawRequest): Promise<RawResponse> {
    const options = { ...this.#options(request), signal: AbortSignal.timeout(DEADLINE_MS) };
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(new URL(request.path, this.#target.url), options, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            code: incoming.statusCode ?? 0,
            headers: incoming.headers,
            warnings: incoming.rawHeaders.filter(
              (_text, at) => at % 2 === 1 && incoming.rawHeaders[at - 1]?.toLowerCase() === 'warning',
            ),
            text: Buffer.concat(chunks).toString('utf8'),
            bytes: Buffer.concat(chunks),
          }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(request.body);
    });
  }

  /**
   * Streams a response line by line. Resolves with the status when the response begins. The body of another status than
   * 200 is not read. `on.end` is called at the end of the body, also where it was aborted.
   */
  stream(request: RawRequest, signal: AbortSignal, on: Listener): Promise<number> {
    return retryTooManyRequests(
      () => this.#stream(request, signal, on),
      (code) => code,
    );
  }

  #stream(request: RawRequest, signal: AbortSignal, on: Listener): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(
        new URL(request.path, this.#target.url),
        { ...this.#options(request), signal },
        (incoming) => {
          resolve(incoming.statusCode ?? 0);
          if (incoming.statusCode !== 200) {
            incoming.resume();
            return;
          }
          const lines = createInterface({ input: incoming });
          // Both fail when the signal aborts.
          incoming.on('error', () => undefined);
          lines.on('error', () => undefined);
          lines.on('line', on.line);
          lines.once('close', on.end);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(request.body);
    });
  }

  #options({ method = 'GET', headers = {}, body }: RawRequest): RequestOptions {
    const sent =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return {
      method,
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#target.token}`,
        accept: 'application/json',
        'user-agent': 'conformance/1',
        ...sent,
        ...headers,
      },
    };
  }
}
