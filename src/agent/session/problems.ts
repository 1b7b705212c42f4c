import type { JoinData } from '../../domain/agent/hubtoken.js';
import { ApiError, errorText, isFailure } from '../../runtime/errors.js';

/** What the user reads when a request to the hub fails: without a response, with the address of the manifest. */
export function problemOf(error: unknown, { cluster, hubUrl }: Pick<JoinData, 'cluster' | 'hubUrl'>): string {
  // With a code it names the hub already.
  if (isFailure(error, 'Transport') && error.code === undefined) return `hub ${hubUrl}: ${error.message}`;
  if (isFailure(error, 'Unauthorized'))
    return `the hub rejects the token: it has expired, was used already, or was revoked. Apply a new manifest: ${renewal(cluster)}`;
  if (isFailure(error, 'Forbidden') && !isPolicyDenial(error))
    return `the hub does not permit the agent's requests: ${error.message}. Is multicluster-engine installed there?`;
  return errorText(error);
}

/**
 * Whether an admission policy of the hub has denied a renewal as the holder: the Lease has another one. RBAC denies without
 * causes, a policy with one.
 */
export function isHeldByOther(error: unknown): boolean {
  return isPolicyDenial(error);
}

export function takenProblem(cluster: string): string {
  return (
    `another cluster is ${cluster} on the hub, so this agent writes nothing there. Add this cluster by another name: ` +
    `kubectl mce cluster add NAME. If it is the only cluster of this name, rebuilt: ${renewal(cluster)}`
  );
}

function renewal(cluster: string): string {
  return `kubectl mce cluster add ${cluster} --renew`;
}

function isPolicyDenial(error: unknown): boolean {
  return error instanceof ApiError && isFailure(error, 'Forbidden', 'Invalid') && error.causes.length > 0;
}
