import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

import { nodeFacts } from '../../src/domain/agent/report/nodes.js';
import type { ClusterReport } from '../../src/domain/agent/report/report.js';
import { joinData } from '../support/builders/joindata.js';
import { FakeAgent, FakeHome, FakeHub, hubError } from '../support/fakes/agent.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let clock: ManualClock;
let home: FakeHome;
let hub: FakeHub;
let agent: FakeAgent | undefined;

beforeEach(() => {
  clock = new ManualClock();
  home = new FakeHome();
  hub = new FakeHub(clock);
});
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

async function started(): Promise<FakeAgent> {
  agent = new FakeAgent(clock, home, hub);
  await clock.advance(0);
  return agent;
}

function refuse(...names: readonly string[]): void {
  hub.before = (name) => {
    if (names.includes(name)) throw hubError('Transport');
  };
}

function claim(report: ClusterReport | undefined, name: string): string | undefined {
  return report?.clusterClaims.find((one) => one.name === name)?.value;
}

describe('joining', () => {
  it('an agent sends each step once, with the join token only for the first', async () => {
    const running = await started();
    await clock.advance(2 * SECOND);

    expect(hub.calls.map(({ name, token }) => [name, token])).toEqual([
      ['requestToken', 'join.to.ken'],
      ['createLease', 'token-1'],
      ['applyStatus', 'token-1'],
      ['deleteJoinSecret', 'token-1'],
    ]);
    expect(home.secret.content).toMatchObject({ token: 'token-1' });
    expect(hub.holder).toBe('kube-system-uid');
    expect(running.problems()).toEqual([]);
  });

  it('an agent with a token of its own takes its Lease again, and replaces the token, whose age it does not know', async () => {
    home.secret = { uid: 'u', content: { kind: 'complete', join: joinData(), token: 'stored' } };
    hub.holder = 'kube-system-uid';
    await started();
    await clock.advance(2 * MINUTE);

    expect(hub.calls.slice(0, 2).map(({ name, token }) => [name, token])).toEqual([
      ['createLease', 'stored'],
      ['takeLease', 'stored'],
    ]);
    expect(hub.times('requestToken')).toEqual([30]);
    expect(hub.calls.at(-1)?.token).toBe('token-1');
  });

  it('an agent that starts again renews by the duration of its Lease, also while it cannot report', async () => {
    home.secret = { uid: 'u', content: { kind: 'complete', join: joinData(), token: 'stored' } };
    home.before = (name) => {
      if (name === 'nodes') throw hubError('Forbidden');
    };
    hub.holder = 'kube-system-uid';
    hub.claimedSeconds = 10;
    await started();
    await clock.advance(30 * SECOND);

    expect(hub.times('renewLease')).toEqual([5, 14.5, 24]);
    expect(hub.claimedSeconds).toBe(10);
  });

  it('an agent waits for a Secret that is usable', async () => {
    home.secret = { uid: '', content: { kind: 'unusable', problem: 'it does not exist' } };
    const running = await started();

    expect(running.problems()).toEqual(['Secret hub-token: it does not exist']);
    home.secret = new FakeHome().secret;
    await clock.advance(MINUTE);
    expect(running.problems()).toEqual([]);
  });

  it('an agent stores its token before it uses it', async () => {
    const stored: (string | undefined)[] = [];
    hub.before = (name) => {
      if (name === 'createLease' && home.secret.content.kind === 'complete') stored.push(home.secret.content.token);
    };
    await started();

    expect(stored).toEqual(['token-1']);
  });

  it('an agent deletes the join Secret three times, since an answer that it is gone may be false', async () => {
    await started();
    await clock.advance(HOUR);

    expect(hub.times('deleteJoinSecret')).toEqual([0, 57, 114]);
  });

  it('an agent whose cluster cannot be read joins, ends the join token, and reports later', async () => {
    home.before = (name) => {
      if (name === 'nodes') throw hubError('Forbidden');
    };
    const running = await started();
    await clock.advance(MINUTE + 2 * SECOND);

    expect(hub.hasJoinSecret).toBe(false);
    expect(hub.reports).toEqual([]);
    expect(running.problems()).toEqual(['the cluster cannot be read: the hub answers Forbidden']);
    home.before = () => undefined;
    await clock.advance(MINUTE);
    expect(hub.reports).toHaveLength(1);
  });

  it('an agent that the hub gives no rights says so and tries again', async () => {
    hub.before = (name) => {
      if (name === 'createLease') throw hubError('Forbidden');
    };
    const running = await started();

    expect(running.problems()).toEqual([
      "not joined yet: the hub does not permit the agent's requests: the hub answers Forbidden. Is multicluster-engine installed there?",
    ]);
    hub.before = () => undefined;
    await clock.advance(2 * SECOND);
    expect(running.problems()).toEqual([]);
  });

  it('an agent that finds another holder sends nothing more until there is another manifest', async () => {
    hub.holder = 'another-cluster';
    const running = await started();
    await clock.advance(HOUR);

    expect(hub.calls.map(({ name }) => name)).toEqual(['requestToken', 'createLease', 'takeLease']);
    expect(running.problems()).toEqual([
      'another cluster is edge-1 on the hub, so this agent writes nothing there. Add this cluster by another name: kubectl mce cluster add NAME. If it is the only cluster of this name, rebuilt: kubectl mce cluster add edge-1 --renew',
    ]);
    hub.holder = undefined;
    const join = joinData({ cluster: 'edge-2', joinSecretUid: 'new' });
    home.secret = { uid: 'home-secret', content: { kind: 'complete', join, token: undefined } };
    await clock.advance(MINUTE);
    expect(running.problems()).toEqual([]);
  });
});

