import type { KubeObject } from '../../api/meta.js';
import { readClusterSelector, selects, type ClusterSelector } from '../clusters/selector.js';
import { placementKeys, readDecision } from '../placement/decision.js';
import { bindingView, eligibleSets } from '../placement/eligible.js';
import type { ExplainInput, Member, Readable } from '../placement/explain/verdict.js';
import { factsAmong, unmatchedPredicates } from '../placement/facts/unmatched.js';
import { clusterView, compileSpec, type PlacementRules } from '../placement/predicates.js';
import { matchedClusters } from '../placement/rank.js';
import { matches } from '../placement/rules.js';
import type { BindingView, Candidates, ClusterView, PlacementSnapshot, SetView } from '../placement/snapshot.js';

/** An object as the API or a file has it, unchecked. */
export type RawObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

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
}

/** A world of these objects; those of other resources than given do not exist. */
export function worldOf(objects: Partial<World['objects']>, withheld: readonly Withheld[] = []): World {
  const all = WORLD_RESOURCES.map((resource) => [resource, objects[resource] ?? []] as const);
  return { objects: Object.fromEntries(all) as World['objects'], withheld };
}

/**
 * What the decision for a Placement is based on, computed from all objects by the functions that the index of the controller
 * uses. Undefined when the world has no such Placement. Nothing is remembered: the stored clusters count as selected.
 */
export function explainInputOf(world: World, namespace: string, name: string): ExplainInput | undefined {
  const { objects } = world;
  const found = objects.placements.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (found === undefined) return undefined;
  const { uid = '', generation = 0 } = found.metadata;
  const owner = { namespace, name, uid };
  const rules = compileSpec(found.spec);
  const bindings = bindingsOf(objects.managedclustersetbindings, namespace);
  const { sets, selectors } = setsOf(objects.managedclustersets, bindings);
  const clusters = objects.managedclusters.map(clusterView);
  const eligible = selectorsOf(eligibleSets(rules, bindings, sets).eligible, selectors);
  const members = membersOf(clusters, eligible);
  const stored = objects.placementdecisions
    .filter((object) => placementKeys(object).includes(`${namespace}/${name}`))
    .map((object) => readDecision(object, owner));
  const held = new Set(stored.flatMap((object) => object.clusters));
  const snapshot: PlacementSnapshot = {
    placement: { ...owner, generation, rules, status: found.status },
    bindings,
    sets,
    candidates: candidatesOf(members, rules),
    held: new Map(clusters.filter((one) => held.has(one.name)).map((one) => [one.name, one])),
    stored,
    remembered: undefined,
  };
  return { snapshot, members, selectors: eligible, readable: readableOf(world) };
}

function readableOf({ withheld }: World): Readable {
  const unread = new Set(withheld.map((one) => one.resource));
  const fleet: readonly WorldResource[] = ['managedclusters', 'managedclustersets', 'managedclustersetbindings'];
  return { fleet: !fleet.some((one) => unread.has(one)), decisions: !unread.has('placementdecisions') };
}

function bindingsOf(objects: readonly RawObject[], namespace: string): readonly BindingView[] {
  return objects.filter(({ metadata }) => metadata.namespace === namespace).map(bindingView);
}

/** The sets that the bindings name, with their selectors. */
function setsOf(
  objects: readonly RawObject[],
  bindings: readonly BindingView[],
): { readonly sets: Map<string, SetView>; readonly selectors: Map<string, ClusterSelector> } {
  const named = new Set(bindings.map((one) => one.clusterSet));
  const sets = new Map<string, SetView>();
  const selectors = new Map<string, ClusterSelector>();
  for (const { metadata, spec } of objects) {
    const { name, deletionTimestamp } = metadata;
    if (!named.has(name)) continue;
    const selector = readClusterSelector(spec);
    sets.set(name, { name, deleting: deletionTimestamp !== undefined, readable: selector.kind !== 'unreadable' });
    selectors.set(name, selector);
  }
  return { sets, selectors };
}

/** The selectors of the readable eligible sets. */
function selectorsOf(
  eligible: readonly string[],
  selectors: ReadonlyMap<string, ClusterSelector>,
): ReadonlyMap<string, ClusterSelector> {
  const readable = eligible.flatMap((name): [string, ClusterSelector][] => {
    const selector = selectors.get(name);
    return selector === undefined || selector.kind === 'unreadable' ? [] : [[name, selector]];
  });
  return new Map(readable);
}

/** The clusters that one of the sets selects, each once. */
export function membersOf(
  clusters: readonly ClusterView[],
  selectors: ReadonlyMap<string, ClusterSelector>,
): readonly Member[] {
  const members: Member[] = [];
  for (const cluster of clusters) {
    const sets: string[] = [];
    for (const [name, selector] of selectors) if (selects(name, selector, cluster.labels)) sets.push(name);
    if (sets.length > 0) members.push({ cluster, sets: sets.sort() });
  }
  return members;
}

function candidatesOf(members: readonly Member[], rules: PlacementRules): Candidates {
  if (rules.problem !== undefined) return { count: 0, has: () => false, matched: matchedClusters([]), unmatched: [] };
  const candidates = members.filter(({ cluster }) => !cluster.deleting);
  const names = new Set(candidates.map(({ cluster }) => cluster.name));
  const matching = candidates.filter(({ cluster }) => matches(rules, cluster));
  const sizes = { count: candidates.length, matched: matchedClusters(matching.map(({ cluster }) => cluster.name)) };
  const facts = factsAmong(candidates.map(({ cluster }) => cluster));
  return { ...sizes, has: (name) => names.has(name), unmatched: unmatchedPredicates(rules, sizes, facts) };
}
