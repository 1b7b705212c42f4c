import { expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, Deployments } from '../../../../src/runtime/vocabulary/kinds.js';
import { TargetCaches } from '../../../../src/operator/controllers/engine/caches.js';
import type { Cache, CacheOptions } from '../../../../src/runtime/cache/cache.js';
import { FakeCache } from '../../../support/fakes/cache.js';

it('the caches of all target namespaces are stopped when the controller stops, and none can be opened afterwards', async () => {
  const stopped: string[] = [];
  const openCache = <T extends KubeObject>(options: CacheOptions<T>): Cache<T> => {
    const cache = new FakeCache<T>(options, () => []);
    const stop = cache.stop.bind(cache);
    cache.stop = async () => {
      stopped.push(`${options.type.plural} ${options.namespace ?? ''}`);
      await stop();
    };
    return cache;
  };
  const targets = new TargetCaches({ openCache, types: [ConfigMaps, Deployments], enqueue: () => undefined });
  targets.startTerm(new AbortController().signal);
  const engine = { name: 'engine', uid: 'u' };
  targets.open(engine, 'target', []);

  await targets.stop();

  expect(stopped).toEqual(expect.arrayContaining(['configmaps target', 'deployments target']));
  expect(targets.isOpen(engine)).toBe(false);
  expect(() => targets.open(engine, 'target', [])).toThrow('opened by the leader alone');
});
