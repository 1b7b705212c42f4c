import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

import type { ManagedCluster } from '../../src/api/generated/managedcluster.js';
import { ManagedClusters } from '../../src/api/resources.js';
import { clusterCacheOptions } from '../../src/operator/controllers/clusters/caches.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { clusterHash } from '../../src/domain/placement/select/rank.js';
import { matches } from '../../src/domain/placement/select/rules.js';
import { schedule } from '../../src/domain/placement/select/schedule.js';
import { noOthers } from '../../src/domain/placement/select/snapshot.js';
import type { Cache } from '../../src/runtime/cache/cache.js';
import { createCache } from '../../src/runtime/cache/reflector.js';
import { objectPath } from '../../src/runtime/client/path.js';
import type { Call } from '../../src/runtime/transport/call.js';
import type { Credentials } from '../../src/runtime/transport/credentials.js';
import { createTransport, type Transport } from '../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../src/runtime/clock.js';
import { pairFor } from '../../test/gateway/rig.js';
import { RecordingLog } from '../../test/support/fakes/log.js';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';
import { inParallel } from './client.js';
import { cluster } from './fleet.js';
import { valuesByFigure, type Values } from './values.js';

const RUNS = 5;
const SERVER = fileURLToPath(new URL('./collection.js', import.meta.url));

/** How much the parts are given to do. */
export interface PartsEffort {
  readonly runs: number;
  readonly candidates: number;
  readonly calls: number;
  readonly objects: number;
  readonly events: number;
  readonly paced: number;
  /** Triples of calls, with a pause between them. */
  readonly triples: number;
}

const FULL: PartsEffort = {
  runs: RUNS,
  candidates: 100_000,
  calls: 4_000,
  objects: 100_000,
  events: 10_000,
  paced: 2_000,
  triples: 100,
};
const AT_ONCE = 32;
/** Ms between two paced events. */
const PACE_MS = 2;
/** Ms before each triple of calls. */
const PAUSE_MS = 50;

/** P8, P9 and P10: the parts of the controller on their own. */
export async function partsFigures(effort: PartsEffort = FULL): Promise<readonly Figure[]> {
  const figures = [scheduleFigure(effort)];
  const measured: Values[] = [];
  for (let run = 1; run <= effort.runs; run++) {
    process.stderr.write(`parts: run ${run} of ${effort.runs}\n`);
    const server = await startCollection(effort.objects);
    measured.push({
      ...(await callValues(server, effort)),
      ...(await bareEventValues(server, effort)),
      ...(await cacheValues(server, effort)),
    });
    server.stop();
  }
  const values = valuesByFigure(measured);
  for (const row of ROWS) figures.push({ ...row, values: values.get(row.key) ?? [] });
  return figures;
}

const ROWS = [
  { key: 'call.rate', id: 'P9', measure: 'PATCH by the transport, 32 at once', unit: '/s' },
  { key: 'call.cpu', id: 'P9', measure: 'the same: CPU each', unit: 'ms' },
  { key: 'bare.rate', id: 'P9', measure: 'PATCH by undici alone', unit: '/s' },
  { key: 'bare.cpu', id: 'P9', measure: 'the same: CPU each', unit: 'ms' },
  { key: 'call.share', id: 'P9', measure: 'rate of the transport as a share of undici', unit: '', atLeast: 0.8 },
  { key: 'call.three', id: 'P2', measure: 'three PATCHes by the transport, one after another: CPU', unit: 'ms' },
  { key: 'bare.three', id: 'P2', measure: 'the same by undici alone', unit: 'ms' },
  { key: 'list.seconds', id: 'P10', measure: 'list of 100,000 clusters', unit: 's' },
  { key: 'list.cpu', id: 'P10', measure: 'the same: CPU a cluster', unit: 'ms' },
  { key: 'list.loop', id: 'P10', measure: 'the same: longest delay of the event loop', unit: 'ms', atMost: 20 },
  { key: 'list.bytes', id: 'P10', measure: 'the same: heap a cluster', unit: 'B' },
  { key: 'list.overhead', id: 'P10', measure: 'the same, without the object itself', unit: 'B', atMost: 400 },
  { key: 'event.cpu', id: 'P10', measure: '10,000 events at once: CPU each', unit: 'ms' },
  { key: 'event.loop', id: 'P10', measure: 'the same: longest delay of the event loop', unit: 'ms', atMost: 20 },
  { key: 'bare.event', id: 'P10', measure: 'the same, by undici and JSON.parse alone: CPU each', unit: 'ms' },
  { key: 'paced.cpu', id: 'P10', measure: 'events one at a time: CPU each', unit: 'ms' },
  { key: 'bare.paced', id: 'P10', measure: 'the same, by undici and JSON.parse alone: CPU each', unit: 'ms' },
] as const;

