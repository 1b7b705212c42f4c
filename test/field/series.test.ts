/**
 * What people did: they deleted Placements while a replica that had lost its lease went on, and its /metrics showed them for
 * as long as it ran. Right: a series about an object ends with the object, on every replica, whoever holds the lease.
 */
import { describe, expect, it } from '@jest/globals';
import { MultiClusterEngines, Placements } from '../../src/api/resources.js';
import { createEngineController } from '../../src/operator/controllers/engine/controller.js';
import { createMetrics, type Metrics } from '../../src/operator/metrics.js';
import { issueForTest } from '../support/builders/certificate.js';
import { hub, settings, specErrors, templates } from '../support/builders/engine.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../support/fakes/api.js';
import { RecordingLog } from '../support/fakes/log.js';

import { NAMESPACE, PlacementRig } from '../support/rigs/controllers/placement.js';

const CLUSTERS_OF_THE_TEST = ['a', 'b'];

/** The lines of series that name an object. */
async function series(metrics: Metrics): Promise<string[]> {
  const text = (await metrics.text()).toString();
  return text.split('\n').filter((line) => /^multicluster_\w+\{.*\bname="/.test(line));
}

describe('series of objects', () => {
  it('a replica that lost the lease shows no series of a Placement that is deleted after that', async () => {
    const metrics = createMetrics();
    const hub = new PlacementRig(undefined, metrics.placements);
    await hub.start();
    hub.clusters(...CLUSTERS_OF_THE_TEST);
    hub.place('web');
    hub.place('shop');
    await hub.untilIdle();
    expect(await series(metrics)).toHaveLength(6);

    await hub.loseLease();
    hub.api.remove(Placements, { namespace: NAMESPACE, name: 'web' });
    await hub.untilIdle();

    expect(await series(metrics)).toEqual([
      expect.stringContaining('multicluster_placement_info{namespace="team",name="shop"'),
      expect.stringContaining('multicluster_placement_selected_clusters{namespace="team",name="shop"} 2'),
      expect.stringContaining('multicluster_placement_held_clusters{namespace="team",name="shop"} 0'),
    ]);
  });

  it('a reconcile that ends after its Placement was deleted brings no series back', async () => {
    const metrics = createMetrics();
    const hub = new PlacementRig(undefined, metrics.placements);
    await hub.start();
    hub.clusters(...CLUSTERS_OF_THE_TEST);
    hub.api.before = ({ type, verb, name }) => {
      if (type !== Placements || verb !== 'updateStatus') return;
      hub.api.remove(Placements, name);
      void hub.loseLease();
    };
    hub.place('web');
    await hub.untilIdle();

    expect(await series(metrics)).toEqual([]);
  });

  it('a replica that lost the lease shows no series of an engine that is deleted after that', async () => {
    const metrics = createMetrics();
    const clock = new ManualClock();
    const api = new FakeApi(clock);
    const { controller, sources, onStartedLeading } = createEngineController({
      client: api,
      openCache: (options) => api.cache(options),
      templates,
      specErrors,
      settings,
      hub,
      issueKeyPair: issueForTest,
      recorder: { record: () => undefined, flush: () => Promise.resolve() },
      clock,
      random: () => 0,
      log: new RecordingLog(),
      engineMetrics: metrics.engines,
      workers: 1,
      settleWindowMs: 100,
    });
    for (const source of sources) source.start();
    const term = new AbortController();
    onStartedLeading(term.signal);
    controller.start();
    api.put(MultiClusterEngines, { metadata: { name: 'hub' }, spec: {}, status: { observedGeneration: -1 } });
    await clock.advance(5_000);
    expect(await series(metrics)).toHaveLength(1);

    term.abort();
    await controller.stop(0);
    api.remove(MultiClusterEngines, { name: 'hub' });
    await clock.advance(5_000);

    expect(await series(metrics)).toEqual([]);
  });
});
