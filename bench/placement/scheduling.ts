import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { compileSpec, type PlacementRules, namedFacts } from '../../src/domain/placement/spec/predicates.js';
import { clusterView } from '../../src/domain/placement/spec/cluster.js';
import { explain } from '../../src/domain/placement/explain/explain.js';
import { scoreExplainer } from '../../src/domain/placement/explain/scores.js';
import { schedule } from '../../src/domain/placement/select/schedule.js';
import type { ClusterView, PlacementSnapshot } from '../../src/domain/placement/select/snapshot.js';
import { PlacementIndex } from '../../src/operator/index/placementindex.js';
import type { Reading } from '../../src/operator/index/reading.js';
import { valuesByFigure, type Values } from './values.js';

/**
 * What preferring and spreading cost in one large decision and its explanation, each beside the same without, in one process and
 * one run. What they cost a running controller are the rows `scored` and `price` of the benches of a fleet.
 */

/** How much is done for each figure. */
interface SchedulingEffort {
  readonly runs: number;
  readonly candidates: number;
}

const FULL: SchedulingEffort = { runs: 5, candidates: 10_000 };
/** How often work is done before it is measured, since V8 compiles what runs often, and how often it is measured. */
const [WARM, MEASURED] = [20, 10];

const KEY = 'team/web';
const FACTS = ['allocatable/cpu', 'allocatable/memory'];
const WANTED = 100;
const PLAIN = { numberOfClusters: WANTED };
const PRICE = { type: 'Claim', claim: { name: 'price/per-hour', order: 'Ascending' } };
const FIVE = [
  { scoreCoordinate: PRICE, weight: 3 },
  { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' } },
  { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableMemory' } },
  { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { provider: 'p-1' } } } } },
  { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
];
/** Ten regions, thirty zones. */
const TWO = ['region', 'zone'].map((topologyKey) => ({
  topologyKey,
  topologyKeyType: 'Claim',
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
}));
const SCORED = { ...PLAIN, prioritizerPolicy: { configurations: FIVE } };
const ALL = { ...SCORED, spreadPolicy: { spreadConstraints: TWO } };

const CHANGES = 2_000;
const EXPRESSION =
  "managedCluster.metadata.labels['tier'] == 'gold' && " +
  "managedCluster.status.clusterClaims.exists(c, c.name == 'region' && c.value.startsWith('r-'))";

/** Cluster `index` as the API has it; `change` is another value of a claim. */
function raw(index: number, change = 0): Parameters<typeof clusterView>[0] {
  return {
    metadata: {
      name: `cluster-${index}`,
      labels: { provider: `p-${index % 4}`, 'cluster.fleetmgmt.io/clusterset': 'all', tier: 'gold' },
    },
    spec: {},
    status: {
      clusterClaims: [
        { name: 'region', value: `r-${index % 10}` },
        { name: 'zone', value: `z-${index % 30}` },
        { name: 'price/per-hour', value: `0.${1_000 + ((index * 7_919 + change) % 9_000)}` },
      ],
      allocatable: { cpu: String(4 + (index % 60)), memory: `${16 + (index % 200)}Gi` },
    },
  };
}

/** An index of so many clusters and one Placement. */
class Fleet {
  readonly #index = new PlacementIndex();
  readonly #rules: PlacementRules;

