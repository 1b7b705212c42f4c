import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { AgentProcess, HomeRig, type AgentCall, type ProcessOptions } from '../../support/rigs/agent/home.js';
import { claimsOf, HubRig } from '../../support/rigs/agent/hub.js';

const MINUTE = 60_000;
/** An API server accepts a token for this long after its end. */
const LEEWAY = MINUTE;

/** The time of the hub: tokens expire by it. */
const hubClock = new ManualClock(Date.now());
const processes: AgentProcess[] = [];
const homes: HomeRig[] = [];
let hub: HubRig;
let home: HomeRig;

beforeAll(async () => {
  [hub, home] = await Promise.all([HubRig.start(hubClock), HomeRig.start()]);
  homes.push(home);
});
afterEach(() => Promise.all(processes.splice(0).map((one) => one.stop())));
afterAll(() => Promise.all([hub.server.close(), ...homes.map((one) => one.server.close())]));

type Start = Partial<ProcessOptions> & { readonly at?: HomeRig };

async function start({ at = home, clock = new ManualClock(), ...options }: Start = {}): Promise<AgentProcess> {
  const process = new AgentProcess({ transport: await at.transport(clock), clock, ...options });
  processes.push(process);
  return process;
}

/** Waits until the cluster has a report, its join token has ended, and its agent has nothing to complain about. */
async function joined(cluster: string, process: AgentProcess): Promise<void> {
  await waitFor(`${cluster} to have joined`, async (seen) => {
    seen([process.problems(), process.log.lines]);
    await process.pass(1_000);
    if (process.problems().length > 0 || (await hub.joinSecret(cluster)) !== undefined) return false;
    return (await hub.cluster(cluster))?.status?.clusterClaims !== undefined;
  });
}

async function ownToken(): Promise<string | undefined> {
  const secret = await home.secret();
  return secret.kind === 'complete' ? secret.token : undefined;
}

describe('an agent that joins', () => {
  it('an agent joins by its manifest, renews its Lease, and publishes what it knows of its cluster', async () => {
    const join = await hub.enroll('edge-1');
    await home.join(join);
    const process = await start();
    await joined('edge-1', process);
    const first = await hub.lease('edge-1');
    await process.pass(MINUTE);
    const second = await hub.lease('edge-1');
    const { metadata } = await home.server.request('GET', '/api/v1/namespaces/kube-system');
    const cluster = await hub.cluster('edge-1');

    expect(second?.spec).toEqual({ ...first?.spec, renewTime: expect.stringMatching(/^2026-01-01T00:0/) });
    expect(second?.spec?.renewTime).not.toBe(first?.spec?.renewTime);
    expect(second?.metadata.ownerReferences).toEqual([
      expect.objectContaining({ name: 'edge-1', uid: join.clusterUid }),
    ]);
    expect(claimsOf(cluster)).toMatchObject({
      'id.k8s.io': Reflect.get(Object(metadata), 'uid'),
      'platform.cluster.fleetmgmt.io': 'AWS',
      'region.cluster.fleetmgmt.io': 'eu-west-1',
    });
    expect(cluster?.status).toMatchObject({
      nodes: { total: 1, ready: 0 },
      version: { kubernetes: expect.any(String) },
      conditions: [{ type: 'ControlPlaneHealthy', status: 'True' }],
    });
    // Renewals are sent meanwhile.
    const requests = await waitFor('the join Secret to be missed', async (seen) => {
      await process.pass(1_000);
      const found = (await hub.requestsOf('edge-1')).filter((one) => one !== 'patch leases 200');
      seen(found);
      return found.includes('delete secrets 404') ? found : undefined;
    });
    expect(requests.slice(0, 6)).toEqual([
      'create serviceaccounts/token 201',
      'create leases 201',
      // The first of the two reads what is stored.
      'patch managedclusters/status 200',
      'patch managedclusters/status 200',
      'delete secrets 200',
      'delete secrets 404',
    ]);
    expect((await hub.requestsOf('edge-1')).filter((one) => /^(get|list|watch) /.test(one))).toEqual([]);
  });

  const STEPS: readonly AgentCall[] = [
    'home.clusterId',
    'hub.requestToken',
    'home.storeToken',
    'hub.createLease',
    'hub.applyStatus',
    'hub.deleteJoinSecret',
  ];
  it.each(STEPS)('an agent that is killed after %s goes on from there', async (step) => {
    const cluster = `killed-after-${step.toLowerCase().replace('.', '-')}`;
    await home.join(await hub.enroll(cluster));
    const first = await start({ killAfter: step });
    await waitFor('the process to be killed', () => first.ended.aborted);

    await joined(cluster, await start());

    expect((await hub.lease(cluster))?.spec?.holderIdentity).toMatch(/^[0-9a-f-]{36}$/);
    expect(await ownToken()).toMatch(/^ey/);
  });
});

