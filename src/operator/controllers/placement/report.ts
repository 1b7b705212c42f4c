import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { explain } from '../../../domain/placement/explain/explain.js';
import type { Explanation } from '../../../domain/placement/explain/verdict.js';
import { placementReport, statusToWrite, type PlacementReport } from '../../../domain/placement/report/status.js';
import { comingIn, keptOut, leaving, staying } from '../../../domain/placement/select/decision.js';
import { isFailure } from '../../../runtime/errors.js';
import type { Outcome } from './decide.js';
import { recordDecision, recordHoldBegins, recordHoldEnds, recordStatus } from './events.js';
import type { Input } from './gather.js';
import type { Scope } from './scope.js';
import { storeStatus } from './status.js';

/**
 * Reports the outcome: log and event for a decision that was stored, then status, event and metrics of the Placement.
 * After an error that usually ends within moments the status stays as it is: the reconcile is retried. Throws when the
 * status is refused.
 */
export async function report(outcome: Outcome, scope: Scope): Promise<void> {
  const { input } = outcome;
  if (outcome.error === undefined) reportDecision(outcome, scope);
  if (isTransient(outcome.error)) return;
  const status = await writeStatus(outcome, scope);
  // Events cannot be created in a namespace that is being deleted.
  if (!isNamespaceTerminating(outcome.error)) {
    const explained = (): Explanation | undefined => explainNow(input, scope);
    recordStatus(outcome, status, { recorder: scope.recorder, explained });
    recordHoldBegins(input, outcome.schedule, scope.recorder);
    recordHoldEnds(outcome, scope.recorder);
  }
  const { key, namespace, name, caches, metrics } = scope;
  // Deleted in the meantime: its series have ended, and nothing would end them again.
  if (caches.placements.store.get(key) === undefined) return;
  const { phase, numberOfSelectedClusters: clusters } = status;
  const held = staying(outcome.schedule).length + keptOut(outcome.schedule).length;
  metrics?.placement({ namespace, name, phase, clusters, held });
}

/** An explanation of the Placement with the clusters of now; undefined while the status of too many Placements changes at once. */
function explainNow(
  { snapshot, reading }: Input,
  { explanations, pass: { enqueuedAt } }: Scope,
): Explanation | undefined {
  const readable = { fleet: true, decisions: true };
  return explanations.explain(enqueuedAt, () => explain({ snapshot, members: reading.members(), readable }));
}

/** Whether a write was refused because its namespace is being deleted: only the status of existing objects can be written. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isFailure(error, 'Forbidden') && error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
}

function isTransient(error: unknown): boolean {
  return isFailure(error, 'Conflict', 'Fenced', 'Aborted', 'Throttled', 'Transport', 'Malformed', 'Guarded');
}

function reportDecision(outcome: Outcome, { clock, pass, metrics, recorder }: Scope): void {
  const { schedule, publication } = outcome;
  if (publication.done === 0) return;
  const [added, dropped] = [comingIn(schedule).length, leaving(schedule).length];
  pass.log.info({ writes: publication.done, added, dropped }, 'decision published');
  metrics?.decided((clock.monotonic() - pass.enqueuedAt) / 1000);
  recordDecision(outcome, recorder);
}

/** Writes the status if it differs from the stored one; returns what it says. Throws when it is refused. */
async function writeStatus(outcome: Outcome, scope: Scope): Promise<PlacementReport> {
  const { input } = outcome;
  const { placement, snapshot } = input;
  const reported = placementReport(snapshot, outcome.schedule, outcome.publication);
  const status = statusToWrite(placement.status, reported, timestamp(scope.clock.now()));
  if (status !== undefined) await storeStatus(input, status, scope);
  return reported;
}
