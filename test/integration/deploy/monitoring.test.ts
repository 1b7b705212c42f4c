import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { OPERATOR_NAMESPACE } from '../../../src/api/names.js';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { expressions, metricOf, seriesOf } from '../../deploy/monitoring/expressions.js';
import { deployAlone, startAlone } from '../../support/hub/alone.js';
import { startOperator } from '../../support/hub/operator.js';
import type { Pod } from '../../support/hub/pod.js';
import { root } from '../../support/repository/root.js';
import { startGateway, type GatewayProcess } from '../gateway/process.js';
import { rendered } from './overlay.js';

/** Metrics whose first series begins with a fault. The others have a value in any hub. */
const FAULTS = [
  'multicluster_cache_failures_total',
  'multicluster_gateway_abandoned_requests_total',
  'multicluster_gateway_dropped_connections_total',
  'multicluster_write_guard_refusals_total',
];

describeWithServer('the metrics of running processes', { own: true }, (server) => {
  const pods: Pod[] = [];
  let gateway: GatewayProcess | undefined;

  beforeAll(async () => {
    await deployAlone(server());
    pods.push(await startAlone(server()), await startOperator(server()));
    gateway = await startGateway(server());
    const created = await server().call({
      method: 'POST',
      path: '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements',
      body: {
        apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
        kind: 'Placement',
        metadata: { name: 'observed' },
        spec: {},
      },
    });
    if (created.status !== 201) throw new Error(`placement: ${created.status} ${created.text}`);
    await gateway.ask({ path: '/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines', token: 'none' });
  }, 180_000);

  afterAll(async () => {
    await Promise.all([...pods.map((pod) => pod.stop()), gateway?.stop()]);
  }, 60_000);

  async function scraped(): Promise<readonly string[]> {
    const texts = await Promise.all([...pods.map((pod) => pod.metrics()), gateway?.metrics()]);
    return texts.flatMap((text) => (text ?? '').split('\n'));
  }

  it('a scrape of operator, placement controller and gateway has every metric of the alerts and the dashboard', async () => {
    const named = expressions().flatMap(({ text }) => seriesOf(text));
    // The console is off in this hub.
    const used = new Set(named.filter((name) => !name.startsWith('multicluster_console_')));

    const missing = await waitFor('every series to have a value', async (seen) => {
      const lines = await scraped();
      const types = new Set(lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []));
      const series = new Set(lines.flatMap((line) => /^(\w+)[{ ]/.exec(line)?.[1] ?? []));
      const unknown = [...used].filter((name) => !types.has(metricOf(name, types)));
      const empty = [...used].filter((name) => !series.has(name) && !FAULTS.includes(name));
      seen({ unknown, empty });
      return unknown.length > 0 || empty.length === 0 ? unknown : undefined;
    });

    expect(used.size).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it('kustomize renders deploy/monitoring into the namespace of the operator', async () => {
    const objects = await rendered(server(), path.join(root, 'deploy', 'monitoring'));

    expect(objects.map(({ kind, metadata }) => [kind, metadata?.namespace, metadata?.name])).toEqual([
      ['ConfigMap', OPERATOR_NAMESPACE, 'multicluster-engine-dashboard'],
      ['Service', OPERATOR_NAMESPACE, 'multicluster-engine-operator-metrics'],
      ['PodMonitor', OPERATOR_NAMESPACE, 'multicluster-engine'],
      ['PrometheusRule', OPERATOR_NAMESPACE, 'multicluster-engine'],
    ]);
  });
});