describe('a new manifest', () => {
  it('a manifest of another hub takes effect within 5 minutes, while the old hub still answers', async () => {
    const running = await started();
    await clock.advance(MINUTE);
    const join = joinData({ hubUrl: 'https://other', joinSecretUid: 'other', joinToken: 'other.join' });
    home.secret = { uid: 'home-secret', content: { kind: 'complete', join, token: undefined } };
    await clock.advance(5 * MINUTE);

    expect([...running.hubs]).toEqual(['https://hub.example.com:6443', 'https://other']);
    expect(home.secret.content).toMatchObject({ token: 'token-2' });
    expect(running.problems()).toEqual([]);
  });
});

describe('renewing', () => {
  it('renewals begin within the duration of the lease, and follow each other after 0.95 of it on average', async () => {
    await started();
    await clock.advance(5 * MINUTE);

    expect(hub.times('renewLease')).toEqual([30, 87, 144, 201, 258]);
  });

  it('a shorter duration of the lease, which the hub returns for a report, counts at once', async () => {
    hub.leaseSeconds = 3_600;
    await started();
    hub.leaseSeconds = 10;
    home.claim({ team: 'blue' });
    await clock.advance(30 * SECOND);

    expect(hub.times('renewLease')).toEqual([0, 1, 10.5, 20, 29.5]);
    expect(hub.claimedSeconds).toBe(10);
  });

  it('after a failure renewals wait twice as long each time, and are the only requests until one succeeds', async () => {
    const running = await started();
    await clock.advance(2 * SECOND);
    refuse('renewLease');
    home.claim({ team: 'blue' });
    await clock.advance(29 * SECOND);
    home.claim({ team: 'red' });
    const before = hub.reports.length;
    await clock.advance(5 * MINUTE);

    expect(hub.times('renewLease').slice(0, 7)).toEqual([30, 31, 33, 37, 45, 61, 91]);
    expect(hub.reports).toHaveLength(before);
    expect(running.problems()).toEqual([
      'the Lease has not been renewed for 331 s: hub https://hub.example.com:6443: the hub answers Transport',
    ]);
    refuse();
    await clock.advance(MINUTE);
    expect(claim(hub.reports.at(-1), 'team')).toBe('red');
    expect(running.problems()).toEqual([]);
  });

  it('with a short duration of the lease the wait after failures ends its increase there', async () => {
    hub.leaseSeconds = 10;
    await started();
    await clock.advance(10 * SECOND);
    const before = hub.times('renewLease').length;
    refuse('renewLease');
    await clock.advance(MINUTE);

    const times = hub.times('renewLease').slice(before);
    expect(times.slice(1).map((time, at) => time - (times[at] ?? 0))).toEqual([1, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5]);
  });

  it('an agent keeps the Retry-After of the hub', async () => {
    hub.before = (name) => {
      if (name === 'renewLease') throw hubError('Throttled', { retryAfterMs: 45_000 });
    };
    await started();
    await clock.advance(2 * MINUTE);

    expect(hub.times('renewLease')).toEqual([30, 75, 120]);
  });

  it('a Lease that was deleted is created again', async () => {
    await started();
    hub.holder = undefined;
    await clock.advance(MINUTE);

    expect(hub.holder).toBe('kube-system-uid');
    expect(hub.times('createLease')).toEqual([0, 30]);
  });

  it('a Lease that was deleted and is held by another cluster ends all requests', async () => {
    const running = await started();
    await clock.advance(2 * SECOND);
    hub.holder = undefined;
    hub.before = (name) => {
      if (name === 'createLease') hub.holder = 'another-cluster';
    };
    await clock.advance(HOUR);

    expect(hub.calls.slice(-3).map(({ name }) => name)).toEqual(['renewLease', 'createLease', 'takeLease']);
    expect(running.problems()).toEqual([expect.stringMatching(/^another cluster is edge-1 on the hub/)]);
  });

  it('an agent whose Lease another cluster has taken sends only renewals, which the hub refuses', async () => {
    const running = await started();
    await clock.advance(2 * SECOND);
    hub.holder = 'another-cluster';
    await clock.advance(MINUTE);
    const known = hub.calls.length;
    home.claim({ team: 'blue' });
    await clock.advance(HOUR);

    expect(new Set(hub.calls.slice(known).map(({ name }) => name))).toEqual(new Set(['renewLease']));
    expect(running.problems()).toEqual([expect.stringMatching(/^the Lease has not been renewed for \d+ s/)]);
  });

  it('the clock of the machine has no influence', async () => {
    await started();
    const jumps = [-10, 10].map((years) => years * 365 * 24 * HOUR);
    const { now } = clock;
    clock.now = () => now.call(clock) + (jumps[Math.floor(clock.monotonic() / 45_000) % 2] ?? 0);
    await clock.advance(5 * MINUTE);

    expect(hub.times('renewLease')).toEqual([30, 87, 144, 201, 258]);
    expect(hub.reports).toHaveLength(1);
  });
});

