import { expect, it } from '@jest/globals';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { createController } from '../../../src/runtime/controller/controller.js';
import type { ApiError } from '../../../src/runtime/errors.js';
import { createLeaderClients, createManager, leaderGroup } from '../../../src/runtime/manager/manager.js';
import { managerMetrics } from '../../../src/runtime/metrics/managermetrics.js';
import { createProcessRegistry } from '../../../src/runtime/metrics/registry.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import type { TransportOptions } from '../../../src/runtime/transport/transport.js';
import { ConfigMaps } from '../../../src/runtime/vocabulary/kinds.js';
import { RecordingLog } from '../../support/fakes/log.js';

const OBJECT = { metadata: { namespace: 'shop', name: 'web' } };
const WRITE = { fieldManager: 'greeter' };

/** A manager whose requests are recorded, and have no answer. */
function managerOf() {
  const calls: Call[] = [];
  const created: TransportOptions[] = [];
  const registry = createProcessRegistry('greeter_');
  const send = async (call: Call): Promise<never> => {
    calls.push(call);
    throw new Error('no answer');
  };
  const manager = createManager(
    {
      program: 'greeter',
      version: '1.2.3',
      identity: 'pod-1',
      leaderElectionNamespace: 'default',
      metrics: managerMetrics(registry),
      log: new RecordingLog(),
    },
    (options) => {
      created.push(options);
      return { call: send, open: send, close: async () => undefined };
    },
  );
  const rights = [{ verbs: ['create'] as const, type: ConfigMaps, namespace: (name: string) => name === 'shop' }];
  const leader = createLeaderClients(manager, { lease: 'greeter', controller: 'example.com/greeter', rights });
  return { manager, leader, calls, created, registry };
}

const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: ApiError) => error.kind,
  );

it('the requests of a manager name its program, version and identity', () => {
  expect(managerOf().created).toMatchObject([{ userAgent: 'greeter/1.2.3 (pod-1)' }]);
});

it('groups that open a shared cache with the same options get the same one, and otherwise each its own', () => {
  const { manager } = managerOf();
  const options = { type: ConfigMaps };

  expect(manager.sharedCache(options)).toBe(manager.sharedCache(options));
  expect(manager.sharedCache({ ...options })).not.toBe(manager.sharedCache(options));
  expect(manager.openCache(options)).not.toBe(manager.openCache(options));
});

it('a client of a group sends no write before the group holds its Lease, and none without a right', async () => {
  const { leader, calls, registry } = managerOf();

  expect(await kindOf(leader.client.create(ConfigMaps, OBJECT, WRITE))).toBe('Fenced');
  const other = { metadata: { namespace: 'kube-system', name: 'web' } };
  expect(await kindOf(leader.client.create(ConfigMaps, other, WRITE))).toBe('Guarded');
  expect(calls).toEqual([]);
  expect(await registry.metrics()).toContain(
    'greeter_write_guard_refusals_total{verb="create",resource="configmaps"} 1',
  );
});

it('a group that ends before it holds its Lease has written no event and ends cleanly', async () => {
  const { manager, leader, calls } = managerOf();
  const reconciler = { reconcile: () => Promise.reject(new Error('no pass without the Lease')) };
  const { log, metrics } = manager;
  const own = { clock: systemClock, random: systemRandom, log, metrics: metrics.controller('greeting') };
  const controller = createController({ ...own, name: 'greeting', kind: 'Greeting', reconciler, keys: () => ['a'] });
  const group = leaderGroup(manager, leader, { name: 'greeting', sources: [], controllers: [controller] });
  leader.recorder.record({ regarding: OBJECT, type: 'Normal', reason: 'Done', action: 'Doing', note: 'it is done' });
  const stop = new AbortController();
  const ended = group.run(stop.signal);
  stop.abort(new Error('the process shuts down'));

  expect(await ended).toBe(true);
  expect(calls.filter(({ method }) => method !== 'GET')).toEqual([]);
});
