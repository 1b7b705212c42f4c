import { types } from 'node:util';

/** The kind of a failed call to the Kubernetes API, decided by HTTP code and `Status.details`, never by the message. */
export type FailureKind =
  | 'NotFound' // the object (404 with a Status that names it)
  | 'ResourceMissing' // the type is not served: 404 without a named object; never an empty list
  | 'Conflict' // 409: resourceVersion, uid precondition, or another field manager
  | 'AlreadyExists' // 409 AlreadyExists
  | 'Forbidden' // 403
  | 'Unauthorized' // 401, after the credentials were read again
  | 'Invalid' // 400, 415, 422, and each 4xx that is not listed here
  | 'Gone' // 410: resourceVersion or continue token too old
  | 'TooLarge' // 413
  | 'Throttled' // 429
  | 'Unavailable' // 408, 5xx
  | 'Transport' // no response: reset, timeout, TLS, DNS, no credentials; it may have been applied
  | 'Malformed' // not a valid response of the API: HTML, incomplete JSON
  | 'Fenced' // not sent: the lease is not held
  | 'Guarded' // not sent: not permitted by the write guard; a programming error
  | 'Aborted'; // the caller's signal fired

/** One of `Status.details.causes`. */
export interface StatusCause {
  /** An UpperCamelCase word such as FieldValueInvalid. */
  readonly reason: string;
  /** Path such as `spec.tolerations[0].key`. */
  readonly field: string;
  readonly message: string;
}

export interface FailedCall {
  readonly verb: string;
  /** `plural` or `plural.group`, followed by `/` and the subresource if any. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface ApiErrorInit {
  readonly kind: FailureKind;
  readonly message: string;
  readonly call: FailedCall;
  /** HTTP code; 0 without a response. */
  readonly status?: number;
  /** `Status.reason`; empty without one. */
  readonly reason?: string;
  readonly causes?: readonly StatusCause[];
  /** From Retry-After, in ms, at most 60,000. */
  readonly retryAfterMs?: number;
  /** Without a response: the code of Node, OpenSSL or the HTTP client. */
  readonly code?: string;
  /** Without a response: the error of the connection. */
  readonly cause?: unknown;
}

/** The error of a failed call to the Kubernetes API. */
export class ApiError extends Error {
  readonly kind: FailureKind;
  readonly call: FailedCall;
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterMs: number | undefined;
  readonly code: string | undefined;

  constructor(init: ApiErrorInit) {
    super(init.message, init.cause === undefined ? {} : { cause: init.cause });
    this.name = 'ApiError';
    this.kind = init.kind;
    this.call = init.call;
    this.status = init.status ?? 0;
    this.reason = init.reason ?? '';
    this.causes = init.causes ?? [];
    this.retryAfterMs = init.retryAfterMs;
    this.code = init.code;
  }
}

/** Whether `error` is an ApiError of one of these kinds. */
export function isFailure(error: unknown, ...kinds: FailureKind[]): error is ApiError {
  return error instanceof ApiError && kinds.includes(error.kind);
}

/** The message of a thrown value. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The code of a thrown system error, such as `ENOSPC`; `unknown` without one. */
export function codeOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : 'unknown';
}

/** A thrown value, or the reason of a signal, as an Error. */
export function asError(thrown: unknown): Error {
  return types.isNativeError(thrown) ? thrown : new Error(String(thrown));
}

/** As {@link asError}, for a log: the message says when the value was no Error. */
export function loggedError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`a value that is not an Error was thrown: ${String(thrown)}`);
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its disk is read-only',
  EEXIST: 'something else is there',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'no space is left for this user',
  EIO: 'the disk reports an error',
};

/**
 * Why a file could not be read or written, in words; the code, or the name of the error, where there are none. `missing`: what it
 * means that there is no such file.
 */
export function fileFault(error: unknown, missing = 'no such file'): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return missing;
  return FILE_FAULTS[code] ?? (code === 'unknown' && error instanceof Error ? error.name : code);
}
