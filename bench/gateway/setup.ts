import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { summaryOf } from '@multicluster-engine/kube-apiserver/testing/bench';

import { pairFor, PLACEMENTS } from '../../test/gateway/rig.js';
import { startGateway, type GatewayProcess } from '../../test/integration/gateway/process.js';
import type { LoadOrder, LoadReport } from './load.js';

const UPSTREAM = fileURLToPath(new URL('./upstream.js', import.meta.url));
const BARE_PROXY = fileURLToPath(new URL('./bareproxy.js', import.meta.url));
const LOAD = fileURLToPath(new URL('./load.js', import.meta.url));
export const TOKEN = 'a-token-of-the-usual-length.'.repeat(20);
const BODY =
  'metadata:\n  name: web\nspec:\n  numberOfClusters: 2\n  predicates:\n  - requiredClusterSelector:\n      labelSelector: {matchLabels: {tier: gold}}\n';
const DIRECT = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements';

const CPU = 'process_cpu_seconds_total';

/** How often each figure is measured. */
export const RUNS = 5;

/** Where a load is sent: to the API server, or through what stands before it. */
type LoadTarget = 'direct' | 'bare' | 'gateway';

interface Server {
  readonly url: string;
  stop(): void;
}

/** A gateway, a minimal API server and, once it is asked for, a bare proxy, each in a process of its own. */
export interface BenchSetup {
  readonly gateway: GatewayProcess;
  /** Runs a load of requests through the gateway. */
  run(order: Omit<LoadOrder, 'origin' | 'caFile'>): Promise<LoadReport>;
  /** Runs one load of well-behaved clients: through the gateway or the bare proxy, or directly to the API server. */
  load(
    where: LoadTarget,
    method: 'GET' | 'POST',
    how: Pick<LoadOrder, 'connections' | 'perSecond' | 'warmUpMs' | 'forMs'>,
  ): Promise<LoadReport>;
  /** The value of one of the gateway's metrics. */
  metric(name: string): Promise<number>;
  /** Does the work; also how long it took, s, and the gateway's CPU time meanwhile, s. */
  measured<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number; readonly cpu: number }>;
  stop(): Promise<void>;
}

export async function startSetup(flags: readonly string[] = []): Promise<BenchSetup> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-gateway-'));
  const pair = await pairFor();
  const [cert, key] = [path.join(folder, 'api.crt'), path.join(folder, 'api.key')];
  writeFileSync(cert, pair.certificate);
  writeFileSync(key, pair.privateKey, { mode: 0o600 });
  const upstream = await startServer([UPSTREAM, cert, key, TOKEN]);
  const { url } = upstream;
  const gateway = await startGateway({ folder, url, caFile: cert }, flags);
  const throughGateway = { origin: `https://127.0.0.1:${gateway.port}`, caFile: gateway.caFile };
  let bare: Server | undefined;
  const originOf = async (where: LoadTarget): Promise<Pick<LoadOrder, 'origin' | 'caFile'>> => {
    if (where === 'gateway') return throughGateway;
    if (where === 'direct') return { origin: url, caFile: cert };
    bare ??= await startServer([BARE_PROXY, cert, key, url]);
    return { origin: bare.url, caFile: cert };
  };
  const metric = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(await gateway.metrics())?.[1] ?? Number.NaN);
  return {
    gateway,
    metric,
    run: (order) => runLoad({ ...throughGateway, ...order }),
    async load(where, method, how) {
      const collection = where === 'gateway' ? PLACEMENTS : DIRECT;
      const type = where === 'gateway' ? 'application/yaml' : 'application/json';
      const post = method === 'POST' ? { body: BODY } : {};
      const headers = { authorization: `Bearer ${TOKEN}`, ...(method === 'POST' && { 'content-type': type }) };
      const order: LoadOrder = {
        ...(await originOf(where)),
        method,
        path: method === 'GET' ? `${collection}/web` : collection,
        headers,
        ...post,
        ...how,
      };
      const report = await runLoad(order);
      if (report.failures > 0) process.stderr.write(`bench: ${report.failures} requests failed (${where} ${method})\n`);
      return report;
    },
    async measured(work) {
      const before = await metric(CPU);
      const begun = performance.now();
      const result = await work();
      const seconds = (performance.now() - begun) / 1000;
      return { result, seconds, cpu: (await metric(CPU)) - before };
    },
    async stop() {
      await gateway.stop();
      bare?.stop();
      upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The median of some measurements, one after the other. */
export async function medianOf(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) values.push(await measure());
  return summaryOf({ id: '', measure: '', unit: '', values }).median;
}

/** Starts a program that prints its port and exits at the end of its standard input. */
async function startServer(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { url: `https://127.0.0.1:${String(port).trim()}`, stop: () => void child.stdin.end() };
}

async function runLoad(order: LoadOrder): Promise<LoadReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD, JSON.stringify(order)]);
  const report: LoadReport = JSON.parse(stdout);
  return report;
}
