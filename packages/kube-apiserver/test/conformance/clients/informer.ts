import { CoreV1Api, makeInformer } from '@kubernetes/client-node';

import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import { configOf } from './clientnode.js';
import { ClientLog } from './clientlog.js';

const NAMESPACE = 'client-node-informer';

/** An informer whose watches the server ends every second, and what it tells of changes made before, within and after them. */
export async function useInformer(target: ConformanceTarget): Promise<readonly string[]> {
  const config = configOf(target);
  const core = config.makeApiClient(CoreV1Api);
  const namespace = NAMESPACE;
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  const write = (name: string, at: string): Promise<unknown> =>
    core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name, labels: { watched: 'yes' } }, data: { at } },
    });
  await write('early', '0');

  const notes = new ClientLog();
  let connects = 0;
  let lists = 0;
  const list = (): ReturnType<CoreV1Api['listNamespacedConfigMap']> => {
    lists += 1;
    return core.listNamespacedConfigMap({ namespace, labelSelector: 'watched=yes' });
  };
  const informer = makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps?timeoutSeconds=1`,
    list,
    'watched=yes',
  );
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, (object) => notes.add(verb, [object.metadata?.name, object.data?.['at']]));
  informer.on('connect', () => void (connects += 1));
  const onError = (error: unknown): void => notes.add('error', String(error));
  informer.on('error', onError);
  await informer.start();
  /** Waits until the informer told of so many changes, and until it has come back after its watch ended. */
  const settle = async (told: number): Promise<void> => {
    await waitFor(`change ${told} to be told`, () => notes.lines.length >= told);
    const before = connects;
    await waitFor('the informer to come back', () => connects > before);
  };
  await settle(1);
  await write('late', '1');
  await settle(2);
  await core.replaceNamespacedConfigMap({
    namespace,
    name: 'early',
    body: { metadata: { name: 'early', labels: { watched: 'yes' } }, data: { at: '2' } },
  });
  await settle(3);
  await core.replaceNamespacedConfigMap({
    namespace,
    name: 'early',
    body: { metadata: { name: 'early' }, data: { at: '3' } },
  });
  await settle(4);
  await core.deleteNamespacedConfigMap({ namespace, name: 'late' });
  await settle(5);
  // Its own end it may tell as an error.
  informer.off('error', onError);
  await informer.stop();
  notes.add('held at last', informer.list().length);
  notes.add('lists', String(lists));
  return notes.lines;
}
