import { keyOf } from '../runtime/vocabulary/names.js';
import { HISTORY_ANNOTATION } from '../api/names.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { wordText } from '../domain/placement/explain/requirementtext.js';
import { isOwn, placementKeys, readDecision } from '../domain/placement/stored/decision.js';
import { mergedHistory, readHistory, type HistoryEntry } from '../domain/placement/stored/history.js';
import { namesOf } from './meant.js';
import { CLI_API_VERSION, NotFoundError } from './output.js';
import { isWithheld, limitsOf, type Limits } from './world/withheld.js';
import type { World } from './world/world.js';
import type { FleetReading } from './world/worlds.js';

/** What has changed in the decisions of a name: kind PlacementHistory (docs/reference/cli/placementhistory.schema.json). */
export interface PlacementHistory extends Limits {
  readonly apiVersion: string;
  readonly kind: 'PlacementHistory';
  /** By namespace. */
  readonly placements: readonly DecisionHistory[];
}

/** What has changed in the decision of a Placement. */
export interface DecisionHistory {
  readonly namespace: string;
  readonly name: string;
  /** The newest first. */
  readonly changes: readonly HistoryEntry[];
  /** How many older ones there were. */
  readonly notKept: number;
}

/** The last changes of the decisions of all Placements of this name. @throws NotFoundError where there is none */
export function placementHistory(reading: FleetReading, name: string): PlacementHistory {
  const placements = decisionHistories(reading.world, name);
  if (placements.length === 0 && !isWithheld(reading, 'placements')) {
    const where = reading.namespace === undefined ? 'any namespace' : `namespace ${reading.namespace}`;
    const meant = meantText(name, namesOf(reading.world.objects.placements));
    throw new NotFoundError(`Placement ${wordText(name)} was not found in ${where}${meant}`);
  }
  return { apiVersion: CLI_API_VERSION, kind: 'PlacementHistory', placements, ...limitsOf(reading) };
}

/** The histories of all Placements of this name, by namespace. */
export function decisionHistories({ objects }: World, name: string): readonly DecisionHistory[] {
  return objects.placements
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata: { namespace = '', uid = '' } }) => {
      const key = keyOf({ namespace, name });
      const own = objects.placementdecisions.filter(
        (one) => placementKeys(one).includes(key) && isOwn(readDecision(one, { namespace, name, uid })),
      );
      const merged = mergedHistory(own.map(({ metadata }) => readHistory(metadata.annotations?.[HISTORY_ANNOTATION])));
      return { namespace, name, changes: [...merged.entries].reverse(), notKept: merged.dropped };
    })
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}
