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
import { mustConform } from './conformance.js';
import type { CrowdKind } from './badclients.js';
import { gather, type Gathering } from './badclientprocess.js';
import { ENGINE_YAML, ENGINES, pairFor, PLACEMENTS } from './rig.js';
import { RecordingUpstream } from './upstream.js';

const MANY = connectionLimit(10_000, 'test/gateway/crowd.test.ts');
/** What the gateway takes; besides, it has connections of its own to the API server. */
const CAP = MANY < 1_500 ? Math.floor(MANY / 2) : 1_000;
/** More than that, and somewhat more of all kinds. */
const CROWD = Math.floor(CAP * 1.5);
const ALL = share({ silent: 0.5, greeted: 0.2, handshake: 0.4, head: 0.4, body: 0.4, pipeline: 0.05, deaf: 0.2 });
const MIB = 1024 * 1024;
const HELD_MS = 3_000;
/** Nobody is sent away for being slow before the others have come, on a slow machine too. */
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
let crowd: Gathering | undefined;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-crowd-'));
  const behind = await pairFor();
  writeFileSync(path.join(folder, 'ca.crt'), behind.certificate);
  upstream = new RecordingUpstream(behind);
  // In a pod of 512 MiB node takes half of them for its heap; here it would take its share of the whole machine.
  const heap = `--max-old-space-size=${memoryLimit() / MIB / 2}`;
  gateway = await startGateway({ folder, url: await upstream.start(), caFile: path.join(folder, 'ca.crt') }, FLAGS, [
    heap,
  ]);
}, 180_000);

afterAll(async () => {
  const lines = (await gateway.stop()).trimEnd().split('\n');
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
  // Nothing but the log: no warning of node's own, and no error.
  expect(lines.filter((line) => !line.startsWith('{"level":"info"'))).toEqual([]);
  expect(lines.filter((line) => line.includes('canary'))).toEqual([]);
});

afterEach(async () => {
  await crowd?.stop();
  crowd = undefined;
  await waitFor('the crowd to be gone', async () => (await gauge('multicluster_gateway_connections')) === 0);
});

function share(parts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(parts).map(([kind, part]) => [kind, Math.floor(part * CAP)]));
}

async function gauge(name: string): Promise<number> {
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(await gateway.metrics())?.[1] ?? Number.NaN);
}

/** What the pod may use, bytes. */
function memoryLimit(): number {
  const file = path.join(root, 'deploy', 'components', 'gateway', 'deployment.yaml');
  const limit: unknown = Object(load(readFileSync(file, 'utf8'))).spec.template.spec.containers[0].resources.limits
    .memory;
  const mebibytes = /^(\d+)Mi$/.exec(String(limit))?.[1];
  if (mebibytes === undefined) throw new Error(`${file}: limits.memory: ${String(limit)}`);
  return Number(mebibytes) * MIB;
}

/** Good clients, one on a kept connection and one that opens one for each request, until they are stopped. */
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

interface Siege {
  readonly failures: readonly string[];
  /** That the crowd has had in all. */
  readonly had: number;
  readonly mostConnections: number;
  readonly mostMemory: number;
}

/** Has good clients work while a crowd comes, and stays once there are as many as `besieging`. */
async function besiege(counts: Readonly<Partial<Record<CrowdKind, number>>>, besieging: number): Promise<Siege> {
  const clients = healthy();
  await waitFor('the good clients', () => clients.answered() >= 10);
  const bad = (crowd = gather(gateway.port, counts));
  let [mostConnections, mostMemory] = [0, 0];
  const look = async (): Promise<void> => {
    mostConnections = Math.max(mostConnections, await gauge('multicluster_gateway_connections'));
    mostMemory = Math.max(mostMemory, await gauge('process_resident_memory_bytes'));
  };
  await waitFor(
    'everybody to have come',
    async (seen) => {
      await look();
      const report = await bad.report();
      seen({ ...report, mostConnections });
      return report.complete && mostConnections >= besieging;
    },
    { deadlineMs: 300_000 },
  );
  const before = clients.answered();
  for (let held = 0; held < HELD_MS; held += 250) {
    await quietWindow(250);
    await look();
  }
  await waitFor('answers while the crowd stays', () => clients.answered() >= before + 20, { deadlineMs: 60_000 });
  const failures = await clients.stop();
  return { failures, had: (await bad.report()).opened, mostConnections, mostMemory };
}

describe('a good client is answered every time, within the cap and the memory of a pod,', () => {
  it.each<[string, Partial<Record<CrowdKind, number>>, number]>([
    [
      `while ${MANY} connections are opened that say nothing`,
      { silent: Math.floor(MANY * 0.8), greeted: Math.floor(MANY * 0.2) },
      CAP,
    ],
    ['while 200 send a byte a second', { head: 100, body: 100 }, 200],
    [`while ${CROWD} drip their handshake`, { handshake: CROWD }, CAP],
    [`while ${CROWD} drip the head of a request`, { head: CROWD }, CAP],
    [`while ${CROWD} drip the body of a request`, { body: CROWD }, CAP],
    ['while 200 send requests without waiting for answers', { pipeline: 200 }, 20],
    // Who takes nothing is cut off after half a minute, whatever the flags say.
    [`while ${CROWD} do not read their answers`, { deaf: CROWD }, Math.floor(CAP / 5)],
    ['while all of them come at once', ALL, CAP],
  ])(
    '%s',
    async (_what, counts, besieging) => {
      const { failures, had, mostConnections, mostMemory } = await besiege(counts, besieging);

      expect(failures).toEqual([]);
      // The crowd was really there.
      expect(had).toBeGreaterThanOrEqual(besieging);
      expect(mostConnections).toBeGreaterThanOrEqual(besieging);
      expect(mostConnections).toBeLessThanOrEqual(CAP);
      expect(mostMemory).toBeLessThan(memoryLimit());
    },
    900_000,
  );
});
