import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Leases, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../../src/runtime/client/client.js';
import { type LeaderElector, createElector } from '../../../src/runtime/leaderelection/leaderelector.js';
import type { Lease } from '../../../src/runtime/leaderelection/leaserecord.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import type { Transport } from '../../../src/runtime/transport/transport.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { ownName } from '@multicluster-engine/kube-apiserver/testing/names';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { cacheTools, transportOf } from '../../support/clients/transport.js';

const options = { fieldManager: 'test' };
/** Kept on a machine that has other things to do, too. */
const STEADY = { duration: 60_000, renewDeadline: 50_000, retryPeriod: 200 };
const QUICK = { duration: 6_000, renewDeadline: 5_000, retryPeriod: 200 };

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

  function elector(identity: string, times = STEADY): LeaderElector {
    name = name === '' ? ownName('one') : name;
    const made = createElector(
      transport,
      { name: { namespace, name }, identity, fieldManager: 'example-lease', times },
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
});
