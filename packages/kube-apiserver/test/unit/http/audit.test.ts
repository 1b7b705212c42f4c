import { describe, expect, it } from '@jest/globals';

import { type AuditLevel, createAuditLog } from '../../../src/http/audit.js';
import { createRouter } from '../../../src/http/router.js';
import type { WatchEvent } from '../../../src/verbs/verbs.js';
import { ManualClock } from '../../../testing/clock.js';
import { FakeVerbs, request, routerDeps } from './routerfixture.js';

async function* two(): AsyncGenerator<WatchEvent> {
  yield { type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } };
  yield { type: 'DELETED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } };
}

async function logged(
  line: string,
  level: AuditLevel = 'Metadata',
  headers: Record<string, string> = {},
): Promise<readonly unknown[]> {
  const lines: string[] = [];
  const verbs = new FakeVerbs();
  verbs.events = two();
  const audit = createAuditLog({ clock: new ManualClock(), level, write: (text) => void lines.push(text) });
  const answer = await createRouter(routerDeps(verbs, { audit })).dispatch({
    ...request(line, { 'user-agent': 'kubectl/v1', 'audit-id': 'id', ...headers }),
    from: '10.0.0.1',
  });
  if (answer.body.kind === 'stream') for await (const value of answer.body.values) lines.push(JSON.stringify(value));
  return lines.map((text) => JSON.parse(text));
}

const EVENT = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'id',
  stage: 'ResponseComplete',
  userAgent: 'kubectl/v1',
  sourceIPs: ['10.0.0.1'],
  user: { username: 'root', groups: ['system:masters', 'system:authenticated'] },
  requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
  stageTimestamp: '2026-01-01T00:00:00.000000Z',
  annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
};
const CM = '/api/v1/namespaces/ns/configmaps';

describe('the audit log', () => {
  it('the audit log has an entry for a request', async () => {
    expect(await logged(`GET ${CM}/a`)).toEqual([
      {
        ...EVENT,
        requestURI: `${CM}/a`,
        verb: 'get',
        objectRef: { resource: 'configmaps', namespace: 'ns', name: 'a', apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 200 },
      },
    ]);
  });

  it('the audit log has the Status of a failure, indented or not', async () => {
    const failed = {
      metadata: {},
      status: 'Failure',
      message: 'configmaps "b" not found',
      reason: 'NotFound',
      details: { name: 'b', kind: 'configmaps' },
      code: 404,
    };

    for (const query of ['', '?pretty=1'])
      expect(await logged(`GET ${CM}/b${query}`)).toEqual([expect.objectContaining({ responseStatus: failed })]);
  });

  it('the audit log has refused users and impersonated users', async () => {
    expect(await logged(`GET ${CM}`, 'Metadata', { authorization: 'Bearer bob' })).toEqual([
      expect.objectContaining({
        user: { username: 'bob', groups: ['system:authenticated'] },
        annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': '' },
      }),
    ]);
    expect(await logged(`GET ${CM}`, 'Metadata', { 'impersonate-user': 'bob' })).toEqual([
      expect.objectContaining({
        user: EVENT.user,
        impersonatedUser: { username: 'bob', groups: ['system:authenticated'] },
        responseStatus: expect.objectContaining({ code: 403 }),
      }),
    ]);
  });

  it('the audit log has the name of a created object, and bodies where the level includes them', async () => {
    const body = '{"metadata":{"name":"new","managedFields":[]}}';
    const objects = {
      requestObject: { metadata: { name: 'new' } },
      responseObject: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: '', namespace: 'ns', resourceVersion: '5' },
      },
    };
    const named = { objectRef: { resource: 'configmaps', namespace: 'ns', name: 'new', apiVersion: 'v1' } };

    expect(await logged(`POST ${CM} ${body}`, 'RequestResponse')).toEqual([
      expect.objectContaining({ ...named, ...objects }),
    ]);
    expect(await logged(`POST ${CM} ${body}`, 'Request')).toEqual([
      expect.not.objectContaining({ responseObject: expect.anything() }),
    ]);
    expect(await logged(`POST ${CM} ${body}`)).toEqual([
      expect.not.objectContaining({ requestObject: expect.anything() }),
    ]);
  });

  it('the audit log has entries for the start and the end of a watch', async () => {
    expect(await logged(`GET ${CM}?watch=1`)).toEqual([
      expect.objectContaining({ stage: 'ResponseStarted', verb: 'watch' }),
      expect.objectContaining({ type: 'ADDED' }),
      expect.objectContaining({ type: 'DELETED' }),
      expect.objectContaining({ stage: 'ResponseComplete', verb: 'watch' }),
    ]);
  });

  it.each(['/healthz', '/livez/ping', '/readyz?verbose'])('the audit log leaves out %s', async (path) => {
    expect(await logged(`GET ${path}`)).toEqual([]);
  });
});