describe('the tokens of an agent', () => {
  it('a token of 600 s is replaced each 120 s, so that the agent is never without one', async () => {
    await home.join(await hub.enroll('rotated'));
    const process = await start();
    await joined('rotated', process);
    const tokens = new Set([await ownToken()]);
    for (let minutes = 0; minutes < 14; minutes++) {
      await Promise.all([process.pass(MINUTE), hubClock.advance(MINUTE)]);
      tokens.add(await ownToken());
    }
    const requests = await hub.requestsOf('rotated');

    expect(tokens.size).toBe(8);
    expect(process.problems()).toEqual([]);
    expect(requests.filter((one) => one.endsWith(' 401'))).toEqual([]);
  });

  it('an agent whose token has expired names the command, and joins again by a new manifest without a restart', async () => {
    await home.join(await hub.enroll('expired'));
    const process = await start();
    await joined('expired', process);
    await hubClock.advance(600_000 + LEEWAY + MINUTE);
    await process.pass(2 * MINUTE);
    const isDue = await waitFor('the problem', async () => {
      await process.pass(MINUTE);
      return process.problems().find((one) => one.includes('expired'));
    });
    await home.join(await hub.enroll('expired', { isRenewal: true }));
    await joined('expired', process);

    expect(isDue).toMatch(/^the Lease has not been renewed for \d+ s: the hub rejects the token: .* --renew$/);
  });

  it('a manifest whose join token has expired is refused until a new one is applied', async () => {
    await home.join(await hub.enroll('late'));
    await hubClock.advance(3_600_000 + LEEWAY + MINUTE);
    const process = await start();
    await waitFor('the problem', () => process.problems().some((one) => /^not joined yet: .* --renew$/.test(one)));
    await home.join(await hub.enroll('late'));

    await joined('late', process);
  });
});

describe('an agent that lost a right in its cluster', () => {
  const role = (verbs: readonly string[]): KubeObject & { readonly rules: unknown } => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'multicluster-engine-agent', namespace: 'multicluster-engine-agent' },
    rules: [
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['hub-token'], verbs },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] },
    ],
  });

  it('it works on with the token that it cannot store, the hub says which right is missing, and it is stored later', async () => {
    await home.join(await hub.enroll('robbed'));
    const process = await start();
    await joined('robbed', process);
    const before = await ownToken();
    await home.server.apply([role(['get'])]);
    for (let minutes = 0; minutes < 14; minutes++) await Promise.all([process.pass(MINUTE), hubClock.advance(MINUTE)]);
    const degraded = (await hub.cluster('robbed'))?.status?.conditions?.find(({ type }) => type === 'AgentDegraded');

    expect(await ownToken()).toBe(before);
    expect((await hub.requestsOf('robbed')).filter((one) => one.endsWith(' 401'))).toEqual([]);
    expect(degraded).toMatchObject({
      reason: 'TokenNotStored',
      message: expect.stringMatching(/cannot patch resource "secrets" .*the stored one, which is valid until 20/),
    });
    expect(process.problems()).toEqual([degraded?.message]);

    await home.server.apply([role(['get', 'patch'])]);
    await Promise.all([process.pass(2 * MINUTE), hubClock.advance(2 * MINUTE)]);
    expect(await ownToken()).not.toBe(before);
    expect(process.problems()).toEqual([]);
  });
});

