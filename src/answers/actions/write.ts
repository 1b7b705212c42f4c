import { CLI_FIELD_MANAGER } from '../../api/names.js';
import type { WriteClient } from '../../runtime/client/client.js';
import { field, type JsonRecord, asRecord } from '../../runtime/vocabulary/json.js';
import type { RawObject, ResourceType, ObjectName } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { RefusedError, someNames } from '../output.js';
import { ManagedClusters, Placements } from '../../api/resources.js';
import { MAINTENANCE_TAINTS, maintenanceOf, standingMaintenance } from '../../domain/clusters/maintenance.js';
import { distinctOwnClusters } from '../../domain/placement/stored/decision.js';
import { planFleet } from '../plan/plan.js';
import { changeRows } from '../plan/text.js';
import { DEFINITIONS_REMEDY } from '../undecided.js';
import { unreadableLine } from '../world/worlds.js';
import { explainInputOf, type World, type WorldResource } from '../world/world.js';

/** What an action writes: of one object, as it was read. */

interface Written {
  readonly type: ResourceType;
  readonly object: RawObject;
}

/** Applies these fields of the spec; undefined drops those that were applied before. */
export interface SpecWrite extends Written {
  readonly kind: 'spec';
  readonly spec: JsonRecord | undefined;
}

/** Sets these annotations. */
export interface AnnotationWrite extends Written {
  readonly kind: 'annotations';
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Applies the fields. By the uid of the object: an apply would create one that is gone. @throws RefusedError where the definition
 * of the hub does not have a field: the API server drops it; ApiError.
 */
export async function applySpec(
  client: Pick<WriteClient, 'apply'>,
  write: Pick<SpecWrite, 'type' | 'object' | 'spec'>,
): Promise<RawObject> {
  const { type, object, spec } = write;
  const { namespace, name, uid = '', resourceVersion } = object.metadata;
  const metadata = { ...(type.namespaced && { namespace }), name, uid };
  const options = { fieldManager: CLI_FIELD_MANAGER, force: true, resourceVersion };
  const stored = await client.apply<RawObject>(type, { metadata, ...(spec !== undefined && { spec }) }, options);
  const fault = notStored(write, stored);
  if (fault !== undefined) throw new RefusedError(fault);
  return stored;
}

/** Which field the API server has dropped, `stored` being its answer; undefined where it has all. */
export function notStored({ object, spec }: Pick<SpecWrite, 'object' | 'spec'>, stored: RawObject): string | undefined {
  const lost = Object.keys(spec ?? {}).find((one) => field(stored.spec, one) !== spec?.[one]);
  if (lost === undefined) return undefined;
  return `spec.${lost} of ${keyOf(object.metadata)} is not stored: the definitions of the hub are older than this command; apply those of this version first (${DEFINITIONS_REMEDY})`;
}

/** What each command makes of `spec.maintenance`. */
export const MAINTENANCES = { cordon: 'Cordoned', drain: 'Draining', uncordon: undefined } as const;

/** The write that begins or ends a maintenance; undefined where it is so already. */
export function maintenanceWrite(cluster: RawObject, action: keyof typeof MAINTENANCES): SpecWrite | undefined {
  const found = maintenanceOf(asRecord(cluster.spec));
  const write = { kind: 'spec', type: ManagedClusters, object: cluster } as const;
  const maintenance = MAINTENANCES[action];
  if (maintenance === undefined)
    return standingMaintenance(asRecord(cluster.spec)).length === 0 ? undefined : { ...write, spec: undefined };
  // Who drains a cluster has cordoned it, too.
  const isSo = found === maintenance || found === 'Draining';
  return isSo ? undefined : { ...write, spec: { maintenance } };
}

const TEXTS = {
  cordon: ['is cordoned', 'is cordoned already'],
  drain: ['is being drained', 'is being drained already'],
  uncordon: ['is not cordoned any more', 'is not cordoned'],
} as const;

/** `edge-1 is cordoned`; `isSo`: it was already. */
export function maintenanceText(name: string, action: keyof typeof TEXTS, isSo: boolean): string {
  const [done, so] = TEXTS[action];
  return `${name} ${isSo ? so : done}`;
}

/** What stands of a maintenance that was ended, since others have written it too; undefined where nothing does. */
export function leftText({ metadata: { name }, spec }: RawObject): string | undefined {
  const left = standingMaintenance(asRecord(spec));
  if (left.length === 0) return undefined;
  const maintenance = maintenanceOf(asRecord(spec));
  const taints = left.map((one) => `${MAINTENANCE_TAINTS[one].key}:${MAINTENANCE_TAINTS[one].effect}`).join(', ');
  const what = maintenance === undefined ? `${taints} of ${name}` : `spec.maintenance ${maintenance} of ${name}`;
  return `${what} stays: others have written it too; kubectl edit mcl ${name} removes it`;
}

const MOST_NAMES = 20;

/** The write that pauses the Placement, or ends that; undefined where it is so already. */
export function pauseWrite(placement: RawObject, paused: boolean): SpecWrite | undefined {
  if ((asRecord(placement.spec)['paused'] === true) === paused) return undefined;
  return { kind: 'spec', type: Placements, object: placement, spec: { paused } };
}

/** `shop/web is paused`; `isSo`: it was already. */
export function pauseText({ namespace = '', name }: ObjectName, isPause: boolean, isSo: boolean): string {
  const of = `${namespace}/${name}`;
  if (isSo) return isPause ? `${of} is paused already` : `${of} is not paused`;
  return `${of} is ${isPause ? 'paused' : 'resumed'}`;
}

/** What a pause keeps: `3 clusters stay, and none comes in: edge-eu-2, …`. */
export function frozenLines(world: World, { namespace = '', name }: ObjectName): readonly string[] {
  const unread = unreadableLine(world.withheld, `what is frozen is not known`);
  if (unread !== undefined) return [unread];
  const names = distinctOwnClusters(explainInputOf(world, namespace, name)?.snapshot.stored ?? []);
  if (names.length === 0) return ['  no cluster is selected, and none comes in'];
  const stay = names.length === 1 ? '1 cluster stays' : `${names.length} clusters stay`;
  return [`  ${stay}, and none comes in: ${someNames(names, MOST_NAMES)}`];
}

/** What the end of the pause changes: as if it were the only change. */
export function resumedLines(world: World, placement: RawObject): readonly string[] {
  const unread = unreadableLine(world.withheld, `what changes now is not known`);
  if (unread !== undefined) return [unread];
  const after = withSpec(world, placement, { paused: false });
  const plan = planFleet(world, after).find((one) => keyOf(one) === keyOf(placement.metadata));
  const rows = (plan === undefined ? [] : changeRows(plan)).map(({ sign, text, why }) => `  ${sign} ${text}  ${why}`);
  return rows.length === 0 ? ['  no cluster comes in or leaves'] : [...rows.slice(0, MOST_NAMES), ...more(rows.length)];
}

function more(count: number): readonly string[] {
  return count > MOST_NAMES ? [`  and ${count - MOST_NAMES} more`] : [];
}

/** The world once the Placement has these fields, too. */
export function withSpec(world: World, placement: RawObject, fields: JsonRecord): World {
  const { generation = 0 } = placement.metadata;
  return withObject(world, 'placements', {
    ...placement,
    metadata: { ...placement.metadata, generation: generation + 1 },
    spec: { ...asRecord(placement.spec), ...fields },
  });
}

/** The world with the object in the place of the one of its name. */
export function withObject(world: World, resource: WorldResource, object: RawObject): World {
  const key = keyOf(object.metadata);
  const objects = world.objects[resource].map((one) => (keyOf(one.metadata) === key ? object : one));
  return { ...world, objects: { ...world.objects, [resource]: objects } };
}
