import { delay, within } from '../../runtime/clock.js';
import type { Hub } from '../hub.js';
import type { ClusterReport } from '../../domain/agent/report/report.js';
import type { SessionContext } from './context.js';
import { acquireLease, deleteJoinSecret, firstToken, rotateTokens } from './join.js';
import { Publisher } from './publisher.js';
import { Renewals } from './renewals.js';
import { jittered } from '../schedule.js';
import { isReplaced } from './attempts.js';

interface SessionOptions {
  readonly context: SessionContext;
  readonly report: () => ClusterReport | undefined;
  /** Receives what is to be called when the report may have changed. */
  readonly onReporting: (changed: () => void) => void;
}

/**
 * Joins the hub and reports to it.
 *
 * Flow: exchange the join token for a token of the agent's own, which is stored before its first use; acquire the Lease; send
 * the first report; delete the join Secret. Renewals, reports and new tokens run concurrently from the second step on. A
 * process that was killed at any point continues there: each step can be repeated, and a stored token skips the first.
 * Until `signal` fires; rejects with its reason.
 */
export async function runSession({ context, report, onReporting }: SessionOptions, signal: AbortSignal): Promise<void> {
  const { join, secret, openHub, state, tools } = context;
  const stored = secret.content.kind === 'complete' ? secret.content.token : undefined;
  const first = stored === undefined ? await firstToken(context, signal) : undefined;
  let token = stored ?? first?.token ?? '';
  const hub = openHub(join, () => token);
  try {
    await acquireLease(context, hub, signal);
    state.renewed();
    tools.log.info({ cluster: join.cluster, hub: join.hubUrl }, 'joined the hub');
    const renewals = new Renewals(context, hub);
    const publisher = new Publisher(context, { hub, report, onLease: () => renewals.reschedule() });
    onReporting(() => publisher.changed());
    await Promise.all([
      renewals.run(signal),
      publisher.run(signal),
      endJoining(context, { hub, publisher }, signal),
      followSecret(context, signal),
      rotateTokens(context, { hub, first, onToken: (next) => void (token = next) }, signal),
    ]);
  } finally {
    onReporting(() => undefined);
    await hub.close();
  }
}

/** After the first report, or without one after the duration of a lease: a cluster that cannot be read has joined, too. */
async function endJoining(
  context: SessionContext,
  { hub, publisher }: { readonly hub: Hub; readonly publisher: Publisher },
  signal: AbortSignal,
): Promise<void> {
  const { clock } = context.tools;
  await within(clock, context.state.leaseMs, publisher.attempted, signal);
  await deleteJoinSecret(context, hub, signal);
}

/** Between two reads, less up to a tenth. The agent has no right to watch Secrets. */
const PERIOD_MS = 300_000;

/** Ends the session when the Secret has the content of another manifest, also while the hub of this one still answers. */
async function followSecret(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { clock, random } = context.tools;
  for (;;) {
    await delay(clock, jittered(PERIOD_MS, random), signal);
    if (await isReplaced(context, signal)) context.end('replaced');
  }
}
