import type { StatusCause } from '../runtime/errors.js';

/** An error that a client can get. */
interface StatusErrorSpec {
  readonly code: number;
  /** `Status.reason`: a reason of Kubernetes where it has one. */
  readonly reason: string;
  readonly when: string;
}

/**
 * All error responses. 403, 404, 500 and 503 are those of the interface. The others are HTTP codes for client errors that
 * the interface does not define. 404, 500 and 503 have no body; the body of the others is a Kubernetes Status. With
 * `--strict-status-codes` only the codes of the interface are used, and no error has a body.
 */
export const STATUS_ERRORS = {
  malformed: {
    code: 400,
    reason: 'BadRequest',
    when: 'the request, a header or the body is malformed, or does not agree with the path',
  },
  forbidden: {
    code: 403,
    reason: 'Forbidden',
    when: 'there is no token that the API server accepts, the user has no permission, a policy denies the request, or the request comes from another site',
  },
  notFound: { code: 404, reason: 'NotFound', when: 'there is no such path or no such object' },
  method: { code: 405, reason: 'MethodNotAllowed', when: 'the path has no such method' },
  slow: { code: 408, reason: 'Timeout', when: 'the request did not arrive in time' },
  conflict: { code: 409, reason: 'Conflict', when: 'the object has changed since its resourceVersion was read' },
  exists: { code: 409, reason: 'AlreadyExists', when: 'an object of that name exists' },
  precondition: {
    code: 412,
    reason: 'PreconditionFailed',
    when: 'the object is not at the revision that If-Match names',
  },
  tooLarge: { code: 413, reason: 'RequestEntityTooLarge', when: 'the body is larger than 1 MiB' },
  mediaType: {
    code: 415,
    reason: 'UnsupportedMediaType',
    when: 'the body is neither YAML nor JSON in UTF-8, or is compressed',
  },
  expectation: { code: 417, reason: 'ExpectationFailed', when: 'Expect is not 100-continue' },
  invalid: { code: 422, reason: 'Invalid', when: 'a field of the object has a value that is not valid' },
  headersTooLarge: {
    code: 431,
    reason: 'RequestHeaderFieldsTooLarge',
    when: 'the head is larger than 16 KiB or has more than 100 fields',
  },
  failed: {
    code: 500,
    reason: 'InternalError',
    when: 'the API server gave no usable answer; whether a change was made is not known',
  },
  unavailable: {
    code: 503,
    reason: 'ServiceUnavailable',
    when: 'the API server cannot be reached or verified, is slow or overloaded, or the gateway is overloaded or not ready',
  },
} as const satisfies Readonly<Record<string, StatusErrorSpec>>;

export type StatusErrorKind = keyof typeof STATUS_ERRORS;

/** The codes of errors that never have a body. */
export const BODYLESS_CODES: readonly number[] = [404, 500, 503];

/** The message for every 403 of the API server: its response does not say what the reason was. */
export const DENIED_MESSAGE =
  'the API server denied the request: the token is not valid or has expired, the user does not have the permission, or a policy forbids it';

export interface StatusErrorDetail {
  readonly message: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
  /** The methods of the path, for 405. */
  readonly allow?: string;
  /** Whether the connection is closed after the response. */
  readonly close?: boolean;
}

/** Thrown where a request cannot be served. The message is for the client, never logged: it may quote the request. */
export class StatusError extends Error {
  readonly kind: StatusErrorKind;
  readonly detail: StatusErrorDetail;

  constructor(kind: StatusErrorKind, detail: StatusErrorDetail) {
    super(detail.message);
    this.name = 'StatusError';
    this.kind = kind;
    this.detail = detail;
  }
}

/** The error for an API server that answers with 429, 503 or 504. `retryAfter`: the value of its header. */
export function overloadedError(retryAfter: string | undefined): StatusError {
  const message = 'the API server is overloaded or unavailable';
  const seconds = retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  return new StatusError('unavailable', { message, ...(seconds !== undefined && { retryAfterSeconds: seconds }) });
}

/** A StatusError about one field of the body. */
export function fieldError(kind: StatusErrorKind, field: string, rule: string): StatusError {
  return fieldErrors(kind, [{ field, reason: 'FieldValueInvalid', message: rule }]);
}

/** A StatusError about fields of the body. */
export function fieldErrors(kind: StatusErrorKind, causes: readonly StatusCause[]): StatusError {
  return new StatusError(kind, {
    message: causes.map(({ field, message }) => `${field}: ${message}`).join('; '),
    causes,
  });
}
