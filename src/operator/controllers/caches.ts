import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import type { Cache } from '../../runtime/cache/cache.js';
import type { Result } from '../../runtime/controller/result.js';

/** What a reconcile does while a cache is not current. */

/** The plural names of the caches that are not current: never synced, or not readable at the moment. */
export function cachesNotCurrent(caches: readonly Pick<Cache<KubeObject>, 'current' | 'type'>[]): readonly string[] {
  return caches.filter((cache) => !cache.current()).map((cache) => cache.type.plural);
}

/** The result of a reconcile that waits for caches, by their plural names; requeued after `afterMs` at the latest. */
export function waitForCaches(caches: readonly string[], afterMs = 5_000): Result {
  return { ending: 'wait', reason: `caches not current: ${caches.join(', ')}`, afterMs };
}
