import { keyOf } from '../../runtime/vocabulary/names.js';
import { LAST_APPLIED } from '../../api/names.js';
import { asRecord, isRecord, parseJson, sameJson, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { ObjectMeta, ObjectName, RawObject } from '../../runtime/vocabulary/meta.js';
import { WORLD_RESOURCES, type World, type WorldResource } from './world.js';

/** Changes to the objects of a world, as the API server carries them out. */

export type Change =
  /** `kubectl apply` of a manifest: see {@link applied}. */
  | {
      readonly kind: 'apply';
      readonly resource: WorldResource;
      readonly object: RawObject;
      /** What the API server makes of the merged object: with its defaults. Absent: what it is. */
      readonly withDefaults?: ((merged: RawObject) => RawObject) | undefined;
    }
  /** `kubectl label --overwrite`; `value` undefined removes the label. */
  | {
      readonly kind: 'label';
      readonly resource: WorldResource;
      readonly object: ObjectName;
      readonly key: string;
      readonly value: string | undefined;
    }
  /** `kubectl delete`: an object with finalizers stays, and is being deleted. */
  | { readonly kind: 'delete'; readonly resource: WorldResource; readonly object: ObjectName };

/** A change of an object that does not exist. */
export class MissingObjectError extends Error {
  readonly resource: WorldResource;
  readonly object: ObjectName;

  constructor(resource: WorldResource, object: ObjectName) {
    super(`${resource} ${keyOf(object)} was not found`);
    this.resource = resource;
    this.object = object;
  }
}

type Objects = Map<string, RawObject>;

/** Marks an object as being deleted. The time itself is never read. */
const DELETION_TIME = '1970-01-01T00:00:00Z';
/** The fields of metadata that a manifest sets. The API server sets the others. */
const OWN_METADATA = ['name', 'namespace', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/**
 * The world after the changes, in their order. Objects that no change names stay the same values.
 * @throws MissingObjectError for a label or a deletion of what does not exist, in a collection that could be read
 */
export function overlay(world: World, changes: readonly Change[]): World {
  const changed = new Map<WorldResource, Objects>();
  for (const change of changes) {
    const { resource } = change;
    const objects = changed.get(resource) ?? byKey(world.objects[resource]);
    changed.set(resource, objects);
    if (change.kind === 'apply')
      put(objects, applied(objects.get(keyOf(change.object.metadata)), change.object, change.withDefaults));
    else if (objects.has(keyOf(change.object))) changeExisting(objects, change);
    else if (!world.withheld.some((one) => one.resource === resource))
      throw new MissingObjectError(resource, change.object);
  }
  const lists = [...changed].map(([resource, objects]) => [resource, [...objects.values()]] as const);
  return { ...world, objects: { ...world.objects, ...Object.fromEntries(lists) } };
}

/**
 * The world of files that are all its objects, once they are applied: what the server sets of an object that was there before
 * stays, and the status of one whose file has none. `live` keeps its decisions: no file decides.
 */
export function replacedBy(live: World, { objects: files, ...world }: World): World {
  const objects = WORLD_RESOURCES.map((resource) => {
    if (resource === 'placementdecisions') return [resource, live.objects[resource]] as const;
    const before = byKey(live.objects[resource]);
    return [resource, files[resource].map((one) => replacing(before.get(keyOf(one.metadata)), one))] as const;
  });
  return { ...world, at: live.at, objects: Object.fromEntries(objects) as World['objects'] };
}

/** Two different uids are two objects of one name. */
function replacing(live: RawObject | undefined, file: RawObject): RawObject {
  const { uid, deletionTimestamp, generation = 0 } = live?.metadata ?? {};
  const { uid: ownUid = uid, ...own } = file.metadata;
  if (live === undefined || (uid !== undefined && ownUid !== uid)) return file;
  const isEdited = !sameJson(live.spec, file.spec);
  return {
    ...file,
    metadata: {
      ...own,
      ...(uid !== undefined && { uid }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      generation: isEdited ? Math.max(generation + 1, own.generation ?? 0) : generation,
    },
    status: file.status ?? live.status,
  };
}

/** The world before the changes, and after each that alters an object beside its annotation of the manifest that was applied last. */
export function* worldsOf(world: World, changes: readonly Change[]): Generator<World, void, undefined> {
  let now = world;
  yield now;
  for (const change of changes) {
    const before = objectIn(now, change);
    now = overlay(now, [change]);
    if (!sameJson(comparable(before), comparable(objectIn(now, change)))) yield now;
  }
}

function objectIn({ objects }: World, change: Change): RawObject | undefined {
  const key = keyOf(change.kind === 'apply' ? change.object.metadata : change.object);
  return objects[change.resource].find(({ metadata }) => keyOf(metadata) === key);
}

function comparable(object: RawObject | undefined): unknown {
  if (object === undefined) return null;
  const { labels = {}, annotations = {}, deletionTimestamp = '' } = object.metadata;
  const { [LAST_APPLIED]: _last, ...others } = annotations;
  return { spec: object.spec ?? null, status: object.status ?? null, labels, annotations: others, deletionTimestamp };
}

/** What the deletion of a namespace deletes: all objects of the world in it. */
export function namespaceDeletions(world: World, namespace: string): readonly Change[] {
  return WORLD_RESOURCES.flatMap((resource) =>
    world.objects[resource]
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ metadata: { name } }): Change => ({ kind: 'delete', resource, object: { namespace, name } })),
  );
}

