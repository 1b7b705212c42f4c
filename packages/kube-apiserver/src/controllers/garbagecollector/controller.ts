import type { KubeObject } from '../../object.js';
import type { Change, Entry, Subscription } from '../../store/store.js';
import { Collector, FOREGROUND_FINALIZER, ORPHAN_FINALIZER, idOf } from './collector.js';
import type { ControllerOptions } from '../options.js';
import { monitorAll } from '../monitors.js';
import { WorkQueue } from '../workqueue.js';

const WORKERS = 16;
/** Neither owners nor owned, and many. */
const EVENTS = 'events';
/** Parts of the JSON of every object that this has to do with. */
const RELEVANT_FIELDS = [Buffer.from('"ownerReferences"'), Buffer.from('"deletionTimestamp"')];

/**
 * Garbage collection: what has only owners that do not exist goes (background), an owner that is deleted in the
 * foreground goes after what blocks it, one that leaves orphans goes after they were let loose.
 */
export function startGarbageCollector(options: ControllerOptions): { end(): Promise<void> } {
  const collector = new Collector(options, (id) => worklist.add(id));
  const worklist = new WorkQueue({
    clock: options.clock,
    workers: WORKERS,
    reconcile: (id) => collector.reconcile(id),
    onError: options.onError,
  });
  const feed: Subscription = monitorAll(options.store, options.registry, {
    existing: (collection, entry) => {
      if (collection !== EVENTS && RELEVANT_FIELDS.some((mark) => entry.bytes.includes(mark)))
        observe(collector, collection, { entry, previous: undefined });
    },
    changed: (collection, change) => {
      if (collection === EVENTS) return;
      if (change.type === 'put') observe(collector, collection, change);
      else collector.observeDeletion(idOf(collection, change.entry.key), change.entry.object);
    },
    resourcesChanged: () => collector.retryUnresolved(),
  });
  return {
    end() {
      feed.end();
      return worklist.end();
    },
  };
}

function observe(
  collector: Collector,
  collection: string,
  { entry, previous }: Pick<Change, 'entry' | 'previous'>,
): void {
  const id = idOf(collection, entry.key);
  if (isRelevant(entry.object) || collector.has(id)) collector.observe(id, entry.object, isWaiting(previous));
}

function isRelevant({ metadata }: KubeObject): boolean {
  return metadata.ownerReferences !== undefined || metadata.deletionTimestamp !== undefined;
}

/** Whether an entry waited already for its dependents. */
function isWaiting(entry: Entry | undefined): boolean {
  if (entry === undefined || !entry.bytes.includes('"deletionTimestamp"')) return false;
  const { deletionTimestamp, finalizers = [] } = entry.object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (finalizers.includes(FOREGROUND_FINALIZER) || finalizers.includes(ORPHAN_FINALIZER))
  );
}
