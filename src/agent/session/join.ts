import { delay } from '../../runtime/clock.js';
import { errorText, isFailure } from '../../runtime/errors.js';
import type { Hub, TokenGrant } from '../hub.js';
import { retryMs, firstRenewalMs, rotationMs } from '../schedule.js';
import { Attempts, failureResult, isPolicyDenial, takenProblem } from './attempts.js';
import type { SessionContext } from './context.js';

/** Requests a token, and stores it before its first use: after a crash the agent has no other credential. */
async function issueToken(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<TokenGrant> {
  const { home, join, secret, tools } = context;
  const grant = await hub.requestToken(context.tokenLifetimeSeconds, signal).catch((error: unknown) => {
    tools.metrics.tokenRequested(failureResult(error));
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

/** Exchanges the join token for the first token of the agent's own. Retries until it succeeds or `signal` fires. */
export async function firstToken(context: SessionContext, signal: AbortSignal): Promise<TokenGrant> {
  const hub = context.openHub(context.join, () => context.join.joinToken);
  try {
    return await untilDone(context, 'token', () => issueToken(context, hub, signal), signal);
  } finally {
    await hub.close();
  }
}

/** Makes this cluster the holder of its Lease. Retries; ends the session when the hub has another cluster of this name. */
export async function acquireLease(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<void> {
  await untilDone(context, 'lease', () => tryAcquireLease(context, hub, signal), signal);
}

/** One attempt of {@link acquireLease}. Rejects with the signal's reason after it has ended the session. */
export async function tryAcquireLease(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<void> {
  const { clusterId, join, state, end } = context;
  try {
    return await hub.createLease({ holder: clusterId, seconds: state.leaseMs / 1000 }, signal);
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
  }
  try {
    // The process before this one knew the duration from its reports.
    state.setLease((await hub.takeLease(clusterId, signal)) * 1000);
  } catch (error) {
    if (!isPolicyDenial(error)) throw error;
    state.refused(takenProblem(join.cluster));
    end('taken');
    return signal.throwIfAborted();
  }
}

/** Deletes the Secret that the join token is bound to, at each start, until it is gone: the token becomes invalid. */
export async function deleteJoinSecret(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<void> {
  const { clock, random } = context.tools;
  const attempts = new Attempts(context, 'joinsecret');
  for (;;) {
    await context.state.whenAvailable(signal);
    const outcome = await attempts.run(() => hub.deleteJoinSecret(signal), signal);
    if (outcome.kind === 'done' && outcome.value) return;
    // A Secret with a finalizer is still there after its deletion.
    const wait = outcome.kind === 'failed' ? outcome.retryInMs : retryMs(1, random);
    await delay(clock, wait, signal);
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

interface RotationOptions {
  readonly hub: Hub;
  /** The token that the session has begun with; undefined: it was stored before, and its age is not known. */
  readonly first: TokenGrant | undefined;
  /** Called with each new token, after it was stored. */
  readonly onToken: (token: string) => void;
}

/**
 * Replaces the agent's token when a fifth of its lifetime is over, by the monotonic clock. One of unknown age is replaced
 * within a lease duration, spread as the first renewals are.
 * Until `signal` fires; rejects with its reason.
 */
export async function rotateTokens(
  context: SessionContext,
  { hub, first, onToken }: RotationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = context.tools;
  const attempts = new Attempts(context, 'token');
  let wait = first === undefined ? firstRenewalMs(context.state.leaseMs, random) : rotationMs(first.lifetimeSeconds);
  for (;;) {
    await delay(clock, Math.max(0, wait), signal);
    await context.state.whenAvailable(signal);
    const startedAt = clock.monotonic();
    const outcome = await attempts.run(() => issueToken(context, hub, signal), signal);
    if (outcome.kind === 'done') onToken(outcome.value.token);
    wait =
      outcome.kind === 'done'
        ? startedAt + rotationMs(outcome.value.lifetimeSeconds) - clock.monotonic()
        : outcome.retryInMs;
  }
}
