import type { KubeObject, ObjectName } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { drained } from '../drain.js';
import type { AppliedFiles } from '../files/files.js';
import { meantAmong } from '../meant.js';
import { NotFoundError } from '../output.js';
import { MissingObjectError, namespaceDeletions, overlay, replacedBy, type Change } from '../world/overlay.js';
import type { World, WorldResource } from '../world/world.js';
import { TYPES, worldOfObjects, type FleetReading } from '../world/worlds.js';
import { appliedManifests, ChangeTextError, deletion, labelChange, namespaceDeleted } from './changes.js';

/** What the changes of a question lead to: one meaning for commands, console and assistants. */

/** Changes, as texts and manifests. They are made in this order. */
export interface ChangeRequest extends Partial<Pick<AppliedFiles, 'check' | 'withDefaults'>> {
  /** Of objects that name none. */
  readonly namespace: string;
  /** Undefined when no file is given. */
  readonly manifests: readonly KubeObject[] | undefined;
  /** Whether `manifests` are all objects after the change. Otherwise they are applied, as `kubectl apply` does. */
  readonly complete: boolean;
  /** `mcl/NAME:KEY=VALUE` or `mcl/NAME:KEY-` each. */
  readonly labels: readonly string[];
  /** Clusters. */
  readonly drains?: readonly string[];
  /** `KIND/NAME` each. */
  readonly deletions: readonly string[];
}

/** A world, and what leads to it. */
export interface Changed {
  readonly after: World;
  /** Without manifests that are all objects after the change, and without drains. */
  readonly writes: readonly Change[];
  /** Whether the writes are all that leads to it, in this order. */
  readonly isOrdered: boolean;
}

/**
 * The world after the changes. @throws ChangeTextError for a change that cannot be read, NotFoundError for one of an object that
 * does not exist, InputError for an object that the API server refuses.
 */
export function changedBy({ world, namespace: only }: FleetReading, request: ChangeRequest): Changed {
  const { namespace, manifests = [], complete, deletions, labels, drains = [], withDefaults } = request;
  const isReplaced = complete && request.manifests !== undefined;
  const changes = [
    ...(complete ? [] : appliedManifests(manifests, namespace, withDefaults)),
    ...labels.map(labelChange),
  ];
  const writes = [...changes];
  const made = (before: World, next: readonly Change[]): World => {
    if (only !== undefined) for (const change of next) checkNamespace(change, only);
    return overlay(before, next);
  };
  try {
    const first = made(isReplaced ? replacedBy(world, worldOfObjects(manifests, namespace)) : world, changes);
    const after = deletions.reduce(
      (now, text) => {
        const next = deleted(now, text, { namespace, only });
        writes.push(...next);
        return made(now, next);
      },
      drains.reduce((now, name) => drainedIn(now, name), first),
    );
    checkApplied(world, after, changes, request);
    return { after, writes, isOrdered: drains.length === 0 && !isReplaced };
  } catch (error) {
    if (!(error instanceof MissingObjectError)) throw error;
    const { resource, object } = error;
    const meant = meantAmong(world.objects[resource], object.namespace, object.name);
    throw new NotFoundError(`${nameOf(resource, object)} was not found${meant}`, { cause: error });
  }
}

/** An object that may not be read cannot be judged, and the exit code says so; one that is deleted in the end need not. */
function checkApplied(before: World, after: World, changes: readonly Change[], { check }: ChangeRequest): void {
  if (check === undefined) return;
  const applied = changes.filter((change) => change.kind === 'apply');
  for (const resource of new Set(applied.map((change) => change.resource))) {
    if (before.withheld.some((one) => one.resource === resource)) continue;
    const [live, merged] = [before, after].map(({ objects }) => {
      return new Map(objects[resource].map((one) => [nameOf(resource, one.metadata), one]));
    });
    for (const change of applied.filter((one) => one.resource === resource)) {
      const name = nameOf(resource, change.object.metadata);
      const object = merged?.get(name);
      if (object !== undefined) check(object, live?.get(name));
    }
  }
}

function drainedIn(world: World, name: string): World {
  const { managedclusters } = world.objects;
  if (!managedclusters.some(({ metadata }) => metadata.name === name))
    throw new MissingObjectError('managedclusters', { name });
  return drained(world, name);
}

interface Deleting {
  readonly namespace: string;
  /** The only namespace that could be read; undefined: all. */
  readonly only: string | undefined;
}

/** What a deletion of the command line deletes. A misspelt namespace must not read as one without Placements. */
function deleted(world: World, text: string, { namespace, only }: Deleting): readonly Change[] {
  const doomed = namespaceDeleted(text);
  if (doomed === undefined) return [deletion(text, namespace)];
  if (doomed !== (only ?? doomed))
    throw new ChangeTextError(`Namespace ${doomed}: only namespace ${only ?? ''} could be read`);
  const changes = namespaceDeletions(world, doomed);
  if (changes.length === 0 && world.withheld.length === 0) {
    const known = Object.values(world.objects).flatMap((all) =>
      all.flatMap(({ metadata }) => metadata.namespace ?? []),
    );
    const what = `there is no Placement, decision or ManagedClusterSetBinding in namespace ${doomed}`;
    throw new NotFoundError(`${what}${meantText(doomed, known)}`);
  }
  return changes;
}

/** An object elsewhere may exist or not. @throws ChangeTextError. */
function checkNamespace(change: Change, only: string): void {
  const object = change.kind === 'apply' ? change.object.metadata : change.object;
  if ((object.namespace ?? only) !== only)
    throw new ChangeTextError(`${nameOf(change.resource, object)}: only namespace ${only} could be read`);
}

/** `KIND NAMESPACE/NAME`. */
export function nameOf(resource: WorldResource, object: ObjectName): string {
  return `${TYPES[resource].kind} ${keyOf(object)}`;
}
