import { describe, expect, it } from '@jest/globals';
import { createGatewayMetrics } from '../../src/gateway/metrics.js';
import { createMetrics, type Metrics } from '../../src/operator/metrics.js';

/** The samples of `metrics` that are not zero and not about the process and its build. */
async function samples(metrics: Metrics): Promise<string[]> {
  const lines = String(await metrics.text()).split('\n');
  return lines.filter(
    (line) =>
      /^(workqueue|controller_runtime|rest_client|leader_election|multicluster(?!_build_info))_/.test(line) &&
      !line.endsWith(' 0'),
  );
}

async function without(metrics: Metrics, pattern: RegExp): Promise<string[]> {
  return (await samples(metrics)).filter((line) => !pattern.test(line));
}

describe('the metrics', () => {
  it('the metrics of a queue carry the names and labels of client-go', async () => {
    const metrics = createMetrics();
    const { queue } = metrics.controller('placement');
    queue.added();
    queue.depth(3);
    queue.started(0.5);
    queue.finished(2);
    queue.retried();
    queue.running(() => ({ unfinishedSeconds: 7, longestSeconds: 4 }));

    const labels = '{name="placement",controller="placement"}';
    expect(await without(metrics, /_bucket/)).toEqual([
      `workqueue_depth${labels} 3`,
      `workqueue_adds_total${labels} 1`,
      `workqueue_retries_total${labels} 1`,
      `workqueue_queue_duration_seconds_sum${labels} 0.5`,
      `workqueue_queue_duration_seconds_count${labels} 1`,
      `workqueue_work_duration_seconds_sum${labels} 2`,
      `workqueue_work_duration_seconds_count${labels} 1`,
      `workqueue_unfinished_work_seconds${labels} 7`,
      `workqueue_longest_running_processor_seconds${labels} 4`,
    ]);
  });

  it('the metrics of a controller carry the names and labels of controller-runtime', async () => {
    const metrics = createMetrics();
    const { reconcile } = metrics.controller('engine');
    reconcile.workers(8);
    reconcile.active(2);
    reconcile.finished('success', 0.1);
    reconcile.finished('error', 0.2);
    reconcile.finished('requeue_after', 0.2);
    reconcile.finished('requeue', 0.5);

    expect(await without(metrics, /_bucket/)).toEqual([
      'controller_runtime_reconcile_total{controller="engine",result="success"} 1',
      'controller_runtime_reconcile_total{controller="engine",result="requeue_after"} 1',
      'controller_runtime_reconcile_total{controller="engine",result="requeue"} 1',
      'controller_runtime_reconcile_total{controller="engine",result="error"} 1',
      'controller_runtime_reconcile_errors_total{controller="engine"} 1',
      'controller_runtime_reconcile_time_seconds_sum{controller="engine"} 1',
      'controller_runtime_reconcile_time_seconds_count{controller="engine"} 4',
      'controller_runtime_max_concurrent_reconciles{controller="engine"} 8',
      'controller_runtime_active_workers{controller="engine"} 2',
    ]);
  });

  it.each([
    ['workqueue_queue_duration_seconds', '1e-8 1e-7 0.000001 0.00001 0.0001 0.001 0.01 0.1 1 10 100 1000'],
    [
      'controller_runtime_reconcile_time_seconds',
      '0.005 0.01 0.025 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10 15 20 25 30 40 50 60',
    ],
    ['rest_client_request_duration_seconds', '0.005 0.025 0.1 0.25 0.5 1 2 4 8 15 30 60'],
  ])('the metric %s has its customary buckets', async (name, buckets) => {
    const metrics = createMetrics();
    const { queue, reconcile } = metrics.controller('c');
    queue.started(1e-9);
    reconcile.finished('success', 0.001);
    metrics.requests.requested('GET', 'h', '200', 0.001);

    const bounds = String(await metrics.text())
      .split('\n')
      .map((line) => (line.startsWith(`${name}_bucket`) ? /le="([^"+]+)"/.exec(line)?.[1] : undefined));

    expect(bounds.filter((one) => one !== undefined)).toEqual(buckets.split(' '));
  });

  it('the metrics have every result of a controller from the start, as 0', async () => {
    const metrics = createMetrics();
    metrics.controller('engine');

    const text = String(await metrics.text());

    for (const result of ['success', 'requeue_after', 'requeue', 'error']) {
      expect(text).toContain(`controller_runtime_reconcile_total{controller="engine",result="${result}"} 0\n`);
    }
    expect(text).toContain('workqueue_depth{name="engine",controller="engine"} 0\n');
  });

  it('the metrics of requests, leases and refused writes count', async () => {
    const metrics = createMetrics();
    metrics.requests.requested('GET', 'api:443', '200', 0.25);
    metrics.requests.requested('GET', 'api:443', '<error>', 0.25);
    metrics.requests.limited('default', 2);
    metrics.leader.leader('multicluster-engine-engine', true);
    metrics.leader.leader('multicluster-engine-placement', true);
    metrics.leader.leader('multicluster-engine-placement', false);
    metrics.guard.refused('delete', 'namespaces');

    expect(await without(metrics, /_bucket/)).toEqual([
      'rest_client_requests_total{code="200",method="GET",host="api:443"} 1',
      'rest_client_requests_total{code="<error>",method="GET",host="api:443"} 1',
      'rest_client_request_duration_seconds_sum{verb="GET",host="api:443"} 0.5',
      'rest_client_request_duration_seconds_count{verb="GET",host="api:443"} 2',
      'rest_client_rate_limiter_duration_seconds_sum{bucket="default"} 2',
      'rest_client_rate_limiter_duration_seconds_count{bucket="default"} 1',
      'leader_election_master_status{name="multicluster-engine-engine"} 1',
      'multicluster_write_guard_refusals_total{verb="delete",resource="namespaces"} 1',
    ]);
    expect(String(await metrics.text())).toContain(
      'leader_election_master_status{name="multicluster-engine-placement"} 0\n',
    );
  });

  it('the metrics of caches and events count', async () => {
    const metrics = createMetrics();
    metrics.caches.listed('deployments.apps', 12, 0.5);
    metrics.caches.failed('deployments.apps', 'Forbidden');
    metrics.caches.broken('deployments.apps');
    metrics.events.recorded('created');

    expect(await without(metrics, /_bucket/)).toEqual([
      'multicluster_cache_list_duration_seconds_sum{resource="deployments.apps"} 0.5',
      'multicluster_cache_list_duration_seconds_count{resource="deployments.apps"} 1',
      'multicluster_cache_listed_objects{resource="deployments.apps"} 12',
      'multicluster_cache_failures_total{resource="deployments.apps",kind="Forbidden"} 1',
      'multicluster_cache_broken_handlers_total{resource="deployments.apps"} 1',
      'multicluster_events_total{outcome="created"} 1',
    ]);
  });

  it('the metrics of engines and placements have the present objects only', async () => {
    const metrics = createMetrics();
    const engine = { name: 'mce', version: '0.1.0', targetNamespace: 'ns' };
    metrics.engines.engine({ ...engine, phase: 'Progressing' });
    metrics.engines.engine({ ...engine, name: 'gone', phase: 'Error' });
    await metrics.text();
    metrics.engines.engine({ ...engine, phase: 'Available' });
    metrics.engines.engineGone('gone');
    metrics.placements.placement({ namespace: 'a', name: 'p', phase: 'Satisfied', clusters: 4, held: 2 });
    metrics.placements.placement({ namespace: 'a', name: 'q', phase: 'Unsatisfied', clusters: 1, held: 0 });
    await metrics.text();
    metrics.placements.placementGone('a', 'q');
    metrics.placements.decided(0.06);

    expect(await without(metrics, /_bucket/)).toEqual([
      'multicluster_decision_latency_seconds_sum 0.06',
      'multicluster_decision_latency_seconds_count 1',
      'multicluster_engine_info{name="mce",version="0.1.0",phase="Available",target_namespace="ns"} 1',
      'multicluster_placement_info{namespace="a",name="p",phase="Satisfied"} 1',
      'multicluster_placement_selected_clusters{namespace="a",name="p"} 4',
      'multicluster_placement_held_clusters{namespace="a",name="p"} 2',
    ]);
  });

  it('a scrape lets other work run between the series of many placements, and has those of when it began', async () => {
    const { placements, text } = createMetrics();
    const placement = { namespace: 'a', phase: 'Satisfied', clusters: 1, held: 0 };
    for (let index = 0; index < 2_000; index++) placements.placement({ ...placement, name: `p-${index}` });
    let scraped = false;
    let turns = 0;
    const count = (): void => {
      turns += 1;
      // Removed and created again, it would be the last of the map, and in the same gauge twice.
      placements.placementGone('a', 'p-0');
      placements.placement({ ...placement, name: 'p-0' });
      if (!scraped) setImmediate(count);
    };
    setImmediate(count);
    const lines = String(await text().finally(() => (scraped = true))).split('\n');

    expect(turns).toBeGreaterThan(3);
    for (const name of ['info', 'selected_clusters', 'held_clusters'])
      expect(lines.filter((line) => line.startsWith(`multicluster_placement_${name}{`))).toHaveLength(2_000);
    expect(
      lines.filter((line) => line.startsWith('multicluster_placement_info{namespace="a",name="p-0"')),
    ).toHaveLength(1);
  });

  it('scrapes at the same time share one text, and the next one has the values of its time', async () => {
    const { placements, text } = createMetrics();
    const placement = { namespace: 'a', name: 'p', clusters: 1, held: 0 };
    placements.placement({ ...placement, phase: 'Satisfied' });
    const [first, second] = await Promise.all([text(), text()]);
    placements.placement({ ...placement, phase: 'Unsatisfied' });

    expect(second).toBe(first);
    expect(String(await text())).toContain('phase="Unsatisfied"} 1');
  });

  it.each([
    ['that are not ASCII', 'ü€'],
    ['of more bytes than are expected', 'x'.repeat(100_000)],
  ])('label values %s are written whole', async (_what, name) => {
    const { placements, text } = createMetrics();
    for (const namespace of ['a', 'b'])
      placements.placement({ namespace, name, phase: 'Satisfied', clusters: 1, held: 0 });

    expect(String(await text()).split('\n')).toEqual(
      expect.arrayContaining([
        '# TYPE multicluster_placement_info gauge',
        `multicluster_placement_info{namespace="a",name="${name}",phase="Satisfied"} 1`,
        `multicluster_placement_held_clusters{namespace="b",name="${name}"} 0`,
      ]),
    );
  });

  it('label values of objects are escaped as the text format wants', async () => {
    const { placements, text } = createMetrics();
    placements.placement({ namespace: 'a', name: 'a"b\\c\nd', phase: 'Satisfied', clusters: 1, held: 0 });

    expect(String(await text())).toContain(
      'multicluster_placement_info{namespace="a",name="a\\"b\\\\c\\nd",phase="Satisfied"} 1\n',
    );
  });

  it('the metrics of the fleet are those of the moment, and have no value where nothing observes it', async () => {
    const metrics = createMetrics();
    expect((await without(metrics, /_bucket/)).filter((line) => /_(clusters|taints|brake|stale)\b/.test(line))).toEqual(
      [],
    );
    let stale = false;
    metrics.fleet.fleet(() => ({
      clusters: { available: 3, unknown: 1 },
      taints: { k: 1 },
      braked: { fleet: 0, set: 2 },
      stale,
    }));
    await metrics.text();
    stale = true;

    expect(await without(metrics, /_bucket/)).toEqual(
      expect.arrayContaining([
        'multicluster_clusters{state="available"} 3',
        'multicluster_clusters{state="unknown"} 1',
        'multicluster_cluster_taints{key="k"} 1',
        'multicluster_health_brake{scope="set"} 2',
        'multicluster_health_stale 1',
      ]),
    );
  });

  it.each([
    ['controllers', createMetrics],
    ['a gateway', createGatewayMetrics],
  ])('the metrics of %s have the number of dropped log lines', async (_what, create) => {
    const metrics = create();
    let dropped = 2;
    metrics.logs.dropped(() => dropped);
    await metrics.text();
    dropped = 5;

    expect(String(await metrics.text())).toMatch(/^multicluster_log_dropped_lines_total 5$/m);
  });

  it('the metrics are described by name, type, labels and help, with or without values', () => {
    const described = createMetrics().descriptions();

    expect(described).toContainEqual({
      name: 'multicluster_cache_failures_total',
      type: 'counter',
      labels: ['resource', 'kind'],
      help: 'Lists and watches that failed',
    });
    expect(described.find(({ name }) => name === 'workqueue_work_duration_seconds')).toMatchObject({
      type: 'histogram',
      labels: ['name', 'controller'],
    });
    expect(described.find(({ name }) => name === 'multicluster_engine_info')).toMatchObject({ type: 'gauge' });
  });

  it('the metrics of the process are exposed', async () => {
    expect(String(await createMetrics().text())).toContain('process_cpu_seconds_total');
  });
});
