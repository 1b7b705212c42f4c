import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ClusterTaint, ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { Placement } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import type { KubeObject } from '../../../../src/api/meta.js';
import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import {
  apiVersionOf,
  CustomResourceDefinitions,
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../../src/api/resources.js';
import { decisionObject } from '../../../../src/domain/placement/decision.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import { FakeApi } from '../../fakes/api.js';
import { Killed, PlacementProcess, type Death, type WriteObserver } from './placementprocess.js';

/**
 * A model of the disruption budget: random histories of a fleet with one Placement, reconciled by the controller's own code
 * on an API in memory. What is true at a write is computed from the objects of the API alone.
 */

const WINDOW_SECONDS = 60;
const START = Date.parse('2026-11-22T10:00:00.250Z');
const NAMESPACE = 'team';
const PLACEMENT = { namespace: NAMESPACE, name: 'web' };
const CLUSTERS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'] as const;
/** What the decision holds at the beginning: several objects, so that one change takes several writes. */
const DECIDED = [['c0', 'c1', 'c2'], ['c3', 'c4'], ['c5']] as const;

type Change =
  | { readonly kind: 'tier'; readonly clusters: readonly string[]; readonly gold: boolean }
  | { readonly kind: 'set'; readonly clusters: readonly string[]; readonly member: boolean }
  | { readonly kind: 'taint'; readonly clusters: readonly string[]; readonly tainted: boolean }
  | { readonly kind: 'delete' | 'terminate' | 'create'; readonly cluster: string }
  | { readonly kind: 'binding' | 'setExists'; readonly there: boolean }
  | { readonly kind: 'budget'; readonly maxRemovals: number | string }
  | { readonly kind: 'wanted'; readonly clusters: number | undefined }
  | { readonly kind: 'release'; readonly seconds: number; readonly names: string };

/** Changes that are reconciled together, after some time has passed; a negative time is a clock that is set back. */
interface Step {
  readonly passedMs: number;
  readonly changes: readonly Change[];
}

export interface History {
  readonly maxRemovals: number | string;
  readonly wanted: number | undefined;
  readonly steps: readonly Step[];
}

const someNames = fc.subarray([...CLUSTERS], { minLength: 1, maxLength: 4 });
const someName = fc.constantFrom(...CLUSTERS);
const someBudget = fc.constantFrom(0, 1, 2, 3, '0%', '20%', '34%', '50%', '100%');
const someWanted = fc.constantFrom(undefined, undefined, 0, 2, 4, 5, 6, 7);
const someChange: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('tier' as const), clusters: someNames, gold: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('set' as const), clusters: someNames, member: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('taint' as const), clusters: someNames, tainted: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('delete', 'terminate', 'create'), cluster: someName }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('binding', 'setExists'), there: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('budget' as const), maxRemovals: someBudget }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wanted' as const), clusters: someWanted }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      seconds: fc.constantFrom(-5, 5, 50),
      names: fc.oneof(
        fc.constant('*'),
        someNames.map((names) => names.join(',')),
      ),
    }),
  },
);
const someTime = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(59_000, 60_000, 61_000, 3_600_000) },
  { weight: 1, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
);

