import type { RawObject } from '../../../runtime/vocabulary/meta.js';
import { AVAILABLE_CONDITION } from '../../../api/clusterreasons.js';
import { conditionIn } from '../../../domain/conditions.js';
import { stateOf } from '../../../answers/fleetsummary.js';
import { textField } from '../../../runtime/vocabulary/json.js';
import { HEALTHS, type Health } from '../../wire/fleet.js';

/** The health of each cluster, as `status` counts it. */

export interface ClusterHealth {
  readonly health: Health;
  /** RFC 3339; undefined where that is not known. */
  readonly since: string | undefined;
}

export class ManagedClusterHealth {
  readonly #byName: ReadonlyMap<string, ClusterHealth>;

  constructor(clusters: readonly RawObject[]) {
    this.#byName = new Map(clusters.map((one) => [one.metadata.name, healthOf(one)]));
  }

  /** Of a cluster that does not exist any more, too. */
  of(name: string): ClusterHealth {
    return this.#byName.get(name) ?? { health: 'deleting', since: undefined };
  }
}

export function noCounts(): Record<Health, number> {
  return Object.fromEntries(HEALTHS.map((health) => [health, 0])) as Record<Health, number>;
}

function healthOf(cluster: RawObject): ClusterHealth {
  const { deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp !== undefined) return { health: 'deleting', since: deletionTimestamp };
  const { state } = stateOf(cluster);
  if (state === 'notAccepted') return { health: 'noAgent', since: undefined };
  if (state === 'notJoined') return { health: state, since: undefined };
  const since = textField(conditionIn(cluster.status, AVAILABLE_CONDITION), 'lastTransitionTime') || undefined;
  return { health: state, since };
}
