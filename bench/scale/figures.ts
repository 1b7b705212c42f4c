import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import {
  boundSets,
  clusterEvent,
  namespaceCount,
  namespaceOf,
  placementText,
  setCount,
  setName,
  takingLabel,
  type HubSize,
} from './hub.js';
import { Replica } from './replica.js';

/** A hub beyond one machine: what one process holds and computes of it, and what each of several replicas does. */
export const LARGEST: HubSize = { clusters: 100_000, placements: 100_000 };
const REPLICAS = [1, 4, 16] as const;
/** How many changes of each sort are measured. */
const CHANGES = 1_000;
const UNNAMED = 'fleet.example.com/note';

type Values = Record<string, number>;

const ROWS = [
  ['event', 'bytes of one event of a cluster', 'B'],
  ['cluster.cpu', 'a cluster, parsed and stored: CPU', 'µs'],
  ['cluster.heap', 'the same: heap', 'B'],
  ['placement.cpu', 'a Placement, parsed and stored: CPU', 'µs'],
  ['decision.cpu', 'its first decision: CPU without that of the requests', 'µs'],
  ['placement.heap', 'a Placement with its decision: heap', 'B'],
  ['heartbeat.cpu', 'a status of a cluster of which selection reads nothing: CPU', 'µs'],
  ['miss.cpu', 'a label that no Placement names: CPU', 'µs'],
  ['flip.cpu', 'a label that a hundred Placements name: CPU, decisions included', 'µs'],
  ['flip.reconciles', 'the same: reconciles', ''],
  ['flip.writes', 'the same: writes', ''],
  ['new.cpu', 'a new cluster: CPU, decisions included', 'µs'],
  ['heap', 'heap with all of it', 'MiB'],
  ['start.cpu', 'all events of a start, and all decisions: CPU', 's'],
] as const;

export function scaleFigures(size: HubSize = LARGEST): Promise<readonly Figure[]> {
  const figures = REPLICAS.flatMap((replicas) => {
    process.stderr.write(`scale: ${size.clusters} x ${size.placements}, one of ${replicas} replicas\n`);
    const values = replicaValues(size, replicas);
    return ROWS.map(([key, what, unit]): Figure => {
      const measure = replicas === 1 ? what : `one of ${replicas} replicas: ${what}`;
      return { id: 'P14', key: `${replicas}.${key}`, measure, unit, values: [values[key] ?? Number.NaN] };
    });
  });
  // The most is that of one process for all: it is measured first.
  const memory = process.resourceUsage().maxRSS / 1024;
  const measure = 'memory of the process at the most, with all of it and the texts of a thousand events';
  return Promise.resolve([...figures, { id: 'P14', key: 'memory', measure, unit: 'MiB', values: [memory] }]);
}

/** What one of `replicas` costs that have divided the namespaces among them; all of them hold all clusters. */
function replicaValues(size: HubSize, replicas: number): Values {
  const replica = new Replica();
  for (let set = 0; set < setCount(size); set++)
    replica.index.upsertSet({ name: setName(set), deleting: false, selector: { kind: 'exclusive' } });
  const own = (namespace: number): boolean => namespace % replicas === 0;
  bind(replica, size, own);
  const empty = heapBytes();
  const clusters = fed(
    Array.from({ length: size.clusters }, (_, index) => index),
    (index) => clusterEvent(index, 0),
    (text) => replica.receiveCluster(text),
  );
  const withClusters = heapBytes();
  const indexes = Array.from({ length: size.placements }, (_, index) => index).filter((index) =>
    own(namespaceOf(index, size)),
  );
  const placements = fed(
    indexes,
    (index) => placementText(index, size),
    (text) => replica.receivePlacement(text),
  );
  replica.index.tracking = true;
  const keys = indexes.map((index) => `team-${namespaceOf(index, size)}/web-${index}`);
  const decisions = cost(() => {
    for (const key of keys) replica.decide(key);
  });
  const full = heapBytes();
  return {
    event: clusterEvent(0, 0).length,
    'cluster.cpu': clusters / size.clusters,
    'cluster.heap': (withClusters - empty) / size.clusters,
    'placement.cpu': placements / keys.length,
    'decision.cpu': decisions / keys.length,
    'placement.heap': (full - withClusters) / keys.length,
    ...changeValues(replica, size, indexes),
    heap: (full - empty) / 2 ** 20,
    'start.cpu': (clusters + placements + decisions) / 1e6,
  };
}

function bind({ index }: Replica, size: HubSize, own: (namespace: number) => boolean): void {
  for (let number = 0; number < namespaceCount(size); number++)
    for (const clusterSet of own(number) ? boundSets(number, size) : [])
      index.upsertBinding(`team-${number}`, { name: clusterSet, clusterSet, deleting: false });
}

/** What single changes cost, once everything is decided. */
function changeValues(replica: Replica, size: HubSize, placements: readonly number[]): Values {
  const changes = Array.from({ length: CHANGES }, (_, change) => change);
  const spread = (change: number): number => (change * 61) % size.clusters;
  let reconciles = 0;
  const receive = (line: string): void => {
    for (const key of replica.receiveCluster(line)) {
      replica.decide(key);
      reconciles += 1;
    }
  };
  const each = (textOf: (change: number) => string): number => fed(changes, textOf, receive) / CHANGES;
  const heartbeat = each((change) => clusterEvent(spread(change), 1));
  const miss = each((change) => clusterEvent(spread(change), 1, { [UNNAMED]: 'x' }));
  if (reconciles > 0) throw new Error(`scale: ${reconciles} reconciles for changes that concern no Placement`);
  const before = replica.writes;
  const flip = each((change) => {
    const index = placements[(change * 37) % placements.length] ?? 0;
    const [taken = ''] = replica.selected(`team-${namespaceOf(index, size)}/web-${index}`);
    return clusterEvent(Number(taken.replace('cluster-', '')), 1, { [takingLabel(index)]: 'true' });
  });
  const flipped = { reconciles: reconciles / CHANGES, writes: (replica.writes - before) / CHANGES };
  const created = each((change) => clusterEvent(size.clusters + change, 0));
  return {
    'heartbeat.cpu': heartbeat,
    'miss.cpu': miss,
    'flip.cpu': flip,
    'flip.reconciles': flipped.reconciles,
    'flip.writes': flipped.writes,
    'new.cpu': created,
  };
}

const BATCH = 1_000;

/** CPU time for `receive` of the text of each number, µs; the texts are made before, a batch at a time. */
function fed(
  numbers: readonly number[],
  textOf: (number: number) => string,
  receive: (text: string) => unknown,
): number {
  let spent = 0;
  for (let from = 0; from < numbers.length; from += BATCH) {
    const texts = numbers.slice(from, from + BATCH).map(textOf);
    spent += cost(() => texts.forEach((text) => void receive(text)));
  }
  return spent;
}

/** CPU time of this process for `work`, µs. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}
