import type { KubeObject, ObjectName } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { maintainedIn } from '../drain.js';
import type { AppliedFiles } from '../files/files.js';
import { meantAmong } from '../meant.js';
import { NotFoundError } from '../output.js';
import { MissingObjectError, namespaceDeletions, overlay, replacedBy, type Change } from '../world/overlay.js';
import type { World, WorldResource } from '../world/world.js';
import { TYPES, worldOfObjects, type FleetReading } from '../world/worlds.js';
import { appliedManifests, ChangeTextError, deletion, labelChange, namespaceDeleted } from './changes.js';

/** The world after the changes that somebody asks about, computed in the same way for commands, console and assistants. */

/** The changes that somebody asks about. They are made in the order of these fields. */
export interface ChangeRequest extends Partial<Pick<AppliedFiles, 'check' | 'withDefaults'>> {
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Undefined when no file is given. */
  readonly manifests: readonly KubeObject[] | undefined;
  /** Whether the manifests replace all objects of the world. Otherwise they are applied, as `kubectl apply` does. */
  readonly complete: boolean;
  /** Each is `mcl/NAME:KEY=VALUE` or `mcl/NAME:KEY-`. */
  readonly labels: readonly string[];
  /** The names of clusters. */
  readonly drains?: readonly string[];
  /** Each is `KIND/NAME`. */
  readonly deletions: readonly string[];
}

/** The world after the changes, and the writes that make them. */
export interface Changed {
  readonly after: World;
  /** All changes but drains and manifests that replace the world. */
  readonly writes: readonly Change[];
  /** Whether `writes` has all changes, in the order in which they are made. */
  readonly hasAllWrites: boolean;
}

/**
 * Makes the changes.
 * @throws ChangeTextError for a change that cannot be parsed, NotFoundError for a change of an object that does not exist,
 * InputError for an object that the API server refuses
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
    let after = made(isReplaced ? replacedBy(world, worldOfObjects(manifests, namespace)) : world, changes);
    for (const name of drains) after = drainedIn(after, name);
    for (const text of deletions) {
      const next = deletionsBy(text, after, { namespace, only });
      writes.push(...next);
      after = made(after, next);
    }
    checkApplied(world, after, changes, request);
    return { after, writes, hasAllWrites: drains.length === 0 && !isReplaced };
  } catch (error) {
    if (!(error instanceof MissingObjectError)) throw error;
    const { resource, object } = error;
    const meant = meantAmong(world.objects[resource], object.namespace, object.name);
    throw new NotFoundError(`${nameOf(resource, object)} was not found${meant}`, { cause: error });
  }
}

/**
 * Checks each applied object as the API server would.
 *
 * It skips objects of a kind that the caller may not read, about which the exit code warns, and objects that a later change deletes.
 */
function checkApplied(before: World, after: World, changes: readonly Change[], { check }: ChangeRequest): void {
  if (check === undefined) return;
  const applied = changes.filter((change) => change.kind === 'apply');
  for (const resource of new Set(applied.map((change) => change.resource))) {
    if (before.withheld.some((one) => one.resource === resource)) continue;
    const [live, merged] = [before, after].map(({ objects }) => {
      return new Map(objects[resource].map((one) => [keyOf(one.metadata), one]));
    });
    for (const change of applied.filter((one) => one.resource === resource)) {
      const key = keyOf(change.object.metadata);
      const object = merged?.get(key);
      if (object !== undefined) check(object, live?.get(key));
    }
  }
}

function drainedIn(world: World, name: string): World {
  const { managedclusters } = world.objects;
  if (!managedclusters.some(({ metadata }) => metadata.name === name))
    throw new MissingObjectError('managedclusters', { name });
  return maintainedIn(world, name, 'Draining');
}

interface Scope {
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** The only namespace that could be read; undefined: all. */
  readonly only: string | undefined;
}

/**
 * The deletions of a text `KIND/NAME`: of the object, or of all that a namespace contains. A namespace without any object is an
 * error, since it may be misspelt.
 */
function deletionsBy(text: string, world: World, { namespace, only }: Scope): readonly Change[] {
  const deletedNamespace = namespaceDeleted(text);
  if (deletedNamespace === undefined) return [deletion(text, namespace)];
  if (only !== undefined && deletedNamespace !== only)
    throw new ChangeTextError(`Namespace ${deletedNamespace}: only namespace ${only} could be read`);
  const changes = namespaceDeletions(world, deletedNamespace);
  if (changes.length === 0 && world.withheld.length === 0) {
    const known = Object.values(world.objects).flatMap((all) =>
      all.flatMap(({ metadata }) => metadata.namespace ?? []),
    );
    const what = `there is no Placement, decision or ManagedClusterSetBinding in namespace ${deletedNamespace}`;
    throw new NotFoundError(`${what}${meantText(deletedNamespace, known)}`);
  }
  return changes;
}

/** Refuses a change outside of the only namespace that could be read. @throws ChangeTextError */
function checkNamespace(change: Change, only: string): void {
  const object = change.kind === 'apply' ? change.object.metadata : change.object;
  if ((object.namespace ?? only) !== only)
    throw new ChangeTextError(`${nameOf(change.resource, object)}: only namespace ${only} could be read`);
}

/** `KIND NAMESPACE/NAME`. */
export function nameOf(resource: WorldResource, object: ObjectName): string {
  return `${TYPES[resource].kind} ${keyOf(object)}`;
}
