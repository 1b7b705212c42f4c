import {
  ADDITIONS_ANNOTATION,
  CLUSTER_SET_LABEL,
  ALLOW_ADDITIONS_ANNOTATION,
  ALLOW_REMOVALS_ANNOTATION,
  REMOVALS_ANNOTATION,
} from '../../../src/api/names.js';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  PlacementDecisions,
  Placements,
} from '../../../src/api/resources.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import type { RawObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { condition, fields, items, number, text, type Fields } from '../../support/scenario/checks/reading.js';
import { contentOf, isOpen, isPaused, isReleased, isTaintedByHub, limitOf, wantedBy, windowOf } from './rules.js';
import type { View } from '../hub/view.js';

/** The spec and the annotations of a Placement, as stored at some moment. */
interface Version {
  readonly spec: Fields;
  readonly annotations: Readonly<Record<string, string>>;
}

/** So many clusters at a moment (wall ms). */
type Counted = readonly [at: number, clusters: number];

interface Live {
  readonly key: string;
  newest: RawObject;
  /** What was stored when the step began and since: a decision of the step can be based on each. */
  versions: Version[];
  /** The spec was edited, but for a pause, and the decision has not been made anew before this step. */
  isEdited: boolean;
  /** The first decision was stored before this step. */
  isDecided: boolean;
  /** The number up to which additions only fill up; undefined: not known. */
  number: number | undefined;
  /** By the name of the object: when each of its clusters came in (wall ms). */
  readonly objects: Map<string, ReadonlyMap<string, number>>;
  /** By the name of the object: its annotations. */
  readonly noted: Map<string, Readonly<Record<string, string>>>;
  /** Clusters of objects that others have deleted: the controller puts them back. */
  readonly lost: Set<string>;
  readonly left: Counted[];
  /** Since when removals are bounded by a budget, and recorded; wall ms. */
  budgetedSince: number;
  readonly came: Counted[];
  /** When all clusters of the decision matched, and since when nothing but clusters has changed; wall ms. */
  knownSince: number;
  movedAt: number;
}

interface ClusterSet {
  readonly spec: Fields;
  /** Since when the spec is as it is (wall ms). */
  readonly changedAt: number;
}

interface Cluster {
  readonly deleting: boolean;
  /** The set that its label names, and since when (wall ms; 0: always). */
  readonly set: string;
  readonly inSetSince: number;
  readonly taintedByHub: boolean;
  /** When its labels or its spec were changed last, as far as it was seen; wall ms. */
  readonly changedAt: number;
  readonly content: string;
}

/** A write is decided by the time of the server, in whole seconds, and may be on its way as long as a request takes. */
const ON_ITS_WAY_MS = 30_000;

/**
 * Judges by the wall time of the server, at every write of a decision object, and by the rules of docs/concepts/placement.md:
 * - `wanted`: none comes in beside as many as are wanted;
 * - `budget`: no more clusters leave or come in within the window than `disruptionBudget` says;
 * - `paused`: nothing changes while `paused` is true;
 * - `record`: a removal that counts is recorded once, and not too early;
 * - `window`: outside of all change windows only deleted clusters leave, and those that the hub has tainted;
 * - `set`: so it is with the windows and the pause of the set that the cluster's label names, and none comes in without a number;
 * - `move`: a cluster that leaves for a better one has stayed `minSelectedSeconds`, and moves are `intervalSeconds` apart.
 */
export class BoundsCheck {
  readonly #now: () => number;
  readonly #othersEdit: boolean;
  readonly #violations: (rule: string, detail: string) => void;
  readonly #placements = new Map<string, Live>();
  readonly #clusters = new Map<string, Cluster>();
  readonly #sets = new Map<string, ClusterSet>();
  readonly #subscriptions: { end(): void }[];

