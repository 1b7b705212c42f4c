/** What went wrong with a call to the Kubernetes API, told apart by code and by `Status.details`, never by text. */
export type FailureKind =
  | 'NotFound' // the object (404 with a Status that names it)
  | 'ResourceMissing' // the type itself is not served: 404 without a named object; never an empty list
  | 'Conflict' // 409: resourceVersion, uid precondition, or another field manager
  | 'AlreadyExists' // 409 AlreadyExists
  | 'Forbidden' // 403
  | 'Unauthorized' // 401, after one refresh of the credentials
  | 'Invalid' // 400, 415, 422
  | 'Gone' // 410: resourceVersion or continue token too old
  | 'TooLarge' // 413
  | 'Throttled' // 429
  | 'Unavailable' // 5xx
  | 'Transport' // no answer: reset, time-out, TLS, name; whether it was applied is unknown
  | 'Malformed' // an answer that is not what the API promises: HTML, cut JSON
  | 'Fenced' // not sent: the lease that allows writes is not held (any more)
  | 'Guarded' // not sent: outside the write guard's table; a programming error
  | 'Aborted'; // given up by the caller's signal

export interface FailureCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export interface FailedCall {
  readonly verb: string;
  /** `plural` or `plural.group`, with `/status` behind it for a subresource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface ApiErrorInit {
  readonly kind: FailureKind;
  readonly message: string;
  readonly call: FailedCall;
  /** HTTP code; 0 where there was no answer. */
  readonly status?: number;
  /** `Status.reason`; empty where there was none. */
  readonly reason?: string;
  readonly causes?: readonly FailureCause[];
  /** From Retry-After, in ms, at most 60,000. */
  readonly retryAfterMs?: number;
}

/** Thrown by every call to the Kubernetes API that did not succeed. */
export class ApiError extends Error {
  readonly kind: FailureKind;
  readonly call: FailedCall;
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly FailureCause[];
  readonly retryAfterMs: number | undefined;

  constructor(init: ApiErrorInit) {
    super(init.message);
    this.name = 'ApiError';
    this.kind = init.kind;
    this.call = init.call;
    this.status = init.status ?? 0;
    this.reason = init.reason ?? '';
    this.causes = init.causes ?? [];
    this.retryAfterMs = init.retryAfterMs;
  }
}

/** Whether `error` is a failure of one of these kinds. */
export function isFailure(error: unknown, ...kinds: FailureKind[]): error is ApiError {
  return error instanceof ApiError && kinds.includes(error.kind);
}
