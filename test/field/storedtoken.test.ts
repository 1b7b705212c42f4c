import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

import { joinData } from '../support/builders/joindata.js';
import { FakeAgent, FakeHome, FakeHub, hubError } from '../support/fakes/agent.js';

/**
 * The agent of a cluster lost the right to patch the Secret with its token. It requested a token every few seconds and stored
 * none, `/readyz` said ok, requests counted as successes, and when the stored token ended, the cluster was locked out.
 * Right: what was granted serves and waits to be stored, and no other is requested meanwhile. From the second failure on
 * `/readyz`, the metrics and a condition on the hub say what fails, in the words of the API server. So it is with everything
 * that the agent needs at home.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let clock: ManualClock;
let home: FakeHome;
let hub: FakeHub;
let agent: FakeAgent;

beforeEach(() => {
  clock = new ManualClock();
  home = new FakeHome();
  hub = new FakeHub(clock);
  hub.lifetimeSeconds = 86_400;
  hub.tokenOf = (number, lifetimeSeconds) => webToken(number, clock.now() / 1000 + lifetimeSeconds);
});
afterEach(() => agent.stop());

function webToken(number: number, exp: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp, jti: number })}.`;
}

async function started(): Promise<void> {
  agent = new FakeAgent(clock, home, hub);
  await clock.advance(0);
}

function refuse(name: string, message: string): void {
  home.before = (one) => {
    if (one === name) throw hubError('Forbidden', { message });
  };
}

/** The conditions of the last report, as `TYPE REASON: MESSAGE`, without that of the API server. */
function reported(): string[] {
  const { conditions = [] } = hub.reports.at(-1) ?? {};
  return conditions
    .filter(({ type }) => type !== 'ControlPlaneHealthy')
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const stored = (): string | undefined =>
  home.secret.content.kind === 'complete' ? home.secret.content.token : undefined;

const CAUSES = [
  'secrets "hub-token" is forbidden: User "agent" cannot patch resource "secrets"',
  'Secret "hub-token" is invalid: data: Forbidden: field is immutable when `immutable` is set',
  'admission webhook "policy.example.com" denied the request: secrets are read-only',
  'etcdserver: mvcc: database space exceeded',
];

describe('a token that cannot be stored', () => {
  it.each(CAUSES)('at a rotation it serves, and no other one is requested: %s', async (message) => {
    await started();
    await clock.advance(MINUTE);
    const [first] = [stored()];
    refuse('storeToken', message);
    await clock.advance(6 * HOUR);

    expect(hub.times('requestToken')).toEqual([0, 17_280]);
    expect(stored()).toBe(first);
    expect(hub.calls.at(-1)?.token).toBe(hub.tokens[1]);
    const text = `the token cannot be stored in Secret hub-token: ${message}; a restart needs the stored one, which is valid until 2026-01-02T00:00:00Z`;
    expect(agent.problems()).toEqual([text]);
    expect(reported()).toEqual([`AgentDegraded TokenNotStored: ${text}`]);
    expect(agent.metrics.filter((one) => one === 'token success')).toHaveLength(1);
    expect(agent.metrics.at(-1)).not.toBe('token success');
    expect(agent.tokensUntil).toEqual({ stored: 86_400, used: 86_400 + 17_280 });

    home.before = () => undefined;
    await clock.advance(2 * MINUTE);
    expect(stored()).toBe(hub.tokens[1]);
    expect(agent.problems()).toEqual([]);
    expect(reported()).toEqual([]);
    expect(agent.tokensUntil).toEqual({ stored: 86_400 + 17_280, used: 86_400 + 17_280 });
  });

  it('a failure that does not come again is not named', async () => {
    await started();
    let failures = 1;
    home.before = (name) => {
      if (name === 'storeToken' && failures-- > 0) throw hubError('Unavailable');
    };
    await clock.advance(17_280 * SECOND);

    expect(agent.problems()).toEqual([]);
    await clock.advance(10 * SECOND);
    expect(stored()).toBe(hub.tokens[1]);
    expect(
      hub.reports.flatMap(({ conditions }) => conditions ?? []).filter(({ type }) => type === 'AgentDegraded'),
    ).toEqual([]);
  });

  it('it is replaced when it is due, so that a running agent is never without one', async () => {
    await started();
    refuse('storeToken', 'no');
    await clock.advance(10 * HOUR);

    expect(hub.times('requestToken')).toEqual([0, 17_280, 34_560]);
    expect(hub.calls.at(-1)?.token).toBe(hub.tokens[2]);
  });

  it('the first one joins the cluster, and the join token is kept for a restart until it is stored', async () => {
    refuse('storeToken', 'secrets "hub-token" is forbidden');
    await started();
    await clock.advance(10 * MINUTE);

    expect(hub.times('requestToken')).toEqual([0]);
    expect(hub.hasJoinSecret).toBe(true);
    const text =
      'the token cannot be stored in Secret hub-token: secrets "hub-token" is forbidden; none is stored: a restart needs the join token of the manifest, or a new manifest';
    expect(agent.problems()).toEqual([text]);
    expect(reported()).toEqual([`AgentDegraded TokenNotStored: ${text}`]);

    home.before = () => undefined;
    await clock.advance(2 * MINUTE);
    expect(hub.hasJoinSecret).toBe(false);
    expect(agent.problems()).toEqual([]);
  });
});

describe('the Secret of the agent', () => {
  it('one that was created again from the same manifest gets the token again', async () => {
    await started();
    await clock.advance(MINUTE);
    home.secret = { uid: 'again', content: { kind: 'complete', join: joinData(), token: undefined } };
    await clock.advance(5 * MINUTE);

    expect(stored()).toBe(hub.tokens[0]);
    expect(agent.problems()).toEqual([]);
  });

  it('one that is gone, or that the agent may not read any more, is named', async () => {
    await started();
    await clock.advance(MINUTE);
    const before = home.secret;
    home.secret = { uid: '', content: { kind: 'unusable', problem: 'it does not exist' } };
    await clock.advance(10 * MINUTE);
    const gone = agent.problems();
    home.secret = before;
    await clock.advance(2 * MINUTE);
    refuse('readSecret', 'secrets "hub-token" is forbidden: cannot get');
    await clock.advance(10 * MINUTE);

    const rest = 'a restart needs the stored one, which is valid until 2026-01-02T00:00:00Z';
    expect(gone).toEqual([
      `the token cannot be stored in Secret hub-token: it does not exist; none is stored: a restart needs the join token of the manifest, or a new manifest`,
    ]);
    expect(agent.problems()).toEqual([
      `Secret hub-token cannot be read: secrets "hub-token" is forbidden: cannot get; ${rest}`,
    ]);
    expect(reported()).toEqual([
      expect.stringMatching(/^AgentDegraded ClusterNotRead: Secret hub-token cannot be read/),
    ]);
  });
});

describe('what else the agent needs at home', () => {
  it('a lost right to list Nodes is a condition on the hub, and the report keeps its content', async () => {
    await started();
    refuse('nodes', 'nodes is forbidden: cannot list');
    await clock.advance(10 * MINUTE);

    const text = 'the cluster cannot be read: nodes is forbidden: cannot list';
    expect(agent.problems()).toEqual([text]);
    expect(reported()).toEqual([`AgentDegraded ClusterNotRead: ${text}`]);
    expect(hub.reports.at(-1)?.clusterClaims).toEqual(hub.reports[0]?.clusterClaims);
    home.before = () => undefined;
    await clock.advance(2 * MINUTE);
    expect(reported()).toEqual([]);
  });

  it('ConfigMaps that cannot be listed are named, at the start and later', async () => {
    await started();
    home.claimsFailure = new Error('configmaps is forbidden: cannot list');
    await clock.advance(10 * MINUTE);

    const text = 'the cluster cannot be read: configmaps is forbidden: cannot list';
    expect(agent.problems()).toEqual([text]);
    expect(reported()).toEqual([`AgentDegraded ClusterNotRead: ${text}`]);
  });
});
