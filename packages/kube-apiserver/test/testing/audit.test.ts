import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

import { AuditLog, matchesFilter, type LoggedRequest } from '../../testing/controlplane/audit.js';

const folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let file = '';
let count = 0;
beforeEach(() => {
  count += 1;
  file = path.join(folder, `${count}.log`);
});

function line(auditID: string, change: object = {}): string {
  const event = {
    kind: 'Event',
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/nodes/a',
    verb: 'get',
    user: { username: 'alice' },
    objectRef: { resource: 'nodes', name: 'a' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-01-01T00:00:00.000001Z',
    stageTimestamp: '2026-01-01T00:00:00.500000Z',
    ...change,
  };
  return `${JSON.stringify(event)}\n`;
}

async function names(log: AuditLog): Promise<string[]> {
  return (await log.entries()).map(({ name }) => name);
}

const named = (name: string): object => ({ objectRef: { resource: 'nodes', name } });

describe('the request log', () => {
  test('an audit log without a file is empty', async () => {
    expect(await new AuditLog(file).entries()).toEqual([]);
  });

  test('an audit log is read on from where the last read stopped, even within a line', async () => {
    const log = new AuditLog(file);
    const second = line('2', named('b'));
    appendFileSync(file, line('1') + second.slice(0, 20));
    const before = await names(log);

    appendFileSync(file, second.slice(20));

    expect(before).toEqual(['a']);
    expect(await names(log)).toEqual(['a', 'b']);
  });

  test('a watch counts once in an audit log, when it starts', async () => {
    appendFileSync(
      file,
      line('1', { stage: 'ResponseStarted', verb: 'watch' }) + line('2', named('b')) + line('1', { verb: 'watch' }),
    );

    expect(await names(new AuditLog(file))).toEqual(['a', 'b']);
  });

  test('an audit log loses only the entry that a killed server was writing', async () => {
    appendFileSync(file, line('1') + line('2', named('b')).slice(0, 50) + line('3', named('c')));

    expect(await names(new AuditLog(file))).toEqual(['a', 'c']);
  });

  test('an audit entry has the message of a failed request', async () => {
    appendFileSync(file, line('1', { responseStatus: { code: 403, message: 'no' } }));

    expect(await new AuditLog(file).entries()).toMatchObject([
      { user: 'alice', verb: 'get', resource: 'nodes', code: 403, message: 'no', sequence: 1 },
    ]);
  });
});

describe('a filter', () => {
  const one: LoggedRequest = {
    sequence: 5,
    user: 'alice',
    groups: [],
    userAgent: '',
    verb: 'update',
    uri: '',
    resource: 'placements',
    apiGroup: '',
    subresource: 'status',
    namespace: 'team',
    name: 'web',
    code: 200,
    message: '',
    receivedAt: 0,
    answeredAt: 0,
    allowedBy: '',
    requestObject: undefined,
    responseObject: undefined,
  };

  test.each([
    ['nothing', {}, true],
    ['the user', { user: 'alice' }, true],
    ['another user', { user: 'ali' }, false],
    ['users by pattern', { user: /^ali/ }, true],
    ['other users by pattern', { user: /^bob/ }, false],
    ['verbs', { verbs: ['get', 'update'] }, true],
    ['other verbs', { verbs: ['get'] }, false],
    ['the subresource', { resources: ['placements/status'] }, true],
    ['the resource without its subresource', { resources: ['placements'] }, false],
    ['the namespace', { namespace: 'team' }, true],
    ['another namespace', { namespace: '' }, false],
    ['the name', { name: 'web' }, true],
    ['another name', { name: 'we' }, false],
    ['a place before it', { after: 4 }, true],
    ['its own place', { after: 5 }, false],
  ])('a filter by %s (%j) returns %s', (_what, filter, expected) => {
    expect(matchesFilter(one, filter)).toBe(expected);
  });
});
