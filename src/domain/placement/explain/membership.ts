import { CLUSTER_SET_LABEL } from '../../../api/names.js';
import { selects, type ClusterSelector } from '../../clusters/selector.js';
import { nameList, boundedList } from '../../conditions.js';
import { valueOf, type StringMap } from '../../selectors.js';
import { readableSelectors, type Eligibility, type IgnoredBinding } from '../select/eligible.js';
import { unmetText, wordText } from './requirementtext.js';
import { unmet, type Unmet } from '../select/rules.js';
import type { Before, ClusterView, PlacementView } from '../select/snapshot.js';
import { readBasis } from '../stored/basis.js';

/** Why a cluster is in none of the eligible sets, as text: by its label, by the selectors of sets, or by a set that went. */

/** A cluster that is in no eligible set, and the Placement that asks. */
interface Outside {
  readonly cluster: ClusterView;
  /** Whether the decision names it: then it was in one of the sets that the decision was made with. */
  readonly inDecision: boolean;
  readonly placement: PlacementView;
  readonly eligibility: Eligibility;
}

/** Causes that are named of one cluster. */
const MOST_CAUSES = 3;
/** Characters of the sets that bring in no cluster. */
const ABSENT_LIMIT = 140;

/**
 * Why the cluster is in no eligible set. With `before` the cause is what changed: the sets that the cluster was in come first.
 * Without it, everything that keeps the cluster out is named, since any of it may have changed.
 */
export function notMemberText(outside: Outside, before: Before | undefined): string {
  const { eligibility } = outside;
  const left = before === undefined ? [] : setsBefore(outside, before);
  const causes = left.length > 0 ? left.map((set) => notInText(set, outside)) : presentCauses(outside, before);
  const texts = [...new Set(causes)].slice(0, MOST_CAUSES);
  return texts.length > 0 ? texts.join('; ') : noneOf(eligibility.eligible);
}

/** Why the set brings in no cluster; for an eligible one, the sets that would. */
function notFromText(
  set: string,
  { namespace, rules }: PlacementView,
  { bound, eligible, ignored }: Eligibility,
): string {
  if (eligible.includes(set)) return noneOf(eligible);
  if (bound.includes(set)) return `spec.ClusterSets does not name ${set}`;
  const [absent] = absentAmong([set], { eligible, ignored });
  return absent === undefined ? noneOf(rules.requested) : absentText(absent, namespace);
}

export function noneOf(sets: readonly string[]): string {
  return sets.length === 0 ? 'no cluster set is eligible' : `in none of cluster sets ${nameList(sets)}`;
}

/** The sets that the cluster was in, and is not in any more. */
function setsBefore({ cluster, eligibility }: Outside, before: Before): readonly string[] {
  const { labels } = before.cluster(cluster.name) ?? cluster;
  const selectors = before.selectors ?? readableSelectors(eligibility);
  const left = [...selectors].filter(([set, selector]) => selects(set, selector, labels)).map(([set]) => set);
  const named = setLabel(labels);
  // The selector of a set that went is not known any more: one whose name the label has was in it.
  const isLost = named !== undefined && before.eligible.includes(named) && !eligibility.eligible.includes(named);
  return [...new Set(isLost ? [named, ...left] : left)].sort();
}

/** Why the cluster is not in the set, of which it was a member. */
function notInText(set: string, outside: Outside): string {
  const { placement, eligibility } = outside;
  if (!eligibility.eligible.includes(set)) return notFromText(set, placement, eligibility);
  const selector = eligibility.sets.get(set)?.selector;
  return selector?.kind === 'exclusive' ? labelText(outside) : selectorText(set, selector, outside);
}

