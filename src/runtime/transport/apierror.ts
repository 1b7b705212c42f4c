import { ApiError, type ApiErrorInit, type FailedCall, type StatusCause, type FailureKind } from '../errors.js';
import { field, isRecord, textField } from '../vocabulary/json.js';
import { attemptedText, failureOf, failureText } from '../connection/failure.js';
import { claimsIn, timeIn } from '../vocabulary/webtoken.js';
import type { Credentials } from './credentials.js';
import {
  certificatesIn,
  certificateText,
  localTimeText,
  isOutOfDate,
  timeText,
} from '../connection/certificatetext.js';

const MESSAGE_LIMIT = 1024;

/** An HTTP response with a code other than 2xx. */
interface ErrorResponse {
  readonly status: number;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: unknown;
  /** From Retry-After, in ms. */
  readonly retryAfterMs: number | undefined;
}

/** The ApiError for an error response, decided by HTTP code, `Status.reason` and `Status.details`, never by the message. */
export function errorFromResponse(response: ErrorResponse, call: FailedCall): ApiError {
  const status = field(response.body, 'kind') === 'Status' ? response.body : undefined;
  const reason = textField(status, 'reason');
  const kind = kindOf(response.status, status, call);
  return new ApiError({
    kind,
    message: messageOf(response.status, status, call),
    call,
    status: response.status,
    reason,
    causes: causesOf(status, call),
    ...(response.retryAfterMs === undefined ? {} : { retryAfterMs: response.retryAfterMs }),
  });
}

/** Codes whose meaning does not depend on the body. */
const KINDS: ReadonlyMap<number, FailureKind> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [408, 'Unavailable'],
  [410, 'Gone'],
  [413, 'TooLarge'],
  [429, 'Throttled'],
]);

function kindOf(code: number, status: unknown, call: FailedCall): FailureKind {
  const fixed = KINDS.get(code);
  if (fixed !== undefined) return fixed;
  if (code === 404) return namesObject(status, call) ? 'NotFound' : 'ResourceMissing';
  if (code === 409) return textField(status, 'reason') === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict';
  if (code >= 500) return 'Unavailable';
  if (code >= 400) return 'Invalid';
  // The API never answers these calls with 1xx or 3xx; redirects are not followed.
  return 'Malformed';
}

/**
 * A 404 without an object's name comes from the router: the type is not served, which says nothing about its objects.
 * For a write, the named object may also be the namespace.
 */
function namesObject(status: unknown, call: FailedCall): boolean {
  const name = textField(field(status, 'details'), 'name');
  return name !== '' && (call.verb !== 'get' || name === call.name);
}

function messageOf(code: number, status: unknown, call: FailedCall): string {
  const message = textField(status, 'message');
  if (message === '') return `${describeCall(call)}: HTTP ${code}`;
  if (!mayHoldSecrets(call)) return cut(message);
  const why = REFUSALS.map((pattern) => pattern.exec(message)?.[0]).find((text) => text !== undefined);
  const fields = causesOf(status, call).map(({ field: path, reason }) => `${path} ${reason}`);
  const detail = why ?? fields.join(', ');
  return `${describeCall(call)}: HTTP ${code} ${textField(status, 'reason')}${detail === '' ? '' : `: ${cut(detail)}`}`;
}

/** What a message about a Secret may say: who refuses the call, and nothing of what was sent. */
const REFUSALS: readonly RegExp[] = [
  /User "[^"]*" cannot [a-z]+ resource "secrets" in API group "" in the namespace "[^"]*"/,
  /admission webhook "[^"]*" denied the request/,
  /ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/,
  /exceeded quota: [a-z0-9.-]+/,
];

function causesOf(status: unknown, call: FailedCall): StatusCause[] {
  const causes = field(field(status, 'details'), 'causes');
  if (!Array.isArray(causes)) return [];
  return causes.filter(isRecord).map((cause) => ({
    reason: textField(cause, 'reason'),
    field: textField(cause, 'field'),
    message: mayHoldSecrets(call) ? '' : cut(textField(cause, 'message')),
  }));
}

/** A validation error may quote the object that was sent, so messages about Secrets are not passed on. */
function mayHoldSecrets(call: FailedCall): boolean {
  return call.resource === 'secrets';
}

function cut(text: string): string {
  return text.length <= MESSAGE_LIMIT ? text : `${text.slice(0, MESSAGE_LIMIT - 1)}…`;
}

/** `update deployments.apps/status team-a/web`: the call, for messages and logs. */
export function describeCall(call: FailedCall): string {
  const name = [call.namespace, call.name].filter((part) => part !== undefined && part !== '').join('/');
  return name === '' ? `${call.verb} ${call.resource}` : `${call.verb} ${call.resource} ${name}`;
}

/** The error of a call that did not end as it should. `text`: one line, which follows the call. */
export function failedCall(
  kind: FailureKind,
  call: FailedCall,
  text: string,
  more: Omit<ApiErrorInit, 'kind' | 'call' | 'message'> = {},
): ApiError {
  return new ApiError({ ...more, kind, call, message: `${describeCall(call)}: ${text}` });
}

/** A response that breaks the rules of the API. It never counts as an empty result. */
export function malformed(call: FailedCall, rule: string, status = 0): ApiError {
  return failedCall('Malformed', call, `malformed response: ${rule}`, { status });
}

/** There was no response; whether a write was applied is unknown. */
export function noResponse(call: FailedCall, why: string): ApiError {
  return failedCall('Transport', call, `no response: ${why}`);
}

/** The call was not sent, since the credentials could not be read. `why`: one line for the user. */
export function notSent(call: FailedCall, why: string): ApiError {
  return failedCall('Transport', call, `not sent: ${why}`);
}

/** The caller's signal fired. */
export function aborted(call: FailedCall): ApiError {
  return failedCall('Aborted', call, 'aborted by the caller');
}

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
