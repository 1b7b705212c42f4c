import { describe, expect, it } from '@jest/globals';
import { describeCall, errorFromResponse } from '../../../src/runtime/transport/apierror.js';
import type { FailedCall, FailureKind } from '../../../src/runtime/errors.js';

const call: FailedCall = { verb: 'update', resource: 'placements.cluster.fleetmgmt.io', namespace: 'n', name: 'x' };

const secret: FailedCall = { verb: 'patch', resource: 'secrets', namespace: 'n', name: 's' };

function status(reason: string, details: object = {}, message = 'the message of the server'): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, details };
}

describe('an error response', () => {
  it.each<[number, unknown, FailureKind]>([
    [400, status('BadRequest'), 'Invalid'],
    [401, status('Unauthorized'), 'Unauthorized'],
    [403, status('Forbidden'), 'Forbidden'],
    [404, status('NotFound', { name: 'x', kind: 'placements' }), 'NotFound'],
    [404, status('NotFound'), 'ResourceMissing'],
    [404, undefined, 'ResourceMissing'],
    [404, { details: { name: 'x' } }, 'ResourceMissing'],
    [405, status('MethodNotAllowed'), 'Invalid'],
    [406, status('NotAcceptable'), 'Invalid'],
    [408, undefined, 'Unavailable'],
    [409, status('Conflict', { name: 'x' }), 'Conflict'],
    [409, status('AlreadyExists', { name: 'x' }), 'AlreadyExists'],
    [409, undefined, 'Conflict'],
    [410, status('Expired'), 'Gone'],
    [413, status('RequestEntityTooLarge'), 'TooLarge'],
    [415, status('UnsupportedMediaType'), 'Invalid'],
    [418, undefined, 'Invalid'],
    [422, status('Invalid'), 'Invalid'],
    [429, status('TooManyRequests'), 'Throttled'],
    [500, status('InternalError'), 'Unavailable'],
    [502, undefined, 'Unavailable'],
    [503, status('ServiceUnavailable'), 'Unavailable'],
    [504, status('Timeout'), 'Unavailable'],
    [301, undefined, 'Malformed'],
    [304, undefined, 'Malformed'],
  ])('an error response with code %d and body %j has the kind %s', (code, body, kind) => {
    expect(errorFromResponse({ status: code, body, retryAfterMs: undefined }, call)).toMatchObject({
      kind,
      status: code,
      call,
    });
  });

  it('an error response is distinguished by code and details, never by its message', () => {
    const body = status('NotFound', {}, 'placements "x" not found; conflict; forbidden; already exists');

    expect(errorFromResponse({ status: 404, body, retryAfterMs: undefined }, call).kind).toBe('ResourceMissing');
  });

  it('an error response of a read is about another object when its details name another', () => {
    const body = status('NotFound', { name: 'y' });

    expect(errorFromResponse({ status: 404, body, retryAfterMs: undefined }, { ...call, verb: 'get' }).kind).toBe(
      'ResourceMissing',
    );
    expect(errorFromResponse({ status: 404, body, retryAfterMs: undefined }, { ...call, verb: 'create' }).kind).toBe(
      'NotFound',
    );
  });

  it('an error response carries reason, causes and Retry-After', () => {
    const causes = [
      { reason: 'FieldValueInvalid', field: 'spec.a', message: 'Invalid value' },
      { message: 'denied by a policy' },
      'garbage',
      null,
    ];
    const error = errorFromResponse({ status: 422, body: status('Invalid', { causes }), retryAfterMs: 5_000 }, call);

    expect(error).toMatchObject({ reason: 'Invalid', retryAfterMs: 5_000, message: 'the message of the server' });
    expect(error.causes).toEqual([
      { reason: 'FieldValueInvalid', field: 'spec.a', message: 'Invalid value' },
      { reason: '', field: '', message: 'denied by a policy' },
    ]);
  });

  it('an error response keeps its message below 1 KiB', () => {
    const error = errorFromResponse(
      {
        status: 422,
        body: status('Invalid', { causes: [{ message: 'y'.repeat(5_000) }] }, 'x'.repeat(5_000)),
        retryAfterMs: undefined,
      },
      call,
    );

    expect(error.message).toHaveLength(1_024);
    expect(error.causes[0]?.message).toHaveLength(1_024);
  });

  it("an error response about a Secret hides the server's message, which may quote the object", () => {
    const body = status(
      'Invalid',
      { causes: [{ reason: 'FieldValueInvalid', field: 'data', message: 'canary' }] },
      'Invalid value: canary',
    );
    const error = errorFromResponse({ status: 422, body, retryAfterMs: undefined }, secret);

    expect(error.message).toBe('patch secrets n/s: HTTP 422 Invalid: data FieldValueInvalid');
    expect(JSON.stringify(error.causes)).not.toContain('canary');
  });

  it.each([
    [
      403,
      'secrets "s" is forbidden: User "system:serviceaccount:n:a" cannot patch resource "secrets" in API group "" in the namespace "n": RBAC: token c2VjcmV0',
      'User "system:serviceaccount:n:a" cannot patch resource "secrets" in API group "" in the namespace "n"',
    ],
    [
      403,
      'admission webhook "w.example.com" denied the request: c2VjcmV0',
      'admission webhook "w.example.com" denied the request',
    ],
    [
      422,
      "secrets \"s\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: c2VjcmV0",
      "ValidatingAdmissionPolicy 'p' with binding 'b' denied request",
    ],
    [403, 'secrets "s" is forbidden: exceeded quota: q, requested: c2VjcmV0', 'exceeded quota: q'],
  ])('a refusal of a Secret with %d says who refuses, and nothing of what was sent: %s', (code, message, said) => {
    const body = status('Forbidden', {}, message);
    const { message: text } = errorFromResponse({ status: code, body, retryAfterMs: undefined }, secret);

    expect(text).toBe(`patch secrets n/s: HTTP ${code} Forbidden: ${said}`);
  });

  it('an error response without a message is reported by its code', () => {
    expect(errorFromResponse({ status: 502, body: undefined, retryAfterMs: undefined }, call).message).toBe(
      'update placements.cluster.fleetmgmt.io n/x: HTTP 502',
    );
  });
});

it.each<[FailedCall, string]>([
  [call, 'update placements.cluster.fleetmgmt.io n/x'],
  [{ verb: 'list', resource: 'secrets', namespace: 'n' }, 'list secrets n'],
  [{ verb: 'list', resource: 'managedclusters' }, 'list managedclusters'],
])('the call %j is described as "%s"', (one, text) => {
  expect(describeCall(one)).toBe(text);
});