/** What keeps the cluster out, where it is not known in which set it was. */
function presentCauses(outside: Outside, before: Before | undefined): readonly string[] {
  const { eligibility, placement } = outside;
  const gone = before?.eligible.filter((set) => !eligibility.eligible.includes(set)) ?? [];
  if (gone.length > 0) return gone.map((set) => notFromText(set, placement, eligibility));
  // A cluster that stayed against a rule was in no set before either: the sets that the decision was made with count.
  const lost = lostCauses(outside);
  if (lost !== undefined && lost.length > 0) return lost;
  const byLabel = labelCause(outside);
  const nearest = nearestSelector(outside);
  const isAsked = exclusiveSets(eligibility).length > 0;
  const causes = (isAsked ? [byLabel, nearest] : [nearest, byLabel]).filter((one) => one !== undefined);
  const absent = lost === undefined ? absentCauses(outside) : [];
  return [...(causes.length > 0 ? causes : unnamedSets(outside)), ...absent];
}

/** What the cluster's label has to do with it; undefined where the sets that select by this label are not concerned. */
function labelCause(outside: Outside): string | undefined {
  const { cluster, placement, eligibility } = outside;
  const set = setLabel(cluster.labels);
  const isAsked = exclusiveSets(eligibility).length > 0;
  // Where the sets are known that the decision was made with, only a label that changed names another one.
  const isOther = set !== undefined && setsBeforeOf(outside)?.includes(set) === false;
  if (set === undefined || isOther || eligibility.eligible.includes(set))
    return isAsked ? labelText(outside) : undefined;
  const why = notFromText(set, placement, eligibility);
  if (eligibility.ignored.some(({ binding }) => binding === set)) return why;
  if (isAsked) return `${labelled(set)}, ${why}`;
  return eligibility.bound.includes(set) || eligibility.eligible.length === 0 ? why : undefined;
}

/** The bound sets whose selectors fit the cluster, and that ClusterSets does not name. */
function unnamedSets({ cluster, placement, eligibility }: Outside): readonly string[] {
  const { bound, eligible, sets } = eligibility;
  return bound
    .filter((set) => !eligible.includes(set) && set !== setLabel(cluster.labels))
    .filter((set) => selects(set, sets.get(set)?.selector ?? { kind: 'none' }, cluster.labels))
    .map((set) => notFromText(set, placement, eligibility));
}

/**
 * The sets that ClusterSets names, which bring in no cluster and may have had this one: `nothing comes from gold (no
 * ManagedClusterSetBinding gold in namespace shop)`. Nothing where the set of the cluster's label is one of them.
 */
function absentCauses(outside: Outside): readonly string[] {
  const { cluster, placement, eligibility } = outside;
  const absent = absentAmong(placement.rules.requested, eligibility);
  if (absent.some(({ set }) => set === setLabel(cluster.labels))) return [];
  const mayHave = absent.filter(({ set }) => mayHaveHad(set, outside));
  if (mayHave.length === 0) return [];
  return [`nothing comes from ${absentList(mayHave, placement.namespace, ABSENT_LIMIT)}`];
}

/** Why the sets bring in no cluster that the decision was made with, and that may have had this one. Undefined: they are not known. */
function lostCauses(outside: Outside): readonly string[] | undefined {
  const { cluster, placement, eligibility } = outside;
  const lost = setsBeforeOf(outside)?.filter((set) => !eligibility.eligible.includes(set));
  const own = lost?.filter((set) => set === setLabel(cluster.labels)) ?? [];
  return (own.length > 0 ? own : lost?.filter((set) => mayHaveHad(set, outside)))?.map((set) =>
    notFromText(set, placement, eligibility),
  );
}

/** The sets that the cluster was selected from; undefined where they are not known. */
function setsBeforeOf({ inDecision, placement }: Outside): readonly string[] | undefined {
  return inDecision ? readBasis(placement.status)?.clusterSets : undefined;
}

/** Whether the cluster may have been in the set: the selector of a set that went is not known. */
function mayHaveHad(set: string, { cluster, eligibility }: Outside): boolean {
  const known = eligibility.sets.get(set)?.selector;
  return known === undefined || selects(set, known, cluster.labels);
}

/** `label cluster.fleetmgmt.io/clusterset=prdo names none of cluster sets edge, production`. */
function labelText({ cluster, eligibility }: Outside): string {
  const set = setLabel(cluster.labels);
  const exclusive = exclusiveSets(eligibility);
  return set === undefined
    ? `no label ${CLUSTER_SET_LABEL}, ${noneOf(exclusive)}`
    : `${labelled(set)} names none of cluster sets ${nameList(exclusive)}`;
}

