import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import type { Cache } from '../../runtime/cache/cache.js';
import { isFailure } from '../../runtime/errors.js';
import type { Controller } from '../../runtime/controller/controller.js';
import type { CacheSource } from '../../runtime/manager/group.js';
import type { Logger } from '../../runtime/logger.js';

/** Controllers that run beside the others of their group while the API of another project is served. */
export interface OptionalControllers {
  readonly controllers: readonly Controller[];
  readonly source: CacheSource;
  /** To be called each time the lease is acquired, before the controllers start. */
  readonly onStartedLeading: () => void;
}

/**
 * The cache of an API that need not be installed, as a source of a group. The group does not wait for it: `whenSynced`
 * resolves at once. Nor does its failure make the group unready: the source has no `failure`. Logs whether the API is
 * served once that is known, and then at each change.
 */
export function optionalSource(cache: Cache<KubeObject>, log: Logger): CacheSource {
  const resource = `${cache.type.plural}.${cache.type.group}`;
  /** Undefined until it is known. */
  let isServed: boolean | undefined;
  cache.onState(() => {
    const isMissing = isFailure(cache.failure(), 'ResourceMissing', 'NotFound');
    if (isMissing && isServed !== false) {
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
