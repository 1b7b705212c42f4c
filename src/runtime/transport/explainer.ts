import { attemptedText, failureOf, failureText, type Attempted } from '../connection/failure.js';
import type { Clock } from '../clock.js';
import { ApiError, type FailedCall } from '../errors.js';
import { claimsIn, timeIn } from '../vocabulary/webtoken.js';
import { describeCall, notSent, unanswered } from './apierror.js';
import type { Credentials } from './credentials.js';
import { certificatesIn, certificateText, hereText, isOutOfDate, timeText } from '../connection/certificatetext.js';

/** Makes the errors of calls that the server has not answered, or whose credentials it has rejected, in words. */
export class Explainer {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `error`: that of the connection. */
  unanswered(call: FailedCall, error: unknown, credentials: Credentials): ApiError {
    const attempted = attemptedWith(credentials);
    const text = failureText(error, attempted, this.#clock.now());
    return unanswered(call, text, { code: failureOf(error).code, cause: error });
  }

  /** The error of a response 401, in words. */
  rejected(failure: ApiError, credentials: Credentials): ApiError {
    const { kind, call, status, reason, causes } = failure;
    const { presented, headers } = credentials;
    const authorization = headers['Authorization'];
    const token = typeof authorization === 'string' ? authorization.replace(/^Bearer /, '') : undefined;
    const attempted = attemptedWith(credentials);
    const text = rejectionText({ attempted, presented, token }, this.#clock.now());
    return new ApiError({ kind, call, status, reason, causes, message: `${describeCall(call)}: ${text}` });
  }
}

/** The error of a response 400 that is not of the Kubernetes API, to a request without TLS. */
export function withoutTls({ kind, call, status }: ApiError, credentials: Credentials): ApiError {
  const text = `${attemptedText(attemptedWith(credentials))} answers with HTTP ${status} and no object of the API`;
  const remedy = 'it may want TLS: correct scheme (http, https) and port of the address';
  return new ApiError({ kind, call, status, message: `${describeCall(call)}: ${text}; ${remedy}` });
}

/** The question about an answer that is not of the Kubernetes API. */
export const WHICH_SERVER = 'is this the address of a Kubernetes API server?';

/** The error of a response that a page or a login sends, not the Kubernetes API. */
export function foreign(failure: ApiError, credentials: Credentials): ApiError {
  const { kind, call, status, retryAfterMs } = failure;
  const text = `${attemptedText(attemptedWith(credentials))} answers with HTTP ${status} and no object of the API`;
  const message = `${describeCall(call)}: ${text}: ${WHICH_SERVER}`;
  return new ApiError({ kind, call, status, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}

/** A call whose time is over. */
export interface LateCall {
  readonly call: FailedCall;
  readonly ms: number;
  /** Undefined: they were not read in time. */
  readonly credentials: Credentials | undefined;
  /** The error of the attempt before. */
  readonly previous: ApiError | undefined;
}

export function lateError({ call, ms, credentials, previous }: LateCall): ApiError {
  const within = `within ${ms / 1000} s`;
  if (credentials === undefined) return notSent(call, `the credentials were not there ${within}`);
  const code = 'ETIMEDOUT';
  if (previous === undefined)
    return unanswered(call, `no response from ${attemptedText(attemptedWith(credentials))} ${within}; ${LATE}`, {
      code,
    });
  const message = `${previous.message}; no further attempt was answered ${within}`;
  return new ApiError({ kind: 'Transport', message, call, code });
}

const LATE = 'look at the load and the log of the API server, and the network, load balancer or proxy before it';

function attemptedWith({ server, origin, proxy, tls }: Credentials): Attempted {
  return {
    server,
    origin,
    proxy,
    servername: tls.servername,
    authorities: tls.ca,
    clientCertificate: tls.cert,
  };
}

/** The credentials that a server has rejected with 401. */
interface Rejected {
  readonly attempted: Attempted;
  /** What they are and where they come from; undefined: unknown. */
  readonly presented: string | undefined;
  /** Read for its expiry alone. */
  readonly token: string | undefined;
}

/** One line: what was rejected, until when it is valid, the time here, and what to do. It never has a secret. */
function rejectionText({ attempted, presented, token }: Rejected, now: number): string {
  const [certificate] = certificatesIn(attempted.clientCertificate ?? '');
  const expiry = token === undefined ? undefined : timeIn(claimsIn(token)?.['exp']);
  const details = [
    ...(expiry === undefined ? [] : [`it expires at ${timeText(expiry)}`]),
    ...(certificate === undefined ? [] : [`certificate ${certificateText(certificate)}`]),
  ];
  const hasExpired =
    (expiry !== undefined && expiry < now) || (certificate !== undefined && isOutOfDate(certificate, now));
  const dates = details.length === 0 ? '' : `: ${details.join('; ')}, ${hereText(now)}`;
  const remedy = hasExpired
    ? 'renew the credentials or log in again, unless the clock of this machine is wrong'
    : 'log in again, or correct the user: it may be of another cluster, revoked or deleted';
  return `${attemptedText(attempted)} rejects ${presented ?? 'the credentials'} (401 Unauthorized)${dates}; ${remedy}`;
}
