import { performance } from 'node:perf_hooks';

import { startBadClients } from '../../test/gateway/badclientprocess.js';
import type { BadClientKind } from '../../test/gateway/badclients.js';
import { CANARY } from '../../test/gateway/client.js';
import { ENGINES, startRig } from '../../test/gateway/rig.js';
import { open } from '../../test/gateway/rawclient.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { medianOf, RUNS, startSetup, type BenchSetup } from './setup.js';

const CLIENTS = 64;
const TIMES = { warmUpMs: 500, forMs: 2_000 };
/** At a limited rate, programs take longer until their code is compiled. */
const PACED_TIMES = { warmUpMs: 2_000, forMs: 3_000 };
/** Calls before the first measured one, so that the first run is no other than the last. */
const WARM_UP = { connections: CLIENTS, warmUpMs: 0, forMs: 5_000 };
const CALLS = 20;

/** Loads of bad clients: a title, the number of each kind, and flags of the gateway. */
const BAD_CLIENT_LOADS: readonly (readonly [
  string,
  Readonly<Partial<Record<BadClientKind, number>>>,
  readonly string[],
])[] = [
  ['200 connections that send a byte a second', { head: 100, body: 100 }, []],
  ['10,000 idle connections, the cap of 1,000 in force', { silent: 8_000, idle: 2_000 }, []],
  [
    '10,000 idle connections, all of them held',
    { silent: 2_000, idle: 8_000 },
    ['--max-connections=20000', '--header-timeout=60s', '--request-timeout=300s'],
  ],
  ['900 that drip their handshake', { handshake: 900 }, []],
  ['900 that drip the head of a request', { head: 900 }, []],
  ['900 that drip the body of a request', { body: 900 }, []],
  ['900 that ask for a page a second and do not read it', { unread: 900 }, []],
  ['1,500 of all kinds, more than there is room for', { handshake: 500, head: 500, body: 500 }, []],
  ['200 that send 50 requests at once again and again', { pipeline: 200 }, []],
  ['200 that send 3,640 tiny requests at once again and again', { tinyRequests: 200 }, []],
  ['400 that begin a TLS handshake and leave, a second apart', { clientHello: 400 }, []],
];

function say(line: string): void {
  process.stderr.write(`gateway: ${line}\n`);
}

/** P12, S18 and F47. */
export async function gatewayFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const setup = await startSetup();
  for (const method of ['GET', 'POST'] as const) {
    say(`warm-up, ${method}`);
    for (const where of ['direct', 'bare', 'gateway'] as const) await setup.load(where, method, WARM_UP);
    figures.push(...(await addedLatency(setup, method, undefined)), ...(await addedLatency(setup, method, 500)));
  }
  await setup.stop();
  for (const load of BAD_CLIENT_LOADS) figures.push(...(await withBadClients(...load)));
  figures.push(await abandonedCalls());
  return figures;
}

/** The latency and CPU time that the gateway adds to a direct call, and the latency that a bare proxy adds. */
async function addedLatency(
  setup: BenchSetup,
  method: 'GET' | 'POST',
  perSecond: number | undefined,
): Promise<readonly Figure[]> {
  const times = perSecond === undefined ? TIMES : PACED_TIMES;
  const how = { ...times, connections: CLIENTS, ...(perSecond !== undefined && { perSecond }) };
  const name = `${method} by ${CLIENTS} clients, ${perSecond === undefined ? 'each asking again at once' : `${perSecond}/s in all`}`;
  say(name);
  const runs: { p50: number; p99: number; bareP50: number; bareP99: number; cpu: number; rate: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const direct = await setup.load('direct', method, how);
    const bare = await setup.load('bare', method, how);
    const { result: through, cpu } = await setup.measured(() => setup.load('gateway', method, how));
    const requests = (through.perSecond * (times.forMs + times.warmUpMs)) / 1000;
    runs.push({
      p50: through.p50 - direct.p50,
      p99: through.p99 - direct.p99,
      bareP50: bare.p50 - direct.p50,
      bareP99: bare.p99 - direct.p99,
      cpu: (cpu * 1000) / requests,
      rate: through.perSecond,
    });
  }
  const limits = perSecond === undefined ? { p50: 0.5, p99: 5 } : { p50: 0.3, p99: 4 };
  return [
    { id: 'P12', measure: `${name}: added p50`, unit: 'ms', values: runs.map(({ p50 }) => p50), atMost: limits.p50 },
    { id: 'P12', measure: `${name}: added p99`, unit: 'ms', values: runs.map(({ p99 }) => p99), atMost: limits.p99 },
    { id: 'P12', measure: `${name}: p50 that a bare proxy adds`, unit: 'ms', values: runs.map((run) => run.bareP50) },
    { id: 'P12', measure: `${name}: p99 that a bare proxy adds`, unit: 'ms', values: runs.map((run) => run.bareP99) },
    { id: 'P12', measure: `${name}: CPU of the gateway a request`, unit: 'ms', values: runs.map(({ cpu }) => cpu) },
    ...(perSecond === undefined
      ? [
          {
            id: 'P12',
            measure: `${name}: requests through the gateway`,
            unit: '/s',
            values: runs.map(({ rate }) => rate),
          },
        ]
      : []),
  ];
}

