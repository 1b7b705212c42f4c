import { actionOutcome, type Action, type ActionText } from '../../answers/actions/action.js';
import { ManagedClusters, Placements } from '../../api/resources.js';
import { createdFrom } from '../../answers/files/usermanifests.js';
import { readAppliedText } from '../../answers/files/files.js';
import { changedBy, nameOf, type ChangeRequest, type Changed } from '../../answers/plan/changed.js';
import { appliedManifests } from '../../answers/plan/changes.js';
import { lostBy } from '../../answers/plan/lose.js';
import type { ComputeOptions } from '../../answers/plan/plan.js';
import { InputError, NotFoundError, RefusedError } from '../../answers/output.js';
import { TYPES, type FleetReading } from '../../answers/world/worlds.js';
import { KINDS } from '../../answers/meant.js';
import type { Change } from '../../answers/world/overlay.js';
import type { World, WorldResource } from '../../answers/world/world.js';
import { collectionPath, objectPath, resourceOf } from '../../runtime/client/path.js';
import { errorText } from '../../runtime/errors.js';
import { isRecord, sameJson } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import type { Draft } from '../wire/plan.js';
import { requestOf, type WriteRequest } from './write.js';
import { manifestOf } from './manifest.js';

/** A draft as the changes that `kubectl apply` and others would make, and the objects that it writes. */

/** An object of the draft, as it is written: created, or in the place of `live`. */
export interface DraftObject {
  /** `KIND NAMESPACE/NAME`. */
  readonly name: string;
  readonly resource: WorldResource;
  readonly object: RawObject;
  readonly live: RawObject | undefined;
  /** The fields of `live` that the draft does not have, and that stay: nobody has applied them. */
  readonly kept: readonly string[];
}

export interface DraftWorld extends Changed {
  readonly objects: readonly DraftObject[];
  /** What applying the draft sends: of what the hub does not have so already, one for each object. */
  readonly requests: readonly WriteRequest[];
  /** The clusters that are lost after the changes, and why each is. */
  readonly lost: ReadonlyMap<string, string>;
  /** Where the draft is an action. */
  readonly action?: ActionText;
}

/** `onDecision` runs for each object, too. @throws InputError and NotFoundError for what is wrong with the draft */
export async function draftWorld(
  reading: FleetReading,
  draft: Draft,
  { namespace, onDecision }: ComputeOptions & { readonly namespace: string },
): Promise<DraftWorld> {
  if (draft.action !== undefined) return actionWorld(reading, draft.action, onDecision);
  const { objects: manifests, check, withDefaults } = await readAppliedText(draft.manifests, 'draft', onDecision);
  const other = manifests.find((one) => appliedManifests([one], namespace).length === 0);
  if (other !== undefined)
    throw new InputError(`draft: ${other.kind} of ${other.apiVersion} is not planned; want a ${PLANNED}`);
  const request: ChangeRequest = {
    namespace,
    manifests,
    withDefaults,
    check: (merged, live) => {
      onDecision?.();
      check(merged, live);
    },
    complete: false,
    labels: draft.labels.map((text) => `mcl/${text}`),
    drains: draft.drains,
    deletions: [],
  };
  const changed = changedBy(reading, request);
  const objects = changed.writes.flatMap((one) => (one.kind === 'apply' ? draftObject(one, reading, changed) : []));
  const written = new Map(objects.filter(isChanged).map((one) => [one.name, objectWrite(one)]));
  const requests = [...written.values(), ...labelWrites(changed.writes, reading.world)];
  return { ...changed, objects, requests, lost: lostBy(changed.after, draft.losses) };
}

/** @throws NotFoundError, RefusedError as the command does */
function actionWorld({ world }: FleetReading, action: Action, onDecision: ComputeOptions['onDecision']): DraftWorld {
  const { write, after, ...text } = actionOutcome(world, action, onDecision);
  const base = { after, writes: [], hasAllWrites: false, lost: new Map(), action: text };
  if (write === undefined) return { ...base, objects: [], requests: [] };
  const { type, object } = write;
  // The kinds of a world have these plural names.
  const resource = type.plural as WorldResource;
  const name = nameOf(resource, object.metadata);
  return {
    ...base,
    objects: [{ name, resource, object, live: object, kept: [] }],
    requests: [requestOf(name, write)],
  };
}

