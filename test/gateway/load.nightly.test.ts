import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { startGateway, type GatewayProcess } from '../integration/gateway/process.js';
import { connectionLimit } from '@multicluster-engine/kube-apiserver/testing/files';
import { root } from '../support/repository/root.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { askOnce, type Ask } from './client.js';
import { mustConform } from './openapi/conformance.js';
import type { BadClientKind } from './badclients.js';
import { startBadClients, type BadClientProcess } from './badclientprocess.js';
import { ENGINE_YAML, ENGINES, pairFor, PLACEMENTS } from './rig.js';
import { RecordingUpstream } from './upstream.js';

const MANY = connectionLimit(10_000, 'test/gateway/load.nightly.test.ts');
/** The gateway's limit of connections; its own connections to the API server are not counted. */
const CAP = MANY < 1_500 ? Math.floor(MANY / 2) : 1_000;
/** More clients than connections, of every kind. */
const CLIENTS = Math.floor(CAP * 1.5);
const ALL = share({ silent: 0.5, idle: 0.2, handshake: 0.4, head: 0.4, body: 0.4, pipeline: 0.05, unread: 0.2 });
const MIB = 1024 * 1024;
const HELD_MS = 3_000;
/** Long enough that no slow client is disconnected before all others are connected, on a slow machine too. */
const FLAGS = [`--max-connections=${CAP}`, '--header-timeout=60s', '--request-timeout=300s', '--upstream-timeout=120s'];
const READ: Ask = { path: `${PLACEMENTS}/web` };
const CREATE: Ask = {
  method: 'POST',
  path: ENGINES,
  headers: { 'content-type': 'application/yaml' },
  body: ENGINE_YAML,
};

let folder = '';
let upstream: RecordingUpstream;
let gateway: GatewayProcess;
let badClients: BadClientProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-load-'));
  const behind = await pairFor();
  writeFileSync(path.join(folder, 'ca.crt'), behind.certificate);
  upstream = new RecordingUpstream(behind);
  // In a pod of 512 MiB Node uses half of them for its heap; here it would size the heap by the whole machine.
  const heap = `--max-old-space-size=${memoryLimit() / MIB / 2}`;
  gateway = await startGateway({ folder, url: await upstream.start(), caFile: path.join(folder, 'ca.crt') }, FLAGS, [
    heap,
  ]);
}, 180_000);

afterAll(async () => {
  const lines = (await gateway.stop()).trimEnd().split('\n');
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
  // Only log lines: no warning of Node, and no error.
  expect(lines.filter((line) => !line.startsWith('{"level":"info"'))).toEqual([]);
  expect(lines.filter((line) => line.includes('canary'))).toEqual([]);
});

afterEach(async () => {
  await badClients?.stop();
  badClients = undefined;
  await waitFor('all connections to be closed', async () => (await gauge('multicluster_gateway_connections')) === 0);
});

function share(parts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(parts).map(([kind, part]) => [kind, Math.floor(part * CAP)]));
}

async function gauge(name: string): Promise<number> {
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(await gateway.metrics())?.[1] ?? Number.NaN);
}

/** The memory limit of the pod, in bytes. */
function memoryLimit(): number {
  const file = path.join(root, 'deploy', 'components', 'gateway', 'deployment.yaml');
  const limit: unknown = Object(load(readFileSync(file, 'utf8'))).spec.template.spec.containers[0].resources.limits
    .memory;
  const mebibytes = /^(\d+)Mi$/.exec(String(limit))?.[1];
  if (mebibytes === undefined) throw new Error(`${file}: limits.memory: ${String(limit)}`);
  return Number(mebibytes) * MIB;
}

/**
 * Well-behaved clients, one with a persistent connection and one with a connection for each request, until they are
 * stopped.
 */
