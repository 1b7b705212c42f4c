import type { ApiResponse as ServerResponse, ApiServer, UserInfo } from '@multicluster-engine/kube-apiserver';
import { createClient } from '../runtime/client/rest.js';
import type { KubeClient } from '../runtime/client/client.js';
import { createIdentityClient, type IdentityClient } from '../runtime/client/identity.js';
import { createTransportWith, type Transport, type TransportOptions } from '../runtime/transport/transport.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import { retryAfterKey, type ApiResponse, type Call } from '../runtime/transport/call.js';
import type { Credentials } from '../runtime/transport/credentials.js';
import { rejectOnAbort, type Deadline } from '../runtime/transport/deadline.js';
import { aborted, errorFromResponse, malformed } from '../runtime/transport/apierror.js';
import { isRecord, parseJson } from '../runtime/vocabulary/json.js';
import { parseRetryAfter } from '../runtime/transport/retry.js';
import {
  AttemptError,
  requestTarget,
  type RoundTripper,
  type RoundTripperOptions,
} from '../runtime/transport/roundtripper.js';

/** An API server in this process, called without a socket. It differs from HTTPS in the authentication only. */
type Server = Pick<ApiServer, 'dispatch'>;

/** A cluster administrator, for the installation at the start only. */
const ADMIN: UserInfo = {
  name: 'multicluster-engine-standalone',
  groups: ['system:masters', 'system:authenticated'],
};

/** Whom the kubeconfig authenticates as. */
export const KUBECONFIG_USER: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export function serviceAccountUser(namespace: string, name: string): UserInfo {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Creates clients of an API server in this process. */
export class InProcessClients {
  readonly #server: Server;
  readonly #log: Logger;
  readonly #version: string;

  constructor(server: Server, version: string, log: Logger) {
    this.#server = server;
    this.#log = log;
    this.#version = version;
  }

  /** A transport that acts as `user`. Unless `options` sets limits, only reviews of tokens have one that a call can reach. */
  transport(user: UserInfo, options: Partial<TransportOptions> = {}): Transport {
    const unlimited = { qps: 10_000, burst: 20_000 };
    return createTransportWith((settings) => new InProcessRoundTripper(this.#server, user, settings), {
      clock: systemClock,
      random: systemRandom,
      log: this.#log,
      userAgent: `multicluster-engine/${this.#version} (standalone)`,
      limits: { default: unlimited, events: unlimited, leases: unlimited },
      ...options,
    });
  }

  admin(): KubeClient {
    return createClient(this.transport(ADMIN));
  }

  adminIdentity(): IdentityClient {
    return createIdentityClient(this.transport(ADMIN));
  }
}

/** Round trips to an API server in this process. Response bodies are shared with the server and must not be mutated. */
export class InProcessRoundTripper implements RoundTripper {
  readonly #server: Server;
  readonly #user: UserInfo;
  readonly #options: RoundTripperOptions;

  constructor(server: Server, user: UserInfo, options: RoundTripperOptions) {
    this.#server = server;
    this.#user = user;
    this.#options = options;
  }

  async call(call: Call, _credentials: unknown, { signal }: Deadline): Promise<ApiResponse> {
    return objectIn(call, await this.#dispatch(call, signal), this.#options);
  }

  async open(call: Call, _credentials: unknown, { signal }: Deadline): Promise<AsyncIterable<Uint8Array>> {
    // As over HTTPS, the deadline's signal ends the wait for the response headers only.
    const response = await this.#dispatch(call, signal, call.signal ?? signal);
    if (response.code !== 200) throw errorOf(call, response, this.#options);
    if (response.body.kind !== 'stream') throw malformed(call.target, 'the body is not a stream', response.code);
    return linesOf(call, response.body.values);
  }

  async close(): Promise<void> {
    // There is no connection to close: calls end with their signals.
  }

  /** `waiting` ends the wait for the response, `signal` the request itself and its response stream. */
  async #dispatch(call: Call, waiting: AbortSignal, signal = waiting): Promise<ServerResponse> {
    const { clock, metrics, userAgent } = this.#options;
    call.beforeAttempt?.();
    const started = clock.monotonic();
    const response = await rejectOnAbort(
      this.#server.dispatch({ ...requestOf(call, userAgent), user: this.#user, signal }),
      waiting,
    );
    metrics?.requested(call.method, 'in-process', String(response.code), (clock.monotonic() - started) / 1000);
    return response;
  }
}

/** The request of a call, without its user. */
export function requestOf(call: Call, userAgent: string) {
  return {
    method: call.method,
    target: requestTarget(call),
    headers: {
      'user-agent': userAgent,
      accept: call.accept ?? 'application/json',
      'content-type': call.contentType ?? 'application/json',
    },
    body: call.body === undefined ? undefined : Buffer.from(call.body),
  };
}

type Tools = Pick<RoundTripperOptions, 'clock' | 'retryAfter'>;

/** The object in a response. `credentials`: those of the request. @throws AttemptError for an error response, ApiError for no object */
export function objectIn(call: Call, response: ServerResponse, tools: Tools, credentials?: Credentials): ApiResponse {
  if (response.code >= 300) throw errorOf(call, response, tools, credentials);
  const value = valueOf(response.body);
  if (!isRecord(value)) throw malformed(call.target, 'the body is not a complete JSON object', response.code);
  return { status: response.code, body: value };
}

/** The error of a response; its Retry-After counts from now on. */
export function errorOf(
  call: Call,
  { code, headers, body }: ServerResponse,
  { clock, retryAfter }: Tools,
  credentials?: Credentials,
): AttemptError {
  const retryAfterMs = parseRetryAfter(headers['Retry-After'] ?? headers['retry-after'], clock.now());
  if (retryAfterMs !== undefined) retryAfter.set(retryAfterKey(call), retryAfterMs);
  const error = errorFromResponse({ status: code, body: valueOf(body), retryAfterMs }, call.target);
  return new AttemptError(error, false, code === 401 ? credentials : undefined);
}

/** The JSON value of a body; undefined for a stream, and when it is not JSON. */
function valueOf(body: ServerResponse['body']): unknown {
  if (body.kind === 'value') return body.value;
  return body.kind === 'bytes' ? parseJson(Buffer.from(body.bytes).toString('utf8')) : undefined;
}

async function* linesOf(call: Call, values: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  for await (const value of values) {
    if (call.signal?.aborted === true) throw aborted(call.target);
    yield Buffer.from(`${JSON.stringify(value)}\n`);
  }
  if (call.signal?.aborted === true) throw aborted(call.target);
}
