import type { Placement } from '../../api/generated/placement.js';
import { PLACEMENT_FIELD_MANAGER } from '../../api/names.js';
import { apiVersionOf, Placements } from '../../api/resources.js';
import { timestamp } from '../../domain/conditions.js';
import { explain } from '../../domain/placement/explain/explain.js';
import type { Explanation } from '../../domain/placement/explain/verdict.js';
import { placementReport, statusToWrite, type PlacementReport } from '../../domain/placement/status.js';
import { isFailure } from '../../runtime/errors.js';
import type { Outcome } from './apply.js';
import { recordDecision, recordStatus } from './events.js';
import type { Input } from './gather.js';
import type { ReconcileScope } from './scope.js';

/**
 * Reports the outcome: log and event for a decision that was stored, then status, event and metrics of the Placement.
 * After an error that usually ends within moments the status stays as it is: the reconcile is retried. Throws when the
 * status is refused.
 */
export async function report(input: Input, outcome: Outcome, scope: ReconcileScope): Promise<void> {
  if (outcome.error === undefined) reportDecision(input, outcome, scope);
  if (isTransient(outcome.error)) return;
  const status = await writeStatus(input, outcome, scope);
  // Events cannot be created in a namespace that is being deleted.
  if (!isNamespaceTerminating(outcome.error)) {
    const explained = (): Explanation | undefined => explainTurn(input, scope);
    recordStatus(input, outcome, status, { recorder: scope.recorder, explained });
  }
  const { namespace, name, metrics } = scope;
  metrics?.placement({ namespace, name, phase: status.phase, clusters: status.numberOfSelectedClusters });
}

/** An explanation of the Placement with the clusters of now; undefined while too many Placements turn at once. */
function explainTurn(
  { snapshot }: Input,
  { key, index, clock, turns, pass: { enqueuedAt = clock.monotonic() } }: ReconcileScope,
): Explanation | undefined {
  if (!turns.admits(enqueuedAt)) return undefined;
  return explain({ snapshot, members: index.members(key), readable: { fleet: true, decisions: true } });
}

/** Whether a write was refused because its namespace is being deleted: only the status of existing objects can be written. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isFailure(error, 'Forbidden') && error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

function isTransient(error: unknown): boolean {
  return isFailure(error, 'Conflict', 'Fenced', 'Aborted', 'Throttled', 'Transport', 'Malformed', 'Guarded');
}

function reportDecision(input: Input, outcome: Outcome, { clock, pass, metrics, recorder }: ReconcileScope): void {
  const { schedule, publication } = outcome;
  if (publication.done === 0) return;
  const [added, dropped] = [schedule.added.length, schedule.dropped.length];
  pass.log.info({ writes: publication.done, added, dropped }, 'decision published');
  if (pass.enqueuedAt !== undefined) metrics?.decided((clock.monotonic() - pass.enqueuedAt) / 1000);
  recordDecision(input, outcome, recorder);
}

/**
 * Writes the status if it differs from the stored one; returns what it says. Throws when it is refused, unless the
 * Placement is gone; after a conflict the stored Placement has been read for the next reconcile.
 */
async function writeStatus(input: Input, outcome: Outcome, scope: ReconcileScope): Promise<PlacementReport> {
  const { placement, snapshot } = input;
  const { client, clock, mutations, key, pass } = scope;
  const reported = placementReport(snapshot, outcome.schedule, outcome.publication);
  const status = statusToWrite(placement.status, reported, timestamp(clock.now()));
  if (status === undefined) return reported;
  const wanted: Placement = { ...placement, apiVersion: apiVersionOf(Placements), kind: Placements.kind, status };
  const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal: pass.signal };
  try {
    mutations.placements.mutated(key, await client.updateStatus(Placements, wanted, options));
  } catch (error) {
    if (isFailure(error, 'NotFound')) return reported;
    if (isFailure(error, 'Conflict')) {
      const { namespace, name, uid } = input.owner;
      const found = await client.get<Placement>(Placements, { namespace, name });
      if (found?.metadata.uid === uid) mutations.placements.mutated(key, found);
    }
    throw error;
  }
  return reported;
}
