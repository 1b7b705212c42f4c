import type { RawObject } from '../../../runtime/vocabulary/meta.js';
import { LOCAL_CLUSTER_ANNOTATION } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { holdersOf } from '../../../answers/whoselects.js';
import type { ReadClient, WriteClient } from '../../../runtime/client/client.js';
import { isFailure } from '../../../runtime/errors.js';
import { field } from '../../../runtime/vocabulary/json.js';
import { notFound } from '../../../answers/meant.js';
import { RefusedError, someNames } from '../../../answers/output.js';
import { listOf, worldOfLists, unreadableLine } from '../../../answers/world/worlds.js';

/** A cluster that is changed meanwhile is read and deleted again, this often: its agent writes its status. */
const ATTEMPTS = 5;
const MOST_NAMES = 10;

/**
 * Deletes a ManagedCluster; garbage collection takes its identity, and so ends every token of its agent. Returns one line.
 * `force`: also while decisions name the cluster.
 * @throws RefusedError while decisions name it; NotFoundError; ApiError.
 */
export async function removeCluster(
  client: ReadClient & Pick<WriteClient, 'delete'>,
  { cluster: name, force }: { readonly cluster: string; readonly force: boolean },
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const cluster = await client.get<RawObject>(ManagedClusters, { name });
    if (cluster === undefined) throw await notFound(client, ManagedClusters, { name });
    if (!force) await checkNotDecided(client, name);
    const { uid = '', resourceVersion = '' } = cluster.metadata;
    try {
      const end = await client.delete(ManagedClusters, { name }, { preconditions: { uid, resourceVersion } });
      return end === 'gone'
        ? `${name} is removed${consequence(cluster)}`
        : `${name} is being deleted: something holds it by a finalizer`;
    } catch (error) {
      if (!isFailure(error, 'Conflict') || attempt >= ATTEMPTS) throw error;
    }
  }
}

/** What else the deletion of `cluster` ends, or that it does not last. */
function consequence({ metadata, spec }: RawObject): string {
  if (field(spec, 'hubAcceptsClient') !== undefined) return ': the tokens of its agent end with its ServiceAccount';
  return metadata.annotations?.[LOCAL_CLUSTER_ANNOTATION] === 'true'
    ? ', which stands for the hub: while spec.localCluster of an engine is on it is made again, in no set'
    : '';
}

async function checkNotDecided(client: ReadClient, name: string): Promise<void> {
  const decisions = await listOf(client, 'placementdecisions');
  const all = '--force removes it anyway';
  const unread = unreadableLine(decisions.withheld, `whether a decision names ${name} is not known; ${all}`);
  if (unread !== undefined) throw new RefusedError(unread);
  const holders = [...holdersOf(worldOfLists([decisions]), name).keys()].sort();
  if (holders.length > 0)
    throw new RefusedError(
      `decisions of ${someNames(holders, MOST_NAMES)} name ${name}: drain it first (drain ${name}); ${all}`,
    );
}
