import { performance } from 'node:perf_hooks';

import { PLACEMENT_LABEL } from '../../src/api/names.js';
import { ManagedClusters, PlacementDecisions, Placements } from '../../src/api/resources.js';
import { Events } from '../../src/runtime/vocabulary/kinds.js';
import type { PlacementDecision } from '../../src/api/generated/placementdecision.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { collectionPath, objectPath } from '../../src/runtime/client/path.js';
import { quantile } from '@multicluster-engine/kube-apiserver/testing/bench';
import { quietWindow } from '@multicluster-engine/kube-apiserver/testing/wait';
import { inParallel } from './client.js';
import { WORKERS } from './controller.js';
import * as fleet from './fleet.js';
import { AT_ONCE, create, patchStatus } from './server.js';
import type { Values } from './values.js';
import type { Cost, Requests, World } from './world.js';

/** Between two flips: longer than the settle window and the writes that follow a decision, ms. */
const BETWEEN_FLIPS_MS = 150;
/** Heartbeats a minute of the paced row. */
const PACE = 10_000;
const PACED_MS = 6_000;
/** The burst of the limit for events: more than these are not written while decisions are. */
const EVENTS_AT_ONCE = 50;

/** From the start of the controller until each Placement has a decision, and until it is quiet. */
export async function firstStart(world: World): Promise<Values> {
  const { placements } = world.options.size;
  const { decisions } = world;
  const mark = await world.logMark();
  const decided = decisions.when(() => decisions.size === placements, 900_000);
  const began = performance.now();
  const controller = await world.startController();
  const seconds = await world.profiled('start', async () => {
    const end = await decided;
    await world.quiet(mark);
    return (end - began) / 1000;
  });
  const peak = await controller.ask({ kind: 'sample' });
  const requests = await world.requests(mark);
  return {
    'start.decided': seconds,
    'start.cpu': peak.cpuMs / 1000,
    'start.peak': peak.peakMiB,
    'start.writes': requests && requests.writes / placements,
  };
}

/** From the start of the controller on a fleet with all decisions until it is quiet. */
export async function restart(world: World): Promise<Values> {
  await world.stopController();
  const mark = await world.logMark();
  const began = performance.now();
  const controller = await world.startController();
  await controller.loaded();
  const { quiet, sample } = await world.profiled('restart', async () => {
    await controller.ask({ kind: 'watchLoop' });
    await controller.ready();
    return { quiet: await whenIdle(world, began), sample: await controller.ask({ kind: 'sample' }) };
  });
  // Its timer fires 200 times a second: in the other rows the process sleeps between its changes.
  await controller.ask({ kind: 'unwatchLoop' });
  const collected = await controller.ask({ kind: 'collect' });
  const requests = await world.requests(mark);
  return {
    'restart.quiet': quiet / 1000,
    'restart.cpu': sample.cpuMs / 1000,
    'restart.writes': requests?.writes,
    'restart.loop': sample.loopDelayMs,
    'restart.later': sample.secondLoopDelayMs,
    'memory.peak': sample.peakMiB,
    'memory.collected': collected.residentMiB,
    'memory.heap': collected.heapMiB,
  };
}

/** A process that used less than this share of a core for this long has done its work. */
const IDLE_SHARE = 0.1;
const IDLE_WINDOW_MS = 250;

/** Ms from `began` until the controller has begun to be idle. */
async function whenIdle({ controller, options }: World, began: number): Promise<number> {
  let idleSince = performance.now();
  let cpuMs = 0;
  while (performance.now() - idleSince < options.effort.quietMs) {
    const from = performance.now();
    await quietWindow(IDLE_WINDOW_MS);
    const sample = await controller.ask({ kind: 'sample' });
    const now = performance.now();
    if (sample.cpuMs - cpuMs > IDLE_SHARE * (now - from)) idleSince = now;
    cpuMs = sample.cpuMs;
  }
  return idleSince - began;
}

