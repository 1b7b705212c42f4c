import { leftText, maintenanceText, maintenanceWrite } from '../../../answers/actions/maintenance.js';
import { applySpec } from '../../../answers/actions/write.js';
import { notFound } from '../../../answers/meant.js';
import { RefusedError } from '../../../answers/output.js';
import { ManagedClusters } from '../../../api/resources.js';
import type { ReadClient, WriteClient } from '../../../runtime/client/client.js';
import type { RawObject } from '../../../runtime/vocabulary/meta.js';

/** `spec.maintenance`, by which people keep Placements away from a cluster. */

export type MaintenanceClient = Pick<ReadClient, 'get' | 'list'> & Pick<WriteClient, 'apply'>;

/** Returns one line. @throws NotFoundError; RefusedError; ApiError. */
export async function cordon(client: MaintenanceClient, name: string): Promise<string> {
  const write = maintenanceWrite(await read(client, name), 'cordon');
  if (write === undefined) return maintenanceText(name, 'cordon', true);
  await applySpec(client, write);
  return maintenanceText(name, 'cordon', false);
}

/** Begins to drain a cluster. Returns false if that was done before. @throws NotFoundError; RefusedError; ApiError */
export async function startDrain(client: MaintenanceClient, name: string): Promise<boolean> {
  const write = maintenanceWrite(await read(client, name), 'drain');
  if (write === undefined) return false;
  await applySpec(client, write);
  return true;
}

/** Ends what `cordon` and `drain` began; returns one line. @throws RefusedError for what others have written; NotFoundError; ApiError. */
export async function uncordon(client: MaintenanceClient, name: string): Promise<string> {
  const write = maintenanceWrite(await read(client, name), 'uncordon');
  if (write === undefined) return maintenanceText(name, 'uncordon', true);
  const left = leftText(await applySpec(client, write));
  if (left === undefined) return maintenanceText(name, 'uncordon', false);
  throw new RefusedError(left);
}

async function read(client: MaintenanceClient, name: string): Promise<RawObject> {
  const cluster = await client.get<RawObject>(ManagedClusters, { name });
  if (cluster === undefined) throw await notFound(client, ManagedClusters, { name });
  return cluster;
}
