import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import type { Cache } from '../../runtime/cache/cache.js';
import { isFailure } from '../../runtime/errors.js';
import type { CacheSource } from '../../runtime/manager/group.js';
import type { Logger } from '../../runtime/logger.js';

/**
 * The cache of an API that need not be installed, as a source of a group: the group neither waits for it nor becomes unready
 * with it. Says once that the API is not served, and once when it is.
 */
export function optionalSource(cache: Cache<KubeObject>, log: Logger): CacheSource {
  const resource = `${cache.type.plural}.${cache.type.group}`;
  let isServed: boolean | undefined;
  cache.onState(() => {
    const missing = isFailure(cache.failure(), 'ResourceMissing', 'NotFound');
    if (missing && isServed !== false) {
      isServed = false;
      log.warn({ resource, version: cache.type.version }, 'API is not served; ignored until it is');
    }
    if (cache.current() && isServed !== true) {
      isServed = true;
      log.info({ resource, version: cache.type.version }, 'API served');
    }
  });
  return { start: () => cache.start(), whenSynced: () => Promise.resolve(), stop: () => cache.stop() };
}
