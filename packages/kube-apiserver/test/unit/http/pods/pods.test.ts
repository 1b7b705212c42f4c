import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { generateSigningKey, readSigningKey } from '../../../../src/auth/tokens/jwt.js';
import { textOf } from '../../../../src/http/pods/log.js';
import type { Json } from '@multicluster-engine/values/json';
import type { ContainerLogRequest, LogLine, PodLogs } from '../../../../src/podlogs.js';
import type { ApiResponse } from '../../../../src/request.js';
import { type Assembly, assemble } from '../../../../src/server/assembly.js';
import { bootstrap } from '../../../../src/server/bootstrap.js';
import { memoryStore } from '../../../../src/store/open.js';
import { ManualClock } from '../../../../testing/clock.js';

const PODS = '/api/v1/namespaces/default/pods';
const signing = readSigningKey(generateSigningKey());

async function* linesOf(...texts: readonly string[]): AsyncIterable<LogLine> {
  for (const text of texts) yield { time: Date.parse('2026-01-02T03:04:05.678Z'), text };
}

async function textOfAll(values: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const value of values) text += String(value);
  return text;
}

describe('a Pod', () => {
  let assembly: Assembly;
  let clock: ManualClock;
  const requests: ContainerLogRequest[] = [];
  const logs: PodLogs = {
    open(request) {
      requests.push(request);
      return request.containerID === 'x://forgotten' ? undefined : linesOf(`of ${request.containerID}\n`);
    },
  };

  const start = async (podLogs?: PodLogs): Promise<void> => {
    clock = new ManualClock(Date.parse('2026-01-02T03:04:05Z'));
    assembly = assemble({
      store: memoryStore({ clock }),
      clock,
      signing,
      tokens: [],
      audit: undefined,
      address: () => '',
      metrics: () => '',
      podLogs,
    });
    await bootstrap(assembly, []);
  };
  const ask = (method: string, target: string, body?: Json): Promise<ApiResponse> =>
    assembly.router.dispatch({
      method,
      target,
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
      body,
      user: { name: 'root', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
  const valueOf = ({ body }: ApiResponse): unknown => (body.kind === 'stream' ? undefined : body.value);
  const create = async (status: Json): Promise<void> => {
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'x' }] };
    expect((await ask('POST', PODS, { metadata: { name: 'p' }, spec })).code).toBe(201);
    expect((await ask('PATCH', `${PODS}/p/status`, { status })).code).toBe(200);
  };
  const withState = (state: Json, lastState: Json = {}): Json => ({
    containerStatuses: [{ name: 'c', state, lastState, containerID: 'x://now', ...OTHER }],
  });
  const OTHER = { image: 'x', imageID: '', ready: false, restartCount: 0 };
  const terminated = (id: string): Json => ({ terminated: { exitCode: 1, containerID: id } });
  const running = { running: {} };

  beforeEach(async () => {
    requests.length = 0;
    await start(logs);
  });
  afterEach(() => assembly.close());

  it('the log of a Pod is the output of its container as plain text, with the options of the request', async () => {
    await create(withState(running));
    const answer = await ask('GET', `${PODS}/p/log?follow=true&tailLines=3&sinceSeconds=60`);

    expect([answer.code, answer.headers['Content-Type']]).toEqual([200, 'text/plain']);
    expect(answer.body.kind === 'stream' ? await textOfAll(answer.body.values) : '').toBe('of x://now\n');
    expect(requests).toEqual([
      {
        namespace: 'default',
        pod: 'p',
        container: 'c',
        containerID: 'x://now',
        follow: true,
        tailLines: 3,
        since: clock.now() - 60_000,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it.each([
    ['its running container', '', running, terminated('x://before'), 'x://now'],
    ['the container before', 'previous=true', running, terminated('x://before'), 'x://before'],
    ['a container that has ended', '', terminated('x://now'), {}, 'x://now'],
    ['the last container while it waits', '', { waiting: { reason: 'B' } }, terminated('x://before'), 'x://before'],
  ])('the log of a Pod is the output of %s', async (_of, query, state, last, id) => {
    await create(withState(state, last));
    await ask('GET', `${PODS}/p/log?${query}`);
    expect(requests.map(({ containerID }) => containerID)).toEqual([id]);
  });

  it.each([
    ['previous', withState(running), 'previous terminated container "c" in pod "p" not found'],
    ['', withState({ waiting: { reason: 'Created' } }), 'container "c" in pod "p" is waiting to start: Created'],
    ['', withState({}), 'container "c" in pod "p" is not available'],
    ['', {}, 'container "c" in pod "p" is not available'],
    ['', withState(terminated('x://forgotten')), 'unable to retrieve container logs for x://forgotten'],
  ])('a log (%s) of a container without output is refused as by a kubelet', async (query, status, message) => {
    await create(status);
    const answer = await ask('GET', `${PODS}/p/log?${query}`);
    expect([answer.code, valueOf(answer)]).toMatchObject([400, { reason: 'BadRequest', message }]);
  });

  it.each([
    ['GET', 'exec'],
    ['POST', 'exec'],
    ['POST', 'attach'],
    ['GET', 'portforward'],
    ['GET', 'proxy/metrics'],
    ['POST', 'binding'],
  ])('%s of %s is refused at once, for nothing connects to containers', async (method, subresource) => {
    await create(withState(running));
    const answer = await ask(method, `${PODS}/p/${subresource}`);
    const [name] = subresource.split('/');
    expect([answer.code, valueOf(answer)]).toMatchObject([
      405,
      {
        reason: 'MethodNotAllowed',
        message: `${name} is not supported: this API server has no connection to the containers of pod "p"`,
      },
    ]);
  });

  it('a server without a source of logs refuses them after it has checked the request', async () => {
    assembly.close();
    await start();
    await create(withState(running));
    expect((await ask('GET', `${PODS}/p/log?tailLines=-1`)).code).toBe(422);
    expect((await ask('GET', `${PODS}/p/log`)).code).toBe(405);
  });

  it.each(['ephemeralcontainers', 'resize'])('a change of %s is refused', async (subresource) => {
    await create(withState(running));
    const answer = await ask('PATCH', `${PODS}/p/${subresource}`, { spec: { activeDeadlineSeconds: 5 } });
    expect([answer.code, valueOf(answer)]).toMatchObject([
      422,
      { message: `Pod "p" is invalid: ${subresource}: Forbidden: there is no kubelet that would apply it` },
    ]);
  });

  it('a changed spec is refused but for images, tolerations that are added, and the deadline', async () => {
    await create(withState(running));
    const image = [{ name: 'c', image: 'y', imagePullPolicy: 'Always' }];
    const added = { containers: image, tolerations: [{ operator: 'Exists' }], activeDeadlineSeconds: 5 };
    expect((await ask('PATCH', `${PODS}/p`, { spec: added })).code).toBe(200);
    for (const spec of [{ tolerations: null }, { nodeName: 'm' }, { containers: [{ ...image[0], name: 'd' }] }])
      expect(valueOf(await ask('PATCH', `${PODS}/p`, { spec }))).toMatchObject({
        code: 422,
        message: expect.stringContaining('spec: Forbidden: pod updates may not change fields other than'),
      });
  });

  it('a Pod that is being deleted is kept by changes until its grace period is set to 0', async () => {
    await create(withState(running));
    await ask('DELETE', `${PODS}/p`);
    expect(valueOf(await ask('PATCH', `${PODS}/p/status`, { status: { message: 'm' } }))).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-02T03:04:35Z', deletionGracePeriodSeconds: 30, generation: 2 },
    });
    await ask('DELETE', `${PODS}/p?gracePeriodSeconds=0`);
    expect((await ask('GET', `${PODS}/p`)).code).toBe(404);
  });
});

describe('the text of a log', () => {
  it.each([
    [{ timestamps: false, limitBytes: undefined }, 'one\ntwo\n'],
    [
      { timestamps: true, limitBytes: undefined },
      '2026-01-02T03:04:05.678000000Z one\n2026-01-02T03:04:05.678000000Z two\n',
    ],
    [{ timestamps: false, limitBytes: 6 }, 'one\ntw'],
    [{ timestamps: false, limitBytes: 4 }, 'one\n'],
    [{ timestamps: true, limitBytes: 33 }, '2026-01-02T03:04:05.678000000Z on'],
  ])('the text of a log with %j is %j', async (options, text) => {
    expect(await textOfAll(textOf(linesOf('on', 'e\n', 'two\n'), options))).toBe(text);
  });

  it('a text that is cut has no part of a character', async () => {
    expect(await textOfAll(textOf(linesOf('a€\n'), { timestamps: false, limitBytes: 3 }))).toBe('a');
  });
});