describe('reporting', () => {
  it('a changed claim is written after a second, with those that follow it', async () => {
    await started();
    await clock.advance(10 * SECOND);
    home.claim({ team: 'red' });
    await clock.advance(500);
    home.claim({ team: 'blue' });
    await clock.advance(10 * SECOND);

    expect(hub.times('applyStatus')).toEqual([0, 11]);
    expect(claim(hub.reports[1], 'team')).toBe('blue');
  });

  it('a change that is taken back within a second is not written', async () => {
    await started();
    await clock.advance(10 * SECOND);
    home.claim({ team: 'red' });
    home.claim({});
    await clock.advance(10 * SECOND);

    expect(hub.times('applyStatus')).toEqual([0]);
  });

  it('Nodes are read each 5 minutes at most, and written when they have changed', async () => {
    await started();
    home.nodeFacts = [nodeFacts({})];
    await clock.advance(11 * MINUTE);

    expect(hub.times('applyStatus')).toEqual([0, 286]);
    expect(hub.reports.map(({ nodes }) => nodes.total)).toEqual([0, 1]);
  });

  it('Nodes are written as they were read, also while the ConfigMaps with claims cannot be watched', async () => {
    await started();
    home.claimsFailure = new Error('configmaps: the watch is not permitted');
    await clock.advance(20 * MINUTE);
    home.nodeFacts = [nodeFacts({})];
    await clock.advance(6 * MINUTE);

    expect(hub.reports.at(-1)?.nodes.total).toBe(1);
  });

  it('a cluster that cannot be read keeps its claims', async () => {
    home.nodeFacts = [nodeFacts({ metadata: { name: 'node', labels: { 'topology.kubernetes.io/region': 'eu' } } })];
    const running = await started();
    home.before = (name) => {
      if (name === 'nodes') throw hubError('Forbidden');
    };
    await clock.advance(10 * MINUTE);

    expect(hub.reports.map((one) => claim(one, 'region.cluster.fleetmgmt.io'))).toEqual(['eu', 'eu']);
    expect(running.problems()).toEqual(['the cluster cannot be read: the hub answers Forbidden']);
  });

  it('an API server that is not ready for 30 s is reported, and so is its recovery', async () => {
    await started();
    await clock.advance(5 * SECOND);
    home.before = (name) => {
      if (name === 'probe') throw new Error('HTTP 500');
    };
    await clock.advance(MINUTE);
    home.before = () => undefined;
    await clock.advance(MINUTE);

    expect(hub.times('applyStatus')).toEqual([0, 41, 71]);
    expect(hub.reports.map(({ conditions }) => conditions?.[0]?.status)).toEqual(['True', 'False', 'True']);
  });

  it('an agent that starts while the API server is not ready reports nothing before it can say so', async () => {
    home.before = (name) => {
      if (name === 'probe') throw new Error('HTTP 500');
    };
    await started();
    await clock.advance(MINUTE);

    expect(hub.reports.map(({ conditions }) => conditions?.[0]?.status)).toEqual(['False']);
  });

  it('all is applied again each hour', async () => {
    await started();
    await clock.advance(3 * HOUR);

    expect(hub.times('applyStatus')).toEqual([0, 3420, 6840, 10260]);
  });

  it('a report that fails is sent again after the back-off, in its newest form', async () => {
    refuse('applyStatus');
    await started();
    home.claim({ team: 'blue' });
    await clock.advance(10 * SECOND);
    refuse();
    await clock.advance(10 * SECOND);

    expect(hub.times('applyStatus')).toEqual([0, 1, 3, 7, 15]);
    expect(hub.reports.map((one) => claim(one, 'team'))).toEqual(['blue']);
  });

  it('custom claims that cannot be published are logged once', async () => {
    const running = await started();
    home.claim({ 'id.k8s.io': 'forged' });
    home.claim({ 'id.k8s.io': 'forged again' });
    await clock.advance(10 * MINUTE);

    expect(running.log.lines.filter(({ message }) => message === 'custom claims are not published')).toHaveLength(1);
    expect(claim(hub.reports.at(-1), 'id.k8s.io')).toBe('kube-system-uid');
  });
});

