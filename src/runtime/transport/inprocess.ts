import { retryAfterKey, type ApiResponse, type Call } from './call.js';
import { rejectOnAbort, type Deadline } from './deadline.js';
import { aborted, errorFromResponse, malformed } from './apierror.js';
import { isRecord, parseJson } from '../vocabulary/json.js';
import { parseRetryAfter } from './retry.js';
import { AttemptError, requestTarget, type RoundTripper, type RoundTripperOptions } from './roundtripper.js';

/** The user of a request. An API server in this process does not authenticate it. */
export interface InProcessUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

/** An API server in this process, called without a socket. It differs from HTTPS in the authentication only. */
export interface InProcessServer {
  dispatch(request: InProcessRequest): Promise<InProcessResponse>;
}

export interface InProcessRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly user: InProcessUser;
  readonly signal: AbortSignal;
}

export interface InProcessResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body:
    | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
    | { readonly kind: 'value'; readonly value: unknown }
    | { readonly kind: 'stream'; readonly values: AsyncIterable<unknown> };
}

/** Round trips to an API server in this process. Response bodies are shared with the server and must not be mutated. */
export class InProcessRoundTripper implements RoundTripper {
  readonly #server: InProcessServer;
  readonly #user: InProcessUser;
  readonly #options: RoundTripperOptions;

  constructor(server: InProcessServer, user: InProcessUser, options: RoundTripperOptions) {
    this.#server = server;
    this.#user = user;
    this.#options = options;
  }

  async call(call: Call, _credentials: unknown, { signal }: Deadline): Promise<ApiResponse> {
    const response = await this.#dispatch(call, signal);
    if (response.code >= 300) throw this.#errorOf(call, response);
    const value = valueOf(response.body);
    if (!isRecord(value)) throw malformed(call.target, 'the body is not a complete JSON object', response.code);
    return { status: response.code, body: value };
  }

  async open(call: Call, _credentials: unknown, { signal }: Deadline): Promise<AsyncIterable<Uint8Array>> {
    // As over HTTPS, the deadline's signal ends the wait for the response headers only.
    const response = await this.#dispatch(call, signal, call.signal ?? signal);
    if (response.code !== 200) throw this.#errorOf(call, response);
    if (response.body.kind !== 'stream') throw malformed(call.target, 'the body is not a stream', response.code);
    return linesOf(call, response.body.values);
  }

  async close(): Promise<void> {
    // There is no connection to close: calls end with their signals.
  }

  /** `waiting` ends the wait for the response, `signal` the request itself and its response stream. */
  async #dispatch(call: Call, waiting: AbortSignal, signal = waiting): Promise<InProcessResponse> {
    const { clock, metrics, userAgent } = this.#options;
    call.beforeAttempt?.();
    const started = clock.monotonic();
    const response = await rejectOnAbort(
      this.#server.dispatch({
        method: call.method,
        target: requestTarget(call),
        headers: {
          'user-agent': userAgent,
          accept: call.accept ?? 'application/json',
          'content-type': call.contentType ?? 'application/json',
        },
        body: call.body === undefined ? undefined : Buffer.from(call.body),
        user: this.#user,
        signal,
      }),
      waiting,
    );
    metrics?.requested(call.method, 'in-process', String(response.code), (clock.monotonic() - started) / 1000);
    return response;
  }

  #errorOf(call: Call, { code, headers, body }: InProcessResponse): AttemptError {
    const retryAfterMs = parseRetryAfter(headers['Retry-After'] ?? headers['retry-after'], this.#options.clock.now());
    if (retryAfterMs !== undefined) this.#options.retryAfter.set(retryAfterKey(call), retryAfterMs);
    return new AttemptError(errorFromResponse({ status: code, body: valueOf(body), retryAfterMs }, call.target), false);
  }
}

/** The JSON value of a body; undefined for a stream, and when it is not JSON. */
function valueOf(body: InProcessResponse['body']): unknown {
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
