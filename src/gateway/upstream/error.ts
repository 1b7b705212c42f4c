import { connectionCode } from '../../runtime/connection/failure.js';

/**
 * Why there is no response. `unreachable`: no connection to a verified server was made, so nothing was sent. `broken`:
 * the response ended early or is not what was requested. `abandoned`: the client closed its connection.
 */
type UpstreamErrorReason = 'timeout' | 'unreachable' | 'broken' | 'abandoned';

/**
 * The API server gave no usable response. Holds no text of the server, and no header, so that it can be logged.
 */
export class UpstreamError extends Error {
  readonly reason: UpstreamErrorReason;
  /** The error's code, such as ECONNRESET. */
  readonly code: string;

  constructor(reason: UpstreamErrorReason, code: string) {
    super(`no usable answer of the API server: ${reason} (${code})`);
    this.name = 'UpstreamError';
    this.reason = reason;
    this.code = code;
  }
}

const CODE = /^[A-Z0-9_/]{1,64}$/;

/** Any error as an UpstreamError. Errors of the HTTP client may hold bytes of the server: only their code is kept. */
export function toUpstreamError(error: unknown, reason: 'broken' | 'unreachable' = 'broken'): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const code = connectionCode(error);
  return new UpstreamError(reason, CODE.test(code) ? code : 'UNKNOWN');
}
