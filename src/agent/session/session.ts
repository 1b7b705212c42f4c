import { within } from '../../runtime/clock.js';
import type { Hub } from '../hub.js';
import type { Observer } from '../observer.js';
import { ShortenableDelay } from '../schedule.js';
import type { ClusterReport } from '../../domain/agent/report/report.js';
import type { SessionContext } from './context.js';
import { handOverTokens } from './argocd.js';
import { acquireLease, deleteJoinSecret, firstToken, renewLease, rotateTokens } from './join.js';
import { Publisher } from './publisher.js';
import { OwnToken } from './owntoken.js';

/**
 * Joins the hub and reports to it until `signal` fires; rejects with its reason.
 *
 * First it exchanges the join token for a token of the agent's own, and tries once to store that; from then on it keeps the token
 * stored. It acquires the Lease, and then does all of this at the same time: renews the Lease, reports, replaces the token before it
 * expires, hands tokens over to Argo CD where that is wanted, and deletes the join Secret. The process may be killed at any point:
 * the next one does the same, without the exchange if a token is stored.
 */
export async function runSession(context: SessionContext, observer: Observer, signal: AbortSignal): Promise<void> {
  const { join, storedToken, openHub, state, tools } = context;
  const token = new OwnToken(context, storedToken);
  const firstGrant = storedToken === undefined ? await firstToken(context, token, signal) : undefined;
  const hub = openHub(join, () => token.value);
  const work = async (): Promise<void> => {
    await acquireLease(context, { hub, token }, signal);
    state.renewed();
    tools.log.info({ cluster: join.cluster, hub: join.hubUrl }, 'joined the hub');
    const renewalDelay = new ShortenableDelay(tools.clock);
    const report = (): ClusterReport | undefined => observer.report(state.secretTrouble, state.argoCdTrouble);
    // A changed duration is written to the Lease at once. Until then the hub uses the old one if it is longer.
    const publisher = new Publisher(context, { hub, report, onLease: () => renewalDelay.shortenTo(0) });
    observer.onChange = () => publisher.changed();
    token.onTrouble = () => publisher.changed();
    await Promise.all([
      renewLease(context, { hub, token, renewalDelay }, signal),
      publisher.run(signal),
      endJoining(context, { hub, publisher, token }, signal),
      rotateTokens(context, { hub, firstGrant, token }, signal),
      handOverTokens(context, { hub, onTrouble: () => publisher.changed() }, signal),
    ]);
  };
  try {
    await Promise.all([work(), token.keepStored(signal)]);
  } finally {
    observer.onChange = () => undefined;
    await hub.close();
  }
}

/**
 * Deletes the join Secret, which the agent needs no more once it has tried to report and its own token is stored.
 *
 * It waits for the first report for one lease duration at most, since a cluster that cannot be read has joined, too. It waits for
 * the token without limit: until that is stored, the next process can only use the join token.
 */
async function endJoining(
  context: SessionContext,
  { hub, publisher, token }: { readonly hub: Hub; readonly publisher: Publisher; readonly token: OwnToken },
  signal: AbortSignal,
): Promise<void> {
  const { clock } = context.tools;
  await within(clock, context.state.leaseMs, publisher.attempted, signal);
  await token.untilStored(signal);
  await deleteJoinSecret(context, hub, signal);
}
