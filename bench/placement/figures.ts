import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { COMPILED } from './controller.js';
import { storedCluster, type FleetSize } from './fleet.js';
import {
  bareRate,
  firstStart,
  flip,
  groupFlip,
  heartbeat,
  miss,
  newPlacements,
  price,
  rebalance,
  restart,
  scored,
  scrape,
} from './rows.js';
import { valuesByFigure, type Values } from './values.js';
import { FULL, World, type Effort, type WorldOptions } from './world.js';

/** One figure of a fleet: its target, what is measured, and its limits. */
interface FigureRow {
  readonly key: string;
  readonly id: string;
  readonly measure: string;
  readonly unit: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The rows of the bench in the order in which they are measured. */
const ROWS = { miss, heartbeat, flip, group: groupFlip, new: newPlacements, scrape, scored, price, rebalance } as const;
export type RowName = keyof typeof ROWS;
export const ROW_NAMES = Object.keys(ROWS) as readonly RowName[];

const FIGURES: readonly FigureRow[] = [
  { key: 'machine.parse', id: '', measure: 'the machine: JSON.parse of a cluster as it is stored, CPU', unit: 'µs' },
  {
    key: 'miss.cpu',
    id: 'P1',
    measure: 'a label that no Placement names, one at a time: CPU',
    unit: 'ms',
    atMost: 0.2,
  },
  { key: 'miss.burst', id: 'P1', measure: 'the same, many at once: CPU each', unit: 'ms', atMost: 0.2 },
  { key: 'miss.reconciles', id: 'P1', measure: 'the same: reconciles in all', unit: '', atMost: 0 },
  { key: 'miss.writes', id: 'P1', measure: 'the same: writes in all', unit: '', atMost: 0 },
  { key: 'flip.cpu', id: 'P2', measure: 'a label that changes one decision: CPU', unit: 'ms', atMost: 4 },
  { key: 'flip.p50', id: 'P2', measure: 'the same: label to decision, p50', unit: 'ms', atMost: 62 },
  { key: 'flip.p99', id: 'P2', measure: 'the same: label to decision, p99', unit: 'ms' },
  { key: 'flip.moved', id: 'P2', measure: 'the same: other decisions that moved', unit: '', atMost: 0 },
  { key: 'flip.reconciles', id: 'P2', measure: 'the same: reconciles', unit: '', atMost: 1 },
  { key: 'flip.writes', id: 'P2', measure: 'the same: writes', unit: '', atMost: 2 },
  { key: 'flip.events', id: 'P2', measure: 'the same: events', unit: '', atMost: 1 },
  { key: 'flip.reads', id: 'P2', measure: 'the same: reads', unit: '', atMost: 0 },
  { key: 'group.p50', id: 'P7', measure: 'a label that 100 Placements name: to the last decision, p50', unit: 'ms' },
  { key: 'group.p99', id: 'P7', measure: 'the same: p99', unit: 'ms', atMost: 250 },
  {
    key: 'heartbeat.cpu',
    id: 'P6',
    measure: 'a status of a cluster, many at once: CPU each',
    unit: 'ms',
    atMost: 0.15,
  },
  { key: 'heartbeat.paced', id: 'P6', measure: 'the same, 10,000 a minute: CPU each', unit: 'ms', atMost: 0.15 },
  { key: 'heartbeat.reconciles', id: 'P6', measure: 'the same: reconciles in all', unit: '', atMost: 0 },
  { key: 'heartbeat.writes', id: 'P6', measure: 'the same: writes in all', unit: '', atMost: 0 },
  { key: 'new.cpu', id: 'P5', measure: 'a new Placement: CPU', unit: 'ms', atMost: 3 },
  { key: 'new.writes', id: 'P5', measure: 'the same: writes', unit: '', atMost: 2 },
  { key: 'new.sets', id: 'P5', measure: 'the same: writes of the status of sets and bindings', unit: '' },
  { key: 'new.events', id: 'P5', measure: 'the same: events', unit: '', atMost: 1 },
  { key: 'new.reads', id: 'P5', measure: 'the same: reads', unit: '', atMost: 0 },
  { key: 'new.rate', id: 'P5', measure: 'new Placements, create to decision', unit: '/s' },
  { key: 'bare.rate', id: 'P5', measure: 'a bare client with the same writes', unit: '/s' },
  { key: 'new.share', id: 'P5', measure: 'new Placements, as a share of the bare client', unit: '', atLeast: 0.85 },
  { key: 'scrape.cpu', id: 'P4', measure: 'a scrape of the metrics: CPU', unit: 'ms' },
  {
    key: 'scrape.loop',
    id: 'P4',
    measure: 'the same: longest delay of the event loop',
    unit: 'ms',
    atMost: 20,
  },
  { key: 'scored.cpu', id: '', measure: 'as flip, with five coordinates and two constraints: CPU', unit: 'ms' },
  { key: 'scored.share', id: '', measure: 'the same, as a multiple of flip', unit: '', atMost: 1.5 },
  { key: 'scored.p50', id: '', measure: 'the same: label to decision, p50', unit: 'ms' },
  { key: 'scored.moved', id: '', measure: 'the same: other decisions that moved', unit: '', atMost: 0 },
  { key: 'scored.reconciles', id: '', measure: 'the same: reconciles', unit: '', atMost: 1 },
  { key: 'scored.writes', id: '', measure: 'the same: writes', unit: '', atMost: 2 },
  { key: 'price.cpu', id: '', measure: 'a claim of a score, many at once: CPU each', unit: 'ms' },
  { key: 'price.share', id: '', measure: 'the same, as a multiple of a status', unit: '', atMost: 1.2 },
  { key: 'price.reconciles', id: '', measure: 'the same: reconciles in all', unit: '', atMost: 0 },
  { key: 'price.writes', id: '', measure: 'the same: writes in all', unit: '', atMost: 0 },
  { key: 'rebalance.cpu', id: '', measure: 'the same, of Placements that may move: CPU each', unit: 'ms' },
  { key: 'rebalance.share', id: '', measure: 'the same, as a multiple of a status', unit: '', atMost: 1.2 },
  {
    key: 'rebalance.reconciles',
    id: '',
    measure: 'the same: reconciles of a Placement in an interval',
    unit: '',
    atMost: 1,
  },
  { key: 'rebalance.writes', id: '', measure: 'the same: writes in all', unit: '', atMost: 0 },
  { key: 'start.decided', id: 'P5', measure: 'start until each Placement is decided', unit: 's' },
  {
    key: 'start.share',
    id: 'P5',
    measure: 'the same: Placements a second, as a share of the bare client',
    unit: '',
    atLeast: 0.85,
  },
  { key: 'start.cpu', id: 'P5', measure: 'the same, until it is quiet: CPU', unit: 's' },
  { key: 'start.writes', id: 'P5', measure: 'the same: writes a Placement', unit: '', atMost: 2 },
  { key: 'start.peak', id: 'P4', measure: 'the same: peak memory', unit: 'MiB' },
  { key: 'restart.quiet', id: 'P4', measure: 'start with all decisions, until it is quiet', unit: 's', atMost: 20 },
  { key: 'restart.cpu', id: 'P4', measure: 'the same: CPU', unit: 's' },
  { key: 'restart.writes', id: 'P4', measure: 'the same: writes', unit: '', atMost: 0 },
  { key: 'restart.loop', id: 'P4', measure: 'the same: longest delay of the event loop', unit: 'ms', atMost: 20 },
  { key: 'restart.later', id: 'P4', measure: 'the same: second longest delay', unit: 'ms', atMost: 20 },
  { key: 'memory.peak', id: 'P4', measure: 'the same: peak memory', unit: 'MiB' },
  { key: 'memory.collected', id: 'P4', measure: 'the same: memory after a collection', unit: 'MiB' },
  { key: 'memory.heap', id: 'P4', measure: 'the same: heap after a collection', unit: 'MiB' },
  { key: 'idle.cpu', id: 'P4', measure: 'while nothing happens: CPU a second', unit: 'ms' },
];

/** Limits of the peak memory, MiB, by the size of the fleet: 90 and 400 MB. */
const PEAK_LIMITS: readonly (readonly [FleetSize, number])[] = [
  [{ clusters: 1_000, placements: 1_000 }, 85.83],
  [{ clusters: 10_000, placements: 10_000 }, 381.5],
];

export interface PlacementBenchOptions {
  readonly server: string;
  /** Each run has a fleet, a server and a controller of its own. */
  readonly runs: number;
  /** The file of the program; default: the compiled one. */
  readonly main?: string;
  readonly rows?: readonly RowName[];
  readonly effort?: Effort;
  readonly profiles?: string | undefined;
}

const PARSED = 5_000;

/** CPU time of one JSON.parse of a cluster as it is stored, µs: how fast the machine is, to compare results by. */
function parseUs(): number {
  const text = JSON.stringify(storedCluster(1, 1, 0));
  const before = process.cpuUsage();
  for (let one = 0; one < PARSED; one++) JSON.parse(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / PARSED;
}

/** P1 to P7 for a fleet of this size. */
export async function placementFigures(
  size: FleetSize,
  { server, runs, main = COMPILED, rows = ROW_NAMES, effort = FULL, profiles }: PlacementBenchOptions,
): Promise<readonly Figure[]> {
  const measured: Values[] = [];
  for (let run = 1; run <= runs; run++) {
    const say = (what: string): void =>
      void process.stderr.write(`${size.clusters} x ${size.placements}, run ${run} of ${runs}: ${what}\n`);
    measured.push(await measureWorld({ size, server, effort, main, profiles }, rows, say));
  }
  const values = valuesByFigure(measured);
  return FIGURES.flatMap((row) => {
    const found = values.get(row.key);
    return found === undefined ? [] : [{ ...row, ...limitOf(row.key, size), values: found }];
  });
}

async function measureWorld(
  options: WorldOptions,
  rows: readonly RowName[],
  say: (what: string) => void,
): Promise<Values> {
  say('seeding');
  const world = await World.open(options);
  try {
    const values: Record<string, number | undefined> = { 'machine.parse': parseUs() };
    say('start');
    Object.assign(values, await firstStart(world));
    say('restart');
    Object.assign(values, await restart(world));
    values['idle.cpu'] = await world.measureIdle();
    for (const row of rows) {
      say(row);
      Object.assign(values, await ROWS[row](world));
    }
    values['scored.share'] = ratio(values['scored.cpu'], values['flip.cpu']);
    values['price.share'] = ratio(values['price.cpu'], values['heartbeat.cpu']);
    values['rebalance.share'] = ratio(values['rebalance.cpu'], values['heartbeat.cpu']);
    await world.stopController();
    if (rows.includes('new')) {
      say('bare client');
      const { 'bare.rate': bare } = await bareRate(world);
      const { 'new.rate': own, 'start.decided': seconds } = values;
      Object.assign(values, {
        'bare.rate': bare,
        'new.share': own && bare && own / bare,
        'start.share': seconds && bare && options.size.placements / seconds / bare,
      });
    }
    return values;
  } finally {
    await world.close();
  }
}

function ratio(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other;
}

function limitOf(key: string, size: FleetSize): Pick<Figure, 'atMost'> {
  if (key !== 'memory.peak' && key !== 'start.peak') return {};
  const limit = PEAK_LIMITS.find(([of]) => of.clusters === size.clusters && of.placements === size.placements)?.[1];
  return limit === undefined ? {} : { atMost: limit };
}
