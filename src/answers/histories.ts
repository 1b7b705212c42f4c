import { HISTORY_ANNOTATION } from '../api/names.js';
import { isOwn, placementKeys, readDecision } from '../domain/placement/stored/decision.js';
import { mergedHistory, readHistory, type History } from '../domain/placement/stored/history.js';
import type { World } from './world/world.js';

/** What has changed in the decision of a Placement, the newest first. */
export interface DecisionHistory extends History {
  readonly namespace: string;
  readonly name: string;
}

/** The histories of all Placements of this name, by namespace. */
export function decisionHistories({ objects }: World, name: string): readonly DecisionHistory[] {
  return objects.placements
    .filter(({ metadata }) => metadata.name === name)
    .map(({ metadata: { namespace = '', uid = '' } }) => {
      const key = `${namespace}/${name}`;
      const own = objects.placementdecisions.filter(
        (one) => placementKeys(one).includes(key) && isOwn(readDecision(one, { namespace, name, uid })),
      );
      const merged = mergedHistory(own.map(({ metadata }) => readHistory(metadata.annotations?.[HISTORY_ANNOTATION])));
      return { namespace, name, entries: [...merged.entries].reverse(), dropped: merged.dropped };
    })
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}
