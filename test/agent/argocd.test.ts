import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

import type { Home } from '../../src/agent/home.js';
import type { Hub } from '../../src/agent/hub.js';
import { FakeAgent, FakeHome, FakeHub, hubError } from '../support/fakes/agent.js';

const MINUTE = 60_000;

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

async function started(argoCdNamespace?: string): Promise<FakeAgent> {
  agent = new FakeAgent(clock, home, hub, argoCdNamespace);
  await clock.advance(0);
  return agent;
}

const degraded = (): string | undefined => {
  const found = hub.reports.at(-1)?.conditions?.find(({ type }) => type === 'AgentDegraded');
  return found && `${found.reason}: ${found.message}`;
};

describe('tokens of the cluster for Argo CD', () => {
  it('an agent that was not told to hand over requests no token of its cluster', async () => {
    const asked: string[] = [];
    home.before = (name) => void asked.push(name);
    await started();
    await clock.advance(120 * MINUTE);

    expect(asked).not.toContain('argoCdToken');
    expect(hub.times('handOver')).toEqual([]);
  });

  it('a token is handed over at the start, and when half of its hour is over, less up to a tenth', async () => {
    await started('argocd');
    await clock.advance(60 * MINUTE);

    expect(hub.times('handOver')).toEqual([0, 1_710, 3_420]);
    expect(hub.handedOver).toEqual(['home-1', 'home-2', 'home-3']);
    expect(degraded()).toBeUndefined();
  });

  const FAULTS: readonly (readonly [string, 'hub' | 'home', string])[] = [
    ['the ServiceAccount is gone', 'home', 'serviceaccounts "argo-cd" not found'],
    ['the right to request tokens is missing', 'home', 'cannot create resource "serviceaccounts/token"'],
    ['the Secret is gone', 'hub', 'secrets "cluster-edge-1" not found'],
    ['the right to change it is missing', 'hub', 'cannot patch resource "secrets"'],
  ];

  it.each(FAULTS)('where %s, the report says so, and the Lease is renewed all the same', async (_case, at, message) => {
    const failing: keyof Hub | keyof Home = at === 'hub' ? 'handOver' : 'argoCdToken';
    const refuse = (name: string): void => {
      if (name === failing) throw hubError('Forbidden', { message });
    };
    hub.before = refuse;
    home.before = refuse;
    const running = await started('argocd');
    await clock.advance(10 * MINUTE);

    expect(degraded()).toBe(`TokenNotHandedOver: no token is handed over to Argo CD: ${message}`);
    expect(hub.times('renewLease').length).toBeGreaterThan(9);
    expect(hub.reports).toHaveLength(2);
    expect(running.problems()).toEqual([]);
    expect(JSON.stringify(running.log.lines.map(({ fields }) => fields))).toContain(
      JSON.stringify(message).slice(1, -1),
    );

    hub.before = home.before = () => undefined;
    await clock.advance(2 * MINUTE);
    expect(degraded()).toBeUndefined();
    expect(hub.handedOver).toHaveLength(1);
  });
});