const PLANNED = KINDS.map(({ type }) => type.kind)
  .join(', ')
  .replace(/, (\w+)$/, ' or $1');
const EXPECTED = [InputError, NotFoundError, RefusedError];

/** What is wrong with the draft, by the error that it led to; undefined for an error of another kind. */
export function faultOf(error: unknown): string | undefined {
  if (!EXPECTED.some((kind) => error instanceof kind)) return undefined;
  return errorText(error).split('\n', 1).join('');
}

function draftObject(
  { resource, object: manifest, withDefaults = (one) => one }: Extract<Change, { kind: 'apply' }>,
  { world }: FleetReading,
  { after }: Changed,
): readonly DraftObject[] {
  const key = keyOf(manifest.metadata);
  const [live, object] = [world, after].map(({ objects }) =>
    objects[resource].find(({ metadata }) => keyOf(metadata) === key),
  );
  if (object === undefined) return [];
  const alone: RawObject = withDefaults(createdFrom(manifest));
  const kept = ['spec', 'metadata.labels'].flatMap((path) => beyond(partOf(object, path), partOf(alone, path), path));
  return [{ name: nameOf(resource, object.metadata), resource, object, live, kept: live === undefined ? [] : kept }];
}

function partOf({ spec, metadata }: RawObject, path: string): unknown {
  return path === 'spec' ? spec : metadata.labels;
}

/** The paths of the fields that are in the first alone. */
function beyond(first: unknown, second: unknown, path: string): readonly string[] {
  if (!isRecord(first)) return [];
  return Object.entries(first).flatMap(([key, value]) => {
    const other = isRecord(second) && Object.hasOwn(second, key) ? second[key] : undefined;
    return other === undefined ? [`${path}.${key}`] : beyond(value, other, `${path}.${key}`);
  });
}

/** Whether the hub does not have it so already. */
function isChanged({ object, live }: DraftObject): boolean {
  return live === undefined || !sameJson(manifestOf(object), manifestOf(live));
}

function objectWrite({ name: shown, resource, object, live }: DraftObject): WriteRequest {
  const { status: _status, ...written } = object;
  const type = TYPES[resource];
  // What the API server keeps itself.
  const { generation: _generation, ...rest } = written.metadata;
  const { managedFields: _managedFields, ...metadata } = rest as typeof rest & { managedFields?: unknown };
  const { namespace = '', name } = metadata;
  const target = { resource: resourceOf(type), namespace, name };
  const how: Pick<WriteRequest, 'method' | 'path' | 'target'> =
    live === undefined
      ? { method: 'POST', path: collectionPath(type, namespace), target: { verb: 'create', ...target } }
      : { method: 'PUT', path: objectPath(type, metadata), target: { verb: 'update', ...target } };
  return { name: shown, ...how, body: JSON.stringify({ ...written, metadata }) };
}

/** One for each cluster: a second one would be of a version that the first has replaced. */
function labelWrites(changes: readonly Change[], world: World): readonly WriteRequest[] {
  const labels = new Map<string, Record<string, string | null>>();
  for (const one of changes)
    if (one.kind === 'label')
      labels.set(one.object.name, { ...labels.get(one.object.name), [one.key]: one.value ?? null });
  return [...labels].map(([name, changed]) => {
    const live = world.objects.managedclusters.find(({ metadata }) => metadata.name === name);
    const { uid, resourceVersion } = live?.metadata ?? {};
    return {
      name: `ManagedCluster ${name}`,
      method: 'PATCH',
      path: objectPath(ManagedClusters, { name }),
      target: { verb: 'patch', resource: resourceOf(ManagedClusters), name },
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata: { uid, resourceVersion, labels: changed } }),
    };
  });
}

/** Why a draft is not applied: undefined where it is. */
export function notApplied(
  objects: DraftWorld['objects'],
  { drains, losses, each, action }: Draft,
): string | undefined {
  if (action !== undefined) return undefined;
  if (drains.length + losses.length + each.length > 0)
    return 'a drain is made on the page of the cluster, and a loss is only planned';
  const other = objects.find(({ resource }) => resource !== Placements.plural);
  return other && `only Placements and labels are applied here: ${other.name} is for kubectl apply`;
}
