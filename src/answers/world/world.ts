import type { ObjectName, RawObject } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../api/names.js';
import type { ClusterSelector } from '../../domain/clusters/selector.js';
import { readRelease } from '../../domain/placement/spec/budget.js';
import { ownClusters, placementKeys, readDecision } from '../../domain/placement/stored/decision.js';
import { bindingView, eligibleSets, readableSelectors, setView } from '../../domain/placement/select/eligible.js';
import type { ExplainInput, Readable } from '../../domain/placement/explain/verdict.js';
import { Expressions } from '../../domain/placement/spec/expression.js';
import { compileSpec, type PlacementRules } from '../../domain/placement/spec/predicates.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import { clusterView, manifestView } from '../../domain/placement/spec/cluster.js';
import {
  existing,
  noOthers,
  type BindingView,
  type ClusterView,
  type PlacementSnapshot,
  type SetView,
} from '../../domain/placement/select/snapshot.js';
import { ClusterTable, type Selectors } from './clustertable.js';
import type { PublishedState } from './forecast.js';

/** The kinds of a world, by the plural names of their resources. */
export const WORLD_RESOURCES = [
  'multiclusterengines',
  'placements',
  'placementdecisions',
  'managedclusters',
  'managedclustersets',
  'managedclustersetbindings',
] as const;

export type WorldResource = (typeof WORLD_RESOURCES)[number];

/** A collection that could not be read, and the HTTP code of the response. */
export interface Withheld {
  readonly resource: WorldResource;
  readonly verb: 'get' | 'list';
  readonly status: number;
}

/** The objects of a hub at one moment, as far as they could be read. A withheld collection is empty. */
export interface World {
  readonly objects: Readonly<Record<WorldResource, readonly RawObject[]>>;
  readonly withheld: readonly Withheld[];
  /** When they were read, in ms since the epoch: what a disruption budget allows depends on it. */
  readonly at: number;
  /** Whether the objects are of files, where those that no hub has printed, without a uid, need not have a status. */
  readonly isOfManifests?: boolean;
}

/** A world of these objects; those of other resources than given do not exist. */
export function worldOf(objects: Partial<World['objects']>, withheld: readonly Withheld[] = [], at = 0): World {
  const all = WORLD_RESOURCES.map((resource) => [resource, objects[resource] ?? []] as const);
  return { objects: Object.fromEntries(all) as World['objects'], withheld, at };
}

/**
 * What the decision for a Placement is based on, computed from all objects by the functions that the index of the controller
 * uses. Undefined when the world has no such Placement. Nothing is remembered: the stored clusters count as selected.
 */
export function explainInputOf(world: World, namespace: string, name: string): ExplainInput | undefined {
  return inputsOf(world).explainInput(namespace, name);
}

/** The view of a cluster of this world, with all of its facts: an explanation may suggest one that no Placement names. */
export function clusterViewIn({ isOfManifests = false }: World, cluster: RawObject): ClusterView {
  const isOfHub = !isOfManifests || cluster.metadata.uid !== undefined;
  return isOfHub ? clusterView(cluster, 'all') : manifestView(cluster, 'all');
}

/** What a Placement selects from, and by which selectors. */
export interface PlacementInput {
  readonly snapshot: PlacementSnapshot;
  /** The selectors of the readable eligible sets, by name. */
  readonly selectors: Selectors;
  readonly readable: Readable;
  /** The Placement itself is being deleted. */
  readonly deleting: boolean;
}

const NO_VIEWS: ReadonlyMap<RawObject, ClusterView> = new Map();

/** The inputs of all Placements of one world; what several of them need is computed once. */
export class WorldInputs {
  /** Whether everything could be read that decisions depend on. */
  readonly isKnown: boolean;
  readonly clusters: ClusterTable;
  readonly #readable: Readable;
  readonly #placements: ReadonlyMap<string, RawObject>;
  readonly #bindings: ReadonlyMap<string, readonly BindingView[]>;
  readonly #sets: ReadonlyMap<string, SetView>;
  readonly #timedSets: readonly SetView[];
  readonly #decisions: ReadonlyMap<string, readonly RawObject[]>;
  readonly #rules = new Map<RawObject, PlacementRules>();
  readonly #views: ReadonlyMap<RawObject, ClusterView>;
  readonly #expressions = new Expressions();
  readonly #at: number;
  readonly #onDecision: (() => void) | undefined;
  #selections: SelectionCounts | undefined;
  #isBalanced: boolean | undefined;