describe('one manifest that is applied to two clusters', () => {
  it('the second cluster stops and says so, and writes nothing that the hub keeps', async () => {
    const join = await hub.enroll('twin');
    const other = await HomeRig.start();
    homes.push(other);
    await other.join(join);
    // The other one has a token of its own before the first has used up the join token.
    const second = await start({ at: other, killAfter: 'home.storeToken' });
    await waitFor('the second to have its token', () => second.ended.aborted);
    await home.join(join);
    await joined('twin', await start());
    const before = await hub.cluster('twin');

    const again = await start({ at: other });
    await waitFor('the second to stop', () =>
      again.problems().some((one) => one.startsWith('another cluster is twin')),
    );
    const mark = (await hub.requestsOf('twin')).length;
    await again.pass(10 * MINUTE);

    expect((await hub.requestsOf('twin')).slice(mark)).toEqual([]);
    expect(await hub.cluster('twin')).toEqual(before);
    await other.join(await hub.enroll('other'));
    await again.pass(MINUTE);
    await joined('other', again);
  });
});

describe('an agent that is cut off', () => {
  it('an agent that cannot reach the hub renews its Lease again soon after it can, and sends what it has missed', async () => {
    let isCut = false;
    await home.join(await hub.enroll('cut-off'));
    const process = await start({
      before: (call) => {
        if (isCut && call.startsWith('hub.') && call !== 'hub.close') throw new Error('no route to the hub');
      },
    });
    await joined('cut-off', process);
    isCut = true;
    await process.pass(5 * MINUTE);
    const during = await hub.lease('cut-off');
    const problems = process.problems();
    await home.claim('cut-off', { team: 'blue' });
    isCut = false;
    await process.pass(2 * MINUTE);

    expect(problems).toEqual([
      expect.stringMatching(/^the Lease has not been renewed for \d+ s: no route to the hub$/),
    ]);
    expect(process.problems()).toEqual([]);
    expect(Number((await hub.lease('cut-off'))?.metadata.resourceVersion)).toBeGreaterThan(
      Number(during?.metadata.resourceVersion),
    );
    await waitFor('the claim', async () => {
      await process.pass(1_000);
      return claimsOf(await hub.cluster('cut-off'))['team'] === 'blue';
    });
  });

  it('an agent that cannot reach its own API server keeps the Lease, and reports that and nothing else', async () => {
    let isCut = false;
    await home.join(await hub.enroll('headless'));
    const process = await start({
      before: (call) => {
        if (isCut && call.startsWith('home.')) throw new Error('no route to the API server');
      },
    });
    await joined('headless', process);
    const before = await hub.cluster('headless');
    isCut = true;
    await process.pass(10 * MINUTE);
    const after = await hub.cluster('headless');

    expect(after?.status).toEqual({
      ...before?.status,
      conditions: [
        expect.objectContaining({
          type: 'ControlPlaneHealthy',
          status: 'False',
          message: '/readyz of the API server has failed for 30 s: no route to the API server',
        }),
        expect.objectContaining({ type: 'AgentDegraded', reason: 'TokenNotStored' }),
      ],
    });
    expect(process.problems()).toContain('the cluster cannot be read: no route to the API server');
    isCut = false;
    await process.pass(MINUTE);
    expect((await hub.cluster('headless'))?.status?.conditions).toEqual([expect.objectContaining({ status: 'True' })]);
  });

  it.each([-60, 60])(
    'an agent whose clock is %i minutes off joins, and keeps its tokens and its Lease',
    async (minutes) => {
      const cluster = `clock-${minutes}`.replace('--', '-minus-');
      await home.join(await hub.enroll(cluster));
      const process = await start({ clock: new ManualClock(hubClock.now() + minutes * MINUTE) });
      await joined(cluster, process);
      for (let passed = 0; passed < 12; passed++) await Promise.all([process.pass(MINUTE), hubClock.advance(MINUTE)]);

      expect(process.problems()).toEqual([]);
      expect((await hub.requestsOf(cluster)).filter((one) => !/ (20[01]|404)$/.test(one))).toEqual([]);
    },
  );
});
