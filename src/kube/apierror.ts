import { ApiError } from '../runtime/errors.js';
import type { FailedCall, FailureCause, FailureKind } from '../runtime/errors.js';
import { field, isRecord, textField } from './json.js';

const MESSAGE_LIMIT = 1024;

/** An answer that is no success, as far as its failure is told by it. */
export interface ErrorResponse {
  readonly status: number;
  /** The parsed body, or undefined where it was no JSON. */
  readonly body: unknown;
  /** From Retry-After, in ms. */
  readonly retryAfterMs: number | undefined;
}

/** The failure that a refusal stands for: by its HTTP code, `Status.reason` and `Status.details`; the text of its message is never read. */
export function errorFromResponse(refusal: ErrorResponse, call: FailedCall): ApiError {
  const status = field(refusal.body, 'kind') === 'Status' ? refusal.body : undefined;
  const reason = textField(status, 'reason');
  const kind = kindOf(refusal.status, status, call);
  return new ApiError({
    kind,
    message: messageOf(refusal.status, status, call),
    call,
    status: refusal.status,
    reason,
    causes: causesOf(status, call),
    ...(refusal.retryAfterMs === undefined ? {} : { retryAfterMs: refusal.retryAfterMs }),
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
  // 1xx and 3xx: the API never sends them here, and nothing that they point to is followed.
  return 'Malformed';
}

/**
 * A 404 that names no object comes from the router: the type itself is not served, and nothing is known of its objects.
 * A write may also be told that its namespace is not there.
 */
function namesObject(status: unknown, call: FailedCall): boolean {
  const name = textField(field(status, 'details'), 'name');
  return name !== '' && (call.verb !== 'get' || name === call.name);
}

function messageOf(code: number, status: unknown, call: FailedCall): string {
  const said = textField(status, 'message');
  if (said === '') return `${describeCall(call)}: HTTP ${code}`;
  return mayHoldSecrets(call) ? `${describeCall(call)}: HTTP ${code} ${textField(status, 'reason')}` : cut(said);
}

function causesOf(status: unknown, call: FailedCall): FailureCause[] {
  const causes = field(field(status, 'details'), 'causes');
  if (!Array.isArray(causes)) return [];
  return causes.filter(isRecord).map((cause) => ({
    reason: textField(cause, 'reason'),
    field: textField(cause, 'field'),
    message: mayHoldSecrets(call) ? '' : cut(textField(cause, 'message')),
  }));
}

/** A refusal may quote the whole object that was sent, so the server's words about a Secret are not passed on. */
function mayHoldSecrets(call: FailedCall): boolean {
  return call.resource === 'secrets';
}

function cut(text: string): string {
  return text.length <= MESSAGE_LIMIT ? text : `${text.slice(0, MESSAGE_LIMIT - 1)}…`;
}

/** `update placements.cluster.fleetmgmt.io/status team-a/web`: what was being done, for messages and logs. */
export function describeCall(call: FailedCall): string {
  const name = [call.namespace, call.name].filter((part) => part !== undefined && part !== '').join('/');
  return name === '' ? `${call.verb} ${call.resource}` : `${call.verb} ${call.resource} ${name}`;
}

/** An answer that is not what the API promises; never to be read as "nothing is there". */
export function malformed(call: FailedCall, rule: string, status = 0): ApiError {
  return new ApiError({ kind: 'Malformed', message: `${describeCall(call)}: malformed answer: ${rule}`, call, status });
}

/** No answer came; whether a write was applied is unknown. `code` is the error's own code, of the system, TLS or the HTTP client. */
export function noResponse(call: FailedCall, code: string): ApiError {
  return new ApiError({ kind: 'Transport', message: `${describeCall(call)}: no answer: ${code}`, call });
}

/** Given up because the caller's signal fired. */
export function aborted(call: FailedCall): ApiError {
  return new ApiError({ kind: 'Aborted', message: `${describeCall(call)}: given up by the caller`, call });
}