  constructor(spec: object, candidates: number) {
    this.#rules = compileSpec(spec);
    if (this.#rules.problem !== undefined) throw new Error(JSON.stringify(this.#rules.problem));
    const facts = namedFacts(this.#rules);
    this.#index.upsertSet({ name: 'all', deleting: false, selector: { kind: 'exclusive' } });
    this.#index.upsertBinding('team', { name: 'all', clusterSet: 'all', deleting: false });
    for (let number = 0; number < candidates; number++) this.#index.upsertCluster(clusterView(raw(number), facts));
    this.#index.upsertPlacement(KEY, { namespace: 'team', rules: this.#rules });
  }

  upsert(view: ClusterView): void {
    this.#index.upsertCluster(view);
  }

  read(): Reading {
    const reading = this.#index.begin(KEY);
    if (reading === undefined) throw new Error(`no Placement ${KEY}`);
    return reading;
  }
}

function snapshotOf(reading: Reading): PlacementSnapshot {
  const { rules, bindings, sets, candidates, othersSelecting } = reading;
  return {
    placement: {
      namespace: 'team',
      name: 'web',
      uid: 'web',
      generation: 1,
      rules,
      release: undefined,
      releasedAdditions: undefined,
      status: undefined,
    },
    bindings,
    sets,
    timedSets: [],
    candidates,
    selected: reading.clusters([]),
    othersSelecting,
    stored: [],
    published: undefined,
    definitions: undefined,
    now: 0,
  };
}

/** CPU time of `work` in a process that has done it some times, ms: the collection of what it leaves is part of it. */
function cpuMs(work: () => void): number {
  for (let run = 0; run < WARM; run++) work();
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let run = 0; run < MEASURED; run++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / MEASURED;
}

/** A first decision among all candidates, from the reading of the index on: ms. */
function decision(spec: object, candidates: number): number {
  const fleet = new Fleet(spec, candidates);
  return cpuMs(() => {
    const { fates } = schedule(snapshotOf(fleet.read()));
    if (fates.size !== WANTED) throw new Error(`the decision has ${fates.size} clusters`);
  });
}

/** The explanation of all candidates, with each score: ms. */
function explanation(spec: object, candidates: number): number {
  const fleet = new Fleet(spec, candidates);
  return cpuMs(() => {
    const reading = fleet.read();
    const readable = { fleet: true, decisions: true };
    const explained = explain({ snapshot: snapshotOf(reading), members: reading.members(), readable });
    const scoreOf = scoreExplainer(explained);
    for (const one of explained.clusters) scoreOf(one);
  });
}

/** What a change of a cluster costs an index that evaluates an expression, beyond one that does not: µs. */
function expressionUs(candidates: number): number {
  const changed = Array.from({ length: CHANGES }, (_, index) => clusterView(raw(index % candidates, index + 1), 'all'));
  const changesIn = (requiredClusterSelector: object): number => {
    const fleet = new Fleet({ ...PLAIN, predicates: [{ requiredClusterSelector }] }, candidates);
    // The first reading evaluates all clusters.
    fleet.read();
    const before = process.cpuUsage();
    for (const view of changed) fleet.upsert(view);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CHANGES;
  };
  const gold = { labelSelector: { matchLabels: { tier: 'gold' } } };
  changesIn(gold);
  return changesIn({ celSelector: { celExpressions: [EXPRESSION] } }) - changesIn(gold);
}

/** Heap that a cluster takes for each fact that a Placement names, bytes. */
function bytesOfFact(candidates: number): number {
  const clusters = Array.from({ length: candidates }, (_, index) => raw(index));
  const sizeWith = (facts: ReadonlySet<string>): number => {
    const before = heap();
    const views = clusters.map((cluster) => clusterView(cluster, facts));
    const after = heap();
    return views.length === candidates ? after - before : NaN;
  };
  sizeWith(new Set());
  return (sizeWith(new Set(FACTS)) - sizeWith(new Set())) / candidates / FACTS.length;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const ROWS = [
  { key: 'decision.plain', measure: 'one decision of 100 among 10,000 candidates: CPU', unit: 'ms' },
  { key: 'decision.scored', measure: 'the same, five coordinates', unit: 'ms' },
  { key: 'decision.all', measure: 'the same, and two constraints', unit: 'ms', atMost: 15 },
  { key: 'explain.plain', measure: 'the explanation of 10,000 candidates: CPU', unit: 'ms' },
  { key: 'explain.scored', measure: 'the same, with five coordinates', unit: 'ms', atMost: 150 },
  { key: 'cel.cluster', measure: 'an expression of CEL for one changed cluster: CPU', unit: 'µs', atMost: 50 },
  { key: 'memory.fact', measure: 'heap a cluster and fact that a Placement names', unit: 'B', atMost: 64 },
] as const;

/** What scores and spread cost in one large decision, its explanation, and the memory of facts. */
export function schedulingFigures({ runs, candidates }: SchedulingEffort = FULL): readonly Figure[] {
  const measured = Array.from({ length: runs }, (): Values => ({
    'decision.plain': decision(PLAIN, candidates),
    'decision.scored': decision(SCORED, candidates),
    'decision.all': decision(ALL, candidates),
    'explain.plain': explanation(PLAIN, candidates),
    'explain.scored': explanation(SCORED, candidates),
    'cel.cluster': expressionUs(candidates),
    'memory.fact': bytesOfFact(candidates),
  }));
  const values = valuesByFigure(measured);
  return ROWS.map((row) => ({ ...row, id: '', values: values.get(row.key) ?? [] }));
}
