/** What the proxy does to one request instead of passing it on. */
export type Fault = Substitute | Reset | Cut | Silence | Interruption;

/** An answer of the proxy's own; `applied`: the server has carried the request out all the same. */
export interface Substitute {
  readonly kind: 'answer';
  readonly applied: boolean;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The connection is reset: before the server has the request, or after it has answered it. */
export interface Reset {
  readonly kind: 'reset';
  readonly applied: boolean;
}

/** Only the first `bytes` of the server's answer arrive: `whole` in a well-framed answer, else the connection ends there. */
export interface Cut {
  readonly kind: 'cut';
  readonly bytes: number;
  readonly whole: boolean;
}

/** The request is neither forwarded nor answered; the client has to time out. */
export interface Silence {
  readonly kind: 'silence';
}

/** Something is done to the client at that very moment (it is killed, or stopped), before or after the server's turn. */
export interface Interruption {
  readonly kind: 'interrupt';
  readonly applied: boolean;
  readonly run: () => Promise<void> | void;
  /** Whether the answer is passed on afterwards; else the connection is reset. */
  readonly passOn: boolean;
  /** Runs when the answer that was passed on is sent. */
  readonly afterwards?: () => void;
}

function failure(code: number, reason: string, message: string): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}

const JSON_TYPE = { 'content-type': 'application/json' };

export const throttled: Fault = {
  kind: 'answer',
  applied: false,
  status: 429,
  headers: { ...JSON_TYPE, 'retry-after': '1' },
  body: failure(429, 'TooManyRequests', 'the server has received too many requests'),
};

export function broken(status: 500 | 503, applied: boolean): Fault {
  const reason = status === 500 ? 'InternalError' : 'ServiceUnavailable';
  return {
    kind: 'answer',
    applied,
    status,
    headers: JSON_TYPE,
    body: failure(status, reason, 'etcdserver: request timed out'),
  };
}

/** The page of a load balancer without a backend, with code 200. */
export const page: Fault = {
  kind: 'answer',
  applied: false,
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>We will be back soon</h1></body></html>',
};

/** Everything that may happen to a request on its way, with a name for messages. */
export const FAULTS: readonly (readonly [string, Fault])[] = [
  ['429 with Retry-After', throttled],
  ['500, not applied', broken(500, false)],
  ['500, applied', broken(500, true)],
  ['503, not applied', broken(503, false)],
  ['503, applied', broken(503, true)],
  ['reset, not applied', { kind: 'reset', applied: false }],
  ['reset, applied', { kind: 'reset', applied: true }],
  ['cut JSON in a whole answer', { kind: 'cut', bytes: 40, whole: true }],
  ['connection cut inside the answer', { kind: 'cut', bytes: 40, whole: false }],
  ['an empty answer', { kind: 'cut', bytes: 0, whole: true }],
  ['a page of HTML with 200', page],
];