export const someHistory: fc.Arbitrary<History> = fc.record({
  maxRemovals: someBudget,
  wanted: someWanted,
  steps: fc.array(fc.record({ passedMs: someTime, changes: fc.array(someChange, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
});

/** What a run ends in, for comparison: decisions with their records, and conditions without their times. */
interface Played {
  readonly writes: number;
  readonly crashes: number;
  readonly end: unknown;
}

/** When the processes of a run end, each followed at once by the next; undefined: it lives on. */
type Deaths = (process: number) => Death | undefined;

const NEVER: Deaths = () => undefined;
/** Each process ends with its first write, which is stored: its answer is lost. */
const AFTER_EACH: Deaths = () => ({ write: 1, phase: 'after' });
/** Each process ends before its second write. */
const BEFORE_EACH: Deaths = () => ({ write: 2, phase: 'before' });

/** Plays a history undisturbed, and with crashes at all writes: each run ends alike. Returns the number of crashes. */
export async function playWithCrashes(history: History): Promise<number> {
  const { end } = await play(history, NEVER);
  let sum = 0;
  for (const deaths of [AFTER_EACH, BEFORE_EACH]) {
    const run = await play(history, deaths);
    assert.deepEqual(run.end, end);
    sum += run.crashes;
  }
  return sum;
}

/** As {@link playWithCrashes}, with one crash in each run: at every write, stored or not. */
export async function playWithSingleCrashes(history: History): Promise<number> {
  const { end, writes } = await play(history, NEVER);
  let sum = 0;
  for (let write = 1; write <= writes; write++) {
    for (const phase of ['before', 'after'] as const) {
      const run = await play(history, (process) => (process === 0 ? { write, phase } : undefined));
      assert.equal(run.crashes, 1);
      assert.deepEqual(run.end, end);
      sum += run.crashes;
    }
  }
  return sum;
}

/** Plays a history with the real reconcile, and checks every write. */
async function play(history: History, deaths: Deaths): Promise<Played> {
  const world = new World(history);
  let process = world.process(deaths(0));
  let writes = 0;
  let crashes = 0;
  const survived = async (): Promise<boolean> => {
    try {
      await process.run();
      return true;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      return false;
    }
  };
  for (const step of [undefined, ...history.steps]) {
    if (step !== undefined) world.take(step);
    while (!(await survived())) {
      crashes += 1;
      writes += process.writes;
      process = world.process(deaths(crashes));
    }
    world.checkRest();
  }
  return { writes: writes + process.writes, crashes, end: world.end() };
}

interface Removal {
  /** Ms since the epoch, by the wall clock. */
  readonly at: number;
  readonly clusters: number;
}

/** The removals of the window before `now`, and those of the future. */
function sumOf(removals: readonly Removal[], now: number): number {
  const counted = removals.filter(({ at }) => now < at + WINDOW_SECONDS * 1_000);
  return counted.reduce((sum, { clusters }) => sum + clusters, 0);
}

/** The fleet, the clock and the checks of one run. */
class World implements WriteObserver {
  readonly #api: FakeApi;
  readonly #clock: Clock;
  #now = START;
  /** The latest time so far. What ran out once has left the records: a clock that is set back does not bring it back. */
  #latest = START;
  /** Those that counted. */
  readonly #removals: Removal[] = [];
  #union: ReadonlySet<string> = new Set();
  /** How many clusters may leave uncounted in this pass since the decision is too large, and what the budget allows. */
  #pass = { surplus: 0, allowed: 0, heldBefore: false };

  constructor({ maxRemovals, wanted }: History) {
    this.#clock = {
      now: () => this.#now,
      monotonic: () => 0,
      after: () => ({ cancel: () => {} }),
    };
    this.#api = new FakeApi(this.#clock);
    for (const type of [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings]) {
      const metadata = { name: `${type.plural}.${type.group}`, creationTimestamp: '2025-06-01T00:00:00Z' };
      this.#api.put<KubeObject>(CustomResourceDefinitions, {
        apiVersion: apiVersionOf(CustomResourceDefinitions),
        metadata,
      });
    }
    this.#change({ kind: 'setExists', there: true });
    this.#change({ kind: 'binding', there: true });
    for (const name of CLUSTERS) this.#cluster(name, { [CLUSTER_SET_LABEL]: 'fleet', tier: 'gold' });
    this.#place({ maxRemovals, wanted });
    const { uid = '' } = this.#placement().metadata;
    DECIDED.forEach((clusters, index) => {
      this.#api.put<PlacementDecision>(PlacementDecisions, decisionObject({ ...PLACEMENT, uid }, index + 1, clusters));
    });
  }

  process(death: Death | undefined): PlacementProcess {
    return new PlacementProcess({ api: this.#api, clock: this.#clock, death, observer: this });
  }

  take({ passedMs, changes }: Step): void {
    this.#now += passedMs;
    this.#latest = Math.max(this.#latest, this.#now);
    for (const change of changes) this.#change(change);
  }

  pass(): void {
    this.#union = this.#decided();
    const present = [...this.#union].filter((name) => this.#state(name) !== 'leaves');
    const { wanted = Infinity } = this.#spec();
    const base = Math.min(present.length + this.#recorded(), wanted);
    this.#pass = {
      surplus: Math.max(present.length - wanted, 0),
      allowed: this.#allowed(base),
      heldBefore: this.#isHeld(),
    };
  }

  /** After each write: what left, and whether it may. */
  wrote(): void {
    const before = this.#union;
    this.#union = this.#decided();
    const left = [...before].filter((name) => !this.#union.has(name));
    const failing = left.filter((name) => this.#state(name) === 'fails').length;
    const uncounted = Math.min(this.#pass.surplus, failing);
    const clusters = failing - uncounted;
    this.#pass.surplus -= uncounted + left.filter((name) => this.#state(name) === 'passes').length;
    if (clusters === 0) return;
    assert.equal(this.#pass.heldBefore, false, 'a cluster left while its removal was held');
    this.#removals.push({ at: this.#now, clusters });
    const sum = sumOf(this.#removals, this.#latest);
    assert.ok(sum <= this.#pass.allowed, `${sum} removals in a window, ${this.#pass.allowed} allowed`);
  }

  /** When nothing is to be done any more: a failing cluster stays only while the condition says so, and the reverse. */
  checkRest(): void {
    const failing = [...this.#decided()].filter((name) => this.#state(name) === 'fails');
    const leaving = [...this.#decided()].filter((name) => this.#state(name) === 'leaves');
    assert.deepEqual(leaving, []);
    assert.equal(this.#isHeld(), failing.length > 0);
    const condition = this.#conditions().find(({ type }) => type === 'RemovalsHeld');
    if (failing.length > 0) assert.ok(condition?.message.includes(`held: ${[...failing].sort()[0]}`) === true);
  }

  end(): unknown {
    const decisions = this.#api.all<PlacementDecision>(PlacementDecisions).map(({ metadata, status }) => {
      return { name: metadata.name, annotations: metadata.annotations, decisions: status.decisions };
    });
    const conditions = this.#conditions().map(({ lastTransitionTime: _, lastUpdateTime: __, ...rest }) => rest);
    return { decisions, conditions };
  }

  /** By the objects of now: whether a cluster passes every rule, fails one and counts, or leaves in any case. */
  #state(name: string): 'passes' | 'fails' | 'leaves' {
    const cluster = this.#api.peek<ManagedCluster>(ManagedClusters, { name });
    if (cluster !== undefined && cluster.metadata.deletionTimestamp === undefined && this.#isFitting(cluster))
      return 'passes';
    const [until = '', names = ''] = (
      this.#placement().metadata.annotations?.['cluster.fleetmgmt.io/allow-removals'] ?? '/'
    ).split('/');
    const isReleased = this.#now < Date.parse(until) && (names === '*' || names.split(',').includes(name));
    return isReleased ? 'leaves' : 'fails';
  }

  #isFitting({ metadata: { labels = {} }, spec }: ManagedCluster): boolean {
    const bound =
      this.#api.peek(ManagedClusterSets, { name: 'fleet' }) !== undefined &&
      this.#api.peek(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' }) !== undefined;
    const isTainted = (spec.taints ?? []).length > 0;
    return bound && labels[CLUSTER_SET_LABEL] === 'fleet' && labels['tier'] === 'gold' && !isTainted;
  }

  /** What the stored records say of the window. */
  #recorded(): number {
    const objects = this.#api.all<PlacementDecision>(PlacementDecisions);
    const records = objects.map(({ metadata }) => metadata.annotations?.['cluster.fleetmgmt.io/removals'] ?? '{}');
    const entries = records.flatMap((text) => Object.entries(JSON.parse(text) as Record<string, number>));
    return sumOf(
      entries.map(([time, clusters]) => ({ at: Date.parse(time), clusters })),
      this.#now,
    );
  }

  #allowed(base: number): number {
    const { maxRemovals } = this.#spec();
    return typeof maxRemovals === 'number' ? maxRemovals : Math.ceil((base * Number.parseInt(maxRemovals, 10)) / 100);
  }

  #decided(): ReadonlySet<string> {
    const objects = this.#api.all<PlacementDecision>(PlacementDecisions);
    const names = objects.flatMap(({ status }) => status.decisions.map((one) => one.clusterName));
    assert.equal(new Set(names).size, names.length, 'a cluster stands in two objects');
    return new Set(names);
  }

  #conditions(): NonNullable<NonNullable<Placement['status']>['conditions']> {
    return this.#placement().status?.conditions ?? [];
  }

  #isHeld(): boolean {
    const { generation } = this.#placement().metadata;
    return this.#conditions().some(
      (one) => one.type === 'RemovalsHeld' && one.status === 'True' && one.observedGeneration === generation,
    );
  }

  #placement(): Placement {
    const found = this.#api.peek<Placement>(Placements, PLACEMENT);
    assert.ok(found);
    return found;
  }

  #spec(): { readonly maxRemovals: number | string; readonly wanted: number | undefined } {
    const { disruptionBudget, numberOfClusters } = this.#placement().spec;
    return { maxRemovals: disruptionBudget?.maxRemovals ?? 0, wanted: numberOfClusters };
  }

  #place({ maxRemovals, wanted }: { maxRemovals: number | string; wanted: number | undefined }): void {
    const stored = this.#api.peek<Placement>(Placements, PLACEMENT);
    const predicate = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
    const status = stored?.status ?? { observedGeneration: -1 };
    this.#api.put<Placement>(Placements, {
      metadata: { ...PLACEMENT },
      spec: {
        predicates: [predicate],
        disruptionBudget: { maxRemovals, windowSeconds: WINDOW_SECONDS },
        ...(wanted === undefined ? {} : { numberOfClusters: wanted }),
      },
      status,
    });
  }

  #cluster(name: string, labels: Readonly<Record<string, string>>): void {
    this.#api.put<ManagedCluster>(ManagedClusters, { metadata: { name, labels }, spec: {}, status: {} });
  }

  #relabel(name: string, labels: Readonly<Record<string, string>>): void {
    const stored = this.#api.peek<ManagedCluster>(ManagedClusters, { name });
    if (stored !== undefined) this.#cluster(name, { ...stored.metadata.labels, ...labels });
  }

  #change(change: Change): void {
    const api = this.#api;
    switch (change.kind) {
      case 'tier':
        for (const name of change.clusters) this.#relabel(name, { tier: change.gold ? 'gold' : 'silver' });
        return;
      case 'set':
        for (const name of change.clusters)
          this.#relabel(name, { [CLUSTER_SET_LABEL]: change.member ? 'fleet' : 'other' });
        return;
      case 'taint':
        for (const name of change.clusters) this.#taint(name, change.tainted);
        return;
      case 'delete':
        return api.remove(ManagedClusters, { name: change.cluster });
      case 'terminate':
        return this.#terminate(change.cluster);
      case 'create':
        if (api.peek(ManagedClusters, { name: change.cluster }) === undefined)
          this.#cluster(change.cluster, { [CLUSTER_SET_LABEL]: 'fleet', tier: 'gold' });
        return;
      case 'setExists':
        if (change.there)
          api.put<KubeObject & { spec: object }>(ManagedClusterSets, { metadata: { name: 'fleet' }, spec: {} });
        else api.remove(ManagedClusterSets, { name: 'fleet' });
        return;
      case 'binding':
        return this.#bind(change.there);
      case 'budget':
        return this.#place({ ...this.#spec(), maxRemovals: change.maxRemovals });
      case 'wanted':
        return this.#place({ ...this.#spec(), wanted: change.clusters });
      case 'release':
        return this.#release(change);
    }
  }

  #taint(name: string, tainted: boolean): void {
    const stored = this.#api.peek<ManagedCluster>(ManagedClusters, { name });
    if (stored === undefined) return;
    const taints: ClusterTaint[] = tainted ? [{ key: 'maintenance', effect: 'NoSelect' }] : [];
    this.#api.put(ManagedClusters, { ...stored, spec: { taints } });
  }

  #terminate(name: string): void {
    const stored = this.#api.peek<ManagedCluster>(ManagedClusters, { name });
    if (stored === undefined) return;
    const metadata = { ...stored.metadata, deletionTimestamp: '2026-11-22T00:00:00Z', finalizers: ['example.com/x'] };
    this.#api.put(ManagedClusters, { ...stored, metadata });
  }

  #bind(there: boolean): void {
    const metadata = { namespace: NAMESPACE, name: 'fleet' };
    if (there)
      this.#api.put<KubeObject & { spec: object }>(ManagedClusterSetBindings, {
        metadata,
        spec: { clusterSet: 'fleet' },
      });
    else this.#api.remove(ManagedClusterSetBindings, metadata);
  }

  #release({ seconds, names }: { readonly seconds: number; readonly names: string }): void {
    const stored = this.#placement();
    const until = new Date(this.#now + seconds * 1_000).toISOString();
    const annotations = { 'cluster.fleetmgmt.io/allow-removals': `${until}/${names}` };
    this.#api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, annotations } });
  }
}
