import { createHash } from 'node:crypto';
import type { FleetReading } from '../../../answers/world/worlds.js';
import { WORLD_RESOURCES } from '../../../answers/world/world.js';

const known = new WeakMap<FleetReading, string>();

/** A short text that is equal for readings of equal objects with equal limits alone. Made once for each reading. */
export function versionOf(reading: FleetReading): string {
  const version = known.get(reading) ?? versionIn(reading);
  known.set(reading, version);
  return version;
}

function versionIn({ world, refused, namespace }: FleetReading): string {
  const hash = createHash('sha256').update(JSON.stringify([world.withheld, refused, namespace]));
  for (const resource of WORLD_RESOURCES) {
    hash.update(`\n${resource}`);
    for (const { metadata } of world.objects[resource]) hash.update(` ${metadata.uid}.${metadata.resourceVersion}`);
  }
  return hash.digest('base64url');
}
