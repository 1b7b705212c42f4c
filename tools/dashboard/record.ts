import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import path from 'node:path';

import { freePorts, startChild } from '@multicluster-engine/kube-apiserver';
import { startControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { quietWindow as pause, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { connectHub } from '../../src/agent/hub.js';
import { createIdentityClient } from '../../src/runtime/client/identity.js';
import { createClient } from '../../src/runtime/client/rest.js';
import { systemClock as clock, systemRandom as random } from '../../src/runtime/clock.js';
import { DemoFleet } from '../../src/standalone/demofleet/demofleet.js';
import { askOnce } from '../../test/gateway/client.js';
import { transportOf } from '../../test/support/clients/transport.js';
import { RecordingLog } from '../../test/support/fakes/log.js';
import { fleetObject, fleetPath } from '../../test/support/hub/fleet.js';
import { Hub } from '../../test/support/hub/hub.js';
import { drawDashboard, type Panel, type Series } from './draw.js';

/**
 * Draws `docs/pictures/dashboard.svg`: the panels of the dashboard, as Prometheus evaluates them for a demonstration hub,
 * which runs for ten minutes. What Prometheus has stored is kept in `.run/dashboard`, and drawn anew while it is there.
 */

const FOLDER = path.resolve('.run/dashboard');
const SCRAPE_SECONDS = 5;
/** A little later the pods of the simulated nodes are not ready any more, as after each outage of their API server. */
const SECONDS = 570;
const [port = 0] = await freePorts(1);
const PROMETHEUS = `http://127.0.0.1:${port}`;

const create = (name: string, spec: object) => (hub: Hub) =>
  hub.apply(fleetObject('Placement', { name, namespace: 'default' }, { ClusterSets: ['demo'], ...spec }));
const edit = (name: string, spec: object) => (hub: Hub) => hub.patch(fleetPath('Placement', name, 'default'), { spec });
const tier = (value: string) => {
  const matchExpressions = [{ key: 'tier', operator: 'In', values: [value] }];
  return { predicates: [{ requiredClusterSelector: { claimSelector: { matchExpressions } } }] };
};
const soon = { key: 'cluster.fleetmgmt.io/unreachable', operator: 'Exists', effect: 'NoSelect', tolerationSeconds: 20 };
const budget = { disruptionBudget: { maxRemovals: 1, windowSeconds: 3600 } };
/** What happens, and after how many seconds. */
const STEPS: readonly (readonly [number, (hub: Hub) => Promise<void>])[] = [
  [30, create('everywhere', {})],
  [40, create('kiosk', { numberOfClusters: 5, tolerations: [soon] })],
  [60, create('bounded', { ...tier('gold'), ...budget })],
  [120, edit('kiosk', { numberOfClusters: 8 })],
  [180, edit('bounded', tier('silver'))],
  [240, edit('kiosk', { numberOfClusters: 3 })],
  [330, edit('kiosk', { numberOfClusters: 12 })],
  [420, edit('kiosk', { numberOfClusters: 6 })],
  [495, (hub) => hub.server.stopServer()],
  [520, (hub) => hub.server.startServer()],
  [SECONDS, () => Promise.resolve()],
];

/** Scrapes the addresses, by job. */
async function startPrometheus(addresses: Readonly<Record<string, string | undefined>>) {
  const build = execFileSync('bash', ['test/support/programs/build.sh', 'prometheus'], { encoding: 'utf8' });
  const program = path.join(build.trim().split('\n').at(-1) ?? '', 'prometheus');
  const jobs = Object.entries(addresses).map(([job, address]) => {
    return { job_name: job, honor_labels: true, static_configs: [{ targets: [address] }] };
  });
  const config = { global: { scrape_interval: `${SCRAPE_SECONDS}s` }, scrape_configs: jobs };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, 'prometheus.yaml'), JSON.stringify(config));
  const files = [`--config.file=${FOLDER}/prometheus.yaml`, `--storage.tsdb.path=${FOLDER}/data`];
  const flags = ['--storage.tsdb.retention.time=10y', '--log.level=error', `--web.listen-address=127.0.0.1:${port}`];
  const child = await startChild({ command: [program, ...files, ...flags], env: {}, output: 'pipe' });
  child.output.pipe(process.stderr);
  await waitFor('Prometheus', async () => (await fetch(`${PROMETHEUS}/-/ready`).catch(() => undefined))?.ok);
  return child;
}

