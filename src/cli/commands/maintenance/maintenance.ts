import type { RawObject } from '../../../runtime/vocabulary/meta.js';
import { asRecord } from '../../../runtime/vocabulary/json.js';
import { ManagedClusters } from '../../../api/resources.js';
import { MAINTENANCE_TAINTS, maintenanceOf, standingMaintenance } from '../../../domain/clusters/maintenance.js';
import type { ReadClient, WriteClient } from '../../../runtime/client/client.js';
import { notFound } from '../../../answers/meant.js';
import { RefusedError } from '../../../answers/output.js';
import { applySpec } from '../../changehub.js';

/** `spec.maintenance`, by which people keep Placements away from a cluster. */

export type MaintenanceClient = Pick<ReadClient, 'get' | 'list'> & Pick<WriteClient, 'apply'>;

/** Returns one line. @throws NotFoundError; RefusedError; ApiError. */
export async function cordon(client: MaintenanceClient, name: string): Promise<string> {
  const cluster = await read(client, name);
  if (maintenanceOf(asRecord(cluster.spec)) !== undefined) return `${name} is cordoned already`;
  await applySpec(client, ManagedClusters, cluster, { maintenance: 'Cordoned' });
  return `${name} is cordoned`;
}

/** Begins to drain a cluster. Returns false if that was done before. @throws NotFoundError; RefusedError; ApiError */
export async function startDrain(client: MaintenanceClient, name: string): Promise<boolean> {
  const cluster = await read(client, name);
  if (maintenanceOf(asRecord(cluster.spec)) === 'Draining') return false;
  await applySpec(client, ManagedClusters, cluster, { maintenance: 'Draining' });
  return true;
}

/** Ends what `cordon` and `drain` began; returns one line. @throws RefusedError for what others have written; NotFoundError; ApiError. */
export async function uncordon(client: MaintenanceClient, name: string): Promise<string> {
  const cluster = await read(client, name);
  if (standingMaintenance(asRecord(cluster.spec)).length === 0) return `${name} is not cordoned`;
  const answer = await applySpec(client, ManagedClusters, cluster, undefined);
  const left = standingMaintenance(asRecord(answer.spec));
  if (left.length === 0) return `${name} is not cordoned any more`;
  const maintenance = maintenanceOf(asRecord(answer.spec));
  const taints = left.map((one) => `${MAINTENANCE_TAINTS[one].key}:${MAINTENANCE_TAINTS[one].effect}`).join(', ');
  const what = maintenance === undefined ? `${taints} of ${name}` : `spec.maintenance ${maintenance} of ${name}`;
  throw new RefusedError(`${what} stays: others have written it too; kubectl edit mcl ${name} removes it`);
}

async function read(client: MaintenanceClient, name: string): Promise<RawObject> {
  const cluster = await client.get<RawObject>(ManagedClusters, { name });
  if (cluster === undefined) throw await notFound(client, ManagedClusters, { name });
  return cluster;
}
