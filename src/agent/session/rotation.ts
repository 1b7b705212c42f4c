import { delay } from '../../runtime/clock.js';
import type { Hub, TokenGrant } from '../hub.js';
import { firstRenewalMs, rotationMs } from '../schedule.js';
import { Attempts } from './attempts.js';
import type { SessionContext } from './context.js';
import { issueToken } from './join.js';

export interface RotationOptions {
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
