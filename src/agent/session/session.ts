import { whenAborted, within } from '../../runtime/clock.js';
import type { Hub } from '../hub.js';
import type { Observer } from '../observer.js';
import { ShortenableDelay } from '../schedule.js';
import type { ClusterReport } from '../../domain/agent/report/report.js';
import type { SessionContext } from './context.js';
import { acquireLease, deleteJoinSecret, firstToken, renewLease, rotateTokens } from './join.js';
import { Publisher } from './publisher.js';
import { OwnToken } from './owntoken.js';

/**
 * Joins the hub and reports to it.
 *
 * Flow: exchange the join token for a token of the agent's own, with one attempt to store it; acquire the Lease; then, side by
 * side, renew it, report, keep the token stored, replace it, and delete the join Secret. A process that was killed at any point
 * continues there: each step can be repeated, and a stored token skips the first.
 * Until `signal` fires; rejects with its reason.
 */
export async function runSession(context: SessionContext, observer: Observer, signal: AbortSignal): Promise<void> {
  const { join, storedToken: stored, openHub, state, tools } = context;
  const token = new OwnToken(context, stored);
  const first = stored === undefined ? await firstToken(context, token, signal) : undefined;
  const hub = openHub(join, () => token.value);
  try {
    await acquireLease(context, hub, signal);
    state.renewed();
    tools.log.info({ cluster: join.cluster, hub: join.hubUrl }, 'joined the hub');
    const due = new ShortenableDelay(tools.clock);
    const report = (): ClusterReport | undefined => observer.report(state.secretTrouble);
    // The Lease gets another duration at once: the hub goes by the longer one until then.
    const publisher = new Publisher(context, { hub, report, onLease: () => due.shortenTo(0) });
    observer.onChange = () => publisher.changed();
    token.onTrouble = () => publisher.changed();
    await Promise.all([
      renewLease(context, { hub, due }, signal),
      publisher.run(signal),
      endJoining(context, { hub, publisher, token }, signal),
      token.keepStored(signal),
      rotateTokens(context, { hub, first, token }, signal),
    ]);
  } finally {
    observer.onChange = () => undefined;
    await hub.close();
  }
}

/**
 * After the first attempt to report, or without one after the duration of a lease: a cluster that cannot be read has joined, too.
 * Not before the token is stored: until then the join token is what a process that starts has.
 */
async function endJoining(
  context: SessionContext,
  { hub, publisher, token }: { readonly hub: Hub; readonly publisher: Publisher; readonly token: OwnToken },
  signal: AbortSignal,
): Promise<void> {
  const { clock } = context.tools;
  await within(clock, context.state.leaseMs, publisher.attempted, signal);
  await Promise.race([token.stored, whenAborted(signal)]);
  signal.throwIfAborted();
  await deleteJoinSecret(context, hub, signal);
}
