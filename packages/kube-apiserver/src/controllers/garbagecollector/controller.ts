import type { KubeObject } from '@multicluster-engine/values/object';
import type { Change, Entry, Subscription } from '../../store/store.js';
import { Collector, FOREGROUND_FINALIZER, ORPHAN_FINALIZER, idOf } from './collector.js';
import type { ControllerOptions } from '../options.js';
import { monitorAll } from '../monitors.js';
import { WorkQueue } from '../workqueue.js';

const WORKERS = 16;
/** Events are ignored, as by kube-controller-manager. */
const EVENTS = 'events';
/** The stored JSON of every object that concerns the garbage collector contains one of these. */
const RELEVANT_FIELDS = [Buffer.from('"ownerReferences"'), Buffer.from('"deletionTimestamp"')];

/**
 * Garbage collection. Background: an object whose owners are all absent is deleted. Foreground: an owner is deleted
 * after the dependents that block it. Orphan: an owner is deleted after its references were removed from dependents.
 */
export function startGarbageCollector(options: ControllerOptions): { end(): Promise<void> } {
  const collector = new Collector(options, (id) => queue.add(id));
  const queue = new WorkQueue({
    clock: options.clock,
    workers: WORKERS,
    reconcile: (id) => collector.reconcile(id),
    onError: options.onError,
  });
  const monitors: Subscription = monitorAll(options.store, options.registry, {
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
      monitors.end();
      return queue.end();
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

/** Whether an earlier state of an object waited for its dependents already. */
function isWaiting(entry: Entry | undefined): boolean {
  if (entry === undefined || !entry.bytes.includes('"deletionTimestamp"')) return false;
  const { deletionTimestamp, finalizers = [] } = entry.object.metadata;
  return (
    deletionTimestamp !== undefined &&
    (finalizers.includes(FOREGROUND_FINALIZER) || finalizers.includes(ORPHAN_FINALIZER))
  );
}
