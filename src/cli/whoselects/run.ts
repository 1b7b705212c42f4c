import { inspect } from '../inspect.js';
import { DECISION_RESOURCES } from '../../answers/world/worlds.js';
import type { WhoSelectsConfig } from './flags.js';
import { whoSelects } from './text.js';

/** Prints which Placements select a cluster; returns the exit code. */
export function runWhoSelects(config: WhoSelectsConfig): Promise<number> {
  return inspect(config, {
    resources: DECISION_RESOURCES,
    namespaceOf: () => config.namespace,
    textOf: (reading, options) => whoSelects(reading, config.cluster, options),
  });
}
