import { field, recordsIn, sameJson } from '../../runtime/vocabulary/json.js';
import type { ManagedClusterSetStatus } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBindingStatus } from '../../api/generated/managedclustersetbinding.js';
import type { Condition } from '../../runtime/vocabulary/meta.js';
import {
  BOUND_CONDITION,
  CLUSTER_SET_EMPTY_CONDITION,
  type BindingReason,
  type ClusterSetReason,
  IN_USE_CONDITION,
  type InUseReason,
} from '../../api/clusterreasons.js';
import { CLUSTER_SET_LABEL } from '../../api/names.js';
import { mergeConditions, problemText, type ConditionState } from '../conditions.js';
import type { ClusterSelector } from './selector.js';

/** What the status of a ManagedClusterSet is computed from. */
export interface SetStatusInput {
  readonly name: string;
  readonly generation: number;
  readonly selector: ClusterSelector;
  /** The number of members that are not being deleted. */
  readonly members: number;
  /** The number of members that are being deleted. */
  readonly leaving: number;
  /** The namespaces whose Placements may select from it. */
  readonly namespaces: Users;
}

/** What the status of a ManagedClusterSetBinding is computed from. */
export interface BindingStatusInput {
  readonly name: string;
  readonly clusterSet: string;
  readonly generation: number;
  /** The binding itself is being deleted. */
  readonly deleting: boolean;
  /** The set that it names. */
  readonly set: 'exists' | 'deleting' | 'missing';
  /** The Placements of the namespace that may select from the set because of the binding. */
  readonly placements: Users;
}

/** The status to write for a set; undefined when `stored` is the same. `now` is RFC 3339. An unknown number is left out. */
export function clusterSetStatus(
  input: SetStatusInput,
  stored: ManagedClusterSetStatus | undefined,
  now: string,
): ManagedClusterSetStatus | undefined {
  const states = [emptyCondition(input), clusterSetInUse(input.name, input.namespaces, input.generation)];
  const conditions = mergeConditions(conditionsIn(stored), states, now);
  const known = input.selector.kind !== 'unreadable';
  const next: ManagedClusterSetStatus = { ...(known ? { numberOfClusters: input.members } : {}), conditions };
  const same = stored?.numberOfClusters === next.numberOfClusters && sameJson(conditionsIn(stored), conditions);
  return same ? undefined : next;
}

/** The status to write for a binding; undefined when `stored` is the same. `now` is RFC 3339. */
export function bindingStatus(
  input: BindingStatusInput,
  stored: ManagedClusterSetBindingStatus | undefined,
  now: string,
): ManagedClusterSetBindingStatus | undefined {
  const states = [boundCondition(input), bindingInUse(input.clusterSet, input.placements, input.generation)];
  const conditions = mergeConditions(conditionsIn(stored), states, now);
  return sameJson(conditionsIn(stored), conditions) ? undefined : { conditions };
}

function emptyCondition({ name, generation, selector, members, leaving }: SetStatusInput): ConditionState {
  const state = (status: ConditionState['status'], reason: ClusterSetReason, message: string): ConditionState => {
    return { type: CLUSTER_SET_EMPTY_CONDITION, status, reason, message, observedGeneration: generation };
  };
  if (selector.kind === 'unreadable') {
    const text = `${problemText(selector.problem)}; no cluster joins the set until it can be read`;
    return state('Unknown', 'SelectorUnreadable', text);
  }
  if (members > 0)
    return state('False', 'ClustersSelected', `${whatSelects(name, selector)}; status.numberOfClusters counts them`);
  const why = leaving > 0 ? 'every cluster of the set is being deleted' : whyEmpty(name, selector);
  return state('True', 'NoClusterSelected', why);
}

/** What makes clusters members: without a number, so that it stays the same while their number changes. */
function whatSelects(name: string, { kind }: ClusterSelector): string {
  return kind === 'exclusive'
    ? `clusters carry the label ${CLUSTER_SET_LABEL}=${name}`
    : 'clusters match spec.clusterSelector.labelSelector';
}

