import { isRecord } from '../../runtime/vocabulary/json.js';
import type { ManagedClusterSetStatus } from '../../api/generated/managedclusterset.js';
import type { ManagedClusterSetBindingStatus } from '../../api/generated/managedclustersetbinding.js';
import type { Condition } from '../../runtime/vocabulary/meta.js';
import {
  BOUND_CONDITION,
  CLUSTER_SET_EMPTY_CONDITION,
  type BindingReason,
  type ClusterSetReason,
} from '../../api/clusterreasons.js';
import { CLUSTER_SET_LABEL } from '../../api/names.js';
import { mergeConditions, type ConditionState } from '../conditions.js';
import { isList } from '../selectors.js';
import { bindingInUse, setInUse, type Users } from './inuse.js';
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
export function setStatus(
  input: SetStatusInput,
  stored: ManagedClusterSetStatus | undefined,
  now: string,
): ManagedClusterSetStatus | undefined {
  const states = [emptyCondition(input), setInUse(input.name, input.namespaces, input.generation)];
  const conditions = mergeConditions(conditionsIn(stored?.conditions), states, now);
  const known = input.selector.kind !== 'unreadable';
  const next: ManagedClusterSetStatus = { ...(known ? { numberOfClusters: input.members } : {}), conditions };
  const same =
    stored?.numberOfClusters === next.numberOfClusters && sameConditions(conditionsIn(stored?.conditions), conditions);
  return same ? undefined : next;
}

/** The status to write for a binding; undefined when `stored` is the same. `now` is RFC 3339. */
export function bindingStatus(
  input: BindingStatusInput,
  stored: ManagedClusterSetBindingStatus | undefined,
  now: string,
): ManagedClusterSetBindingStatus | undefined {
  const states = [boundCondition(input), bindingInUse(input.clusterSet, input.placements, input.generation)];
  const conditions = mergeConditions(conditionsIn(stored?.conditions), states, now);
  return sameConditions(conditionsIn(stored?.conditions), conditions) ? undefined : { conditions };
}

function emptyCondition({ name, generation, selector, members, leaving }: SetStatusInput): ConditionState {
  const state = (status: ConditionState['status'], reason: ClusterSetReason, message: string): ConditionState => {
    return { type: CLUSTER_SET_EMPTY_CONDITION, status, reason, message, observedGeneration: generation };
  };
  if (selector.kind === 'unreadable') {
    const { field, message } = selector.problem;
    const text = `${field}: ${message}; no cluster joins the set until it can be read`;
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
function conditionsIn(stored: unknown): readonly Condition[] {
  return isList(stored) ? stored.filter((one): one is Condition => isRecord(one)) : [];
}

function sameConditions(stored: readonly Condition[], next: readonly Condition[]): boolean {
  if (stored.length !== next.length) return false;
  return next.every((one, index) => {
    const other = stored[index];
    return other !== undefined && FIELDS.every((field) => other[field] === one[field]);
  });
}

const FIELDS = [
  'type',
  'status',
  'reason',
  'message',
  'observedGeneration',
  'lastTransitionTime',
  'lastUpdateTime',
] as const;
