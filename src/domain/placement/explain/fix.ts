import { CLUSTER_SET_LABEL } from '../../../api/names.js';
import { nearestWord } from '@multicluster-engine/values/nearestword';
import { selects } from '../../clusters/selector.js';
import { meets, valueOf, type Requirement, type StringMap } from '../../selectors.js';
import { shellWord } from '../../shellword.js';
import { eligibleSets } from '../select/eligible.js';
import { firstFailure } from '../select/rules.js';
import { standingOf } from '../select/standing.js';
import type { PlacementRules } from '../spec/predicates.js';
import type { ClusterView } from '../select/snapshot.js';
import type { ClusterExplanation, ExplainInput } from './verdict.js';

/**
 * Labels that make a cluster match one predicate, tried on the snapshot. `Passes`: the cluster passes every rule with them;
 * `Leaves`: they would take it out of every eligible set.
 */
export type Fix =
  | { readonly kind: 'Passes'; readonly labels: LabelChanges; readonly command: string }
  | { readonly kind: 'Leaves'; readonly labels: LabelChanges; readonly sets: readonly string[] };

/** Key → the value to set; null for a label to remove. */
export type LabelChanges = Readonly<Record<string, string | null>>;

/** For a label that only has to exist. */
const ANY_VALUE = 'true';

/**
 * The labels that make the cluster match the predicate; undefined if it matches, fails another rule, or needs more than labels.
 */
export function fixFor(one: ClusterExplanation, index: number, input: ExplainInput): Fix | undefined {
  const { cluster, verdict, causes } = one;
  const { rules } = input.snapshot.placement;
  const predicate = rules.predicates[index];
  const unmet = one.unmet[index] ?? [];
  const isUnmatched = verdict === 'NotMatched' || (verdict === 'Held' && causes[0] === 'NotMatched');
  if (cluster === undefined || !isUnmatched || predicate === undefined || unmet.length === 0) return undefined;
  const labels = labelsFor(one, index, rules);
  if (labels === undefined) return undefined;
  return tried(one, { cluster, labels }, input);
}

/** The fix with the fewest changes among those that pass, for the predicates that `isOffered` admits; undefined when there is none. */
export function bestFix(
  one: ClusterExplanation,
  input: ExplainInput,
  isOffered: (index: number) => boolean,
): Extract<Fix, { kind: 'Passes' }> | undefined {
  for (const index of fewestFirst(one)) {
    if (index === undefined || !isOffered(index)) continue;
    const fix = fixFor(one, index, input);
    if (fix?.kind === 'Passes') return fix;
  }
  return undefined;
}

function tried(
  { name, sets, inDecision, verdict }: ClusterExplanation,
  { cluster, labels }: { readonly cluster: ClusterView; readonly labels: LabelChanges },
  { snapshot, selectors }: ExplainInput,
): Fix | undefined {
  const changed: ClusterView = { ...cluster, labels: withLabels(cluster.labels, labels) };
  const { placement, bindings, sets: known, now } = snapshot;
  const { unreadable } = eligibleSets(placement.rules, bindings, known);
  // One that is not held leaves before anybody can label it, and has to come in again.
  const selected = inDecision && verdict === 'Held';
  // A cluster of the decision stays while a set that may hold it is unreadable.
  const stays = selected && unreadable.length > 0;
  const member = stays || [...selectors].some(([set, selector]) => selects(set, selector, changed.labels));
  const failure = firstFailure({ cluster: changed, member, selected, now }, placement.rules);
  if (failure === 'NotMember') return selected || sets.length === 0 ? undefined : { kind: 'Leaves', labels, sets };
  // One that yields its place may be replaced at once, whatever its labels.
  const { taints } = cluster;
  const yields = inDecision && standingOf(taints, placement.rules.tolerations, now).kind === 'yields';
  return failure === undefined && !yields
    ? { kind: 'Passes', labels, command: commandFor(name, cluster.labels, labels) }
    : undefined;
}

