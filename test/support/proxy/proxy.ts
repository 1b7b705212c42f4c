import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';

import type { Fault } from './fault.js';
import { passing, type PassingRequest } from './request.js';

export interface ProxyOptions {
  /** The server behind. */
  readonly url: string;
  /** PEM file of the server's authority. Beside it lie the certificate that the server shows, and its key: the proxy shows it too. */
  readonly caFile: string;
  /** Put behind the User-Agent of every request, so that the server's log shows which requests passed the proxy. */
  readonly mark?: string;
}

/** What happens to a request; undefined: it passes. */
export type Plan = (request: PassingRequest) => Fault | undefined;

interface Upstream {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'upgrade'];

/** A TLS proxy in front of an API server: forwards and counts requests, and applies the fault that the plan returns for a request. */
export class Proxy {
  /** Decides on each request as it arrives whole. */
  plan: Plan = () => undefined;
  /** Called with each request that passed or was hit, after the plan. */
  seen: (request: PassingRequest) => void = () => undefined;
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #upstream: Agent;
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<Socket>();
  #count = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    const beside = path.join(path.dirname(options.caFile), 'apiserver');
    const [cert, key] = [readFileSync(`${beside}.crt`), readFileSync(`${beside}.key`)];
    this.#upstream = new Agent({ keepAlive: true, ca: readFileSync(options.caFile) });
    this.#server = createServer(
      { cert, key, keepAliveTimeout: 60_000 },
      (incoming, outgoing) => void this.#handle(incoming, outgoing),
    );
    this.#server.on('secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens on a free port of 127.0.0.1. */
  static async start(options: ProxyOptions): Promise<Proxy> {
    const proxy = new Proxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', () => resolve());
    });
    return proxy;
  }

  get url(): string {
    const address: AddressInfo | string | null = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return `https://127.0.0.1:${address.port}`;
  }

  /** Requests that arrived so far. */
  get count(): number {
    return this.#count;
  }

  /** Ends every watch that runs now. */
  cutWatches(): void {
    for (const socket of this.#watches) socket.destroy();
  }

  /** Ends every connection that is open now. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.#upstream.destroy();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutAll();
    await closed;
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const body = await whole(incoming);
      this.#count += 1;
      const request = passing(this.#count, incoming.method ?? 'GET', incoming.url ?? '/');
      const fault = this.plan(request);
      this.seen(request);
      if (fault === undefined) this.#pass(request, { incoming, body, outgoing });
      else await this.#hit(request, fault, { incoming, body, outgoing });
    } catch {
      outgoing.destroy();
    }
  }

  /** Passes request and answer on; an answer of more than `limit` bytes is cut off there. */
  #pass(request: PassingRequest, { incoming, body, outgoing }: Exchange, limit = Infinity): void {
    if (request.watch) {
      this.#watches.add(incoming.socket);
      outgoing.once('close', () => this.#watches.delete(incoming.socket));
    }
    const upstream = this.#forward(incoming, body, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer));
      outgoing.flushHeaders();
      let left = limit;
      answer.on('data', (chunk: Buffer) => {
        if (left > chunk.length) outgoing.write(chunk);
        else outgoing.write(chunk.subarray(0, left), () => outgoing.destroy());
        left -= chunk.length;
      });
      answer.on('end', () => outgoing.end());
      answer.on('error', () => outgoing.destroy());
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.once('close', () => upstream.destroy());
  }

  async #hit(request: PassingRequest, fault: Fault, exchange: Exchange): Promise<void> {
    const { incoming, body, outgoing } = exchange;
    if (fault.kind === 'silence') return;
    if (fault.kind === 'cut' && request.watch) {
      this.#pass(request, exchange, fault.bytes);
      return;
    }
    // A watch is answered when it ends, and is not waited for.
    const applied = !request.watch && (fault.kind === 'cut' || fault.applied);
    const answer = applied ? await this.#ask(incoming, body) : undefined;
    if (fault.kind === 'interrupt') await fault.run();
    if (fault.kind === 'answer') {
      outgoing.writeHead(fault.status, { ...fault.headers, 'content-length': Buffer.byteLength(fault.body) });
      outgoing.end(fault.body);
    } else if (fault.kind === 'cut' && answer !== undefined) {
      cut(outgoing, answer, fault);
    } else if (fault.kind === 'interrupt' && fault.passOn && answer !== undefined) {
      outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
      outgoing.end(answer.body, fault.afterwards);
    } else {
      incoming.socket.destroy();
    }
  }

  #ask(incoming: IncomingMessage, body: Buffer): Promise<Upstream> {
    return new Promise((resolve, reject) => {
      const upstream = this.#forward(incoming, body, (answer) => {
        const give = (content: Buffer): void =>
          resolve({ status: answer.statusCode ?? 502, headers: endToEnd(answer), body: content });
        whole(answer).then(give, reject);
      });
      upstream.on('error', reject);
    });
  }

  #forward(
    incoming: IncomingMessage,
    body: Buffer,
    answered: (answer: IncomingMessage) => void,
  ): ReturnType<typeof httpsRequest> {
    const headers = { ...incoming.headers };
    for (const name of HOP_BY_HOP) delete headers[name];
    delete headers['host'];
    if (this.#options.mark !== undefined)
      headers['user-agent'] = `${headers['user-agent'] ?? ''} ${this.#options.mark}`;
    if (body.length > 0) headers['content-length'] = String(body.length);
    const url = new URL(incoming.url ?? '/', this.#options.url);
    const upstream = httpsRequest(url, { method: incoming.method ?? 'GET', headers, agent: this.#upstream }, answered);
    upstream.end(body);
    return upstream;
  }
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
}

function cut(
  outgoing: ServerResponse,
  answer: Upstream,
  { bytes, whole: framed }: { readonly bytes: number; readonly whole: boolean },
): void {
  const length = Math.min(bytes, Math.max(answer.body.length - 1, 0));
  const part = answer.body.subarray(0, length);
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': framed ? length : answer.body.length });
  if (framed) outgoing.end(part);
  else outgoing.write(part, () => outgoing.destroy());
}

function endToEnd(answer: IncomingMessage): NodeJS.Dict<string | string[]> {
  const headers = { ...answer.headers };
  for (const name of HOP_BY_HOP) delete headers[name];
  return headers;
}

async function whole(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
