import type { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';
import { inParallel } from '../../../bench/placement/client.js';
import { clusterName, clusterStatus, frame, type FleetObject } from '../../../bench/placement/fleet.js';
import { AT_ONCE, create, patchStatus } from '../../../bench/placement/server.js';
import { PLACEMENT_LABEL } from '../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { collectionPath, objectPath } from '../../../src/runtime/client/path.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { broken, FAULTS, throttled, type Fault } from '../../support/proxy/fault.js';
import type { Plan } from '../../support/proxy/proxy.js';
import { cluster, placement, SIZE, TAINT } from './fleet.js';
import type { SoakWorld } from './world.js';

/** What goes wrong, or what people do; what it changes is changed back, so that nothing is added. */
export type SoakFault = readonly [name: string, happen: (world: SoakWorld, dice: Dice) => Promise<void>];

/** Long enough to be noticed, and shorter than the time between two faults. */
const OUTAGE_MS = 5_000;
/** Longer than a Lease of a leader. */
const STOPPED_MS = 20_000;
const CHANGED_MS = 2_500;

const slow: Fault = { kind: 'interrupt', applied: true, passOn: true, run: () => quietWindow(1_000) };
const gone: Fault = {
  kind: 'answer',
  applied: false,
  status: 410,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 }),
};

/** For some seconds; all watches end when it begins. */
function outage(name: string, planOf: (dice: Dice) => Plan): SoakFault {
  return [
    name,
    async ({ proxy }, dice) => {
      proxy.plan = planOf(dice);
      proxy.cutWatches();
      await quietWindow(OUTAGE_MS);
      proxy.plan = () => undefined;
    },
  ];
}

const OF_THE_API: readonly SoakFault[] = [
  outage('the API answers with 503', () => () => broken(503, false)),
  outage('the API answers with 429', () => () => throttled),
  outage('the API does not answer', () => () => ({ kind: 'silence' })),
  outage(
    'answers are slow',
    () =>
      ({ watch }) =>
        watch ? undefined : slow,
  ),
  outage(
    'watches are too old',
    () =>
      ({ watch }) =>
        watch ? gone : undefined,
  ),
  outage('any fault hits every fifth request', (dice) => () => (dice.chance(0.2) ? dice.pick(FAULTS)[1] : undefined)),
  [
    'the program is stopped and goes on',
    async ({ program }) => {
      await program.kill('SIGSTOP');
      await quietWindow(STOPPED_MS);
      await program.kill('SIGCONT');
    },
  ],
];

function some(dice: Dice, size: number, count: number): number[] {
  return dice.some([...Array(size).keys()], count);
}

async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  await inParallel(all.length, AT_ONCE, async (n) => void (await work(all[n] as T)));
}

const remove = ({ client }: SoakWorld, path: string): Promise<unknown> => client.send({ method: 'DELETE', path });

function remake(world: SoakWorld, objects: readonly FleetObject[]): Promise<void> {
  return forEach(objects, async (one) => {
    const { namespace, name } = one.object.metadata;
    const decisions = `${collectionPath(PlacementDecisions, namespace)}?labelSelector=${PLACEMENT_LABEL}%3D${name}`;
    await remove(world, objectPath(one.type, one.object.metadata));
    if (one.type === Placements) await remove(world, decisions); // no garbage collector runs here
    await create(world.client, one);
  });
}

/** Patches clusters, and after a moment with what `back` says. */
async function change(
  world: SoakWorld,
  indexes: readonly number[],
  to: object,
  back: (n: number) => object,
): Promise<void> {
  const patch = (body: (index: number) => object): Promise<void> =>
    forEach(indexes, (index) => {
      const path = objectPath(ManagedClusters, { name: clusterName(index) });
      return world.client.send({ method: 'PATCH', path, body: body(index) });
    });
  await patch(() => to);
  await quietWindow(CHANGED_MS);
  await patch(back);
}

const OF_THE_FLEET: readonly SoakFault[] = [
  ['agents are silent', async (world, dice) => void (world.silent = new Set(some(dice, SIZE.agents, 15)))],
  [
    'labels change, and change back',
    (world, dice) =>
      change(world, some(dice, SIZE.clusters, 100), { metadata: { labels: { tier: 'bronze' } } }, (index) => ({
        metadata: { labels: cluster(index).object.metadata.labels },
      })),
  ],
  [
    'a whole set is tainted, and no longer',
    (world, dice) => {
      const set = dice.between(0, 9);
      const members = [...Array(SIZE.clusters).keys()].filter((index) => index % 10 === set);
      return change(world, members, { spec: { taints: [TAINT] } }, () => ({ spec: { taints: null } }));
    },
  ],
  [
    'clusters report other prices',
    (world, dice) =>
      forEach(some(dice, SIZE.clusters, 500), (index) =>
        patchStatus(world.client, cluster(index), clusterStatus(index, dice.between(0, 99), dice.between(3, 42))),
      ),
  ],
  [
    'Placements are edited, and edited back',
    async (world, dice) => {
      const all = some(dice, SIZE.placements, 50).map(placement);
      await world.edit(all.length, (n) => {
        const { type, object } = all[n] as FleetObject;
        return { type, object: { ...object, spec: { ...object.spec, numberOfClusters: dice.between(0, 60) } } };
      });
      await quietWindow(CHANGED_MS);
      await world.edit(all.length, (n) => all[n] as FleetObject);
    },
  ],
  ['Placements are made anew', (world, dice) => remake(world, some(dice, SIZE.placements, 20).map(placement))],
  ['clusters are made anew', (world, dice) => remake(world, some(dice, SIZE.clusters, 50).map(cluster))],
  [
    'a binding is made anew',
    (world, dice) => remake(world, [dice.pick(frame().filter(({ type }) => type === ManagedClusterSetBindings))]),
  ],
  [
    'others delete decision objects',
    async (world, dice) => {
      const all = dice.some(await world.list<KubeObject>(PlacementDecisions), 50);
      await forEach(all, ({ metadata }) => remove(world, objectPath(PlacementDecisions, metadata)));
    },
  ],
];

/** Round by round: what happens to the API in some order, then, with time to notice silence, what happens to the fleet. */
export function* soakFaults(dice: Dice): Generator<SoakFault, never> {
  for (;;) yield* [...dice.some(OF_THE_API, OF_THE_API.length), ...OF_THE_FLEET];
}