/** The eligible sets that select by the label of sets. */
function exclusiveSets(eligibility: Eligibility): readonly string[] {
  const selectors = [...readableSelectors(eligibility)];
  return selectors.filter(([, { kind }]) => kind === 'exclusive').map(([name]) => name);
}

function labelled(set: string): string {
  return `label ${CLUSTER_SET_LABEL}=${wordText(set)}`;
}

/**
 * The selector that the cluster nearly meets: among the sets that select by other labels, that with the fewest unmet
 * requirements.
 */
function nearestSelector(outside: Outside): string | undefined {
  const { cluster, eligibility } = outside;
  const others = [...readableSelectors(eligibility)].filter(([, { kind }]) => kind !== 'exclusive');
  const sorted = others
    .map(([set, selector]) => ({ set, selector, count: unmetOf(selector, cluster).length || Infinity }))
    .sort((a, b) => a.count - b.count || (a.set < b.set ? -1 : 1));
  const [first] = sorted;
  return first && selectorText(first.set, first.selector, outside);
}

/** `label tier=gold, cluster set gold wants tier=platinum`. */
function selectorText(set: string, selector: ClusterSelector | undefined, { cluster }: Outside): string {
  const [first, ...more] = selector === undefined ? [] : unmetOf(selector, cluster);
  if (first === undefined) return `the selector of cluster set ${set} selects no cluster`;
  const text = unmetText(first, `cluster set ${set} wants`);
  return more.length === 0 ? text : `${text} (and ${more.length} more)`;
}

function unmetOf(selector: ClusterSelector, cluster: ClusterView): readonly Unmet[] {
  if (selector.kind !== 'labels') return [];
  return unmet({ labels: selector.requirements, claims: [] }, cluster);
}

function setLabel(labels: StringMap): string | undefined {
  return valueOf(labels, CLUSTER_SET_LABEL);
}

/** A set that a Placement or a binding names, and that brings in no cluster. */
export interface AbsentSet {
  readonly set: string;
  readonly why: 'NoBinding' | IgnoredBinding['why'];
}

type Bindings = Pick<Eligibility, 'eligible' | 'ignored'>;

/** The sets of a Placement that bring in no cluster: of ClusterSets or, without it, of the bindings, sorted. */
export function absentSets(requested: readonly string[], bindings: Bindings): readonly AbsentSet[] {
  return absentAmong(
    requested.length > 0 ? requested : bindings.ignored.map(({ binding }) => binding).sort(),
    bindings,
  );
}

/** Those of `sets` that bring in no cluster, in their order. */
export function absentAmong(sets: readonly string[], { eligible, ignored }: Bindings): readonly AbsentSet[] {
  const byName = new Map(ignored.map(({ binding, why }) => [binding, why]));
  return sets
    .filter((set) => !eligible.includes(set))
    .map((set) => ({ set, why: byName.get(set) ?? ('NoBinding' as const) }));
}

/** `nope (there is no ManagedClusterSet nope), old (its binding is being deleted)`. `limit`: of characters. */
export function absentList(absent: readonly AbsentSet[], namespace: string, limit?: number): string {
  const texts = absent.map((one) => `${one.set} (${absentText(one, namespace)})`);
  return boundedList(texts, ', ', limit);
}

/** Why the set brings in no cluster. Without a binding it is not known whether the set exists. */
export function absentText({ set, why }: AbsentSet, namespace: string): string {
  switch (why) {
    case 'NoBinding':
      return `no ManagedClusterSetBinding ${set} in namespace ${namespace}`;
    case 'NoSuchSet':
      return `there is no ManagedClusterSet ${set}`;
    case 'SetDeleting':
      return `ManagedClusterSet ${set} is being deleted`;
    case 'BindingDeleting':
      return 'its binding is being deleted';
    case 'OtherName':
      return `the name of binding ${set} is not its spec.clusterSet`;
  }
}
