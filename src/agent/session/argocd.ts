import { withoutLocalTime } from '../../runtime/connection/certificatetext.js';
import { delay } from '../../runtime/clock.js';
import { errorText } from '../../runtime/errors.js';
import { timestamp } from '../../runtime/vocabulary/meta.js';
import type { Hub } from '../hub.js';
import { FAILURES_OF_A_PROBLEM, jittered, retryMs } from '../schedule.js';
import type { SessionContext } from './context.js';

interface HandOver {
  readonly hub: Hub;
  /** Runs when what the report says of it has changed. */
  readonly onTrouble: () => void;
}

/**
 * Hands a token of the cluster over to Argo CD on the hub: at the start, and when half of its lifetime is over. Failures change
 * nothing else of the session. Without the namespace of Argo CD it does nothing. Runs until `signal` fires; rejects with its reason.
 */
export async function handOverTokens(
  { argoCdNamespace, home, state, tools }: SessionContext,
  { hub, onTrouble }: HandOver,
  signal: AbortSignal,
): Promise<void> {
  if (argoCdNamespace === undefined) return;
  const { clock, random, log } = tools;
  for (let failures = 0; ;) {
    await state.whenAvailable(signal);
    const before = state.argoCdTrouble;
    let wait: number;
    try {
      const { token, lifetimeSeconds } = await home.argoCdToken(signal);
      await hub.handOver(token, argoCdNamespace, signal);
      if (failures > 0) log.info({}, 'Argo CD has a token of this cluster again');
      failures = 0;
      state.argoCdTrouble = undefined;
      wait = jittered((lifetimeSeconds * 1000) / 2, random);
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      const problem = `no token is handed over to Argo CD: ${errorText(error)}`;
      log.warn({ problem, failures }, 'cannot hand over a token to Argo CD, retrying');
      const trouble = { reason: 'TokenNotHandedOver', message: withoutLocalTime(problem) } as const;
      if (failures >= FAILURES_OF_A_PROBLEM)
        state.argoCdTrouble = { ...trouble, since: before?.since ?? timestamp(clock.now()) };
      wait = retryMs(failures, random);
    }
    if (state.argoCdTrouble?.message !== before?.message) onTrouble();
    await delay(clock, wait, signal);
  }
}