function whyEmpty(name: string, selector: ClusterSelector): string {
  if (selector.kind === 'exclusive') return `no cluster carries the label ${CLUSTER_SET_LABEL}=${name}`;
  if (selector.kind === 'labels') return 'no cluster matches spec.clusterSelector.labelSelector';
  return 'spec.clusterSelector.labelSelector is absent, which selects no cluster';
}

function boundCondition({ name, clusterSet, generation, deleting, set }: BindingStatusInput): ConditionState {
  const state = (status: ConditionState['status'], reason: BindingReason, message: string): ConditionState => {
    return { type: BOUND_CONDITION, status, reason, message, observedGeneration: generation };
  };
  const otherName = `metadata.name ${name} is not spec.clusterSet ${clusterSet}: the binding is ignored`;
  if (name !== clusterSet) return state('False', 'NameDiffers', otherName);
  if (deleting) return state('False', 'BindingDeleting', 'the binding is being deleted and is ignored');
  if (set === 'missing') return state('False', 'ClusterSetNotFound', `ManagedClusterSet ${clusterSet} does not exist`);
  if (set === 'deleting')
    return state('False', 'ClusterSetNotFound', `ManagedClusterSet ${clusterSet} is being deleted`);
  const bound = `the clusters of ManagedClusterSet ${clusterSet} can be selected in this namespace`;
  return state('True', 'ClusterSetBound', bound);
}

/** The stored conditions that are objects. Their fields are unchecked: others may have edited them. */
function conditionsIn(status: unknown): readonly Condition[] {
  return recordsIn(field(status, 'conditions')) as readonly unknown[] as readonly Condition[];
}

/**
 * The names of those who select from a set: sorted by code units, each once, at most {@link MOST_NAMES}. `more`: there are
 * others, which are not counted, so that a message does not change with each of them.
 */
export interface Users {
  readonly names: readonly string[];
  readonly more: boolean;
}

/** Names in one message, of up to 63 characters (namespaces, Placements). */
const MOST_NAMES = 5;

export const NO_USERS: Users = { names: [], more: false };

/** The first of `names`, which are unique and in any order. Costs one comparison for each name that is left out. */
export function firstUsers(names: Iterable<string>): Users {
  const first: string[] = [];
  let more = false;
  for (const name of names) {
    if (first.length === MOST_NAMES) {
      more = true;
      if (name > (first.at(-1) ?? '')) continue;
      first.pop();
    }
    first.push(name);
    first.sort();
  }
  return { names: first, more };
}

/**
 * Condition InUse of a ManagedClusterSet. `namespaces`: those with a Placement that may select from it. The policy
 * `multicluster-engine-in-use` begins its refusal with the message.
 */
export function clusterSetInUse(name: string, namespaces: Users, observedGeneration: number): ConditionState {
  const isUsed = namespaces.names.length > 0;
  const message = isUsed
    ? `ManagedClusterSet ${name} is in use by Placements of namespaces ${listed(namespaces)}`
    : `no Placement selects from ManagedClusterSet ${name}`;
  return inUse(isUsed, message, observedGeneration);
}

/**
 * Condition InUse of a ManagedClusterSetBinding. `placements`: those of its namespace that may select from the set because
 * of it. The policy `multicluster-engine-warnings` takes their names from the text before ` select from ` in the message.
 */
export function bindingInUse(clusterSet: string, placements: Users, observedGeneration: number): ConditionState {
  const isUsed = placements.names.length > 0;
  const set = `ManagedClusterSet ${clusterSet}`;
  const message = isUsed
    ? `Placements ${listed(placements)} select from ${set}`
    : `no Placement of the namespace selects from ${set}`;
  return inUse(isUsed, message, observedGeneration);
}

function inUse(isSelected: boolean, message: string, observedGeneration: number): ConditionState {
  const reason: InUseReason = isSelected ? 'SelectedFrom' : 'NotSelectedFrom';
  return { type: IN_USE_CONDITION, status: isSelected ? 'True' : 'False', reason, message, observedGeneration };
}

function listed({ names, more }: Users): string {
  return `${names.join(', ')}${more ? ' and others' : ''}`;
}