function healthy(): { readonly answered: () => number; stop(): Promise<readonly string[]> } {
  const failures: string[] = [];
  let answered = 0;
  let going = true;
  const work = async (agent: Agent): Promise<void> => {
    for (let index = 0; going; index++) {
      const what = index % 2 === 0 ? READ : CREATE;
      try {
        const reply = await askOnce(gateway.port, what, agent);
        mustConform(what.method ?? 'GET', what.path, reply);
        if (reply.status !== 200) failures.push(String(reply.status));
      } catch (error) {
        failures.push(String(error));
      }
      answered += 1;
    }
    agent.destroy();
  };
  const all = Promise.all(
    [new Agent({ keepAlive: true, ca: gateway.ca }), new Agent({ keepAlive: false, ca: gateway.ca })].map(work),
  );
  return {
    answered: () => answered,
    async stop() {
      going = false;
      await all;
      return failures;
    },
  };
}

interface LoadResult {
  readonly failures: readonly string[];
  /** All connections that the bad clients have opened. */
  readonly opened: number;
  readonly mostConnections: number;
  readonly mostMemory: number;
}

/** Runs well-behaved clients while bad clients connect, and after at least `atLeast` of them are connected. */
async function runLoad(counts: Readonly<Partial<Record<BadClientKind, number>>>, atLeast: number): Promise<LoadResult> {
  const clients = healthy();
  await waitFor('the well-behaved clients', () => clients.answered() >= 10);
  const bad = (badClients = startBadClients(gateway.port, counts));
  let [mostConnections, mostMemory] = [0, 0];
  const sample = async (): Promise<void> => {
    mostConnections = Math.max(mostConnections, await gauge('multicluster_gateway_connections'));
    mostMemory = Math.max(mostMemory, await gauge('process_resident_memory_bytes'));
  };
  await waitFor(
    'all bad clients to be connected',
    async (seen) => {
      await sample();
      const report = await bad.report();
      seen({ ...report, mostConnections });
      return report.complete && mostConnections >= atLeast;
    },
    { deadlineMs: 300_000 },
  );
  const before = clients.answered();
  for (let held = 0; held < HELD_MS; held += 250) {
    await quietWindow(250);
    await sample();
  }
  await waitFor('responses while the bad clients are connected', () => clients.answered() >= before + 20, {
    deadlineMs: 60_000,
  });
  const failures = await clients.stop();
  return { failures, opened: (await bad.report()).opened, mostConnections, mostMemory };
}

describe('well-behaved clients beside bad clients', () => {
  it.each<[string, Partial<Record<BadClientKind, number>>, number]>([
    [
      `while ${MANY} idle connections are opened`,
      { silent: Math.floor(MANY * 0.8), idle: Math.floor(MANY * 0.2) },
      CAP,
    ],
    ['while 200 clients send a byte a second', { head: 100, body: 100 }, 200],
    [`while ${CLIENTS} clients send their handshake slowly`, { handshake: CLIENTS }, CAP],
    [`while ${CLIENTS} clients send the head of a request slowly`, { head: CLIENTS }, CAP],
    [`while ${CLIENTS} clients send the body of a request slowly`, { body: CLIENTS }, CAP],
    ['while 200 clients send requests without waiting for responses', { pipeline: 200 }, 20],
    // A client that reads nothing is disconnected after 60 s, whatever the flags are.
    [`while ${CLIENTS} clients do not read their responses`, { unread: CLIENTS }, Math.floor(CAP / 5)],
    ['while clients of all kinds connect at once', ALL, CAP],
  ])(
    'the gateway answers a well-behaved client within the limits of connections and memory %s',
    async (_what, counts, atLeast) => {
      const { failures, opened, mostConnections, mostMemory } = await runLoad(counts, atLeast);

      expect(failures).toEqual([]);
      // The bad clients were really connected.
      expect(opened).toBeGreaterThanOrEqual(atLeast);
      expect(mostConnections).toBeGreaterThanOrEqual(atLeast);
      expect(mostConnections).toBeLessThanOrEqual(CAP);
      expect(mostMemory).toBeLessThan(memoryLimit());
    },
    900_000,
  );
});
