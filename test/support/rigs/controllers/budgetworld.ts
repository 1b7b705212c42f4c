import assert from 'node:assert/strict';
import type { ClusterTaint, ManagedCluster } from '../../../../src/api/generated/managedcluster.js';
import type { DisruptionBudget, Placement, PlacementStatus } from '../../../../src/api/generated/placement.js';
import type { PlacementDecision } from '../../../../src/api/generated/placementdecision.js';
import type { Condition, KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import {
  ADDITIONS_ANNOTATION,
  ALLOW_ADDITIONS_ANNOTATION,
  HISTORY_ANNOTATION,
  ALLOW_REMOVALS_ANNOTATION,
  CLUSTER_SET_LABEL,
  REMOVALS_ANNOTATION,
} from '../../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../../src/api/resources.js';
import { apiVersionOf, CustomResourceDefinitions } from '../../../../src/runtime/vocabulary/kinds.js';
import { decisionObject } from '../../../../src/domain/placement/stored/decision.js';
import { contentOf } from '../../../../src/domain/placement/stored/items.js';
import type { Clock } from '../../../../src/runtime/clock.js';
import { FakeApi } from '../../fakes/api.js';
import { PlacementProcess, type Death, type WriteObserver } from './placementprocess.js';

/**
 * A model of what bounds the changes of a decision: a fleet with one Placement, reconciled by the controller's own code on an
 * API in memory. What may leave and come in is computed from the objects of the API, and from what was there when the
 * controller was last at rest.
 */

const WINDOW_SECONDS = 60;
const DELETION_HOLD_MS = 15 * 60_000;
const START = Date.parse('2026-11-22T10:00:00.250Z');
const NAMESPACE = 'team';
const PLACEMENT = { namespace: NAMESPACE, name: 'web' };
export const CLUSTERS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'] as const;
/** What the decision holds at the beginning: several objects, so that one change takes several writes. */
const DECIDED = [['c0', 'c1', 'c2'], ['c3', 'c4'], ['c5']] as const;
const DECIDED_PHASES: readonly unknown[] = ['Held', 'Unsatisfied', 'PartiallySatisfied', 'Satisfied'];

type Bound = number | string;

export interface Budget {
  readonly maxRemovals?: Bound;
  readonly maxAdditions?: Bound;
}

export type Change =
  | { readonly kind: 'tier'; readonly clusters: readonly string[]; readonly gold: boolean }
  | { readonly kind: 'set'; readonly clusters: readonly string[]; readonly member: boolean }
  | { readonly kind: 'taint'; readonly clusters: readonly string[]; readonly tainted: boolean }
  | { readonly kind: 'delete' | 'terminate' | 'create'; readonly clusters: readonly string[] }
  | { readonly kind: 'binding' | 'setExists'; readonly there: boolean }
  /** Undefined: the budget is taken out. */
  | { readonly kind: 'budget'; readonly budget: Budget | undefined }
  | { readonly kind: 'wanted'; readonly clusters: number | undefined }
  | {
      readonly kind: 'releaseClusters' | 'releaseAdditions';
      readonly seconds: number;
      readonly names: string;
    };

/** Changes that are reconciled together, after some time has passed; a negative time is a clock that is set back. */
export interface Step {
  readonly passedMs: number;
  readonly changes: readonly Change[];
}

interface Recorded {
  /** Ms since the epoch, by the wall clock. */
  readonly at: number;
  readonly clusters: number;
}

/** Those of the window before `now`, and those of the future. */
function sumOf(records: readonly Recorded[], now: number): number {
  const counted = records.filter(({ at }) => now < at + WINDOW_SECONDS * 1_000);
  return counted.reduce((sum, { clusters }) => sum + clusters, 0);
}

function allowedBy(bound: Bound, base: number): number {
  return typeof bound === 'number' ? bound : Math.ceil((base * Number.parseInt(bound, 10)) / 100);
}

/** What one pass may do. */
interface Limits {
  /** How many clusters may leave uncounted, since the decision is too large. */
  surplus: number;
  /** How many may leave within the window; 0 while a hold goes on. */
  readonly removals: number;
  /** Whether removals are recorded: those of a tiny decision without a budget are not. */
  readonly areRecorded: boolean;
  /** How many may come in within the window, beyond what fills up; undefined without a bound. */
  readonly additions: number | undefined;
  /** Up to how many clusters an addition only fills up. */
  readonly filledTo: number;
}

/** The fleet, the clock and the checks of one run. */
export class BudgetWorld implements WriteObserver {
  readonly #api: FakeApi;
  readonly #clock: Clock;
  #now = START;
  /** The latest time so far. What ran out once has left the records: a clock that is set back does not bring it back. */
  #latest = START;
  /** Those that counted. */
  readonly #removals: Recorded[] = [];
  readonly #additions: Recorded[] = [];
  #union: ReadonlySet<string> = new Set();
  #limits: Limits = { surplus: 0, removals: 0, areRecorded: true, additions: undefined, filledTo: 0 };
  /** Whether removals are bounded by a budget; else only deletions are. */
  #isBudgeted = false;
  /** What was so when the controller was last at rest: the bounds in force, the wanted number, and the held deletions. */
  #before: { readonly budget: Budget; readonly wanted: number | undefined; readonly heldDeletions: number };

  constructor({ budget, wanted }: { readonly budget: Budget | undefined; readonly wanted: number | undefined }) {
    this.#clock = {
      now: () => this.#now,
      monotonic: () => 0,
      after: () => ({ cancel: () => {} }),
    };
    this.#api = new FakeApi(this.#clock);
    this.#before = { budget: {}, wanted: undefined, heldDeletions: 0 };
    for (const type of [ManagedClusters, ManagedClusterSets, ManagedClusterSetBindings]) {
      const metadata = { name: `${type.plural}.${type.group}`, creationTimestamp: '2025-06-01T00:00:00Z' };
      this.#api.put<KubeObject>(CustomResourceDefinitions, {
        apiVersion: apiVersionOf(CustomResourceDefinitions),
        metadata,
      });
    }
    this.#change({ kind: 'setExists', there: true });
    this.#change({ kind: 'binding', there: true });
    this.#change({ kind: 'create', clusters: CLUSTERS });
    this.#place(budget, wanted);
    const { uid = '' } = this.#placement().metadata;
    DECIDED.forEach((clusters, index) => {
      this.#api.put<PlacementDecision>(
        PlacementDecisions,
        decisionObject({ ...PLACEMENT, uid }, index + 1, contentOf(clusters)),
      );
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
    const { wanted } = this.#spec();
    const maxRemovals = this.#inForce('maxRemovals');
    this.#isBudgeted = maxRemovals !== undefined;
    const present = [...this.#union].filter((name) => this.#state(name) !== 'leaves').length;
    const base = Math.min(present + this.#recorded(REMOVALS_ANNOTATION), wanted ?? Infinity);
    this.#limits = {
      surplus: Math.max(present - (wanted ?? Infinity), 0),
      removals: maxRemovals === undefined ? this.#allowedDeletions(base) : this.#allowedRemovals(maxRemovals, base),
      areRecorded: this.#isBudgeted || (this.#status().numberOfSelectedClusters ?? Infinity) > 2,
      additions: this.#allowedAdditions(),
      filledTo: Math.min(wanted ?? Infinity, this.#before.wanted ?? 0),
    };
  }

  /** After each write: what left and came in, and whether it may. */
  wrote(): void {
    const before = this.#union;
    this.#union = this.#decided();
    const left = [...before].filter((name) => !this.#union.has(name));
    this.#checkLeft(left);
    const gained = [...this.#union].filter((name) => !before.has(name));
    this.#checkGained(gained, before.size - left.length);
  }

  /** When nothing is to be done any more: what is held is what the conditions say, and nothing else waits. */
  checkRest(): void {
    const removalsHeld = this.#condition('RemovalsHeld');
    const additionsHeld = this.#condition('AdditionsHeld');
    this.#remember(removalsHeld?.reason, additionsHeld !== undefined);
    const union = [...this.#decided()].sort();
    const failing = union.filter((name) => this.#state(name) === 'fails');
    assert.deepEqual(
      union.filter((name) => this.#state(name) === 'leaves'),
      [],
    );
    assert.equal(removalsHeld !== undefined, failing.length > 0);
    const isOfBudget = removalsHeld?.reason === 'DisruptionBudgetExceeded';
    if (removalsHeld !== undefined) {
      assert.equal(isOfBudget, this.#isBudgeted);
      assert.ok(removalsHeld.message.includes(isOfBudget ? `held: ${failing[0]}` : failing.join(', ')));
    }
    if (removalsHeld?.reason === 'ClustersDeleted') {
      assert.ok(this.#now < Date.parse(removalsHeld.lastUpdateTime) + DELETION_HOLD_MS, 'a hold does not end');
      this.#before = { ...this.#before, heldDeletions: failing.length };
    }
    const outside = CLUSTERS.filter((name) => this.#state(name) === 'passes' && !union.includes(name));
    const isRoom = union.length < (this.#spec().wanted ?? Infinity);
    assert.equal(additionsHeld !== undefined, outside.length > 0 && isRoom);
    if (additionsHeld !== undefined) assert.notEqual(this.#before.budget.maxAdditions, undefined);
    assert.equal(this.#status().phase === 'Held', (removalsHeld ?? additionsHeld) !== undefined);
  }

  end(): unknown {
    const decisions = this.#api.all<PlacementDecision>(PlacementDecisions).map(({ metadata, status }) => {
      // A process knows nothing of what was changed before it began: its history names no trigger.
      const { [HISTORY_ANNOTATION]: _history, ...annotations } = metadata.annotations ?? {};
      return { name: metadata.name, annotations, decisions: status.decisions };
    });
    const conditions = this.#conditions().map(({ lastTransitionTime: _, lastUpdateTime: __, ...rest }) => rest);
    return { decisions, conditions, basis: this.#status().basis };
  }

  #checkLeft(left: readonly string[]): void {
    const failing = left.filter((name) => this.#state(name) === 'fails').length;
    const uncounted = Math.min(this.#limits.surplus, failing);
    const clusters = failing - uncounted;
    this.#limits.surplus -= uncounted + left.filter((name) => this.#state(name) === 'passes').length;
    if (clusters === 0) return;
    if (this.#limits.areRecorded) this.#removals.push({ at: this.#now, clusters });
    const sum = sumOf(this.#removals, this.#latest);
    const { removals } = this.#limits;
    assert.ok(sum <= removals, `${sum} removals in a window, ${removals} allowed`);
  }

  /** `staying`: what the decision held before, without what left: removals are written before additions. */
  #checkGained(gained: readonly string[], staying: number): void {
    const { additions, filledTo } = this.#limits;
    const filling = Math.max(filledTo - staying, 0);
    const released = gained.filter((name) => this.#isReleased(ALLOW_ADDITIONS_ANNOTATION, name)).length;
    // At least as many: which of the released ones fill up depends on their ranks.
    const clusters = gained.length - filling - released;
    if (additions === undefined || clusters <= 0) return;
    this.#additions.push({ at: this.#now, clusters });
    const sum = sumOf(this.#additions, this.#latest);
    assert.ok(sum <= additions, `${sum} additions in a window, ${additions} allowed`);
  }

  #allowedRemovals(bound: Bound, base: number): number {
    const isFormer = this.#spec().budget?.maxRemovals === undefined;
    if (this.#isHoldContinued('RemovalsHeld', isFormer)) return 0;
    return allowedBy(bound, base);
  }

  /** Without a budget: half of the clusters, two at least; all of them once they were held for as long as they have to be. */
  #allowedDeletions(base: number): number {
    const hold = this.#condition('RemovalsHeld');
    if (hold?.reason !== 'ClustersDeleted') return Math.max(2, Math.floor(base / 2));
    const held = [...this.#union].filter((name) => this.#state(name) === 'fails').length;
    const isOver = this.#now >= Date.parse(hold.lastUpdateTime) + DELETION_HOLD_MS;
    return isOver && held <= this.#before.heldDeletions ? Infinity : 0;
  }

  #allowedAdditions(): number | undefined {
    const bound = this.#inForce('maxAdditions');
    const { phase, decisions = [] } = this.#status();
    const isFirst = decisions.length === 0 && !DECIDED_PHASES.includes(phase);
    if (bound === undefined || isFirst) return undefined;
    if (this.#isHoldContinued('AdditionsHeld', this.#spec().budget?.maxAdditions === undefined)) return 0;
    return allowedBy(bound, Math.max(this.#union.size - this.#recorded(ADDITIONS_ANNOTATION), 1));
  }

  /** A hold goes on for the spec that it was written for; that of a bound which was taken out, whatever is edited. */
  #isHoldContinued(type: string, isFormer: boolean): boolean {
    const { generation } = this.#placement().metadata;
    const hold = this.#condition(type);
    if (hold === undefined) return false;
    return hold.observedGeneration === generation || (isFormer && hold.reason === 'DisruptionBudgetExceeded');
  }

  /** The bound of the spec; one that was taken out rules the pass of that edit, and while it holds something. */
  #inForce(bound: keyof Budget): Bound | undefined {
    const own = this.#spec().budget?.[bound];
    if (own !== undefined) return own;
    const isEdited = this.#status().observedGeneration !== this.#placement().metadata.generation;
    const hold = this.#condition(bound === 'maxRemovals' ? 'RemovalsHeld' : 'AdditionsHeld');
    return isEdited || hold?.reason === 'DisruptionBudgetExceeded' ? this.#before.budget[bound] : undefined;
  }

  /** At rest: which bounds are in force for the next pass, and what was wanted with what is decided. */
  #remember(removalsHeld: string | undefined, additionsHeld: boolean): void {
    const { budget, wanted } = this.#spec();
    const before = this.#before;
    const maxRemovals =
      budget?.maxRemovals ?? (removalsHeld === 'DisruptionBudgetExceeded' ? before.budget.maxRemovals : undefined);
    const maxAdditions = budget?.maxAdditions ?? (additionsHeld ? before.budget.maxAdditions : undefined);
    const isNarrower = wanted !== undefined && before.wanted !== undefined && wanted < before.wanted;
    this.#before = {
      budget: {
        ...(maxRemovals !== undefined && { maxRemovals }),
        ...(maxAdditions !== undefined && { maxAdditions }),
      },
      wanted: additionsHeld && !isNarrower ? before.wanted : wanted,
      heldDeletions: 0,
    };
    this.#isBudgeted = maxRemovals !== undefined;
  }

  /** By the objects of now: whether a cluster passes every rule, fails one and counts, or leaves in any case. */
  #state(name: string): 'passes' | 'fails' | 'leaves' {
    const cluster = this.#api.peek<ManagedCluster>(ManagedClusters, { name });
    const isDeleted = cluster?.metadata.deletionTimestamp !== undefined;
    if (cluster !== undefined && !isDeleted && this.#isFitting(cluster)) return 'passes';
    const counts = this.#isBudgeted || cluster === undefined || isDeleted;
    return counts && !this.#isReleased(ALLOW_REMOVALS_ANNOTATION, name) ? 'fails' : 'leaves';
  }

  #isReleased(annotation: string, name: string): boolean {
    const [until = '', names = ''] = (this.#placement().metadata.annotations?.[annotation] ?? '/').split('/');
    return this.#now < Date.parse(until) && (names === '*' || names.split(',').includes(name));
  }

  #isFitting({ metadata: { labels = {} }, spec }: ManagedCluster): boolean {
    const bound =
      this.#api.peek(ManagedClusterSets, { name: 'fleet' }) !== undefined &&
      this.#api.peek(ManagedClusterSetBindings, { namespace: NAMESPACE, name: 'fleet' }) !== undefined;
    const isTainted = (spec.taints ?? []).length > 0;
    return bound && labels[CLUSTER_SET_LABEL] === 'fleet' && labels['tier'] === 'gold' && !isTainted;
  }

  /** What the stored records say of the window. */
  #recorded(annotation: string): number {
    const objects = this.#api.all<PlacementDecision>(PlacementDecisions);
    const records = objects.map(({ metadata }) => metadata.annotations?.[annotation] ?? '{}');
    const entries = records.flatMap((text) => Object.entries(JSON.parse(text) as Record<string, number>));
    return sumOf(
      entries.map(([time, clusters]) => ({ at: Date.parse(time), clusters })),
      this.#now,
    );
  }

  #decided(): ReadonlySet<string> {
    const objects = this.#api.all<PlacementDecision>(PlacementDecisions);
    const names = objects.flatMap(({ status }) => status.decisions.map((one) => one.clusterName));
    assert.equal(new Set(names).size, names.length, 'a cluster stands in two objects');
    return new Set(names);
  }

  #status(): PlacementStatus {
    return this.#placement().status ?? {};
  }

  #conditions(): readonly Condition[] {
    return this.#status().conditions ?? [];
  }

  #condition(type: string): Condition | undefined {
    return this.#conditions().find((one) => one.type === type && one.status === 'True');
  }

  #placement(): Placement {
    const found = this.#api.peek<Placement>(Placements, PLACEMENT);
    assert.ok(found);
    return found;
  }

  #spec(): { readonly budget: DisruptionBudget | undefined; readonly wanted: number | undefined } {
    const { disruptionBudget, numberOfClusters } = this.#placement().spec;
    return { budget: disruptionBudget, wanted: numberOfClusters };
  }

  #place(budget: Budget | undefined, wanted: number | undefined): void {
    const stored = this.#api.peek<Placement>(Placements, PLACEMENT);
    const predicate = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
    const status = stored?.status ?? { observedGeneration: -1 };
    this.#api.put<Placement>(Placements, {
      metadata: { ...PLACEMENT },
      spec: {
        predicates: [predicate],
        ...(budget === undefined ? {} : { disruptionBudget: { ...budget, windowSeconds: WINDOW_SECONDS } }),
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
        for (const name of change.clusters) this.#api.remove(ManagedClusters, { name });
        return;
      case 'terminate':
        for (const name of change.clusters) this.#terminate(name);
        return;
      case 'create':
        for (const name of change.clusters) this.#create(name);
        return;
      case 'setExists':
        return this.#setExists(change.there);
      case 'binding':
        return this.#bind(change.there);
      case 'budget':
        return this.#place(change.budget, this.#spec().wanted);
      case 'wanted':
        return this.#place(this.#spec().budget, change.clusters);
      case 'releaseClusters':
        return this.#release(ALLOW_REMOVALS_ANNOTATION, change);
      case 'releaseAdditions':
        return this.#release(ALLOW_ADDITIONS_ANNOTATION, change);
    }
  }

  #create(name: string): void {
    if (this.#api.peek(ManagedClusters, { name }) === undefined)
      this.#cluster(name, { [CLUSTER_SET_LABEL]: 'fleet', tier: 'gold' });
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

  #setExists(there: boolean): void {
    const metadata = { name: 'fleet' };
    if (there) this.#api.put<KubeObject & { spec: object }>(ManagedClusterSets, { metadata, spec: {} });
    else this.#api.remove(ManagedClusterSets, metadata);
  }

  #bind(there: boolean): void {
    const metadata = { namespace: NAMESPACE, name: 'fleet' };
    const spec = { clusterSet: 'fleet' };
    if (there) this.#api.put<KubeObject & { spec: object }>(ManagedClusterSetBindings, { metadata, spec });
    else this.#api.remove(ManagedClusterSetBindings, metadata);
  }

  #release(annotation: string, { seconds, names }: { readonly seconds: number; readonly names: string }): void {
    const stored = this.#placement();
    const until = new Date(this.#now + seconds * 1_000).toISOString();
    const annotations = { ...stored.metadata.annotations, [annotation]: `${until}/${names}` };
    this.#api.put<Placement>(Placements, { ...stored, metadata: { ...stored.metadata, annotations } });
  }
}
