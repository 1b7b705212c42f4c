import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import {
  parts,
  type Cluster,
  type ClusterSet,
  type LabelSelector,
  type Placement,
  type Requirement,
  type World,
} from '../script/world.js';

/**
 * A naive model of which clusters may be selected: it reads everything each time and shares no code with the product
 * but the name of a label.
 */
export interface Judgement {
  readonly misconfigured: boolean;
  /** The sets that the placement may draw from, sorted. */
  readonly eligible: readonly string[];
  readonly bound: boolean;
  /** Eligible sets whose selector cannot be read. */
  readonly unreadable: readonly string[];
  /** Clusters of the eligible sets that are not being deleted. */
  readonly candidates: ReadonlySet<string>;
  /** Candidates that meet a predicate: what a selection is made of. */
  readonly matching: ReadonlySet<string>;
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** Judges one placement. `selected`: what it had selected before, which an unreadable set does not take away. */
export function judge(world: World, key: string, selected: ReadonlySet<string>): Judgement {
  const placement = world.placements.get(key);
  if (placement === undefined) throw new Error(`there is no placement ${key}`);
  const bound = boundSets(world, parts(key).namespace);
  const eligible = bound.filter((set) => placement.sets.length === 0 || placement.sets.includes(set));
  const unreadable = eligible.filter((set) => !readable(world.sets.get(set)?.selector));
  const candidates = new Set<string>();
  const matching = new Set<string>();
  for (const [name, cluster] of world.clusters) {
    if (cluster.deleting) continue;
    const kept = unreadable.length > 0 && selected.has(name);
    if (!kept && !eligible.some((set) => isMember(world.sets.get(set), set, cluster))) continue;
    candidates.add(name);
    if (matches(placement, cluster)) matching.add(name);
  }
  return {
    misconfigured: isMisconfigured(placement),
    eligible,
    bound: bound.length > 0,
    unreadable,
    candidates,
    matching,
  };
}

/** The sets bound to a namespace: the binding carries the set's name, and the set exists. */
export function boundSets(world: World, namespace: string): string[] {
  const found: string[] = [];
  for (const [key, set] of world.bindings) {
    const binding = parts(key);
    if (binding.namespace === namespace && binding.name === set && world.sets.has(set)) found.push(set);
  }
  return found.sort();
}

export function isMisconfigured(placement: Placement): boolean {
  return placement.predicates.some((one) => !readable(one.labelSelector) || !(one.claims ?? []).every(isReadable));
}

function readable(selector: LabelSelector | undefined): boolean {
  return (selector?.matchExpressions ?? []).every(isReadable);
}

function isReadable(one: Requirement): boolean {
  if (!OPERATORS.includes(one.operator)) return false;
  const needsValues = one.operator === 'In' || one.operator === 'NotIn';
  return needsValues === (one.values ?? []).length > 0;
}

function isMember(set: ClusterSet | undefined, name: string, cluster: Cluster): boolean {
  if (set === undefined) return false;
  if (set.selector === undefined) return cluster.labels[CLUSTER_SET_LABEL] === name;
  return readable(set.selector) && selects(set.selector, cluster.labels);
}

function matches(placement: Placement, cluster: Cluster): boolean {
  if (placement.predicates.length === 0) return true;
  return placement.predicates.some(
    (one) =>
      selects(one.labelSelector ?? {}, cluster.labels) &&
      (one.claims ?? []).every((claim) => meets(claim, cluster.claims)),
  );
}

function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labels[key] !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((one) => meets(one, labels));
}

function meets(one: Requirement, found: Readonly<Record<string, string>>): boolean {
  const value = found[one.key];
  if (one.operator === 'Exists') return value !== undefined;
  if (one.operator === 'DoesNotExist') return value === undefined;
  const among = value !== undefined && (one.values ?? []).includes(value);
  return one.operator === 'In' ? among : !among;
}

/**
 * What is wrong with `now` as the selection of a placement that had `before` selected, or undefined when it is one of
 * those that the rules allow: the right number, only clusters that match, and none given up that could have stayed.
 */
export function fault(
  world: World,
  key: string,
  before: ReadonlySet<string>,
  now: ReadonlySet<string>,
): string | undefined {
  const judgement = judge(world, key, before);
  if (judgement.misconfigured) return differs(keptByMisconfigured(world, before), now);
  const wanted = Math.min(world.placements.get(key)?.count ?? Infinity, judgement.matching.size);
  const unmatched = [...now].filter((name) => !judgement.matching.has(name));
  if (unmatched.length > 0) return `selected, but not matching: ${unmatched.join(', ')}`;
  if (now.size !== wanted) return `${now.size} selected, ${wanted} wanted of ${judgement.matching.size} that match`;
  const staying = [...before].filter((name) => judgement.matching.has(name));
  const dropped = staying.filter((name) => !now.has(name));
  if (dropped.length > Math.max(0, staying.length - wanted))
    return `given up though still matching: ${dropped.join(', ')}`;
  return undefined;
}

function keptByMisconfigured(world: World, before: ReadonlySet<string>): Set<string> {
  return new Set([...before].filter((name) => world.clusters.get(name)?.deleting === false));
}

function differs(wanted: ReadonlySet<string>, now: ReadonlySet<string>): string | undefined {
  const missing = [...wanted].filter((name) => !now.has(name));
  const extra = [...now].filter((name) => !wanted.has(name));
  if (missing.length === 0 && extra.length === 0) return undefined;
  return `while misconfigured: lost ${missing.join(', ') || 'none'}, gained ${extra.join(', ') || 'none'}`;
}

/** The reason that PlacementSatisfied must give for a selection that has no {@link fault}. */
export function reasonOf(world: World, key: string, before: ReadonlySet<string>): string {
  const { misconfigured, bound, eligible, candidates, matching } = judge(world, key, before);
  const count = world.placements.get(key)?.count;
  if (misconfigured) return 'Misconfigured';
  if (count === 0) return 'AllDecisionsScheduled';
  if (!bound) return 'NoManagedClusterSetBindings';
  if (eligible.length === 0) return 'NoIntersection';
  if (candidates.size === 0) return 'AllManagedClusterSetsEmpty';
  if (matching.size === 0) return 'NoManagedClusterMatched';
  return count !== undefined && matching.size < count ? 'NotAllDecisionsScheduled' : 'AllDecisionsScheduled';
}