/**
 * One decision of 100 among all candidates, eight expressions each, evaluated for each cluster. The hash of a cluster is
 * computed before, since indexes compute it once for all Placements.
 */
function scheduleFigure({ runs, candidates }: PartsEffort): Figure {
  const matchExpressions = Array.from({ length: 8 }, (_, key) => ({ key: `absent-${key}`, operator: 'DoesNotExist' }));
  const rules = compileSpec({
    numberOfClusters: 100,
    predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions } } }],
  });
  const clusters = Array.from({ length: candidates }, (_, index) => {
    const { name, labels = {} } = cluster(index).object.metadata;
    return { name, hash: clusterHash(name), deleting: false, labels, claims: {}, taints: [] };
  });
  const names = new Set(clusters.map(({ name }) => name));
  const has = (name: string): boolean => names.has(name);
  const values = Array.from({ length: runs }, () => {
    const began = performance.now();
    const matching = clusters.filter((one) => matches(rules, one));
    const matched = { size: matching.length, has, [Symbol.iterator]: () => matching.values() };
    const decision = schedule({
      placement: {
        namespace: 'a',
        name: 'b',
        uid: 'c',
        generation: 1,
        rules,
        release: undefined,
        releasedAdditions: undefined,
        status: undefined,
      },
      bindings: [{ name: 's', clusterSet: 's', deleting: false }],
      sets: new Map([['s', { name: 's', deleting: false, selector: { kind: 'exclusive' } }]]),
      timedSets: [],
      candidates: { count: candidates, matched, has, unmatched: [], tainted: new Map(), view: () => undefined },
      selected: new Map(),
      othersSelecting: noOthers,
      stored: [],
      published: undefined,
      definitions: undefined,
      now: 0,
    });
    const ms = performance.now() - began;
    if (decision.fates.size !== Math.min(100, candidates))
      throw new Error(`the decision has ${decision.fates.size} clusters`);
    return ms;
  });
  const measure = `one decision among ${candidates} candidates, 8 expressions each`;
  return { key: 'schedule', id: 'P8', measure, unit: 'ms', values, atMost: 50 };
}

interface Collection {
  readonly credentials: Credentials;
  readonly transport: Transport;
  stop(): void;
}

