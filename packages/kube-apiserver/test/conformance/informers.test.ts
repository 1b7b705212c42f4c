import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { waitFor } from '../../testing/wait.js';
import { TcpProxy } from './tcpproxy.js';
import { describeConformance } from './suite.js';
import type { ConformanceTarget } from './target.js';

const NAMESPACE = 'informers';
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const NAMES = Array.from({ length: 12 }, (_none, index) => `held-${index}`);
const ROUNDS = 20;

/** The configuration of an administrator at the URL `server`. */
function configOf({ caFile, token }: ConformanceTarget, server: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'main', server, caFile, skipTLSVerify: false }],
    users: [{ name: 'main', token }],
    contexts: [{ name: 'main', cluster: 'main', user: 'main' }],
    currentContext: 'main',
  });
  return config;
}

describeConformance('an informer of @kubernetes/client-node', {}, (target) => {
  let proxy: TcpProxy;
  beforeAll(async () => {
    expect(
      (await target().call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } }))
        .status,
    ).toBe(201);
    proxy = await TcpProxy.start(target().url);
  });
  afterAll(() => proxy.stop());

  /** Creates, patches or deletes each of the objects in turn. */
  const write = async (round: number): Promise<void> => {
    await Promise.all(
      NAMES.map(async (name, index) => {
        const turn = (round + index) % 4;
        if (turn === 0)
          await target().call({
            method: 'POST',
            path: PATH,
            body: { metadata: { name, labels: { held: 'yes' } }, data: { round: String(round) } },
          });
        else if (turn < 3)
          await target().call({
            method: 'PATCH',
            path: `${PATH}/${name}`,
            contentType: 'application/merge-patch+json',
            body: { data: { round: String(round) } },
          });
        else await target().call({ method: 'DELETE', path: `${PATH}/${name}` });
      }),
    );
  };
  const stored = async (): Promise<Record<string, string>> => {
    const { body } = await target().call({ path: `${PATH}?labelSelector=held` });
    return Object.fromEntries(
      (body.items ?? []).map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
    );
  };

  it('an informer of client-node stays consistent while its connections are closed repeatedly', async () => {
    const config = configOf(target(), proxy.url);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer<V1ConfigMap>(
      config,
      PATH,
      () => api.listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector: 'held' }),
      'held',
    );
    const reported = new Map<string, string>();
    const note = ({ metadata }: V1ConfigMap): void =>
      void reported.set(metadata?.name ?? '', metadata?.resourceVersion ?? '');
    informer.on('add', note);
    informer.on('update', note);
    informer.on('delete', ({ metadata }) => void reported.delete(metadata?.name ?? ''));
    let stopped = false;
    let restarts = 0;
    informer.on('error', () => {
      if (stopped) return;
      restarts += 1;
      setImmediate(() => void informer.start().catch(() => undefined));
    });
    await informer.start();
    let cuts = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      await write(round);
      if (round % 5 === 4) cuts += proxy.closeConnections();
    }
    const expected = await stored();
    const held = (): Record<string, string> =>
      Object.fromEntries(
        informer.list().map(({ metadata }) => [metadata?.name ?? '', metadata?.resourceVersion ?? '']),
      );
    await waitFor('the informer to hold what is stored', (seen) => {
      seen({ held: held(), expected, restarts });
      return sameAs(held(), expected) && sameAs(Object.fromEntries(reported), expected);
    });
    stopped = true;
    await informer.stop();
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    expect(cuts).toBeGreaterThan(0);
  });
});

function sameAs(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(other);
  return Object.keys(one).length === names.length && names.every((name) => one[name] === other[name]);
}