/** A label that no Placement names, one change after the other, and many at once. */
export async function miss(world: World): Promise<Values> {
  const { misses } = world.options.effort;
  const note = (change: number): Promise<void> => label(world, change, { [fleet.UNNAMED_LABEL]: `n-${change}` });
  const single = await world.cost('miss', () => inParallel(misses, 1, note));
  const burst = await world.cost('miss-burst', () => inParallel(misses, AT_ONCE, (change) => note(change + misses)));
  return {
    'miss.cpu': single.cpuMs / misses,
    'miss.burst': burst.cpuMs / misses,
    'miss.reconciles': single.reconciles + burst.reconciles,
    'miss.writes': sum(single, burst, 'writes'),
  };
}

/** A label that takes a cluster away from one Placement. */
export function flip(world: World): Promise<Values> {
  return flips(world, 'flip');
}

/** The same, once each Placement has five coordinates and two constraints. */
export async function scored(world: World): Promise<Values> {
  await editAll(world, fleet.SCHEDULING);
  return flips(world, 'scored');
}

/** The claim that these Placements prefer clusters by changes, many at once. */
export async function price(world: World): Promise<Values> {
  const beats = world.options.effort.heartbeats;
  const cost = await world.cost('price', () => inParallel(beats, AT_ONCE, (number) => beat(world, number, true)));
  return {
    'price.cpu': cost.cpuMs / beats,
    'price.reconciles': cost.reconciles,
    'price.writes': cost.requests?.writes,
  };
}

/** The same, once each Placement also asks for moves, with a margin that no cluster reaches. */
export async function rebalance(world: World): Promise<Values> {
  const { options } = world;
  const { heartbeats: beats } = options.effort;
  await editAll(world, fleet.MOVES);
  const began = performance.now();
  const cost = await world.cost('rebalance', () => inParallel(beats, AT_ONCE, (number) => beat(world, number, true)));
  const intervals = Math.ceil((performance.now() - began) / 1_000 / fleet.MOVES.rebalance.intervalSeconds) + 1;
  return {
    'rebalance.cpu': cost.cpuMs / beats,
    'rebalance.reconciles': cost.reconciles / options.size.placements / intervals,
    'rebalance.writes': cost.requests?.writes,
  };
}

/** Changes these fields of the spec of each Placement, and waits for what follows. */
async function editAll(world: World, spec: object): Promise<void> {
  const { client, options } = world;
  const mark = await world.logMark();
  await inParallel(options.size.placements, AT_ONCE, async (index) => {
    const path = objectPath(Placements, fleet.placementName(index));
    await client.send({ method: 'PATCH', path, body: { spec } });
  });
  await world.quiet(mark);
}

async function flips(world: World, row: 'flip' | 'scored'): Promise<Values> {
  const { decisions, options } = world;
  const { flips: count } = options.effort;
  const before = decisions.all();
  const delays: number[] = [];
  await world.collected();
  const flipped = Array.from({ length: count }, (_, number) => number % options.size.placements);
  const cost = await world.cost(row, async () => {
    for (const index of flipped) {
      const key = keyOf(fleet.placementName(index));
      delays.push(await takeAway(world, { key, label: fleet.excludingLabel(index) }));
      await quietWindow(BETWEEN_FLIPS_MS);
    }
  });
  const wanted = new Set(flipped.map((index) => keyOf(fleet.placementName(index))));
  const moved = [...decisions.all()].filter(([key, now]) => !wanted.has(key) && before.get(key) !== now);
  delays.sort((a, b) => a - b);
  return {
    [`${row}.cpu`]: cost.cpuMs / count,
    [`${row}.p50`]: quantile(delays, 0.5),
    [`${row}.p99`]: quantile(delays, 0.99),
    [`${row}.moved`]: moved.length,
    [`${row}.reconciles`]: cost.reconciles / count,
    [`${row}.writes`]: requestsEach(cost, 'writes', count),
    [`${row}.events`]: requestsEach(cost, 'events', count),
    [`${row}.reads`]: requestsEach(cost, 'reads', count),
  };
}