async function startCollection(objects: number): Promise<Collection> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-parts-'));
  const pair = await pairFor();
  const [cert, key] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')];
  writeFileSync(cert, pair.certificate);
  writeFileSync(key, pair.privateKey, { mode: 0o600 });
  const child = spawn(process.execPath, [SERVER, cert, key, String(objects)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const credentials: Credentials = {
    server: `https://localhost:${String(port).trim()}`,
    headers: { authorization: 'Bearer token' },
    tls: { ca: pair.certificate, rejectUnauthorized: true },
  };
  const loader = { load: () => Promise.resolve(credentials) };
  const transport = createTransport(loader, {
    clock: systemClock,
    random: systemRandom,
    log: new RecordingLog(),
    userAgent: 'bench',
    limits: { default: { qps: 1e6, burst: 1e6 } },
  });
  return {
    credentials,
    transport,
    stop() {
      void transport.close();
      child.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** CPU time of this process for `work`, ms, and how long it took, s. */
async function cost(work: () => Promise<void>): Promise<{ readonly cpuMs: number; readonly seconds: number }> {
  const before = process.cpuUsage();
  const began = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, seconds: (performance.now() - began) / 1000 };
}

async function callValues({ credentials, transport }: Collection, { calls, triples }: PartsEffort): Promise<Values> {
  const name = { name: 'cluster-0' };
  const body = JSON.stringify({ metadata: { labels: { a: 'b' } } });
  const contentType = 'application/merge-patch+json';
  const call: Call = {
    method: 'PATCH',
    path: objectPath(ManagedClusters, name),
    query: { fieldManager: 'bench' },
    target: { verb: 'patch', resource: 'managedclusters', ...name },
    idempotent: true,
    contentType,
    body,
  };
  const pool = new Pool(credentials.server, { connections: AT_ONCE, connect: { ...credentials.tls } });
  const headers = { ...credentials.headers, accept: 'application/json', 'content-type': contentType };
  const bare = async (): Promise<void> => {
    const answer = await pool.request({ method: 'PATCH', path: `${call.path}?fieldManager=bench`, headers, body });
    await answer.body.json();
  };
  const own = async (): Promise<void> => void (await transport.call(call));
  for (const warm of [bare, own]) await inParallel(calls / 2, AT_ONCE, warm);
  const bareCost = await cost(() => inParallel(calls, AT_ONCE, bare));
  const ownCost = await cost(() => inParallel(calls, AT_ONCE, own));
  const bareTriples = await tripleCost(triples, bare);
  const ownTriples = await tripleCost(triples, own);
  await pool.destroy();
  return {
    'call.three': ownTriples,
    'bare.three': bareTriples,
    'call.rate': calls / ownCost.seconds,
    'call.cpu': ownCost.cpuMs / calls,
    'bare.rate': calls / bareCost.seconds,
    'bare.cpu': bareCost.cpuMs / calls,
    'call.share': bareCost.seconds / ownCost.seconds,
  };
}

/** CPU time of this process for three calls one after another, as a decision sends them, after a pause; ms. */
async function tripleCost(triples: number, call: () => Promise<void>): Promise<number> {
  const { cpuMs } = await cost(async () => {
    for (let triple = 0; triple < triples; triple++) {
      await quietWindow(PAUSE_MS);
      for (let one = 0; one < 3; one++) await call();
    }
  });
  return cpuMs / triples;
}

async function cacheValues(collection: Collection, effort: PartsEffort): Promise<Values> {
  const tools = { clock: systemClock, random: systemRandom, log: new RecordingLog() };
  const cache: Cache<ManagedCluster> = createCache(collection.transport, clusterCacheOptions.clusters, tools);
  const counter = new Counter();
  cache.onChange(() => counter.add());
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const listed = await watched(async () => {
    cache.start();
    await cache.whenSynced();
  });
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - heap) / effort.objects;
  const overhead = bytes - bytesEach(cache.store.values());
  // The watch follows the list.
  const { stormed, single } = await eventCosts(collection, counter, effort);
  await cache.stop();
  return {
    'list.seconds': listed.seconds,
    'list.cpu': listed.cpuMs / effort.objects,
    'list.loop': listed.loopMs,
    'list.bytes': bytes,
    'list.overhead': overhead,
    'event.cpu': stormed.cpuMs / effort.events,
    'event.loop': stormed.loopMs,
    'paced.cpu': single.cpuMs / effort.paced,
  };
}

/** Heap of a copy of an object, of all `objects` in an array, B. */
function bytesEach(objects: Iterable<object>): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const copies: unknown[] = [];
  for (const object of objects) copies.push(JSON.parse(JSON.stringify(object)));
  globalThis.gc?.();
  // The copies are read after the collection, which would free them otherwise.
  return (process.memoryUsage().heapUsed - before) / copies.length;
}

/** What the same events cost that undici receives and JSON.parse reads, and nothing stores. */
async function bareEventValues(collection: Collection, effort: PartsEffort): Promise<Values> {
  const { credentials } = collection;
  const pool = new Pool(credentials.server, { connect: { ...credentials.tls }, bodyTimeout: 0 });
  const { body } = await pool.request({ method: 'GET', path: '/?watch=true', headers: credentials.headers });
  const counter = new Counter();
  let rest = '';
  body.setEncoding('utf8');
  body.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      JSON.parse(line);
      counter.add();
    }
  });
  body.on('error', () => undefined);
  const { stormed, single } = await eventCosts(collection, counter, effort);
  await pool.destroy();
  return { 'bare.event': stormed.cpuMs / effort.events, 'bare.paced': single.cpuMs / effort.paced };
}

/** Counts events. */
class Counter {
  #count = 0;
  #goal = Infinity;
  #reached: () => void = () => undefined;

  add(): void {
    if (++this.#count >= this.#goal) this.#reached();
  }

  /** Resolves after `more` events from now on. */
  after(more: number): Promise<void> {
    this.#goal = this.#count + more;
    return new Promise((resolve) => (this.#reached = resolve));
  }
}

/** What events cost this process, whose only watch `counter` counts: many at once, and one at a time. */
async function eventCosts({ credentials }: Collection, counter: Counter, { events, paced }: PartsEffort) {
  const pool = new Pool(credentials.server, { connect: { ...credentials.tls }, headersTimeout: 0 });
  const stream = async (count: number, every: number): Promise<void> => {
    const reached = counter.after(count);
    await (await pool.request({ method: 'POST', path: `/?count=${count}&every=${every}` })).body.dump();
    await reached;
  };
  // Until the code is compiled.
  await stream(Math.ceil(events / 4), 0);
  const stormed = await watched(() => stream(events, 0));
  const single = await cost(() => stream(paced, PACE_MS));
  await pool.destroy();
  return { stormed, single };
}

const RESOLUTION_MS = 5;

async function watched(work: () => Promise<void>): Promise<Awaited<ReturnType<typeof cost>> & { loopMs: number }> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const spent = await cost(work);
  delays.disable();
  return { ...spent, loopMs: Math.max(delays.max / 1e6 - RESOLUTION_MS, 0) };
}
