import { WORLD_RESOURCES, type WorldResource } from '../../domain/fleet/world.js';
import type { OutputFormat } from '../terminal/output.js';

export interface InspectOptions {
  readonly output: OutputFormat;
  readonly colored: boolean;
}

/** What the explanation of decisions is computed from. */
export const DECISION_RESOURCES = WORLD_RESOURCES.filter((one) => one !== 'multiclusterengines');

/** What each command lists. Nothing else is needed to run it. */
export const INSPECT_RESOURCES = {
  'who-selects': DECISION_RESOURCES,
  tree: DECISION_RESOURCES,
  status: ['multiclusterengines', 'placements', 'managedclusters'],
} as const satisfies Readonly<Record<string, readonly WorldResource[]>>;
