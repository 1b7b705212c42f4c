import type { KubeObject } from '../../object.js';
import type { Change, Entry, Subscription } from '../../store/store.js';
import { Collector, FOREGROUND, ORPHAN, idOf } from './collector.js';
import type { ControllerOptions } from '../options.js';
import { follow } from '../monitors.js';
import { Worklist } from '../workqueue.js';

const PARALLEL = 16;
/** Neither owners nor owned, and many. */
const EVENTS = 'events';
/** Parts of the JSON of every object that this has to do with. */
const MARKS = [Buffer.from('"ownerReferences"'), Buffer.from('"deletionTimestamp"')];

/**
 * Garbage collection: what has only owners that do not exist goes (background), an owner that is deleted in the
 * foreground goes after what blocks it, one that leaves orphans goes after they were let loose.
 */
export function startGarbageCollector(options: ControllerOptions): { end(): Promise<void> } {
  const collector = new Collector(options, (id) => worklist.add(id));
  const worklist = new Worklist({
    clock: options.clock,
    parallel: PARALLEL,
    reconcile: (id) => collector.process(id),
    onError: options.onError,
  });
  const feed: Subscription = follow(options.store, options.registry, {
    found: (collection, entry) => {
      if (collection !== EVENTS && MARKS.some((mark) => entry.bytes.includes(mark)))
        seen(collector, collection, { entry, previous: undefined });
    },
    changed: (collection, change) => {
      if (collection === EVENTS) return;
      if (change.type === 'put') seen(collector, collection, change);
      else collector.removed(idOf(collection, change.entry.key), change.entry.object);
    },
    served: () => collector.served(),
  });
  return {
    end() {
      feed.end();
      return worklist.end();
    },
  };
}

function seen(collector: Collector, collection: string, { entry, previous }: Pick<Change, 'entry' | 'previous'>): void {
  const id = idOf(collection, entry.key);
  if (isOfInterest(entry.object) || collector.knows(id)) collector.put(id, entry.object, isWaiting(previous));
}

function isOfInterest({ metadata }: KubeObject): boolean {
  return metadata.ownerReferences !== undefined || metadata.deletionTimestamp !== undefined;
}

/** Whether an entry waited already for its dependents. */
function isWaiting(entry: Entry | undefined): boolean {
  if (entry === undefined || !entry.bytes.includes('"deletionTimestamp"')) return false;
  const { deletionTimestamp, finalizers = [] } = entry.object.metadata;
  return deletionTimestamp !== undefined && (finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN));
}
