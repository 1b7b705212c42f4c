import { delay } from '../../runtime/clock.js';
import { jittered } from '../schedule.js';
import { isReplaced } from './attempts.js';
import type { SessionContext } from './context.js';

/** Between two reads, less up to a tenth. The agent has no right to watch Secrets. */
const PERIOD_MS = 300_000;

/** Ends the session when the Secret has the content of another manifest, also while the hub of this one still answers. */
export async function followSecret(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { clock, random } = context.tools;
  for (;;) {
    await delay(clock, jittered(PERIOD_MS, random), signal);
    if (await isReplaced(context, signal)) context.end('replaced');
  }
}