  /** `othersEdit`: people edit decision objects, so that who leaves one has not moved. */
  constructor(server: View, now: () => number, violations: (rule: string, detail: string) => void, othersEdit = false) {
    this.#now = now;
    this.#othersEdit = othersEdit;
    this.#violations = violations;
    const all = (type: ResourceType): RawObject[] =>
      server.store.list(resourceOf(type), '').map(({ object }) => object as unknown as RawObject);
    for (const cluster of all(ManagedClusters)) this.#cluster(cluster, 0);
    for (const placement of all(Placements)) this.#placement(placement);
    for (const set of all(ManagedClusterSets)) this.#set(set, 0);
    for (const object of all(PlacementDecisions)) this.#remember(object);
    const observe = (type: ResourceType, seen: (object: RawObject, isThere: boolean) => void): { end(): void } =>
      server.observe(resourceOf(type), ({ type: change, entry }) =>
        seen(entry.object as unknown as RawObject, change === 'put'),
      );
    const unsure = (): void => {
      for (const live of this.#placements.values()) live.knownSince = Infinity;
    };
    this.#subscriptions = [
      observe(ManagedClusters, (object, isThere) =>
        isThere ? this.#cluster(object, now()) : this.#clusters.delete(object.metadata.name),
      ),
      observe(Placements, (object, isThere) =>
        isThere ? this.#placement(object) : this.#placements.delete(object.metadata.uid ?? ''),
      ),
      observe(PlacementDecisions, (object, isThere) => (isThere ? this.#write(object) : this.#remove(object))),
      observe(ManagedClusterSets, (object, isThere) => {
        unsure();
        if (isThere) this.#set(object, now());
        else this.#sets.delete(object.metadata.name);
      }),
      observe(ManagedClusterSetBindings, unsure),
    ];
    this.beginStep();
  }

  beginStep(): void {
    for (const live of this.#placements.values()) {
      const { newest } = live;
      const version = versionOf(newest);
      const isCurrent = fields(newest.status)['observedGeneration'] === newest.metadata.generation;
      live.versions = [version];
      if (isCurrent && !isPaused(version.spec)) live.isEdited = false;
      live.isDecided = condition(newest as never, 'Ready')['status'] === 'True' && membersOf(live).size > 0;
      if (!has(newest, 'AdditionsHeld')) live.number = wantedBy(version.spec);
      if (!isCurrent || STAYING.some((type) => has(newest, type))) live.knownSince = Infinity;
      else live.knownSince = Math.min(live.knownSince, this.#now());
    }
  }

  /** To be called at the end of a step without faults: each removal that counts is recorded, once and not too early. */
  checkRecords(): void {
    for (const { key, newest, left, noted, budgetedSince } of this.#placements.values()) {
      const { spec } = versionOf(newest);
      if (!boundsRemovals(spec)) continue;
      const counts = ([at]: Counted): boolean => at > this.#now() - windowOf(spec);
      const stored = [...noted.values()].flatMap((one) => recorded(one[REMOVALS_ANNOTATION])).filter(counts);
      const seen = left.filter(counts);
      const [first, earliest] = [stored, seen].map((all) => Math.min(...all.map(([at]) => at))) as [number, number];
      // Of those before the budget, deletions are recorded; times of a record have whole seconds.
      const least = sumOf(seen.filter(([at]) => at > budgetedSince));
      const sum = sumOf(stored);
      if (sum < least || sum > sumOf(seen) || first + 1_000 < earliest)
        this.#violations('record', `${key}: recorded are ${textOf(stored)}, and seen ${textOf(seen)}`);
    }
  }

  end(): void {
    for (const one of this.#subscriptions) one.end();
  }

  #cluster({ metadata, spec }: RawObject, at: number): void {
    const content = JSON.stringify([metadata.labels, spec]);
    const before = this.#clusters.get(metadata.name);
    const set = metadata.labels?.[CLUSTER_SET_LABEL] ?? '';
    this.#clusters.set(metadata.name, {
      deleting: metadata.deletionTimestamp !== undefined,
      set,
      inSetSince: before === undefined ? 0 : before.set === set ? before.inSetSince : at,
      taintedByHub: isTaintedByHub(fields(spec)),
      changedAt: before?.content === content ? before.changedAt : at,
      content,
    });
  }

  #set({ metadata, spec }: RawObject, at: number): void {
    const before = this.#sets.get(metadata.name);
    const isSame = JSON.stringify(before?.spec) === JSON.stringify(fields(spec));
    this.#sets.set(metadata.name, { spec: fields(spec), changedAt: before && isSame ? before.changedAt : at });
  }

