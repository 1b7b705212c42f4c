import { readFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';

import { isObject, type JsonObject } from '@multicluster-engine/values/json';
import { retryTooManyRequests } from '../wait.js';

export interface ApiRequest {
  /** Defaults to GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, starting with `/`. */
  readonly path: string;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  /** Defaults to `application/json`; required for PATCH. */
  readonly contentType?: string;
  /** Defaults to the administrator's token. */
  readonly token?: string;
  /** Time limit of the whole response in ms; defaults to 30,000. */
  readonly deadlineMs?: number;
}

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  /** The parsed response; `{}` where it is not JSON. */
  readonly body: AnyObject;
}

/** A parsed object, loosely typed for tests. */
export interface AnyObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: AnyMeta;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly items?: readonly AnyObject[];
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly [field: string]: unknown;
}

export interface AnyMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly continue?: string;
  readonly [field: string]: unknown;
}

export interface Endpoint {
  readonly url: string;
  readonly caFile: string;
  readonly token: string;
}

/** A small HTTPS client with one connection pool, independent of the code under test. */
export class ApiSession {
  readonly #endpoint: Endpoint;
  #agent: Agent | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Closes the idle connections; the next request opens a new one. */
  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  /**
   * Reads a streamed response, such as a watch, line by line. Resolves when it ends or `signal` fires; rejects when the
   * connection breaks or the code is not 200.
   */
  async stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void> {
    const code = await retryTooManyRequests(
      () => this.#stream(path, onLine, signal),
      (one) => one,
    );
    if (code !== 200 && !signal.aborted) throw new Error(`${path}: ${code}`);
  }

  /** Resolves with the code, immediately where it is not 200. */
  #stream(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<number> {
    const headers = { authorization: `Bearer ${this.#endpoint.token}`, accept: 'application/json' };
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => (signal.aborted ? resolve(0) : reject(error));
      const outgoing = httpsRequest(
        new URL(path, this.#endpoint.url),
        { headers, signal, agent: this.#pool() },
        (incoming) => {
          if (incoming.statusCode !== 200) {
            incoming.resume();
            resolve(incoming.statusCode ?? 0);
            return;
          }
          const lines = createInterface({ input: incoming });
          lines.on('line', onLine);
          lines.once('error', fail);
          lines.once('close', () => resolve(200));
        },
      );
      outgoing.on('error', fail);
      outgoing.end();
    });
  }

  #pool(): Agent {
    this.#agent ??= new Agent({ keepAlive: true, ca: readFileSync(this.#endpoint.caFile) });
    return this.#agent;
  }

  call(request: ApiRequest): Promise<ApiAnswer> {
    const agent = this.#pool();
    const { method = 'GET', token = this.#endpoint.token, deadlineMs = 30_000 } = request;
    const body =
      request.body === undefined || typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body === undefined
        ? {}
        : { 'content-type': request.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const signal = AbortSignal.timeout(deadlineMs);
    return new Promise((resolve, reject) => {
      const outgoing = httpsRequest(
        new URL(request.path, this.#endpoint.url),
        { method, headers, agent, signal },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => resolve(answer(incoming.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

function answer(status: number, text: string): ApiAnswer {
  try {
    const body: AnyObject & JsonObject = JSON.parse(text);
    return { status, text, body: isObject(body) ? body : {} };
  } catch {
    return { status, text, body: {} };
  }
}
