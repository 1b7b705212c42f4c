import type { Placement } from '../../api/generated/placement.js';
import { PLACEMENT_FIELD_MANAGER } from '../../api/names.js';
import { apiVersionOf, Placements } from '../../api/resources.js';
import { timestamp } from '../../domain/conditions.js';
import type { Schedule } from '../../domain/placement/schedule.js';
import { reportOn, settleStatus, type PlacementReport, type Publication } from '../../domain/placement/status.js';
import type { KubeClient } from '../../kube/client/client.js';
import type { Clock } from '../../runtime/clock.js';
import { isFailure } from '../../runtime/errors.js';
import type { Pass } from '../../runtime/result.js';
import type { Input } from './gather.js';
import type { MutationCache } from '../../runtime/mutationcache.js';

export interface Reporter {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly latestPlacements: MutationCache<Placement>;
}

/**
 * Writes the status, once and only when it says something new; returns what it says. Throws when it is refused,
 * unless the Placement is gone; after a conflict the newest object has been read for the next pass.
 */
export async function report(
  gathered: Input,
  decided: { readonly schedule: Schedule; readonly publication: Publication },
  reporter: Reporter,
  pass: Pass,
): Promise<PlacementReport> {
  const { placement, snapshot, remembered } = gathered;
  remembered.version = placement.metadata.resourceVersion;
  const said = reportOn(snapshot, decided.schedule, decided.publication);
  const status = settleStatus(placement.status, said, timestamp(reporter.clock.now()));
  if (status === undefined) return said;
  const wanted: Placement = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind, status };
  try {
    const stored = await reporter.client.updateStatus(Placements, wanted, {
      fieldManager: PLACEMENT_FIELD_MANAGER,
      signal: pass.signal,
    });
    reporter.latestPlacements.mutated(gathered.key, stored);
    remembered.version = stored.metadata.resourceVersion;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return said;
    if (isFailure(error, 'Conflict')) await readAgain(gathered, reporter);
    throw error;
  }
  return said;
}

async function readAgain({ key, owner, remembered }: Input, { client, latestPlacements }: Reporter): Promise<void> {
  const { namespace, name, uid } = owner;
  const found = await client.get<Placement>(Placements, { namespace, name });
  if (found?.metadata.uid !== uid) return;
  latestPlacements.mutated(key, found);
  remembered.version = found.metadata.resourceVersion;
}
