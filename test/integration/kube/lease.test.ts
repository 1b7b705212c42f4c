import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { Leases, Namespaces, RoleBindings } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { type LeaderElector, LEASE_TIMES, createElector } from '../../../src/runtime/leaderelection/leaderelector.js';
import type { Lease } from '../../../src/runtime/leaderelection/leaserecord.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { cacheTools, transportOf } from '../../support/clients/transport.js';

const options = { fieldManager: 'test' };
const Roles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', kind: 'Role', namespaced: true };
/** Kept on a machine that has other things to do, too. */
const STEADY = { duration: 60_000, renewDeadline: 50_000, retryPeriod: 200 };
const QUICK = { duration: 6_000, renewDeadline: 5_000, retryPeriod: 200 };
/** Below the time after which a real lease expires. */
const AT_ONCE = { deadlineMs: 10_000 };

describeWithServer('the lease', {}, (server) => {
  const namespace = ownName('lease');
  let transport: Transport;
  let client: KubeClient;
  let name = '';
  const electors: LeaderElector[] = [];

  beforeAll(async () => {
    transport = transportOf(server().adminKubeconfig);
    client = createClient(transport);
    await client.create(Namespaces, { metadata: { name: namespace } }, options);
  });
  afterEach(async () => {
    await Promise.all(electors.splice(0).map((one) => one.release()));
    name = '';
  });
  afterAll(() => transport.close());

  function elector(identity: string, times = STEADY, over = transport): LeaderElector {
    name = name === '' ? ownName('one') : name;
    const made = createElector(
      over,
      { lease: { namespace, name }, identity, fieldManager: 'example-lease', times },
      cacheTools(),
    );
    electors.push(made);
    return made;
  }
  const stored = async (): Promise<Lease> => {
    const found = await client.get<Lease>(Leases, { namespace, name });
    if (found === undefined) throw new Error('the Lease is not there');
    return found;
  };
  const never = new AbortController().signal;

  it('the lease is created, renewed, and released without a holder', async () => {
    const one = elector('one');
    await one.acquire(never);
    const first = await stored();
    const renewed = await waitFor('a renewal', async () => {
      const now = await stored();
      return now.spec?.renewTime === first.spec?.renewTime ? undefined : now;
    });
    await one.release();

    expect(first.spec).toMatchObject({ holderIdentity: 'one', leaseDurationSeconds: 60, leaseTransitions: 0 });
    expect(first.spec?.acquireTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(renewed.spec).toMatchObject({
      holderIdentity: 'one',
      acquireTime: first.spec?.acquireTime,
      leaseTransitions: 0,
    });
    expect((await stored()).spec?.holderIdentity).toBe('');
    expect(one.held()).toBe(false);
  });

  it('the lease is taken over at once after a release', async () => {
    const one = elector('one', LEASE_TIMES);
    const two = elector('two', LEASE_TIMES);
    await one.acquire(never);
    const waiting = two.acquire(never);
    await waitFor('the standby to have seen the holder', async () => (await stored()).spec?.holderIdentity === 'one');

    await one.release();
    await waitFor('the standby to hold it', () => two.held(), AT_ONCE);
    await waiting;

    expect((await stored()).spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  it('the lease is taken back at once by a holder of the same identity', async () => {
    const before = elector('same', LEASE_TIMES);
    const lost = await before.acquire(never);
    const first = await stored();

    const after = elector('same', LEASE_TIMES);
    const waiting = after.acquire(never);
    await waitFor('the younger to hold it', () => after.held(), AT_ONCE);
    await waiting;

    expect((await stored()).spec).toMatchObject({ holderIdentity: 'same', leaseTransitions: 0 });
    expect((await stored()).spec?.acquireTime).not.toBe(first.spec?.acquireTime);
    await waitFor('the elder to step down', () => lost.aborted && !before.held());
    expect(after.held()).toBe(true);
  });

  it('the lease goes to one of two candidates when it expires', async () => {
    await client.create<Lease>(
      Leases,
      {
        metadata: { namespace, name: (name = ownName('one')) },
        spec: {
          holderIdentity: 'dead',
          leaseDurationSeconds: 2,
          renewTime: '2020-01-01T00:00:00.000000Z',
          acquireTime: '2020-01-01T00:00:00.000000Z',
          leaseTransitions: 4,
        },
      },
      options,
    );
    const both = [elector('one', QUICK), elector('two', QUICK)];
    const stop = new AbortController();
    const waiting = both.map((one) => one.acquire(stop.signal).catch(() => undefined));

    await Promise.race(waiting);
    const holders = both.filter((one) => one.held());
    const after = await stored();
    stop.abort(new Error('enough'));
    await Promise.all(waiting);

    expect(holders.map((one) => one.identity)).toEqual([after.spec?.holderIdentity]);
    expect(after.spec?.leaseTransitions).toBe(5);
  });

  it('the lease goes to one of three that create it at the same moment', async () => {
    const racers = [elector('one'), elector('two'), elector('three')];
    const end = new AbortController();
    const racing = racers.map((one) => one.acquire(end.signal).catch(() => undefined));
    await Promise.race(racing);
    expect(racers.filter((one) => one.held()).map((one) => one.identity)).toEqual([
      (await stored()).spec?.holderIdentity,
    ]);
    end.abort(new Error('enough'));
    await Promise.all(racing);
  });

  it('the lease is created again by its holder when it was deleted', async () => {
    const one = elector('one');
    const lost = await one.acquire(never);
    const before = await stored();

    await waitFor('the Lease to be deleted', async () => {
      const { uid = '', resourceVersion = '' } = (await stored()).metadata;
      return (await client.delete(Leases, { namespace, name }, { preconditions: { uid, resourceVersion } })) === 'gone';
    });
    const again = await waitFor('the Lease to be back', async () => {
      const now = await stored();
      return now.metadata.uid === before.metadata.uid ? undefined : now;
    });

    expect(again.spec?.holderIdentity).toBe('one');
    expect(one.held()).toBe(true);
    expect(lost.aborted).toBe(false);
  });

  it('the lease is lost at once when another holder is written into it', async () => {
    const one = elector('one', LEASE_TIMES);
    const lost = await one.acquire(never);

    await waitFor('the forgery to be stored', async () => {
      const now = await stored();
      return client.update(Leases, { ...now, spec: { ...now.spec, holderIdentity: 'forger' } }, options);
    });
    await waitFor('the holder to step down', () => lost.aborted && !one.held(), AT_ONCE);

    expect((await stored()).spec?.holderIdentity).toBe('forger');
  });

  it('the lease needs permissions on the Lease by name only', async () => {
    name = ownName('one');
    const verbs = ['get', 'list', 'watch', 'create', 'patch', 'update'];
    await client.create(
      Roles,
      {
        metadata: { namespace, name: 'lease' },
        rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [name], verbs }],
      } as KubeObject,
      options,
    );
    await client.create(
      RoleBindings,
      {
        metadata: { namespace, name: 'lease' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lease' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'carol' }],
      } as KubeObject,
      options,
    );
    const token = await server().tokenFor({ user: 'carol' });
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
    await waitFor('the rights to be in force', async () => (await server().call({ path, token })).status === 404);
    const mark = await server().logMark();
    const carol = transportOf(await server().kubeconfigFor({ user: 'carol' }));
    try {
      const one = elector('one', LEASE_TIMES, carol);
      const two = elector('two', LEASE_TIMES, carol);
      await one.acquire(never);
      const waiting = two.acquire(never);
      await waitFor('the standby to be refused nothing', async () => {
        const log = await server().requestLog({ after: mark, user: 'carol' });
        return log.some((request) => request.verb === 'watch' && request.code === 200);
      });
      await one.release();
      await waiting;

      expect(two.held()).toBe(true);
      const refused = (await server().requestLog({ after: mark, user: 'carol' })).filter(
        (request) => request.code === 403,
      );
      expect(refused.map((request) => request.uri).filter((uri) => uri.includes(name))).toEqual([]);
      await two.release();
    } finally {
      await carol.close();
    }
  });
});
