import { startBadClients } from '../../test/gateway/badclientprocess.js';
import type { BadClientKind } from '../../test/gateway/badclients.js';
import { ENGINES, PLACEMENTS } from '../../test/gateway/rig.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import type { LoadOrder } from './load.js';
import { medianOf, RUNS, startSetup, TOKEN, type BenchSetup } from './setup.js';

const TIMES = { warmUpMs: 500, forMs: 2_000 };
/** Until the attack is at its full rate. */
const ATTACK_MS = TIMES.warmUpMs + TIMES.forMs + 1_500;
const MIB = 1024 * 1024;
const INVENTED = { authorization: 'Bearer an-invented-token' };
const YAML = { ...INVENTED, 'content-type': 'application/yaml' };

/** What clients with an invented token do at the same time as the good client. */
type Attack =
  | {
      readonly kind: 'requests';
      readonly order: Pick<LoadOrder, 'method' | 'path' | 'headers' | 'connections' | 'body' | 'padding'>;
    }
  | { readonly kind: 'connections'; readonly counts: Readonly<Partial<Record<BadClientKind, number>>> };

function bodies(connections: number, begin: string, text: string, size: number): Attack {
  const padding = { text, size };
  return {
    kind: 'requests',
    order: { method: 'POST', path: ENGINES, headers: YAML, connections, body: begin, padding },
  };
}

const ATTACKS: readonly (readonly [string, Attack])[] = [
  ['4 clients with bodies of 1 MiB of 1_1_1', bodies(4, 'a: ', '1_', MIB)],
  ['4 clients with bodies of 1 MiB in one quoted string', bodies(4, 'a: "', 'x', MIB)],
  ['4 clients with bodies of 64 KiB of 1_1_1', bodies(4, 'a: ', '1_', 64 * 1024)],
  ['4 clients with bodies of 32 KiB of short list items', bodies(4, '[', '1,', 32 * 1024)],
  ['4 clients with bodies of 1 KiB', bodies(4, 'a: ', 'x', 1024)],
  [
    '16 clients that read',
    { kind: 'requests', order: { method: 'GET', path: ENGINES, headers: INVENTED, connections: 16 } },
  ],
  ['108 unfinished uploads of 600 of 1,000 KB', { kind: 'connections', counts: { largeUpload: 108 } }],
  ['500 unfinished uploads of 60 of 64 KiB', { kind: 'connections', counts: { smallUpload: 500 } }],
];

/** The good client's requests: an object, and a list of 100 KiB. */
const READS = { object: `${PLACEMENTS}/web`, list: PLACEMENTS } as const;

/** S18: a good client's latency beside clients with an invented token, as a multiple of that without them. */
export async function attackFigures(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, attack] of ATTACKS) {
    process.stderr.write(`gateway: ${name}\n`);
    figures.push(...(await figuresOf(name, attack)));
  }
  return figures;
}

async function figuresOf(name: string, attack: Attack): Promise<readonly Figure[]> {
  const setup = await startSetup();
  const usual = (path: string): Promise<number> => medianOf(async () => (await good(setup, path)).p50);
  const alone = { object: await usual(READS.object), list: await usual(READS.list) };
  const [ratios, lists, failures, rates, cores]: number[][] = [[], [], [], [], []];
  for (let run = 0; run < RUNS; run++) {
    for (const [what, ratio] of [
      ['object', ratios],
      ['list', lists],
    ] as const) {
      const { result, seconds, cpu } = await setup.measured(async () => {
        const attacked = startAttack(setup, attack);
        await attacked.started;
        const { p50, failures: failed } = await good(setup, READS[what]);
        return { p50, failed, rate: await attacked.stop() };
      });
      ratio?.push(result.p50 / alone[what]);
      failures?.push(result.failed);
      rates?.push(result.rate);
      cores?.push(cpu / seconds);
    }
  }
  await setup.stop();
  const beside = `beside ${name}, times that without`;
  return [
    {
      id: 'S18',
      measure: `p50 of a good client that reads an object ${beside}`,
      unit: 'x',
      values: ratios ?? [],
      atMost: 2,
    },
    {
      id: 'S18',
      measure: `p50 of a good client that reads 100 KiB ${beside}`,
      unit: 'x',
      values: lists ?? [],
      atMost: 2,
    },
    { id: 'S18', measure: `${name}: failed requests of the good client`, unit: '', values: failures ?? [], atMost: 0 },
    { id: 'S18', measure: `${name}: rate of the attack`, unit: '/s', values: rates ?? [] },
    { id: 'S18', measure: `${name}: CPU of the gateway`, unit: 'cores', values: cores ?? [] },
  ];
}

function good(setup: BenchSetup, path: string): ReturnType<BenchSetup['run']> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  return setup.run({ ...TIMES, method: 'GET', path, headers, connections: 4, perSecond: 100 });
}

/** `stop` resolves with the attack's requests or connections a second. */
function startAttack(
  setup: BenchSetup,
  attack: Attack,
): { readonly started: Promise<unknown>; readonly stop: () => Promise<number> } {
  if (attack.kind === 'requests') {
    const report = setup.run({ ...attack.order, warmUpMs: 0, forMs: ATTACK_MS });
    // Its process has started and its connections are open.
    return { started: new Promise((resolve) => setTimeout(resolve, 500)), stop: async () => (await report).perSecond };
  }
  const begun = performance.now();
  const clients = startBadClients(setup.gateway.port, attack.counts);
  return {
    started: waitFor('the bad clients', async () => (await clients.report()).complete, { deadlineMs: 60_000 }),
    stop: async () => {
      const { opened } = await clients.report();
      await clients.stop();
      return (opened * 1000) / (performance.now() - begun);
    },
  };
}
