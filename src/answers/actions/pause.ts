import { Placements } from '../../api/resources.js';
import { distinctOwnClusters } from '../../domain/placement/stored/decision.js';
import { asRecord, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { ObjectName, RawObject } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { someNames } from '../output.js';
import { planFleet } from '../plan/fleetplan.js';
import { changeRows } from '../plan/text.js';
import { unreadableLine } from '../world/withheld.js';
import { explainInputOf, type World, type WorldResource } from '../world/world.js';
import type { SpecWrite } from './write.js';

/** `spec.paused` of a Placement, by which people freeze its decision. */

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
