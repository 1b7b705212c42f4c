import { aborted, errorFromResponse, malformed, noResponse } from '../../src/runtime/transport/apierror.js';
import type { ApiError, FailedCall } from '../../src/runtime/errors.js';
import { describeRecorded, type Case } from './recorded.js';

const update: FailedCall = {
  verb: 'update',
  resource: 'placements.cluster.fleetmgmt.io',
  namespace: 'team',
  name: 'web',
};
const get: FailedCall = { ...update, verb: 'get' };
const patchSecret: FailedCall = { verb: 'patch', resource: 'secrets', namespace: 'team', name: 'pull' };

function fieldsOf({ message, kind, status, reason, retryAfterMs, causes }: ApiError): object {
  return { message, kind, status, reason, retryAfterMs, causes };
}

/** The fields of the Status in the response that a case sets. */
interface StatusFields {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
}

function errorCase(title: string, status: number, fields: StatusFields | undefined, call = update): Case {
  const body = fields && { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...fields };
  return [
    `an answer ${title}`,
    () => fieldsOf(errorFromResponse({ status, body, retryAfterMs: status === 429 ? 5_000 : undefined }, call)),
  ];
}

const invalid = {
  reason: 'Invalid',
  message: 'spec.x: Invalid value',
  details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'Invalid value: canary' }] },
};
const named = { reason: 'NotFound', message: 'not found', details: { name: 'web' } };

describeRecorded('kube', [
  errorCase('401', 401, { reason: 'Unauthorized', message: 'Unauthorized' }),
  errorCase('403', 403, { reason: 'Forbidden', message: 'forbidden: User "x"' }),
  errorCase('404 that names the object', 404, named, get),
  errorCase('404 that names another object', 404, { ...named, details: { name: 'other' } }, get),
  errorCase('404 that names no object', 404, { reason: 'NotFound' }),
  errorCase('408', 408, undefined),
  errorCase('409 of a changed object', 409, { reason: 'Conflict', message: 'the object has been modified' }),
  errorCase('409 of an object that exists', 409, { reason: 'AlreadyExists', message: 'already exists' }),
  errorCase('410', 410, { reason: 'Expired', message: 'too old resource version' }),
  errorCase('413', 413, undefined),
  errorCase('422 with causes', 422, invalid),
  errorCase('422 of a Secret', 422, invalid, patchSecret),
  errorCase('422 with a long message', 422, { message: 'x'.repeat(2_000) }),
  errorCase('429 with Retry-After', 429, { reason: 'TooManyRequests', message: 'too many requests' }),
  errorCase('500', 500, { reason: 'InternalError', message: 'etcd is away' }),
  errorCase('502 without a body', 502, undefined),
  errorCase('301', 301, undefined),
  ['an answer that is malformed', () => fieldsOf(malformed(get, 'no object', 200))],
  ['no answer', () => fieldsOf(noResponse(update, 'ECONNRESET'))],
  ['a call that the caller gave up', () => fieldsOf(aborted({ verb: 'list', resource: 'managedclusters' }))],
]);