/** Lets the steps happen on a hub with agents and clients; returns when they began, in seconds since the epoch. */
async function demonstrate(): Promise<number> {
  const server = await startControlPlane({ size: 'hub' });
  const hub = await Hub.open(server);
  await hub.kubectl('apply', '-f', 'examples/engine.yaml');
  await hub.available();
  const transport = transportOf(server.adminKubeconfig);
  const tools = { clock, random, log: new RecordingLog() };
  const fleet = new DemoFleet({
    ...tools,
    total: 24,
    hub: { client: createClient(transport), identity: createIdentityClient(transport) },
    address: { hubUrl: server.url, hubCa: readFileSync(server.caFile, 'utf8').trim() },
    openHub: (join, token) => connectHub(join, token, { ...tools, userAgent: 'demo' }),
    print: (line) => console.log(line),
  });
  const [placement, gateway] = ['placement-controller', 'gateway'].map(
    (name) => hub.components.pods('multicluster-engine', name)[0]?.addresses ?? {},
  );
  const METRICS = 'MULTICLUSTER_ENGINE_METRICS_LISTEN';
  const prometheus = await startPrometheus({
    'multicluster-engine-operator': hub.operator.addresses[METRICS],
    'multicluster-engine-placement-controller': placement?.[METRICS],
    'multicluster-engine-gateway': gateway?.[METRICS],
  });
  const end = new AbortController();
  const address = gateway?.['MULTICLUSTER_ENGINE_LISTEN'] ?? '';
  const running = [fleet.run(end.signal), useGateway(hub, address, end.signal)];
  const begin = Date.now() / 1000;
  for (const [after, happen] of STEPS) {
    await pause(Math.max(0, (begin + after) * 1000 - Date.now()));
    await happen(hub);
  }
  end.abort();
  await Promise.all(running);
  await Promise.all([prometheus.stop(), hub.stop(), transport.close()]);
  await server.stop();
  return begin;
}

/** Requests of somebody who may read, of somebody without a token, and connections without TLS. */
async function useGateway(hub: Hub, address: string, signal: AbortSignal): Promise<void> {
  const token = await hub.server.tokenFor({ serviceAccount: { namespace: 'default', name: 'default' } });
  await hub.kubectl('create', 'clusterrolebinding', 'a', '--clusterrole=view', '--serviceaccount=default:default');
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const uri = '/platform/cluster.fleetmgmt.io/v1alpha1/namespaces/default/placements';
  for (let turn = 0; !signal.aborted; turn++) {
    const ask = { path: turn % 5 === 0 ? `${uri}/none` : uri, token: turn % 11 === 0 ? '' : token };
    await askOnce(Number(address.split(':')[1]), ask, agent).catch(() => undefined);
    if (turn % 100 === 0) await fetch(`http://${address}`).catch(() => undefined);
    await pause(200 + 400 * Math.sin(turn / 100) ** 2);
  }
  agent.destroy();
}

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

async function evaluated({ targets = [] }: Panel, begin: number): Promise<readonly Series[]> {
  const all = targets.map(async ({ expr, legendFormat, instant }): Promise<readonly Series[]> => {
    const query = expr.replaceAll('$__rate_interval', `${6 * SCRAPE_SECONDS}s`).replaceAll('$__range', `${SECONDS}s`);
    const range = `start=${begin}&end=${begin + SECONDS}&step=${SCRAPE_SECONDS}`;
    const when = instant === true ? `query?time=${begin + SECONDS}` : `query_range?${range}`;
    const answer = await fetch(`${PROMETHEUS}/api/v1/${when}&query=${encodeURIComponent(query)}`);
    if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: { result: readonly Result[] } };
    return data.result.map(({ metric, value, values = value === undefined ? [] : [value] }) => ({
      name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
      points: values.map(([t, v]) => ({ t: t - begin, v: Number(v) })).filter(({ v }) => Number.isFinite(v)),
    }));
  });
  return (await Promise.all(all)).flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

const beginFile = path.join(FOLDER, 'begin');
if (!existsSync(beginFile)) {
  rmSync(FOLDER, { recursive: true, force: true });
  writeFileSync(beginFile, String(await demonstrate()));
}
const begin = Number(readFileSync(beginFile, 'utf8'));
const prometheus = await startPrometheus({});
const { panels } = JSON.parse(readFileSync('deploy/monitoring/dashboard.json', 'utf8')) as { panels: readonly Panel[] };
const drawn = await Promise.all(panels.map(async (panel) => [panel, await evaluated(panel, begin)] as const));
writeFileSync('docs/pictures/dashboard.svg', drawDashboard(drawn, SECONDS));
await prometheus.stop();