/**
 * The p99 of a well-behaved client while bad clients are connected, as a multiple of that without them. The same of a client
 * of another gateway, which has no bad clients, shows what the two CPUs alone do: the bad clients are a process too.
 */
async function withBadClients(
  name: string,
  counts: Readonly<Partial<Record<BadClientKind, number>>>,
  flags: readonly string[],
): Promise<readonly Figure[]> {
  say(name);
  const how = { ...TIMES, connections: 4, perSecond: 200 };
  const [setup, other] = [await startSetup(flags), await startSetup()];
  const p99 = async (of: BenchSetup): Promise<number> => (await of.load('gateway', 'GET', how)).p99;
  const [usual, otherUsual] = [await medianOf(() => p99(setup)), await medianOf(() => p99(other))];
  const badClients = startBadClients(setup.gateway.port, counts);
  await waitFor('the bad clients', async () => (await badClients.report()).complete, { deadlineMs: 300_000 });
  const runs: { own: number; other: number; held: number; handshakes: number; cpu: number; memory: number }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { opened } = await badClients.report();
    const { result, seconds, cpu } = await setup.measured(() => p99(setup));
    runs.push({
      own: result / usual,
      handshakes: ((await badClients.report()).opened - opened) / seconds,
      cpu: cpu / seconds,
      other: (await p99(other)) / otherUsual,
      held: await setup.metric('multicluster_gateway_connections'),
      memory: (await setup.metric('process_resident_memory_bytes')) / 2 ** 20,
    });
  }
  await badClients.stop();
  await Promise.all([setup.stop(), other.stop()]);
  const figure = (measure: string, unit: string, valueOf: (run: (typeof runs)[number]) => number): Figure => ({
    id: 'S18',
    measure: `${name}: ${measure}`,
    unit,
    values: runs.map(valueOf),
  });
  return [
    { ...figure('p99 of a good client, times that without', 'x', ({ own }) => own), atMost: 2 },
    figure("the same of another gateway's client", 'x', (run) => run.other),
    figure('connections held', '', ({ held }) => held),
    figure('handshakes of the bad clients', '/s', ({ handshakes }) => handshakes),
    figure('CPU of the gateway', 'cores', ({ cpu }) => cpu),
    figure('memory', 'MiB', ({ memory }) => memory),
  ];
}

/** How long a call to the API server lasts after its client has closed the connection. */
async function abandonedCalls(): Promise<Figure> {
  say('clients that leave');
  const rig = await startRig();
  rig.upstream.script = () => undefined;
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    let longest = 0;
    for (let index = 0; index < CALLS; index++) {
      const before = rig.upstream.requests.length;
      const socket = await open(rig.wire);
      socket.write(`GET ${ENGINES} HTTP/1.1\r\nHost: localhost\r\nCOOKIE: Authorization: Bearer ${CANARY}\r\n\r\n`);
      await waitFor('the call', () => rig.upstream.requests.length > before, { everyMs: 1 });
      const [upstream] = rig.upstream.sockets;
      if (upstream === undefined) throw new Error('no connection to the API server');
      const gone = new Promise<number>((resolve) => upstream.once('close', () => resolve(performance.now())));
      const closedAt = performance.now();
      socket.destroy();
      longest = Math.max(longest, (await gone) - closedAt);
    }
    values.push(longest);
  }
  await rig.stop();
  return {
    id: 'F47',
    measure: `client gone to call ended, the longest of ${CALLS}`,
    unit: 'ms',
    values,
    atMost: 1_000,
  };
}
