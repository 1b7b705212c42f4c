import { createHash } from 'node:crypto';
import type { FleetReading } from '../../../cli/whatif/worlds.js';
import type { OBJECT_TOPICS, SINGLE_TOPICS } from '../../wire/topics.js';
import { WORLD_RESOURCES, type RawObject, type WorldResource } from '../../../domain/fleet/world.js';

/** What topics are computed from, and what differs between two readings. */

/** What a topic begins with. */
type TopicHead = (typeof SINGLE_TOPICS)[number] | keyof typeof OBJECT_TOPICS;

const DECIDING = WORLD_RESOURCES.filter((one) => one !== 'multiclusterengines');

/** The kinds whose objects the answers of a topic are made of. */
const KINDS: Readonly<Record<TopicHead, readonly WorldResource[]>> = {
  fleet: ['managedclusters', 'managedclustersets', 'placementdecisions'],
  placements: ['placements'],
  // How a Placement does depends on all others: on what they select, and on what they would lose.
  placement: DECIDING,
  matrix: DECIDING,
  cluster: DECIDING,
  plan: DECIDING,
  engine: ['multiclusterengines', 'managedclusters', 'managedclustersets', 'managedclustersetbindings'],
  // They tell of objects of all kinds.
  events: WORLD_RESOURCES,
};

/** What a reading consists of, as short texts that are equal for equal readings alone. */
export interface Versions {
  readonly kinds: Readonly<Record<WorldResource, string>>;
  /** Of what may not be read, and of the only namespace that was. */
  readonly scope: string;
}

const known = new WeakMap<FleetReading, Versions>();

/** Once for each reading: several persons may have the same. */
export function versionsOf(reading: FleetReading): Versions {
  const versions = known.get(reading) ?? versionsIn(reading);
  known.set(reading, versions);
  return versions;
}

function versionsIn({ world, refused, namespace }: FleetReading): Versions {
  const kinds = WORLD_RESOURCES.map((one) => [one, digest(world.objects[one].map(versionOf).join())] as const);
  return {
    kinds: Object.fromEntries(kinds) as Versions['kinds'],
    scope: JSON.stringify([world.withheld, refused, namespace]),
  };
}

function versionOf({ metadata: { uid, resourceVersion } }: RawObject): string {
  return `${uid}.${resourceVersion}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The kinds that differ. */
export function changedKinds(before: Versions, after: Versions): readonly WorldResource[] {
  if (before.scope !== after.scope) return WORLD_RESOURCES;
  return WORLD_RESOURCES.filter((one) => before.kinds[one] !== after.kinds[one]);
}

export function kindsOf(topic: string): readonly WorldResource[] {
  const head = topic.split(':', 1).join();
  return Object.hasOwn(KINDS, head) ? KINDS[head as TopicHead] : [];
}