/** A label that a hundred Placements name: how late the last decision that it changes is published. */
export async function groupFlip(world: World): Promise<Values> {
  const { decisions, options } = world;
  const delays: number[] = [];
  const mark = await world.logMark();
  for (let number = 0; number < options.effort.flips; number++) {
    const index = (number * 37) % options.size.placements;
    const chosen = fleet.groupLabel(index);
    const [cluster = ''] = decisions.clustersOf(keyOf(fleet.placementName(index)));
    const affected = new Set(
      Array.from({ length: options.size.placements }, (_, one) => one)
        .filter((one) => fleet.groupLabel(one) === chosen)
        .map((one) => keyOf(fleet.placementName(one)))
        .filter((key) => decisions.clustersOf(key).includes(cluster)),
    );
    const published = decisions.when((key) => affected.delete(key) && affected.size === 0);
    const began = performance.now();
    await labelCluster(world, cluster, { [chosen]: 'true' });
    delays.push((await published) - began);
    // The next one finds as many matching clusters as this one.
    await labelCluster(world, cluster, { [chosen]: null });
    await quietWindow(BETWEEN_FLIPS_MS);
  }
  // Events of so many decisions are written later, by a rate of their own: they are none of the next row's.
  await world.quiet(mark);
  delays.sort((a, b) => a - b);
  return { 'group.p50': quantile(delays, 0.5), 'group.p99': quantile(delays, 0.99) };
}

/**
 * Statuses of one cluster after the other, of which selection reads nothing: as fast as the server takes them, and at a
 * pace. A small fleet sends as many as a large one: code that has run often costs less.
 */
export async function heartbeat(world: World): Promise<Values> {
  const beats = world.options.effort.heartbeats;
  const storm = await world.cost('heartbeat', () => inParallel(beats, AT_ONCE, (number) => beat(world, number)));
  const paced = Math.min(beats, Math.round((PACE * PACED_MS) / 60_000));
  const began = performance.now();
  const pace = await world.cost('heartbeat-paced', async () => {
    for (let number = 0; number < paced; number++) {
      await quietWindow(Math.max(began + (number * 60_000) / PACE - performance.now(), 0));
      await beat(world, beats + number);
    }
  });
  return {
    'heartbeat.cpu': storm.cpuMs / beats,
    'heartbeat.paced': pace.cpuMs / paced,
    'heartbeat.reconciles': storm.reconciles + pace.reconciles,
    'heartbeat.writes': sum(storm, pace, 'writes'),
  };
}

/** The metrics, read one time after the other. */
export async function scrape(world: World): Promise<Values> {
  const { controller } = world;
  const { scrapes } = world.options.effort;
  const read = async (): Promise<void> => {
    for (let one = 0; one < scrapes; one++) await controller.metrics();
  };
  await world.collected();
  const cost = await world.cost('scrape', read);
  // Again, since the timer of the histogram takes CPU time.
  await controller.ask({ kind: 'watchLoop' });
  await read();
  const { loopDelayMs } = await controller.ask({ kind: 'sample' });
  await controller.ask({ kind: 'unwatchLoop' });
  return { 'scrape.cpu': cost.cpuMs / scrapes, 'scrape.loop': loopDelayMs };
}

/** New Placements, from the first create to the last decision. */
export async function newPlacements(world: World): Promise<Values> {
  const { size, effort } = world.options;
  const { decisions } = world;
  const count = effort.newPlacements;
  const keys = Array.from({ length: count }, (_, one) => keyOf(fleet.placementName(size.placements + one)));
  const missing = new Set(keys);
  let seconds = 0;
  const cost = await world.cost('new-placement', async () => {
    const decided = decisions.when((key) => missing.delete(key) && missing.size === 0);
    const began = performance.now();
    await inParallel(count, AT_ONCE, (one) => create(world.client, fleet.placement(size.placements + one)));
    seconds = ((await decided) - began) / 1000;
  });
  return {
    'new.cpu': cost.cpuMs / count,
    'new.rate': count / seconds,
    'new.writes': requestsEach(cost, 'writes', count),
    'new.sets': requestsEach(cost, 'setWrites', count),
    'new.events': requestsEach(cost, 'events', count),
    'new.reads': requestsEach(cost, 'reads', count),
  };
}

/**
 * The rate at which a bare client sends what the controller has sent for the new Placements, while they are created at the
 * same concurrency: the decision, the status, and as many events as its limit lets through. The controller is stopped.
 */
