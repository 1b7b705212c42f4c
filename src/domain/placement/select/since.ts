import { isOwn } from '../stored/decision.js';
import { NO_TIMES, type Since } from '../stored/items.js';
import type { PlacementSnapshot } from './snapshot.js';

/**
 * Since when each selected cluster is selected: by the stored items and, for one whose object others have deleted, by what this
 * process remembers. A cluster that stands in two objects for a moment has the earlier time. None where the items have no times.
 */
export function selectedSince({ stored, rememberedSince }: PlacementSnapshot): Since {
  const own = stored.filter((object) => isOwn(object) && object.since.size > 0);
  if (own.length === 0) return rememberedSince ?? NO_TIMES;
  const earliest = new Map<string, string>();
  for (const [name, time] of own.flatMap((object) => [...object.since])) {
    const known = earliest.get(name);
    if (known === undefined || Date.parse(time) < Date.parse(known)) earliest.set(name, time);
  }
  for (const [name, time] of rememberedSince ?? NO_TIMES) if (!earliest.has(name)) earliest.set(name, time);
  return earliest;
}
