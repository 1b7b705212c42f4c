/**
 * The API server of the hub refused the status of a cluster as invalid, which is a fault of the product, of a definition or of
 * a policy that somebody changed. The agent logged it as a warning between those about a hub that is away, and no metric told
 * the two apart.
 * Right: a request of the product that is refused as invalid is an error in the log and a count of its own, for the agent as for
 * the hub's controllers; it is tried again, and the agent goes on to renew its Lease. A hub that does not answer stays a warning.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { field } from '../../src/runtime/vocabulary/json.js';
import { createAgentMetrics } from '../../src/agent/metrics.js';
import type { FailureKind } from '../../src/runtime/errors.js';
import { FakeAgent, FakeHome, FakeHub, hubError } from '../support/fakes/agent.js';

let agent: FakeAgent | undefined;
afterEach(async () => agent?.stop());

/** An agent for two minutes, on a hub that fails this request until then and answers it again after that. */
async function run(
  request: string,
  kind: FailureKind,
): Promise<{ readonly hub: FakeHub; readonly running: FakeAgent }> {
  const clock = new ManualClock();
  const hub = new FakeHub(clock);
  hub.before = (name) => {
    if (name === request) throw hubError(kind);
  };
  const running = (agent = new FakeAgent(clock, new FakeHome(), hub));
  await clock.advance(120_000);
  hub.before = () => undefined;
  await clock.advance(120_000);
  return { hub, running };
}

/** The levels of the lines about this request. */
function levels({ log }: FakeAgent, request: string): ReadonlySet<string> {
  const lines = log.lines.filter(({ fields }) => field(fields, 'request') === request);
  return new Set(lines.map(({ level }) => level));
}

const REQUESTS = [
  { request: 'applyStatus', named: 'status', counted: 'published' },
  { request: 'renewLease', named: 'renewal', counted: 'renewed' },
  { request: 'requestToken', named: 'token', counted: 'token' },
];

describe('a request of the agent', () => {
  it.each(REQUESTS)('of $named that the hub refuses as invalid is an error, and tried again', async (row) => {
    const { running } = await run(row.request, 'Invalid');

    expect(levels(running, row.named)).toEqual(new Set(['error']));
    expect(running.metrics).toEqual(expect.arrayContaining([`${row.counted} refused`, `${row.counted} success`]));
    expect(running.metrics).not.toContain(`${row.counted} error`);
  });

  it.each(REQUESTS)('of $named that the hub does not answer is a warning', async (row) => {
    const { running } = await run(row.request, 'Unavailable');

    expect(levels(running, row.named)).toEqual(new Set(['warn']));
    expect(running.metrics).toContain(`${row.counted} error`);
  });

  it('a refused status does not keep the Lease from its renewals', async () => {
    const { hub } = await run('applyStatus', 'Invalid');

    expect(hub.times('renewLease').filter((seconds) => seconds <= 120)).toHaveLength(2);
  });

  it('has its refusals in the metrics from the start', async () => {
    const metrics = createAgentMetrics({ version: '0', commit: '', date: '' });
    const text = String(await metrics.text());

    for (const name of ['renewals', 'status_writes', 'token_requests'])
      expect(text).toContain(`multicluster_agent_${name}_total{result="refused"} 0`);
  });
});
