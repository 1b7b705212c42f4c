import { delay } from '../../runtime/clock.js';
import { isFailure } from '../../runtime/errors.js';
import type { Hub, TokenGrant } from '../hub.js';
import { firstRenewalMs, jittered, rotationMs, type ShortenableDelay } from '../schedule.js';
import { Attempts, failureResult, isPolicyDenial, takenProblem, resultOf } from './attempts.js';
import type { SessionContext } from './context.js';
import type { OwnToken } from './owntoken.js';

function requestToken(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<TokenGrant> {
  return hub.requestToken(context.tokenLifetimeSeconds, signal).catch((error: unknown) => {
    context.tools.metrics.tokenRequested(failureResult(error));
    throw error;
  });
}

/** Exchanges the join token for the first token of the agent's own. Retries until it is granted or `signal` fires. */
export async function firstToken(context: SessionContext, token: OwnToken, signal: AbortSignal): Promise<TokenGrant> {
  const hub = context.openHub(context.join, () => context.join.joinToken);
  try {
    const grant = await untilDone(context, 'token', () => requestToken(context, hub, signal), signal);
    await token.granted(grant.token, signal);
    return grant;
  } finally {
    await hub.close();
  }
}

/** What a session holds the Lease with. */
interface Holding {
  readonly hub: Hub;
  readonly token: OwnToken;
}

/** Makes this cluster the holder of its Lease. Retries; ends the session when the hub has another cluster of this name. */
export async function acquireLease(context: SessionContext, holding: Holding, signal: AbortSignal): Promise<void> {
  await untilDone(context, 'lease', () => tryAcquireLease(context, holding, signal), signal);
}

/** One attempt of {@link acquireLease}. Rejects with the signal's reason after it has ended the session. */
async function tryAcquireLease(context: SessionContext, { hub, token }: Holding, signal: AbortSignal): Promise<void> {
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
    // Once the other cluster has left, only the stored token can take the name: the join token may be used up by then.
    await token.untilStored(signal);
    end('taken');
    return signal.throwIfAborted();
  }
}

/** An answer that the join Secret is gone may be false, and so may another one soon after it. */
const DELETIONS = 3;
const DELETED_AGAIN_MS = 60_000;

/** Ends the join token, at each start: deletes the Secret that it is bound to, a few times. */
export async function deleteJoinSecret(context: SessionContext, hub: Hub, signal: AbortSignal): Promise<void> {
  const { clock, random } = context.tools;
  const attempts = new Attempts(context, 'joinsecret');
  for (let deletions = 0; deletions < DELETIONS;) {
    await context.state.whenAvailable(signal);
    const outcome = await attempts.run(() => hub.deleteJoinSecret(signal), signal);
    if (outcome.kind === 'done') deletions += 1;
    await delay(clock, outcome.kind === 'done' ? jittered(DELETED_AGAIN_MS, random) : outcome.retryInMs, signal);
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

interface RotationOptions extends Holding {
  /** The token that the session has begun with; undefined: it was stored before, and its age is not known. */
  readonly firstGrant: TokenGrant | undefined;
}

/**
 * Replaces the agent's token when a fifth of its lifetime is over, by the monotonic clock. A token of unknown age is replaced
 * within a lease duration, at a random time as the first renewal of the Lease is.
 * Runs until `signal` fires; rejects with its reason.
 */
export async function rotateTokens(
  context: SessionContext,
  { hub, firstGrant, token }: RotationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = context.tools;
  const attempts = new Attempts(context, 'token');
  let wait =
    firstGrant === undefined ? firstRenewalMs(context.state.leaseMs, random) : rotationMs(firstGrant.lifetimeSeconds);
  for (;;) {
    await delay(clock, Math.max(0, wait), signal);
    await context.state.whenAvailable(signal);
    const startedAt = clock.monotonic();
    const outcome = await attempts.run(() => requestToken(context, hub, signal), signal);
    if (outcome.kind === 'done') await token.granted(outcome.value.token, signal);
    wait =
      outcome.kind === 'done'
        ? startedAt + rotationMs(outcome.value.lifetimeSeconds) - clock.monotonic()
        : outcome.retryInMs;
  }
}

/**
 * Renews the Lease of the cluster, and creates it again if somebody has deleted it. `renewalDelay`: the wait for the next renewal,
 * which the caller ends when the duration of the lease has changed. Runs until `signal` fires; rejects with its reason.
 */
export async function renewLease(
  context: SessionContext,
  { hub, token, renewalDelay }: Holding & { readonly renewalDelay: ShortenableDelay },
  signal: AbortSignal,
): Promise<void> {
  const { clusterId: holder, state, tools } = context;
  const { clock, random, metrics } = tools;
  const attempts = new Attempts(context, 'renewal');
  const renew = async (): Promise<void> =>
    hub.renewLease({ holder, seconds: state.leaseMs / 1000 }, signal).catch(async (error: unknown) => {
      if (!isFailure(error, 'NotFound')) throw error;
      await tryAcquireLease(context, { hub, token }, signal);
    });
  let wait = firstRenewalMs(state.leaseMs, random);
  for (;;) {
    await renewalDelay.wait(wait, signal);
    const startedAt = clock.monotonic();
    const outcome = await attempts.run(renew, signal);
    metrics.renewed(resultOf(outcome), clock.now());
    if (outcome.kind === 'done') state.renewed();
    else state.renewalFailed(outcome.problem);
    wait =
      outcome.kind === 'done'
        ? Math.max(0, startedAt + jittered(state.leaseMs, random) - clock.monotonic())
        : outcome.retryInMs;
  }
}
