import { inspect } from '../inspect.js';
import type { StatusConfig } from './flags.js';
import { status, STATUS_RESOURCES } from './text.js';

/** Prints the counts of a hub; returns the exit code. */
export function runStatus(config: StatusConfig): Promise<number> {
  return inspect(config, { resources: STATUS_RESOURCES, namespaceOf: () => config.namespace, textOf: status });
}
