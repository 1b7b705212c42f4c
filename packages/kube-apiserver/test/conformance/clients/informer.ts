import { CoreV1Api, makeInformer } from '@kubernetes/client-node';

import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import { configOf } from './clientnode.js';
import { ClientLog } from './clientlog.js';

const namespace = 'client-node-informer';

/** Runs an informer whose watches end every second. Returns the reported changes, made before, during and after watches. */
export async function useInformer(target: ConformanceTarget): Promise<readonly string[]> {
  const config = configOf(target);
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  const write = (name: string, at: string): Promise<unknown> =>
    core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name, labels: { watched: 'yes' } }, data: { at } },
    });
  await write('early', '0');

  const log = new ClientLog();
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
    informer.on(verb, (object) => log.add(verb, [object.metadata?.name, object.data?.['at']]));
  informer.on('connect', () => void (connects += 1));
  const onError = (error: unknown): void => log.add('error', String(error));
  informer.on('error', onError);
  await informer.start();
  /** Waits until the informer reported so many changes, and until it connected again after its watch ended. */
  const settle = async (changes: number): Promise<void> => {
    await waitFor(`change ${changes} to be reported`, () => log.lines.length >= changes);
    const before = connects;
    await waitFor('the informer to reconnect', () => connects > before);
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
  // The informer may report its own stop as an error.
  informer.off('error', onError);
  await informer.stop();
  log.add('held at last', informer.list().length);
  log.add('lists', String(lists));
  return log.lines;
}