function byKey(objects: readonly RawObject[]): Objects {
  return new Map(objects.map((one) => [keyOf(one.metadata), one]));
}

function put(objects: Objects, object: RawObject): void {
  objects.set(keyOf(object.metadata), object);
}

function changeExisting(objects: Objects, change: Exclude<Change, { kind: 'apply' }>): void {
  const found = objects.get(keyOf(change.object));
  if (found === undefined) return;
  if (change.kind === 'label') put(objects, labelled(found, change.key, change.value));
  else if ((found.metadata.finalizers ?? []).length === 0) objects.delete(keyOf(change.object));
  else put(objects, { ...found, metadata: { deletionTimestamp: DELETION_TIME, ...found.metadata } });
}

function labelled(object: RawObject, key: string, value: string | undefined): RawObject {
  const others = Object.entries(object.metadata.labels ?? {}).filter(([other]) => other !== key);
  const labels = Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
  return { ...object, metadata: { ...object.metadata, labels } };
}

/**
 * The object after `kubectl apply` of `manifest`, a merge of three: the manifest, the live object and the manifest that was
 * applied last, which the live object has in an annotation.
 * - Fields of the manifest are set. Objects are merged field by field, lists and values are replaced.
 * - Fields that the last manifest had and this one does not have are removed.
 * - All other live fields stay. Without the annotation no field is removed.
 * - `null` in an object removes the live field, one that was never applied too: `spec: null` removes the whole spec.
 * - `status`, and metadata that the API server sets, are not taken from a manifest: the kinds of a world have a status
 *   subresource.
 */
export function applied(
  live: RawObject | undefined,
  manifest: RawObject,
  withDefaults: (merged: RawObject) => RawObject = (merged) => merged,
): RawObject {
  const wanted = ownFields(manifest);
  const annotations = live?.metadata.annotations ?? {};
  const last = asRecord(parseJson(annotations[LAST_APPLIED] ?? ''));
  const merged = withDefaults(mergedObject(asRecord(live), wanted, last) as unknown as RawObject);
  const { generation = 0 } = live?.metadata ?? {};
  const isSame = sameJson(live?.spec, merged.spec);
  return {
    ...merged,
    metadata: {
      ...merged.metadata,
      generation: isSame && live !== undefined ? generation : generation + 1,
      annotations: { ...merged.metadata.annotations, [LAST_APPLIED]: JSON.stringify(wanted) },
    },
  };
}

/** What `kubectl apply` sends of a manifest. */
function ownFields({ metadata, ...manifest }: RawObject): JsonRecord {
  const fields = Object.entries(manifest).filter(([name]) => name !== 'status');
  const own: Partial<ObjectMeta> = {};
  for (const name of OWN_METADATA) if (metadata[name] !== undefined) Object.assign(own, { [name]: metadata[name] });
  const { [LAST_APPLIED]: _last, ...annotations } = metadata.annotations ?? {};
  return { ...Object.fromEntries(fields), metadata: { ...own, annotations } };
}

function mergedObject(live: JsonRecord, wanted: JsonRecord, last: JsonRecord): JsonRecord {
  const isSet = (key: string): boolean => (ownField(wanted, key) ?? undefined) !== undefined;
  const kept = Object.entries(live).filter(
    ([key]) => isSet(key) || (!Object.hasOwn(last, key) && !Object.hasOwn(wanted, key)),
  );
  const fields = new Map<string, unknown>(kept);
  for (const [key, value] of Object.entries(wanted)) {
    const [inLive, inLast] = [asRecord(ownField(live, key)), asRecord(ownField(last, key))];
    if (isSet(key)) fields.set(key, isRecord(value) ? mergedObject(inLive, value, inLast) : value);
  }
  return Object.fromEntries(fields);
}

/** A label may be named like a property that every object inherits. */
function ownField(record: JsonRecord, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
