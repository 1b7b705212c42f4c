import { Duplex } from 'node:stream';

import type { ApiResponse } from '@multicluster-engine/kube-apiserver';
import type { Dispatcher } from 'undici';

import { createServing, type ServingOptions } from '../../../src/gateway/gateway.js';
import { objectToSend } from '../../../src/gateway/request/objectbody.js';
import type { UpstreamPool } from '../../../src/gateway/upstream/upstream.js';
import type { Timer } from '../../../src/runtime/clock.js';
import { writeYaml } from '@multicluster-engine/values/read/strictyaml';
import { document, rules } from '../../gateway/openapi/document.js';
import type { Process, ProcessOptions } from './process.js';
import { loggerOf } from './processlog.js';
import { NO_METRICS } from './program.js';
import type { SentRequest } from './request.js';
import { ProcessClock } from './time.js';
import { send, type Connection } from './wire.js';

/** A request that the gateway sends to the API server. */
export interface UpstreamRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly token: string;
  /** Whether it changes something. */
  readonly isWrite: boolean;
}

/** Who has connections to the gateway. */
export interface Clientele {
  /** Called for each request that the gateway sends; the function that it returns, with what the server has done. */
  dispatched(request: UpstreamRequest): (response: ApiResponse) => void;
  /** Closes the connection of the client with that token. */
  leave(token: string): void;
}

/** What a client gets of its connection. */
export interface Receiver {
  data(bytes: Buffer): void;
  closed(): void;
}

/** The flags' defaults. */
const LIMITS = { maxConnections: 1_000, headerTimeoutMs: 10_000, requestTimeoutMs: 30_000 };
const UPSTREAM_TIMEOUT_MS = 15_000;

const OPTIONS: Pick<ServingOptions, 'upstream' | 'userAgent' | 'openapi' | 'rules' | 'parser'> = {
  upstream: 'https://hub.example.com:6443',
  userAgent: 'multicluster-engine-gateway/faults',
  openapi: JSON.stringify(document),
  rules,
  // Large bodies, too, without a thread: no seed names when a thread answers.
  parser: {
    parse: async (bytes, request) => objectToSend(bytes, request),
    toYaml: async (bytes) => writeYaml(JSON.parse(bytes.toString('utf8'))),
  },
};

/**
 * A process of the gateway in the simulation: Node's HTTP server and all of the gateway behind it, with connections that TLS has
 * decrypted, and with the connections to the API server in place of undici's.
 */
export class GatewayProgram implements Process {
  readonly name = 'gateway';
  readonly isPeriodic = false;
  readonly passes = new Map<string, number>();
  activeAt = 0;
  readonly #options: ProcessOptions;
  readonly #clientele: Clientele;
  readonly #sockets = new Set<ClientSocket>();
  #clock: ProcessClock | undefined;
  #serving: ReturnType<typeof createServing> | undefined;
  #open = new Set<SentRequest>();
  #ports = 0;

  constructor(options: ProcessOptions, clientele: Clientele) {
    this.#options = options;
    this.#clientele = clientele;
  }

  start(): void {
    const clock = new ProcessClock(this.#options.simulation);
    this.#clock = clock;
    this.#open = new Set();
    this.#serving = createServing({
      ...OPTIONS,
      upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS,
      limits: LIMITS,
      strict: false,
      readiness: { check: () => undefined },
      clock,
      log: loggerOf(this.name, this.#options),
      metrics: NO_METRICS,
      createPool: () => this.#pool(clock),
    });
    this.#serving.upstream.trust('');
  }

