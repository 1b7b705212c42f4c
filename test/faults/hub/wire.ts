import type { ApiRequest, ApiResponse as ServerResponse, UserInfo } from '@multicluster-engine/kube-apiserver';
import type { MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { errorOf, objectIn, requestOf } from '../../../src/standalone/inprocess.js';
import { malformed, noResponse } from '../../../src/runtime/transport/apierror.js';
import type { ApiResponse, Call } from '../../../src/runtime/transport/call.js';
import type { CredentialLoader, Credentials } from '../../../src/runtime/transport/credentials.js';
import type { Deadline } from '../../../src/runtime/transport/deadline.js';
import {
  AttemptError,
  type RoundTripper,
  type RoundTripperOptions,
} from '../../../src/runtime/transport/roundtripper.js';
import {
  createTransportWith,
  type Transport,
  type TransportOptions,
} from '../../../src/runtime/transport/transport.js';
import type { Injector } from './injector.js';
import { sentOf, type SentRequest } from './request.js';
import { EventStream } from './stream.js';
import type { ProcessClock, Simulation } from './time.js';

/** What a program is connected by: its clock, its user, and the hub behind the faults. */
export interface Connection {
  readonly simulation: Simulation;
  readonly clock: ProcessClock;
  readonly server: MemoryServer;
  readonly injector: Injector;
  /** Undefined: the server finds it by the credentials of the transport. */
  readonly user: UserInfo | undefined;
  /** Whether the network of the process is cut; absent: never. */
  readonly isCut?: () => boolean;
  /** How long a request is on its way, ms; absent: no time. */
  readonly delayMs?: (call: Call) => number;
  /** When somebody corrects a wrong wall clock of the process; absent: nobody does. */
  readonly clockCorrectedAfterMs?: number;
  /** Of the process, as plans and traces name it. */
  readonly process: string;
  /** Kills the process, and starts it again after `ms`. */
  readonly crash: (ms: number) => void;
  /** Lets the client for which a request is sent close its connection; absent: the process sends for itself. */
  readonly leave?: (sent: SentRequest) => void;
  /** Sees each request when it is sent. */
  readonly sending?: (call: Call) => void;
  /** Sees each request when it reaches the server. */
  readonly review?: ((call: Call) => void) | undefined;
  /** The requests that have no answer yet, and the open watches. */
  readonly open: Set<SentRequest | EventStream>;
}

/** A transport of one process, through the faults of the plan. */
export function createWire(connection: Connection, options: TransportOptions, loader?: CredentialLoader): Transport {
  return createTransportWith((settings) => new FaultyRoundTripper(connection, settings), options, loader);
}

type Answer = (response: ServerResponse) => void;

/** One attempt of a call: a request that travels to the server, and an answer that travels back, each at its own turn. */
class FaultyRoundTripper implements RoundTripper {
  readonly #connection: Connection;
  readonly #options: RoundTripperOptions;

  constructor(connection: Connection, options: RoundTripperOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async call(call: Call, credentials: Credentials, deadline: Deadline): Promise<ApiResponse> {
    return objectIn(call, await this.#exchange(call, credentials, deadline), this.#options, credentials);
  }

  async open(call: Call, credentials: Credentials, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
    const { injector, clock, simulation, open, process } = this.#connection;
    const end = new AbortController();
    const response = await this.#exchange(call, credentials, deadline, end.signal);
    if (response.code !== 200) throw errorOf(call, response, this.#options, credentials);
    const { body } = response;
    if (body.kind === 'bytes' && call.target.verb !== 'watch') return onceOf(body.bytes);
    if (body.kind !== 'stream') throw malformed(call.target, 'the body is not a stream', response.code);
    const stream = new EventStream({ clock, simulation, injector, call, process, end: () => end.abort() });
    open.add(stream);
    injector.streams.add(stream);
    void stream.pump(body.values).finally(() => {
      open.delete(stream);
      injector.streams.delete(stream);
    });
    return stream;
  }

  async close(): Promise<void> {
    // A process that ends cuts its connections: what is under way is not answered.
  }

  #exchange(
    call: Call,
    { headers }: Credentials,
    deadline: Deadline,
    streamEnd?: AbortSignal,
  ): Promise<ServerResponse> {
    const { clock, injector, open, process } = this.#connection;
    call.beforeAttempt?.();
    this.#connection.sending?.(call);
    const sentAt = clock.monotonic();
    const sent = sentOf(call, process);
    injector.sending(sent, this.#connection);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const over = (): boolean => {
        const was = isOver;
        isOver = true;
        open.delete(sent);
        deadline.removeEventListener('abort', late);
        return was;
      };
      const late = (): void => {
        if (!over()) reject(deadline.reason ?? new Error('the deadline has passed'));
      };
      const fail = (why: string): void => {
        if (!over()) reject(new AttemptError(noResponse(call.target, why), false));
      };
      const answer: Answer = (response) => {
        if (over()) return;
        this.#options.serverClock?.observe(new Date(this.#connection.simulation.now()).toUTCString(), sentAt);
        const { 'Retry-After': retryAfter } = response.headers;
        if (retryAfter !== undefined) injector.refused(sent, this.#connection, Number(retryAfter) * 1_000);
        resolve(response);
        injector.answered(sent, this.#connection);
      };
      open.add(sent);
      deadline.addEventListener('abort', late);
      const { Authorization: given } = headers;
      const authorization = typeof given === 'string' ? given : undefined;
      const signal = streamEnd ?? new AbortController().signal;
      const go = (): void =>
        send(this.#connection, { request: () => this.#arrived(call, authorization, signal), sent, answer, fail });
      const delayMs = this.#connection.delayMs?.(call) ?? 0;
      if (delayMs === 0) go();
      else clock.after(delayMs, go);
    });
  }

  /** A call as the server gets it. */
  #arrived(call: Call, authorization: string | undefined, signal: AbortSignal): ApiRequest {
    const { user, review } = this.#connection;
    review?.(call);
    const { limit } = call.query ?? {};
    const paged =
      limit === undefined ? call : { ...call, query: { ...call.query, limit: `${Math.min(+limit, PAGE_SIZE)}` } };
    const { headers, ...request } = requestOf(paged, this.#options.userAgent);
    return { ...request, ...(user && { user }), headers: { ...headers, authorization }, signal };
  }
}

/** A request on its way. */
interface Way {
  readonly sent: SentRequest;
  /** Called when it reaches the server. */
  readonly request: () => ApiRequest;
  /** Called with what the server has done, whether or not the answer arrives. */
  readonly served?: (response: ServerResponse) => void;
  /** `isTorn`: the answer ends in the middle of its body. */
  readonly answer: (response: ServerResponse, isTorn?: boolean) => void;
  readonly fail: (why: string) => void;
}

/** Sends a request to the server, through the faults of the plan. */
export function send(connection: Connection, way: Way): void {
  const { clock, injector } = connection;
  const { sent, answer, fail } = way;
  if (connection.isCut?.() === true) {
    clock.post(() => fail('no route to host'));
    return;
  }
  const fault = injector.next(sent);
  if (fault === undefined || fault.when === 'watch') {
    clock.post(() => serve(connection, way, answer));
    return;
  }
  const { what, when } = fault;
  const isApplied = when === 'applied';
  const act = (response?: ServerResponse): void => {
    if (what.kind === 'answer') clock.post(() => answer(answerOf(what)));
    else if (what.kind === 'page') clock.post(() => answer(PAGE));
    else if (what.kind === 'reset') clock.post(() => fail('the connection was reset'));
    else if (what.kind === 'torn' && response !== undefined) clock.post(() => answer(response, true));
    else if (what.kind !== 'silence') {
      injector.strike(what, sent, connection);
      const go = (): void => (response === undefined ? serve(connection, way, answer) : answer(response));
      if (what.kind === 'slow') clock.after(what.ms, go);
      else if (response !== undefined || !isApplied) clock.post(go);
    }
  };
  if (isApplied) clock.post(() => serve(connection, way, act));
  else act();
}

/** The server carries the request out; the answer has its own turn. */
function serve(connection: Connection, { sent, request, fail, served }: Way, answered: Answer): void {
  const { server, injector, clock } = connection;
  const outage = injector.outageOf(sent);
  if (outage !== undefined) {
    clock.post(() => answered(answerOf(outage)));
    return;
  }
  server.dispatch(request()).then(
    (response) => {
      served?.(response);
      clock.post(() => answered(response));
    },
    (error: unknown) => clock.post(() => fail(String(error))),
  );
}

/** So that short lists have pages, too, between which things happen. */
const PAGE_SIZE = 2;

const PAGE: ServerResponse = {
  code: 200,
  headers: { 'content-type': 'text/html' },
  body: { kind: 'bytes', bytes: Buffer.from('<html><body><h1>We will be back soon</h1></body></html>') },
};

const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The answer of a server or of a proxy in front of it that does not carry the request out. */
function answerOf(answer: {
  readonly status: number;
  readonly reason?: string;
  readonly retryAfter?: string;
  /** The body; absent: a Status. */
  readonly text?: string;
}): ServerResponse {
  const { status: code, reason = REASONS[code] ?? 'Unknown', retryAfter, text } = answer;
  if (text !== undefined)
    return { code, headers: { 'content-type': 'text/plain' }, body: { kind: 'bytes', bytes: Buffer.from(text) } };
  const value = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'injected',
    reason,
    code,
  };
  return {
    code,
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
    body: { kind: 'value', value },
  };
}

async function* onceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
