import { aborted, errorFromResponse, malformed, noResponse } from '../../src/kube/apierror.js';
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

interface Said {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
}

function refusal(sentence: string, status: number, said: Said | undefined, call = update): Case {
  const body = said && { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...said };
  return [
    `an answer ${sentence}`,
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
  refusal('401', 401, { reason: 'Unauthorized', message: 'Unauthorized' }),
  refusal('403', 403, { reason: 'Forbidden', message: 'forbidden: User "x"' }),
  refusal('404 that names the object', 404, named, get),
  refusal('404 that names another object', 404, { ...named, details: { name: 'other' } }, get),
  refusal('404 that names no object', 404, { reason: 'NotFound' }),
  refusal('408', 408, undefined),
  refusal('409 of a changed object', 409, { reason: 'Conflict', message: 'the object has been modified' }),
  refusal('409 of an object that exists', 409, { reason: 'AlreadyExists', message: 'already exists' }),
  refusal('410', 410, { reason: 'Expired', message: 'too old resource version' }),
  refusal('413', 413, undefined),
  refusal('422 with causes', 422, invalid),
  refusal('422 of a Secret', 422, invalid, patchSecret),
  refusal('422 with a long message', 422, { message: 'x'.repeat(2_000) }),
  refusal('429 with Retry-After', 429, { reason: 'TooManyRequests', message: 'too many requests' }),
  refusal('500', 500, { reason: 'InternalError', message: 'etcd is away' }),
  refusal('502 without a body', 502, undefined),
  refusal('301', 301, undefined),
  ['an answer that is malformed', () => fieldsOf(malformed(get, 'no object', 200))],
  ['no answer', () => fieldsOf(noResponse(update, 'ECONNRESET'))],
  ['a call that the caller gave up', () => fieldsOf(aborted({ verb: 'list', resource: 'managedclusters' }))],
]);