  /** As SIGKILL: what it has under way has no effect any more, and its connections break. */
  kill(): void {
    this.#clock?.kill();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  crash(ms: number): void {
    if (this.#clock?.dead !== false) return;
    this.kill();
    this.#options.simulation.after(ms, () => this.start());
  }

  stop(ms: number): void {
    this.#clock?.stop(ms);
  }

  get isCurrent(): boolean {
    return this.isListening && this.#open.size === 0;
  }

  /** What is left of clients that have all gone; undefined for nothing. */
  get left(): string | undefined {
    const left = {
      connections: this.#serving?.connections.open,
      timers: this.#clock?.armed,
      requests: this.#open.size,
      bytes: this.#serving?.bodies.reserved,
    };
    return Object.values(left).every((count) => count === 0) ? undefined : JSON.stringify(left);
  }

  get isListening(): boolean {
    return this.#clock?.dead === false;
  }

  /** A new connection of a client. */
  connect(receiver: Receiver): ClientSocket {
    if (this.#serving === undefined || this.#clock === undefined) throw new Error('nobody listens');
    const { server, connections } = this.#serving;
    const socket = new ClientSocket(this.#clock, this.#options.simulation, receiver, (this.#ports += 1));
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    connections.accept(socket as never);
    server.node.emit('secureConnection', socket);
    return socket;
  }

  /** Does as Node's server does with a request that does not arrive in time; its own timers run by the clock of the machine. */
  expire(socket: ClientSocket): void {
    if (socket.destroyed) return;
    const { node } = this.#serving?.server ?? {};
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const timer = this.#clock?.after(LIMITS.requestTimeoutMs, () => node?.emit('clientError', late, socket));
    socket.once('close', () => timer?.cancel());
  }

  /** What takes the place of undici's connections to the API server. */
  #pool(clock: ProcessClock): UpstreamPool {
    const { simulation, server, injector } = this.#options;
    const tokens = new Map<SentRequest, string>();
    const connection: Connection = {
      simulation,
      server,
      injector,
      clock,
      process: this.name,
      user: undefined,
      open: new Set(),
      crash: (ms) => clock.dead || this.crash(ms),
      leave: (sent) => this.#clientele.leave(tokens.get(sent) ?? ''),
    };
    const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
      if (clock.dead) return false;
      this.activeAt = clock.monotonic();
      const { method, path: target } = options;
      const { authorization = '', ...headers } = options.headers as Record<string, string>;
      const { sent, request } = requestOf(method, target, authorization.replace('Bearer ', ''));
      tokens.set(sent, request.token);
      const body = typeof options.body === 'string' ? Buffer.from(options.body) : undefined;
      const signal = new AbortController().signal;
      this.#exchange(connection, handler, {
        sent,
        served: this.#clientele.dispatched(request),
        request: () => ({ method, target, headers: { ...headers, authorization }, body, signal }),
      });
      return true;
    };
    const closed = async (): Promise<void> => undefined;
    return { dispatch, close: closed, destroy: closed };
  }

  /** Sends a request, and gives its handler what undici would. */
  #exchange(
    connection: Connection,
    handler: Dispatcher.DispatchHandler,
    way: Omit<Parameters<typeof send>[1], 'answer' | 'fail'>,
  ): void {
    const { sent } = way;
    const open = this.#open.add(sent);
    const fail = (error: Error): void => {
      if (open.delete(sent)) handler.onResponseError?.(controller, error);
    };
    const nothing = (): void => undefined;
    const controller = { paused: false, pause: nothing, resume: nothing, abort: fail } as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, {});
    send(connection, {
      ...way,
      answer: ({ code, headers, body }, isTorn = false) => {
        if (!open.has(sent)) return;
        const bytes = bytesOf(body);
        handler.onResponseStart?.(controller, code, headersOf(headers), '');
        handler.onResponseData?.(controller, isTorn ? bytes.subarray(0, bytes.length / 2) : bytes);
        if (isTorn) fail(reset());
        else if (open.delete(sent)) handler.onResponseEnd?.(controller, {});
        connection.injector.answered(sent, connection);
      },
      fail: () => fail(reset()),
    });
  }
}

const REVIEW = 'selfsubjectreviews';

function requestOf(
  method: string,
  target: string,
  token: string,
): { readonly sent: SentRequest; readonly request: UpstreamRequest } {
  const [path = ''] = target.split('?');
  const [, , group = '', , ...rest] = path.split('/');
  const [plural = '', name = ''] = rest[0] === 'namespaces' ? rest.slice(2) : rest;
  const isWrite = method !== 'GET' && plural !== REVIEW;
  const verb = method === 'GET' && name === '' ? 'list' : method.toLowerCase();
  const sort = isWrite ? 'write' : 'read';
  const sent = { process: 'gateway', method, path: target, resource: `${plural}.${group}`, verb, name, sort } as const;
  return { sent: sent as SentRequest, request: { method, path, token, isWrite } };
}

function bytesOf(body: ApiResponse['body']): Buffer {
  return body.kind === 'bytes'
    ? Buffer.from(body.bytes)
    : Buffer.from(JSON.stringify('value' in body ? body.value : ''));
}

function headersOf(headers: ApiResponse['headers']): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return { 'content-type': 'application/json', ...Object.fromEntries(lower) };
}

function reset(): Error {
  return Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' });
}

/** The gateway's end of a connection, after TLS. What is sent travels in its order, each piece at its own turn. */
export class ClientSocket extends Duplex {
  readonly remoteAddress = '192.0.2.7';
  readonly remotePort: number;
  readonly #clock: ProcessClock;
  readonly #simulation: ProcessOptions['simulation'];
  readonly #receiver: Receiver;
  readonly #arriving: (() => void)[] = [];
  readonly #leaving: (() => void)[] = [];
  #timer: Timer | undefined;

  constructor(clock: ProcessClock, simulation: ProcessOptions['simulation'], receiver: Receiver, port: number) {
    super({ allowHalfOpen: false });
    this.#clock = clock;
    this.#simulation = simulation;
    this.#receiver = receiver;
    this.remotePort = port;
  }

  /** To be called by the client. */
  arrive(bytes: Buffer): void {
    this.#arrives(() => this.push(bytes));
  }

  /** The client sends no more; or it is gone, as a broken connection says. */
  leave(how: 'end' | 'reset'): void {
    this.#arrives(() => (how === 'end' ? this.push(null) : this.destroy(reset())));
  }

  /** As of a socket. */
  setTimeout(ms: number, listener?: () => void): this {
    if (listener !== undefined) this.once('timeout', listener);
    this.#timer?.cancel();
    this.#timer = ms === 0 ? undefined : this.#clock.after(ms, () => this.emit('timeout'));
    return this;
  }

  /** As of a socket. */
  destroySoon(): void {
    if (!this.writableEnded) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#leaves(() => this.#receiver.data(bytes));
    done();
  }

  override _destroy(_error: Error | null, done: () => void): void {
    this.#timer?.cancel();
    this.#leaves(() => this.#receiver.closed());
    done();
  }

  #arrives(work: () => void): void {
    this.#arriving.push(work);
    this.#clock.post(() => {
      const next = this.#arriving.shift();
      if (!this.destroyed) next?.();
    });
  }

  #leaves(work: () => void): void {
    this.#leaving.push(work);
    this.#simulation.post(() => this.#leaving.shift()?.());
  }
}