/** The first value that meets all of the requirements on one key; null for none; undefined when nothing meets them. */
function valueFor(requirements: readonly Requirement[]): string | null | undefined {
  const values = requirements.flatMap(({ operator, values: wanted }) => (operator === 'In' ? wanted : []));
  const key = requirements[0]?.key ?? '';
  for (const value of [...values, null, ANY_VALUE]) {
    const map = value === null ? {} : Object.fromEntries([[key, value]]);
    if (requirements.every((requirement) => meets(requirement, map))) return value;
  }
  return undefined;
}

export function withLabels(labels: StringMap, changes: LabelChanges): StringMap {
  const kept = Object.entries(labels).filter(([key]) => !Object.hasOwn(changes, key));
  const set = Object.entries(changes).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  return Object.fromEntries([...kept, ...set]);
}

/** The changes as `kubectl label` takes them: `tier=gold`, and `tier-` for one that is removed. */
export function labelWords(changes: LabelChanges): readonly string[] {
  return Object.entries(changes).map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`));
}

function commandFor(name: string, labels: StringMap, changes: LabelChanges): string {
  const replaces = Object.entries(changes).some(([key, value]) => value !== null && Object.hasOwn(labels, key));
  const command = ['kubectl', 'label', 'mcl', name, ...labelWords(changes)].map(shellWord).join(' ');
  return replaces ? `${command} --overwrite` : command;
}

/** Labels that bring a cluster into an eligible set, and what else it lacks there. */
export interface MembershipFix {
  readonly set: string;
  readonly labels: LabelChanges;
  readonly command: string;
}

/**
 * The fix for a cluster whose label names a set that is like an eligible one; with the labels of a predicate that `isOffered`
 * admits and that it does not match, too. Undefined when no name is like it, and when the cluster would fail another rule there.
 */
export function membershipFix(
  one: ClusterExplanation,
  input: ExplainInput,
  isOffered: (index: number) => boolean,
): MembershipFix | undefined {
  const { name, cluster, verdict } = one;
  const label = cluster === undefined ? undefined : valueOf(cluster.labels, CLUSTER_SET_LABEL);
  if (cluster === undefined || label === undefined || verdict !== 'NotMember') return undefined;
  const exclusive = [...input.selectors].filter(([, { kind }]) => kind === 'exclusive');
  const near = nearestWord(label, new Map(exclusive.map(([set]) => [set, 1])));
  if (near === undefined) return undefined;
  const { placement, now } = input.snapshot;
  for (const predicate of fewestFirst(one)) {
    const missing = predicate === undefined ? {} : labelsFor(one, predicate, placement.rules);
    const isNew = predicate !== undefined && one.unmet[predicate]?.length !== 0 && !isOffered(predicate);
    if (missing === undefined || isNew) continue;
    const labels = { ...missing, [CLUSTER_SET_LABEL]: near.word };
    const changed: ClusterView = { ...cluster, labels: withLabels(cluster.labels, labels) };
    const failure = firstFailure({ cluster: changed, member: true, selected: false, now }, placement.rules);
    if (failure === undefined) return { set: near.word, labels, command: commandFor(name, cluster.labels, labels) };
  }
  return undefined;
}

/** The predicates, those with the fewest unmet requirements first; `undefined` where there is none. */
function fewestFirst({ unmet }: ClusterExplanation): readonly (number | undefined)[] {
  if (unmet.length === 0) return [undefined];
  return [...unmet.keys()].sort((a, b) => (unmet[a]?.length ?? 0) - (unmet[b]?.length ?? 0) || a - b);
}

/** The labels that the cluster lacks for the predicate; undefined when labels alone cannot make it match. */
function labelsFor(one: ClusterExplanation, index: number, { predicates }: PlacementRules): LabelChanges | undefined {
  const unmet = one.unmet[index] ?? [];
  const required = predicates[index]?.labels ?? [];
  if (unmet.some(({ source }) => source !== 'label')) return undefined;
  const keys = [...new Set(unmet.map(({ requirement }) => requirement.key))];
  const changes = keys.map((key) => [key, valueFor(required.filter((other) => other.key === key))] as const);
  if (changes.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(changes.map(([key, value]) => [key, value ?? null]));
}