  /**
   * `known`: of a world like this one, whose clusters that are the same objects are not read again. `onDecision` runs after each
   * decision that is noted, and may throw to give a computation up; default: that of `known`.
   */
  constructor(world: World, known?: WorldInputs, onDecision?: () => void) {
    this.#onDecision = onDecision ?? (known === undefined ? undefined : known.#onDecision);
    const { objects, withheld, at } = world;
    this.#at = at;
    this.isKnown = withheld.every(({ resource }) => resource === 'multiclusterengines');
    this.#readable = readableOf(withheld);
    this.#placements = new Map(objects.placements.map((one) => [keyOf(one.metadata), one]));
    this.#bindings = grouped(
      objects.managedclustersetbindings,
      ({ metadata }) => [metadata.namespace ?? ''],
      bindingView,
    );
    this.#sets = new Map(objects.managedclustersets.map((one) => [one.metadata.name, setView(one)]));
    this.#timedSets = [...this.#sets.values()].filter(({ times }) => times !== undefined);
    this.#decisions = grouped(objects.placementdecisions, placementKeys, (one) => one);
    const views = known === undefined ? NO_VIEWS : known.#views;
    this.#views = new Map(objects.managedclusters.map((one) => [one, views.get(one) ?? clusterViewIn(world, one)]));
    this.clusters = new ClusterTable([...this.#views.values()]);
  }

  /** Undefined when there is no such Placement. */
  explainInput(namespace: string, name: string): ExplainInput | undefined {
    const input = this.input({ namespace, name });
    return input === undefined ? undefined : { ...input, members: this.clusters.members(input.selectors) };
  }

  /** As {@link explainInput}, without the members; `published`: what was decided last, if that is not what is stored. */
  input(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    published?: PublishedState,
  ): PlacementInput | undefined {
    const found = this.#placements.get(keyOf({ namespace, name }));
    if (found === undefined) return undefined;
    const { uid = '', generation = 0 } = found.metadata;
    const owner = { namespace, name, uid };
    const rules = this.#rulesOf(found);
    const { annotations = {} } = found.metadata;
    const release = readRelease(annotations[ALLOW_REMOVALS_ANNOTATION]);
    const releasedAdditions = readRelease(annotations[ALLOW_ADDITIONS_ANNOTATION]);
    const bindings = this.#bindings.get(namespace) ?? [];
    const bound = bindings.map(({ clusterSet }) => clusterSet);
    const sets = existing(bound, (set) => this.#sets.get(set));
    const selectors = readableSelectors(eligibleSets(rules, bindings, sets));
    const decisions = this.#decisions.get(keyOf({ namespace, name })) ?? [];
    const stored = published?.stored() ?? decisions.map((object) => readDecision(object, owner));
    const names = [...stored.flatMap((object) => object.clusters), ...(published?.lists ?? []).flat()];
    const status = published?.status ?? found.status;
    const snapshot: PlacementSnapshot = {
      placement: { ...owner, generation, rules, release, releasedAdditions, status },
      bindings,
      sets,
      timedSets: this.#timedSets,
      candidates: this.clusters.candidates(selectors, rules),
      selected: existing(names, (one) => this.cluster(one)),
      othersSelecting: isBalanced(rules) ? this.othersSelecting(namespace, name) : noOthers,
      stored,
      published,
      definitions: undefined,
      now: this.#at,
    };
    const deleting = found.metadata.deletionTimestamp !== undefined;
    return { snapshot, selectors, readable: this.#readable, deleting };
  }

  cluster(name: string): ClusterView | undefined {
    return this.clusters.cluster(name);
  }

  /** The same value each time, so that the table of clusters need not compare its requirements again. */
  #rulesOf(placement: RawObject): PlacementRules {
    const known = this.#rules.get(placement);
    if (known !== undefined) return known;
    const rules = compileSpec(placement.spec, this.#expressions);
    this.#rules.set(placement, rules);
    return rules;
  }

  /** The selector of a set; undefined when there is no such set. */
  selectorOf(set: string): ClusterSelector | undefined {
    return this.#sets.get(set)?.selector;
  }

  /** Whether scores of some Placement depend on the decisions of others. */
  get isBalanced(): boolean {
    return (this.#isBalanced ??= [...this.#placements.values()].some((one) => isBalanced(this.#rulesOf(one))));
  }

  /** Notes what was decided last of a Placement: it counts for the scores of the others. */
  decided(placement: ObjectName, clusters: readonly string[]): void {
    this.#onDecision?.();
    if (this.isBalanced) this.#selected().put(keyOf(placement), clusters);
  }

  /** Takes over what the other world's Placements select now; the other one begins again with what is stored. */
  continueFrom(other: WorldInputs): void {
    const selections = other.#selected();
    other.#selections = undefined;
    for (const key of selections.keys()) if (!this.#placements.has(key)) selections.put(key, []);
    this.#selections = selections;
  }

  /** How many other Placements select a cluster: by what is stored, and by what was decided since. */
  othersSelecting(namespace: string, name: string): (cluster: string) => number {
    return this.#selected().othersSelecting(keyOf({ namespace, name }));
  }

  #selected(): SelectionCounts {
    if (this.#selections !== undefined) return this.#selections;
    const selections = new SelectionCounts();
    for (const [key, { metadata }] of this.#placements) {
      const owner = { namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' };
      const stored = (this.#decisions.get(key) ?? []).map((object) => readDecision(object, owner));
      selections.put(key, ownClusters(stored));
    }
    return (this.#selections = selections);
  }
}

/** How many Placements select each cluster. */
class SelectionCounts {
  readonly #clusters = new Map<string, ReadonlySet<string>>();
  readonly #counts = new Map<string, number>();

  keys(): Iterable<string> {
    return this.#clusters.keys();
  }

  /** Makes `clusters` what the Placement selects. */
  put(key: string, clusters: Iterable<string>): void {
    for (const name of this.#clusters.get(key) ?? []) this.#counts.set(name, (this.#counts.get(name) ?? 0) - 1);
    const selected = new Set(clusters);
    this.#clusters.set(key, selected);
    for (const name of selected) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** How many Placements other than this one select a cluster. */
  othersSelecting(key: string): (cluster: string) => number {
    return (name) => (this.#counts.get(name) ?? 0) - (this.#clusters.get(key)?.has(name) === true ? 1 : 0);
  }
}

/** The views of the objects by their keys, in the order of the objects. */
export function grouped<Of, T, K extends string>(
  objects: Iterable<Of>,
  keysOf: (object: Of) => readonly K[],
  viewOf: (object: Of) => T,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const object of objects) {
    const view = viewOf(object);
    for (const key of keysOf(object)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [view]);
      else group.push(view);
    }
  }
  return groups;
}

function readableOf(withheld: World['withheld']): Readable {
  const unread = new Set(withheld.map((one) => one.resource));
  const fleet: readonly WorldResource[] = ['managedclusters', 'managedclustersets', 'managedclustersetbindings'];
  return { fleet: !fleet.some((one) => unread.has(one)), decisions: !unread.has('placementdecisions') };
}

/** The values that were computed of each object, by their keys. They are kept as long as the object, which never changes. */
const known = new WeakMap<object, Map<string, unknown>>();

/** The value that `compute` returns, computed once for each object, such as a world, and key. Each key belongs to one caller. */
export function once<T>(of: object, key: string, compute: () => T): T {
  const computed = known.get(of) ?? new Map<string, unknown>();
  known.set(of, computed);
  if (!computed.has(key)) computed.set(key, compute());
  // The cast is safe: the caller of a key always computes the same type.
  return computed.get(key) as T;
}

/** The inputs for decisions, as they are stored. A caller must not note a planned decision in them. */
export function inputsOf(world: World): WorldInputs {
  return once(world, 'inputs', () => new WorldInputs(world));
}