describe('rotating', () => {
  it('a token is replaced when a fifth of the lifetime is over that the hub has given', async () => {
    hub.lifetimeSeconds = 86_400;
    await started();
    await clock.advance(10 * HOUR);

    expect(hub.times('requestToken')).toEqual([0, 17_280, 34_560]);
    expect(home.secret.content).toMatchObject({ token: 'token-3' });
  });

  it('a token that cannot be replaced during a partition is replaced after it', async () => {
    hub.lifetimeSeconds = 600;
    await started();
    await clock.advance(100 * SECOND);
    refuse('renewLease', 'requestToken');
    await clock.advance(5 * MINUTE);
    const before = hub.times('requestToken').length;
    refuse();
    await clock.advance(100 * SECOND);

    expect(hub.times('requestToken').slice(before)).toHaveLength(1);
    expect(hub.calls.at(-1)).toMatchObject({ name: 'renewLease', token: 'token-2' });
  });

  it('a rejected token is named with the command that helps, until a new manifest is there', async () => {
    const running = await started();
    await clock.advance(2 * SECOND);
    hub.before = () => {
      throw hubError('Unauthorized');
    };
    await clock.advance(5 * MINUTE);

    expect(running.problems()).toEqual([
      'the Lease has not been renewed for 302 s: the hub rejects the token: it has expired, was used already, or was revoked. Apply a new manifest: kubectl mce cluster add edge-1 --renew',
    ]);
    hub.before = () => undefined;
    hub.holder = undefined;
    const join = joinData({ joinToken: 'new.join', joinSecretUid: 'new' });
    hub.before = (name) => {
      if (name === 'renewLease') throw hubError('Unauthorized');
    };
    home.secret = { uid: 'home-secret', content: { kind: 'complete', join, token: undefined } };
    await clock.advance(MINUTE);
    hub.before = () => undefined;
    await clock.advance(MINUTE);
    expect(hub.calls.some(({ name, token }) => name === 'requestToken' && token === 'new.join')).toBe(true);
    expect(running.problems()).toEqual([]);
  });
});

describe('the end of an agent', () => {
  it('an agent ends cleanly at any time, and counts its requests', async () => {
    const running = await started();
    await clock.advance(MINUTE);

    expect(await running.stop()).toBe(true);
    expect(clock.pending).toBe(0);
    expect(running.metrics).toEqual(['token success', 'published success', 'renewed success']);
  });
});
