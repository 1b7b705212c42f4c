import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, CustomResourceDefinitions, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import type { Cache, CacheOptions } from '../../../src/runtime/cache/cache.js';
import { createCache } from '../../../src/runtime/cache/reflector.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { Change } from '../../../src/runtime/cache/store.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { isFailure } from '../../../src/runtime/errors.js';
import { againOnConflict } from '../../support/clients/conflict.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { cacheTools, transportOf } from '../../support/clients/transport.js';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const options = { fieldManager: 'test' };
const Things = { group: 'test.example.com', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true };

const THINGS_CRD = {
  metadata: { name: 'things.test.example.com' },
  spec: {
    group: 'test.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

interface Started<T extends KubeObject> {
  readonly cache: Cache<T>;
  readonly changes: Change<T>[];
  names(): string[];
}

/** Caches that a test starts, stopped at its end. */
class Caches {
  readonly #stops: (() => Promise<void>)[] = [];

  start<T extends KubeObject>(transport: Transport, what: CacheOptions<T>): Started<T> {
    const cache = createCache(transport, what, cacheTools());
    const changes: Change<T>[] = [];
    cache.onChange((change) => void changes.push(change));
    cache.start();
    this.#stops.push(() => cache.stop());
    return { cache, changes, names: () => [...cache.store.values()].map((one) => one.metadata.name).sort() };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.splice(0).map((stop) => stop()));
  }
}

describeWithServer('a cache', {}, (server) => {
  const namespace = ownName('cache');
  const caches = new Caches();
  let transport: Transport;
  let client: KubeClient;

  beforeAll(async () => {
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
    await client.create(Namespaces, { metadata: { name: namespace } }, options);
  });
  afterEach(() => caches.stop());
  afterAll(() => transport.close());

  const create = (name: string, labels: Record<string, string> = {}): Promise<ConfigMap> =>
    client.create<ConfigMap>(ConfigMaps, { metadata: { namespace, name, labels }, data: { a: '1' } }, options);

  it('a cache follows what is created, changed, deleted and created again', async () => {
    const { cache, changes, names } = caches.start<ConfigMap>(transport, {
      type: ConfigMaps,
      namespace,
      labelSelector: 'follow=yes',
    });
    await cache.whenSynced();
    const first = await create('followed', { follow: 'yes' });
    await waitFor('the new object', () => names().includes('followed'));
    const changed = await client.update(ConfigMaps, { ...first, data: { a: '2' } }, options);
    await waitFor('the change', () => cache.store.get(`${namespace}/followed`)?.data?.['a'] === '2');
    const { uid = '', resourceVersion = '' } = changed.metadata;
    await client.delete(ConfigMaps, first.metadata, { preconditions: { uid, resourceVersion } });
    await waitFor('the deletion', () => names().length === 0);
    const second = await create('followed', { follow: 'yes' });
    await waitFor(
      'the second life',
      () => cache.store.get(`${namespace}/followed`)?.metadata.uid === second.metadata.uid,
    );

    expect(changes.map(({ before, after }) => [before?.metadata.uid, after?.metadata.uid])).toEqual([
      [undefined, uid],
      [uid, uid],
      [uid, undefined],
      [undefined, second.metadata.uid],
    ]);
  });

  it('a cache loses an object that its selector no longer matches', async () => {
    const { cache, names } = caches.start<ConfigMap>(transport, {
      type: ConfigMaps,
      namespace,
      labelSelector: 'chosen=yes',
    });
    await cache.whenSynced();
    const chosen = await create('chosen', { chosen: 'yes' });
    await waitFor('the object', () => names().includes('chosen'));

    await client.update(ConfigMaps, { ...chosen, metadata: { ...chosen.metadata, labels: {} } }, options);

    await waitFor('it to be gone', () => names().length === 0);
  });

  it('a cache holds only the metadata of one name if configured so', async () => {
    await create('only');
    await create('other');

    const { cache, names } = caches.start(transport, {
      type: ConfigMaps,
      namespace,
      fieldSelector: 'metadata.name=only',
      metadataOnly: true,
    });
    await cache.whenSynced();
    const seen = cache.store.get(`${namespace}/only`);
    await client.apply(
      ConfigMaps,
      { metadata: { namespace, name: 'only', labels: { seen: 'yes' } } },
      { ...options, force: false },
    );
    const after = await waitFor('the label', () => {
      const now = cache.store.get(`${namespace}/only`);
      return now?.metadata.labels?.['seen'] === 'yes' ? now : undefined;
    });

    expect(names()).toEqual(['only']);
    for (const one of [seen, after]) expect(Object.keys(one ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(after).toMatchObject({ kind: 'ConfigMap' });
    expect(after.metadata).not.toHaveProperty('managedFields');
  });

  it('a cache lists a collection of several pages completely', async () => {
    const names = Array.from({ length: 45 }, (_, index) => `page-${String(index).padStart(2, '0')}`);
    await Promise.all(names.map((name) => create(name, { paged: 'yes' })));

    const started = caches.start<ConfigMap>(transport, {
      type: ConfigMaps,
      namespace,
      labelSelector: 'paged=yes',
      pageSize: 10,
    });
    await started.cache.whenSynced();

    expect(started.names()).toEqual(names);
    expect(started.changes).toHaveLength(45);
  });

  it('a cache reports a removed type as missing, and recovers when it is served again', async () => {
    const crds = CustomResourceDefinitions;
    const made = await client.create(crds, THINGS_CRD, options);
    const { cache, names } = caches.start<KubeObject>(transport, { type: Things });
    await cache.whenSynced();
    await client.create(Things, { metadata: { namespace, name: 'first' } }, options);
    await waitFor('the first', () => names().includes('first'));

    await againOnConflict(
      async () =>
        void (await client.delete(crds, made.metadata, {
          preconditions: preconditionsOf(await client.get(crds, made.metadata)),
        })),
    );
    await waitFor('the cache to be out of date, and to say why', (seen) => {
      seen(cache.failure());
      return !cache.current() && isFailure(cache.failure(), 'ResourceMissing');
    });
    await waitFor('the type to be gone', async () => (await client.get(crds, made.metadata)) === undefined);
    await client.create(crds, THINGS_CRD, options);
    await waitFor('the type to be served', () =>
      client.create(Things, { metadata: { namespace, name: 'second' } }, options),
    );
    await waitFor('the cache to be current again', () => cache.current() && names().includes('second'), {
      deadlineMs: 120_000,
    });

    expect(names()).toEqual(['second']);
    await againOnConflict(
      async () =>
        void (await client.delete(crds, made.metadata, {
          preconditions: preconditionsOf(await client.get(crds, made.metadata)),
        })),
    );
  }, 240_000);
});

describeWithServer('a cache beside a server that fails', { capabilities: ['restart', 'compaction'] }, (server) => {
  const caches = new Caches();
  let transport: Transport;
  let client: KubeClient;

  beforeAll(() => {
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
  });
  afterEach(() => caches.stop());
  afterAll(() => transport.close());

  const create = (name: string): Promise<KubeObject> =>
    client.create(ConfigMaps, { metadata: { namespace: 'default', name } }, options);
  const remove = async (name: string): Promise<void> => {
    const found = await client.get(ConfigMaps, { namespace: 'default', name });
    await client.delete(ConfigMaps, { namespace: 'default', name }, { preconditions: preconditionsOf(found) });
  };

  it('a cache beside a server that fails resumes its watch after a restart of the server', async () => {
    const { cache, names, changes } = caches.start(transport, { type: ConfigMaps, namespace: 'default' });
    await cache.whenSynced();
    await create('before');
    await waitFor('the object before', () => names().includes('before'));
    const known = changes.length;

    await server().restart();
    await create('after');
    await waitFor('the object after', () => names().includes('after'));

    expect(changes.slice(known).map((change) => change.after?.metadata.name)).toEqual(['after']);
    await waitFor('the cache to be current', () => cache.current());
  }, 300_000);

  it('a cache beside a server that fails lists again after a compaction', async () => {
    const { cache, names, changes } = caches.start(transport, { type: ConfigMaps, namespace: 'default' });
    await cache.whenSynced();
    await create('doomed');
    await waitFor('the doomed object', () => names().includes('doomed'));
    const known = changes.length;

    await server().compactHistory();
    await remove('doomed');
    await create('fresh');
    await waitFor(
      'the fresh object in place of the doomed',
      () => names().includes('fresh') && !names().includes('doomed'),
      { deadlineMs: 90_000 },
    );

    expect(changes.slice(known).map(({ before, after }) => [before?.metadata.name, after?.metadata.name])).toEqual(
      expect.arrayContaining([
        ['doomed', undefined],
        [undefined, 'fresh'],
      ]),
    );
    await waitFor('the cache to be current', () => cache.current());
  }, 300_000);
});

function preconditionsOf(object: KubeObject | undefined): { uid: string; resourceVersion: string } {
  return { uid: object?.metadata.uid ?? '', resourceVersion: object?.metadata.resourceVersion ?? '' };
}