export async function bareRate(world: World): Promise<Values> {
  const { client, options } = world;
  const count = options.effort.newPlacements;
  const example = fleet.placementName(options.size.placements);
  const decision = await client.json<PlacementDecision>({
    method: 'GET',
    path: objectPath(PlacementDecisions, { ...example, name: `${example.name}-decision-1` }),
  });
  const { status } = await client.json<{ status: object }>({ method: 'GET', path: objectPath(Placements, example) });
  const created: KubeObject[] = [];
  let wake: (() => void)[] = [];
  const answer = async (number: number): Promise<void> => {
    while (created.length <= number) await new Promise<void>((resolve) => wake.push(resolve));
    const placement = created[number];
    if (placement === undefined) return;
    await publish(world, placement, { decision, status });
    if (number < EVENTS_AT_ONCE) await recordEvent(world, placement);
  };
  const began = performance.now();
  const writing = inParallel(count, WORKERS, answer);
  await inParallel(count, AT_ONCE, async (one) => {
    const { type, object } = fleet.placement(options.size.placements + count + one);
    const path = collectionPath(type, object.metadata.namespace);
    created.push(await client.json<KubeObject>({ method: 'POST', path, body: object }));
    for (const resolve of wake) resolve();
    wake = [];
  });
  await writing;
  return { 'bare.rate': count / ((performance.now() - began) / 1000) };
}

async function publish(
  { client }: World,
  placement: KubeObject,
  { decision, status }: { readonly decision: PlacementDecision; readonly status: object },
): Promise<void> {
  const { name, namespace = '', uid = '' } = placement.metadata;
  const { labels, annotations, ownerReferences = [] } = decision.metadata;
  const metadata = {
    name: `${name}-decision-1`,
    namespace,
    labels: { ...labels, [PLACEMENT_LABEL]: name },
    annotations,
    ownerReferences: ownerReferences.map((owner) => ({ ...owner, name, uid })),
  };
  const body = { ...decision, metadata };
  await client.send({ method: 'POST', path: collectionPath(PlacementDecisions, namespace), body });
  const path = objectPath(Placements, { namespace, name }, 'status');
  await client.send({ method: 'PUT', path, body: { ...placement, status } });
}

async function recordEvent({ client }: World, { metadata }: KubeObject): Promise<void> {
  const { name, namespace = '', uid = '' } = metadata;
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name}.1873f2a4c5d6e7f8`, namespace },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'cluster.fleetmgmt.io/placement',
    reportingInstance: 'bench',
    action: 'Publish',
    reason: 'DecisionPublished',
    type: 'Normal',
    note: 'selected cluster-1, cluster-2, cluster-3, cluster-4, cluster-5',
    regarding: { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', name, namespace, uid },
  };
  await client.send({ method: 'POST', path: collectionPath(Events, namespace), body });
}

/** Takes the first cluster of a decision away by a label; ms until the decision is published without it. */
async function takeAway(world: World, one: { readonly key: string; readonly label: string }): Promise<number> {
  const { decisions } = world;
  const [cluster = ''] = decisions.clustersOf(one.key);
  const published = decisions.when((key) => key === one.key && !decisions.clustersOf(key).includes(cluster));
  const began = performance.now();
  await labelCluster(world, cluster, { [one.label]: 'true' });
  return (await published) - began;
}

/** Heartbeat `number` of all: each cluster sends one before the first sends its next. `isPriced`: with another price each time. */
function beat({ client, options }: World, number: number, isPriced = false): Promise<void> {
  const index = number % options.size.clusters;
  const round = Math.floor(number / options.size.clusters) + 1;
  return patchStatus(client, fleet.cluster(index), fleet.clusterStatus(index, round, isPriced ? number : undefined));
}

function label(world: World, change: number, labels: Readonly<Record<string, string>>): Promise<void> {
  return labelCluster(world, fleet.clusterName((change * 61) % world.options.size.clusters), labels);
}

async function labelCluster({ client }: World, name: string, labels: object): Promise<void> {
  const body = { metadata: { labels } };
  await client.send({ method: 'PATCH', path: objectPath(ManagedClusters, { name }), body });
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Requests of a kind for each of `count` changes; undefined where the server's log cannot be read. */
function requestsEach({ requests }: Cost, kind: keyof Requests, count: number): number | undefined {
  return requests && requests[kind] / count;
}

function sum(a: Cost, b: Cost, kind: keyof Requests): number | undefined {
  return a.requests && b.requests && a.requests[kind] + b.requests[kind];
}
