import { createInterface } from 'node:readline';
import { Pool } from 'undici';

import { loadKubeconfig } from '../../src/runtime/kubeconfig/kubeconfig.js';
import { retryTooManyRequests } from '@multicluster-engine/kube-apiserver/testing/wait';

export interface Send {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Of a PATCH; default: a JSON merge patch. */
  readonly contentType?: string;
}

interface Answer {
  readonly code: number;
  readonly text: string;
}

/** A client that does nothing but send: undici's connections, with the TLS and the token of a kubeconfig. */
export class BareClient {
  readonly #pool: Pool;
  readonly #streams: Pool;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string | string[]>>;

  private constructor(
    pools: readonly [Pool, Pool],
    base: string,
    headers: Readonly<Record<string, string | string[]>>,
  ) {
    [this.#pool, this.#streams] = pools;
    this.#base = base;
    this.#headers = headers;
  }

  /** `connections`: how many requests are sent at once. */
  static async open(kubeconfig: string, connections: number): Promise<BareClient> {
    const { server, headers, tls } = await loadKubeconfig({ path: kubeconfig }).load(true);
    const { origin, pathname } = new URL(server);
    const pool = (): Pool => new Pool(origin, { connections, pipelining: 1, connect: { ...tls }, bodyTimeout: 0 });
    return new BareClient([pool(), pool()], pathname.replace(/\/$/, ''), headers);
  }

  /** The body of the response. @throws Error for a code that is not 2xx; 429 is repeated. */
  async send(request: Send): Promise<string> {
    const { code, text } = await retryTooManyRequests(
      () => this.#once(request),
      (one) => one.code,
    );
    if (code >= 300) throw new Error(`${request.method} ${request.path}: ${code} ${text}`);
    return text;
  }

  async json<T>(request: Send): Promise<T> {
    const value: T = JSON.parse(await this.send(request));
    return value;
  }

  /** Whether the path can be read. */
  async isServed(path: string): Promise<boolean> {
    return (await this.#once({ method: 'GET', path })).code === 200;
  }

  /** The lines of a streamed response, until `signal` fires. */
  async *lines(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const { body } = await this.#streams.request({
      method: 'GET',
      path: this.#base + path,
      headers: { ...this.#headers, accept: 'application/json' },
      signal,
    });
    yield* createInterface({ input: body });
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#streams.destroy()]);
  }

  async #once({ method, path, body, contentType = 'application/merge-patch+json' }: Send): Promise<Answer> {
    const { statusCode, body: answer } = await this.#pool.request({
      method,
      path: this.#base + path,
      headers: {
        ...this.#headers,
        accept: 'application/json',
        ...(body && { 'content-type': method === 'PATCH' ? contentType : 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { code: statusCode, text: await answer.text() };
  }
}

/** Runs `work` for the numbers from 0 to `count` - 1, `atOnce` at a time. */
export async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