  #placement(object: RawObject): void {
    const { uid = '', namespace = '', name } = object.metadata;
    const version = versionOf(object);
    const live = this.#placements.get(uid);
    if (live === undefined) {
      this.#placements.set(uid, {
        key: `${namespace}/${name}`,
        newest: object,
        versions: [version],
        isEdited: true,
        isDecided: false,
        number: undefined,
        objects: new Map(),
        noted: new Map(),
        lost: new Set(),
        left: [],
        budgetedSince: 0,
        came: [],
        knownSince: Infinity,
        movedAt: 0,
      });
      return;
    }
    if (contentOf(version.spec) !== contentOf(versionOf(live.newest).spec)) {
      live.isEdited = true;
      live.knownSince = Infinity;
    }
    if (boundsRemovals(version.spec) && !boundsRemovals(versionOf(live.newest).spec)) live.budgetedSince = this.#now();
    live.newest = object;
    live.versions.push(version);
  }

  #ownerOf({ metadata }: RawObject): Live | undefined {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    return this.#placements.get(owner?.uid ?? '');
  }

  /** What was stored before the run. */
  #remember(object: RawObject): void {
    const live = this.#ownerOf(object);
    if (live === undefined) return;
    const { name, annotations = {} } = object.metadata;
    const since = ({ since: at }: Fields): number => Date.parse(text(at)) || 0;
    live.objects.set(name, new Map(itemsOf(object).map((one) => [text(one['clusterName']), since(one)])));
    live.noted.set(name, annotations);
    live.left.push(...recorded(annotations[REMOVALS_ANNOTATION]));
    live.came.push(...recorded(annotations[ADDITIONS_ANNOTATION]));
  }

  /** The controller deletes only objects that are empty, or whose Placement is gone. */
  #remove(object: RawObject): void {
    const live = this.#ownerOf(object);
    for (const name of live?.objects.get(object.metadata.name)?.keys() ?? []) live?.lost.add(name);
    live?.objects.delete(object.metadata.name);
    live?.noted.delete(object.metadata.name);
  }

  #write(object: RawObject): void {
    const live = this.#ownerOf(object);
    if (live === undefined) return;
    const now = this.#now();
    const before = membersOf(live);
    live.noted.set(object.metadata.name, object.metadata.annotations ?? {});
    const listed = itemsOf(object).map((one) => text(one['clusterName']));
    live.objects.set(object.metadata.name, new Map(listed.map((name) => [name, before.get(name) ?? now])));
    const after = membersOf(live);
    const come = [...after.keys()].filter((name) => !before.has(name) && !live.lost.delete(name));
    const gone = [...before.keys()].filter((name) => !after.has(name));
    if (gone.length + come.length === 0) return;
    if (live.versions.every(({ spec }) => isPaused(spec)))
      this.#violations('paused', `${live.key}: ${[...gone, ...come].join(', ')} while it is paused`);
    const most = Math.max(...live.versions.map(({ spec }) => wantedBy(spec)));
    if (!this.#othersEdit && come.length > 0 && after.size > most)
      this.#violations(
        'wanted',
        `${live.key}: ${come.join(', ')} came in: ${after.size} are there, ${most} are wanted`,
      );
    this.#checkWindow(live, gone, now);
    this.#checkSets(live, gone, come, now);
    this.#checkRemovals(live, gone, before.size, now);
    this.#checkAdditions(live, come, before.size - gone.length, now);
    if (!this.#othersEdit) this.#checkMove(live, gone, before, now);
  }

  #checkWindow({ key, versions, newest, isEdited }: Live, gone: readonly string[], now: number): void {
    const { spec } = versionOf(newest);
    if (isEdited || isOpen(spec, now) || isOpen(spec, now - ON_ITS_WAY_MS)) return;
    if (versions.some((one) => contentOf(one.spec) !== contentOf(spec))) return;
    const elective = gone.filter((name) => this.#clusters.get(name)?.deleting === false && !this.#isHubs(name));
    if (elective.length > 0) this.#violations('window', `${key}: ${elective.join(', ')} left outside of all windows`);
  }

  #checkSets(live: Live, gone: readonly string[], come: readonly string[], now: number): void {
    const left = gone.filter((name) => this.#isKept(name, now) && !this.#isHubs(name));
    if (left.length > 0) this.#violations('set', `${live.key}: ${left.join(', ')} left, which a set of theirs keeps`);
    const came = come.filter((name) => this.#isKept(name, now));
    // With a number, some may fill up what was lost.
    if (came.length > 0 && live.versions.every(({ spec }) => wantedBy(spec) === Infinity))
      this.#violations('set', `${live.key}: ${came.join(', ')} came in, which a set of theirs keeps out`);
  }

  /** Whether a set with its label has kept the cluster for as long as a write may be on its way. */
  #isKept(name: string, now: number): boolean {
    const cluster = this.#clusters.get(name);
    const set = this.#sets.get(cluster?.set ?? '');
    if (cluster?.deleting !== false || set === undefined) return false;
    const times = [now, now - ON_ITS_WAY_MS];
    if (times.some((time) => time < Math.max(set.changedAt, cluster.inSetSince))) return false;
    return times.every((time) => isPaused(set.spec) || !isOpen(set.spec, time));
  }

  #isHubs(name: string): boolean {
    return this.#clusters.get(name)?.taintedByHub === true;
  }

  #checkRemovals(live: Live, gone: readonly string[], size: number, now: number): void {
    const { key, versions, left, budgetedSince } = live;
    const surplus = Math.max(size - Math.min(...versions.map(({ spec }) => wantedBy(spec))), 0);
    const isFree = (name: string): boolean => isFreed(versions, ALLOW_REMOVALS_ANNOTATION, name, now);
    const counted = gone.filter((name) => !this.#isHubs(name) && !isFree(name)).length - surplus;
    if (counted <= 0) return;
    left.push([now, counted]);
    const bounded = left.filter(([at]) => at > budgetedSince);
    const allowed = versions.map(({ spec }) => {
      const used = within(bounded, windowOf(spec), now);
      const base = Math.min(size + used - counted, wantedBy(spec));
      return { used, limit: limitOf(spec, 'maxRemovals', base) };
    });
    if (allowed.every(({ used, limit }) => used > limit))
      this.#violations('budget', `${key}: ${gone.join(', ')} left: ${sentence(allowed)}`);
  }

  /** `size`: of those that stay. */
  #checkAdditions(live: Live, come: readonly string[], size: number, now: number): void {
    const { key, versions, came, isDecided } = live;
    const hasNumber = versions.map(({ spec }) => Number.isFinite(wantedBy(spec)));
    if (!isDecided || live.number === undefined || new Set(hasNumber).size > 1) return;
    const filled = Number.isFinite(live.number) ? Math.max(live.number - size, 0) : hasNumber[0] ? Infinity : 0;
    const isFree = (name: string): boolean => isFreed(versions, ALLOW_ADDITIONS_ANNOTATION, name, now);
    const counted = come.filter((name) => !isFree(name)).length - filled;
    if (counted <= 0) return;
    came.push([now, counted]);
    const allowed = versions.map(({ spec }) => {
      const used = within(came, windowOf(spec), now);
      return { used, limit: limitOf(spec, 'maxAdditions', Math.max(size, 1)) };
    });
    if (allowed.every(({ used, limit }) => used > limit))
      this.#violations('budget', `${key}: ${come.join(', ')} came in: ${sentence(allowed)}`);
  }

  /** Who leaves although nothing of it, of its sets or of the spec has changed, and no more than wanted are there, moves. */
  #checkMove(live: Live, gone: readonly string[], before: ReadonlyMap<string, number>, now: number): void {
    const { spec } = versionOf(live.newest);
    const rebalance = fields(spec['rebalance']);
    if (!Number.isFinite(live.knownSince) || before.size > wantedBy(spec) || hasClaims(spec)) return;
    // One that comes to match a predicate with a number can send another away.
    if (items(spec['predicates']).some((one) => one['numberOfClusters'] !== undefined)) return;
    const moving = gone.filter((name) => {
      const cluster = this.#clusters.get(name);
      const since = Math.max(live.knownSince, before.get(name) ?? 0);
      return cluster?.deleting === false && cluster.changedAt < since && !/"taints":\[\{/.test(cluster.content);
    });
    for (const name of moving) {
      const stayed = now - (before.get(name) ?? 0);
      const least = number(rebalance['minSelectedSeconds'], 3_600) * 1_000;
      if (stayed + ON_ITS_WAY_MS < least)
        this.#violations('move', `${live.key}: ${name} moved after ${stayed / 1_000} s`);
      const interval = number(rebalance['intervalSeconds'], 60) * 1_000;
      if (now - live.movedAt + ON_ITS_WAY_MS < interval)
        this.#violations('move', `${live.key}: ${name} moved ${(now - live.movedAt) / 1_000} s after another`);
      if (spec['rebalance'] === undefined) this.#violations('move', `${live.key}: ${name} left without a reason`);
      live.movedAt = now;
    }
  }
}

