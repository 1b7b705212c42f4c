import { beforeAll, expect, it } from '@jest/globals';

import type { ApiAnswer } from '../../testing/controlplane/api.js';
import { waitFor } from '../../testing/wait.js';
import { describeConformance } from './suite.js';

const WRITERS = 50;
const NAMESPACE = '/api/v1/namespaces/concurrency';
const MERGE = 'application/merge-patch+json';

describeConformance('concurrent writes', {}, (target) => {
  beforeAll(async () => {
    expect(
      (await target().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'concurrency' } } }))
        .status,
    ).toBe(201);
  });

  const post = (plural: string, body: unknown): Promise<ApiAnswer> =>
    target().call({ method: 'POST', path: `${NAMESPACE}/${plural}`, body });
  const put = (name: string, body: unknown): Promise<ApiAnswer> =>
    target().call({ method: 'PUT', path: `${NAMESPACE}/configmaps/${name}`, body });
  const get = (name: string): Promise<ApiAnswer> => target().call({ path: `${NAMESPACE}/configmaps/${name}` });
  const merge = (name: string, body: unknown): Promise<ApiAnswer> =>
    target().call({ method: 'PATCH', path: `${NAMESPACE}/configmaps/${name}`, contentType: MERGE, body });
  const dataOf = ({ body }: ApiAnswer): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(body['data'] ?? {}));
  const versionOf = ({ body }: ApiAnswer): string => body.metadata?.resourceVersion ?? '';

  it('concurrent updates with a resourceVersion are not lost', async () => {
    await post('configmaps', { metadata: { name: 'counted' }, data: { count: '0' } });
    let conflicts = 0;
    const count = async (writer: number): Promise<void> => {
      for (;;) {
        const read = await get('counted');
        const data = dataOf(read);
        const { status } = await put('counted', {
          ...read.body,
          data: { ...data, count: String(Number(data['count']) + 1), [`writer-${writer}`]: 'written' },
        });
        if (status === 200) return;
        expect(status).toBe(409);
        conflicts += 1;
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_none, writer) => count(writer)));
    const data = dataOf(await get('counted'));
    expect(data['count']).toBe(String(WRITERS));
    expect(Object.keys(data)).toHaveLength(WRITERS + 1);
    expect(conflicts).toBeGreaterThan(0);
  });

  it('concurrent patches are not lost', async () => {
    await post('configmaps', { metadata: { name: 'patched' } });
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_none, writer) =>
        merge('patched', { data: { [`writer-${writer}`]: 'written' } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Object.keys(dataOf(await get('patched')))).toHaveLength(WRITERS);
    expect(new Set(answers.map(versionOf)).size).toBe(WRITERS);
  });

  it('one of several concurrent creates of one name succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, () => post('configmaps', { metadata: { name: 'once' } })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 409 && body.reason === 'AlreadyExists')).toHaveLength(
      WRITERS - 1,
    );
  });

  it('concurrent creates with generateName get different names', async () => {
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, () => post('configmaps', { metadata: { generateName: 'made-' } })),
    );
    expect(new Set(answers.map(({ body }) => body.metadata?.name)).size).toBe(WRITERS);
  });

  it('all but one of several concurrent deletes get 404', async () => {
    await post('configmaps', { metadata: { name: 'gone' } });
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, () => target().call({ method: 'DELETE', path: `${NAMESPACE}/configmaps/gone` })),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    expect((await get('gone')).status).toBe(404);
  });

  it('writes that change nothing keep the resourceVersion and cause no watch event', async () => {
    const made = await post('configmaps', { metadata: { name: 'still', labels: { a: 'b' } }, data: { a: 'b' } });
    const seen: string[] = [];
    const abort = new AbortController();
    const watch = target().stream(
      `${NAMESPACE}/configmaps?watch=true&resourceVersion=${versionOf(made)}&fieldSelector=metadata.name%3Dstill`,
      (line) => seen.push(line),
      abort.signal,
    );
    const answers = [
      await put('still', made.body),
      await merge('still', { data: { a: 'b' } }),
      await merge('still', { metadata: { labels: { a: 'b' } } }),
      await put('still', { metadata: { name: 'still', labels: { a: 'b' } }, data: { a: 'b' } }),
    ];
    expect(answers.map((answer) => [answer.status, versionOf(answer)])).toEqual(
      answers.map(() => [200, versionOf(made)]),
    );
    const changed = await merge('still', { data: { a: 'c' } });
    expect(versionOf(changed)).not.toBe(versionOf(made));
    await target().call({ method: 'DELETE', path: `${NAMESPACE}/configmaps/still` });
    await waitFor('both events', () => seen.length >= 2);
    abort.abort();
    await watch;
    expect(seen.map((line) => JSON.parse(line).type)).toEqual(['MODIFIED', 'DELETED']);
  });

  it.each([
    [
      'an old resourceVersion',
      (version: string) => ({ metadata: { name: 'held', resourceVersion: version }, data: { a: 'late' } }),
      409,
    ],
    ['another uid', () => ({ metadata: { name: 'held', uid: 'other' }, data: { a: 'late' } }), 409],
    ['no resourceVersion', () => ({ metadata: { name: 'held' }, data: { a: 'late' } }), 200],
  ])('an update with %s is answered as expected', async (_what, body, status) => {
    const first = await post('configmaps', { metadata: { name: 'held' } });
    await merge('held', { data: { a: 'early' } });
    const answer = await put('held', body(versionOf(first)));
    await target().call({ method: 'DELETE', path: `${NAMESPACE}/configmaps/held` });
    expect([answer.status, dataOf(answer)['a']]).toEqual(status === 200 ? [200, 'late'] : [409, undefined]);
  });
});
