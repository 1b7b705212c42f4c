import { ManagedClusters, ManagedClusterSets, Placements } from '../../../api/resources.js';
import { Namespaces } from '../../../runtime/vocabulary/kinds.js';
import type { ReadClient } from '../../../runtime/client/client.js';
import type { Clock } from '../../../runtime/clock.js';

export interface NameScope {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

const TYPES = [Placements, ManagedClusters, ManagedClusterSets, Namespaces];

/** The names of the objects of a kind, `live` in the rows of the commands, by one LIST of their metadata; sorted, each once. @throws ApiError. */
export async function liveNames(
  client: ReadClient,
  plural: string,
  { namespace, signal }: NameScope,
): Promise<readonly string[]> {
  const type = TYPES.find((one) => one.plural === plural);
  if (type === undefined) throw new Error(`no names of ${plural} are read`);
  const found = await client.list(type, type.namespaced ? namespace : undefined, { metadataOnly: true, signal });
  return [...new Set(found.map(({ metadata }) => metadata.name))].sort();
}

/**
 * What `read` resolves to; nothing when it fails, or takes more than `ms`: its signal then fires. A shell has no place for an
 * error.
 */
export function namesWithin(
  clock: Clock,
  ms: number,
  read: (signal: AbortSignal) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const aborting = new AbortController();
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => {
      resolve([]);
      aborting.abort();
    });
    const end = (names: readonly string[]): void => {
      timer.cancel();
      resolve(names);
    };
    read(aborting.signal).then(end, () => end([]));
  });
}
