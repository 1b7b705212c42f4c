import { delay } from '../../runtime/clock.js';
import { errorText, isFailure } from '../../runtime/errors.js';
import type { Hub, TokenGrant } from '../hub.js';
import { Attempts } from './attempts.js';
import type { SessionContext } from './context.js';
import { isTaken, takenProblem } from './problems.js';

/** Requests a token, and stores it before anybody uses it. */
export async function issueToken(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<TokenGrant> {
  const { home, join, secret, tools } = context;
  const grant = await hub.requestToken(context.tokenLifetimeSeconds, signal).catch((error: unknown) => {
    tools.metrics.tokenRequested('error');
    throw error;
  });
  tools.metrics.tokenRequested('success');
  try {
    await home.storeToken(secret.uid, grant.token, join, signal);
  } catch (error) {
    // Not as an ApiError, whose code would be taken for one of the hub.
    throw new Error(`the token cannot be stored in Secret hub-token: ${errorText(error)}`);
  }
  return grant;
}

/** The first token of the agent's own, for the join token. Retries until it succeeds or `signal` fires. */
export async function firstToken(context: SessionContext, signal: AbortSignal): Promise<TokenGrant> {
  const hub = context.openHub(context.join, () => context.join.joinToken);
  try {
    return await untilDone(context, 'token', () => issueToken(context, hub, signal), signal);
  } finally {
    await hub.close();
  }
}

/** Makes this cluster the holder of its Lease. Retries; ends the session when the hub has another cluster of this name. */
export async function takeName(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<void> {
  await untilDone(context, 'lease', () => createOrTake(context, hub, signal), signal);
}

/** Rejects with the signal's reason after it has ended the session for a Lease of another holder. */
export async function createOrTake(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<void> {
  const { clusterId, join, state, end } = context;
  try {
    return await hub.createLease(clusterId, signal);
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
  }
  try {
    return await hub.takeLease(clusterId, signal);
  } catch (error) {
    if (!isTaken(error)) throw error;
    state.refused(takenProblem(join.cluster));
    end('taken');
    return signal.throwIfAborted();
  }
}

async function untilDone<T>(
  context: SessionContext,
  request: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const attempts = new Attempts(context, request);
  for (;;) {
    const outcome = await attempts.run(work, signal);
    if (outcome.kind === 'done') return outcome.value;
    context.state.joiningFailed(outcome.problem);
    await delay(context.tools.clock, outcome.retryInMs, signal);
  }
}
