import { attemptedText, failureOf, failureText } from '../connection/failure.js';
import { ApiError, type FailedCall } from '../errors.js';
import { claimsIn, timeIn } from '../vocabulary/webtoken.js';
import { failedCall, notSent } from './apierror.js';
import type { Credentials } from './credentials.js';
import {
  certificatesIn,
  certificateText,
  localTimeText,
  isOutOfDate,
  timeText,
} from '../connection/certificatetext.js';

/** The error of a call that the server has not answered, in words. `error`: that of the connection; `now`: ms since the epoch. */
export function unanswered(call: FailedCall, error: unknown, credentials: Credentials, now: number): ApiError {
  const text = failureText(error, credentials, now);
  return failedCall('Transport', call, text, { code: failureOf(error).code, cause: error });
}

/**
 * The error of a response 401, in words: what was rejected, until when it is valid, the time here, and what to do. It never has a
 * secret. `now`: ms since the epoch.
 */
export function rejected(
  { kind, call, status, reason, causes }: ApiError,
  credentials: Credentials,
  now: number,
): ApiError {
  const { presented = 'the credentials', headers, tls } = credentials;
  const authorization = headers['Authorization'];
  const token = typeof authorization === 'string' ? authorization.replace(/^Bearer /, '') : '';
  const [certificate] = certificatesIn(tls.cert ?? '');
  const expiry = timeIn(claimsIn(token)?.['exp']);
  const details = [
    ...(expiry === undefined ? [] : [`it expires at ${timeText(expiry)}`]),
    ...(certificate === undefined ? [] : [`certificate ${certificateText(certificate)}`]),
  ];
  const hasExpired =
    (expiry !== undefined && expiry < now) || (certificate !== undefined && isOutOfDate(certificate, now));
  const dates = details.length === 0 ? '' : `: ${details.join('; ')}, ${localTimeText(now)}`;
  const remedy = hasExpired
    ? 'renew the credentials or log in again, unless the clock of this machine is wrong'
    : 'log in again, or correct the user: it may be of another cluster, revoked or deleted';
  const text = `${attemptedText(credentials)} rejects ${presented} (401 Unauthorized)${dates}; ${remedy}`;
  return failedCall(kind, call, text, { status, reason, causes });
}

/** The question about an answer that is not of the Kubernetes API. */
export const WHICH_SERVER = 'is this the address of a Kubernetes API server?';

/**
 * The error of a response without an object of the Kubernetes API, such as a web page or a login form. `wantsTls`: it is that of a
 * server which expects TLS and got a request without it.
 */
export function foreign(failure: ApiError, credentials: Credentials, wantsTls = false): ApiError {
  const { kind, call, status, retryAfterMs } = failure;
  const text = `${attemptedText(credentials)} answers with HTTP ${status} and no object of the API`;
  const more = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return failedCall(kind, call, `${text}${wantsTls ? MAYBE_TLS : `: ${WHICH_SERVER}`}`, more);
}

const MAYBE_TLS = '; it may want TLS: correct scheme (http, https) and port of the address';

/** A call whose time is over. */
interface LateCall {
  readonly call: FailedCall;
  readonly ms: number;
  /** Undefined: they were not read in time. */
  readonly credentials: Credentials | undefined;
  /** The error of the attempt before. */
  readonly previous: ApiError | undefined;
}

/** The error of a call whose time is over: what was awaited, and how the attempt before had failed. */
export function lateError({ call, ms, credentials, previous }: LateCall): ApiError {
  const within = `within ${ms / 1000} s`;
  if (credentials === undefined) return notSent(call, `the credentials were not there ${within}`);
  const code = 'ETIMEDOUT';
  const server = attemptedText(credentials);
  if (previous === undefined)
    return failedCall('Transport', call, `no response from ${server} ${within}; ${LATE}`, { code });
  const message = `${previous.message}; no further attempt was answered ${within}`;
  return new ApiError({ kind: 'Transport', message, call, code });
}

const LATE = 'look at the load and the log of the API server, and the network, load balancer or proxy before it';
