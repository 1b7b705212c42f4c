import { inspect } from '../inspect.js';
import { DECISION_RESOURCES } from '../../answers/world/worlds.js';
import type { TreeConfig } from './flags.js';
import { tree } from './text.js';

/** Prints the clusters of Placements, of one namespace unless all are asked for; returns the exit code. */
export function runTree(config: TreeConfig): Promise<number> {
  return inspect(config, {
    resources: DECISION_RESOURCES,
    namespaceOf: (own) => (config.allNamespaces ? undefined : own()),
    textOf: (reading, options) => tree(reading, config.placement, options, config.by),
  });
}
