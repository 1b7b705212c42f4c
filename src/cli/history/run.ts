import { inspect } from '../inspect.js';
import type { HistoryConfig } from './flags.js';
import { history, HISTORY_RESOURCES } from './text.js';

/** Prints what has changed in a decision; returns the exit code. */
export function runHistory(config: HistoryConfig): Promise<number> {
  return inspect(config, {
    resources: HISTORY_RESOURCES,
    namespaceOf: (own) => (config.allNamespaces ? undefined : own()),
    textOf: (reading, options) => history(reading, config.placement, options),
  });
}