/** Conditions with which a cluster of the decision need not match. */
const STAYING = ['RemovalsHeld', 'ChangesWaiting', 'Paused'];

function boundsRemovals(spec: Fields): boolean {
  return fields(spec['disruptionBudget'])['maxRemovals'] !== undefined;
}

function versionOf({ spec, metadata }: RawObject): Version {
  return { spec: fields(spec), annotations: metadata.annotations ?? {} };
}

function has(placement: RawObject, type: string): boolean {
  return condition(placement as never, type)['status'] === 'True';
}

function itemsOf({ status }: RawObject): Fields[] {
  return items(fields(status)['decisions']);
}

/** All clusters of the decision, and since when. */
function membersOf({ objects }: Live): Map<string, number> {
  return new Map([...objects.values()].flatMap((one) => [...one]));
}

/** Of a record: times and numbers of clusters. */
function recorded(annotation: string | undefined): Counted[] {
  return Object.entries(fields(JSON.parse(annotation ?? '{}'))).map(([at, count]) => [
    Date.parse(at),
    number(count, 0),
  ]);
}

function within(all: readonly Counted[], windowMs: number, now: number): number {
  return sumOf(all.filter(([at]) => at > now - windowMs + ON_ITS_WAY_MS));
}

function textOf(all: readonly Counted[]): string {
  return all.map(([at, count]) => `${count} at ${new Date(at).toISOString()}`).join(', ') || 'none';
}

function sumOf(all: readonly Counted[]): number {
  return all.reduce((sum, [, count]) => sum + count, 0);
}

function isFreed(versions: readonly Version[], annotation: string, name: string, now: number): boolean {
  return versions.some(({ annotations }) => isReleased(annotations[annotation], name, now - ON_ITS_WAY_MS));
}

function sentence(allowed: readonly { readonly used: number; readonly limit: number }[]): string {
  return allowed.map(({ used, limit }) => `${used} in the window, ${limit} may`).join('; ');
}

/** Claims change without being seen here. */
function hasClaims(spec: Fields): boolean {
  return /claimSelector|celSelector/.test(JSON.stringify(spec['predicates'] ?? []));
}
