import { delay } from '../../runtime/clock.js';
import type { Hub, TokenGrant } from '../hub.js';
import { firstRenewalMs, retryMs, rotationMs } from '../schedule.js';
import { Attempts } from './attempts.js';
import type { SessionContext } from './context.js';
import { issueToken } from './join.js';

/**
 * Replaces the agent's token when a fifth of its lifetime is over, by the monotonic clock. The age of a stored token is not
 * known after a restart, so that it is replaced soon: `first` is undefined then.
 * Until `signal` fires; rejects with its reason.
 */
export async function rotateTokens(
  context: SessionContext,
  {
    hub,
    first,
    use,
  }: { readonly hub: Hub; readonly first: TokenGrant | undefined; readonly use: (token: string) => void },
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
    if (outcome.kind === 'done') use(outcome.value.token);
    wait =
      outcome.kind === 'done'
        ? startedAt + rotationMs(outcome.value.lifetimeSeconds) - clock.monotonic()
        : outcome.retryInMs;
  }
}

/** The join token ends with its Secret: at each start, until it is gone. */
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
