import { connectionCode, failureText, type Attempted } from '../../runtime/connection/failure.js';

/**
 * Why there is no response. `unreachable`: no connection to a verified server was made, so nothing was sent. `broken`:
 * the response ended early or is not what was requested. `abandoned`: the client closed its connection.
 */
type UpstreamErrorReason = 'timeout' | 'unreachable' | 'broken' | 'abandoned';

/**
 * The API server gave no usable response. Holds no text of the server beside the names in its certificate, and no header, so
 * that it can be logged.
 */
export class UpstreamError extends Error {
  readonly reason: UpstreamErrorReason;
  /** The error's code, such as ECONNRESET. */
  readonly code: string;
  /** Of an unreachable server: one line for people, with what to do. */
  readonly explanation: string | undefined;

  constructor(reason: UpstreamErrorReason, code: string, explanation?: string) {
    super(`no usable answer of the API server: ${reason} (${code})`);
    this.name = 'UpstreamError';
    this.reason = reason;
    this.code = code;
    this.explanation = explanation;
  }
}

const CODE = /^[A-Z0-9_/]{1,64}$/;

/** Any error as an UpstreamError. Errors of the HTTP client may hold bytes of the server: only their code is kept. */
export function toUpstreamError(error: unknown): UpstreamError {
  return error instanceof UpstreamError ? error : new UpstreamError('broken', plainCode(error));
}

/** No connection to a verified server was made. */
export function unreachable(error: unknown, attempted: Attempted, now: number): UpstreamError {
  return new UpstreamError('unreachable', plainCode(error), failureText(error, attempted, now));
}

function plainCode(error: unknown): string {
  const code = connectionCode(error);
  return CODE.test(code) ? code : 'UNKNOWN';
}
