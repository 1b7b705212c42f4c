import type { Gathered } from './gather.js';
import type { Scope } from './scope.js';

/** Logs once that a cluster of an inventory has the name of one that somebody else manages. */
export function report({ kind }: Gathered, { name, memory, pass }: Scope): void {
  if (kind !== 'taken' || memory.taken.has(name)) return;
  pass.log.info({}, 'cluster of an inventory skipped: the ManagedCluster is not managed by it');
  memory.taken.add(name);
}
