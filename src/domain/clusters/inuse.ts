import { IN_USE_CONDITION, type InUseReason } from '../../api/clusterreasons.js';
import type { ConditionState } from '../conditions.js';

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
export function setInUse(name: string, namespaces: Users, observedGeneration: number): ConditionState {
  if (namespaces.names.length === 0)
    return notSelectedFrom(`no Placement selects from ManagedClusterSet ${name}`, observedGeneration);
  const message = `ManagedClusterSet ${name} is in use by Placements of namespaces ${listed(namespaces)}`;
  return selectedFrom(message, observedGeneration);
}

/**
 * Condition InUse of a ManagedClusterSetBinding. `placements`: those of its namespace that may select from the set because
 * of it. The policy `multicluster-engine-warnings` takes their names from the text before ` select from ` in the message.
 */
export function bindingInUse(clusterSet: string, placements: Users, observedGeneration: number): ConditionState {
  const set = `ManagedClusterSet ${clusterSet}`;
  if (placements.names.length === 0)
    return notSelectedFrom(`no Placement of the namespace selects from ${set}`, observedGeneration);
  return selectedFrom(`Placements ${listed(placements)} select from ${set}`, observedGeneration);
}

function selectedFrom(message: string, observedGeneration: number): ConditionState {
  return {
    type: IN_USE_CONDITION,
    status: 'True',
    reason: 'SelectedFrom' satisfies InUseReason,
    message,
    observedGeneration,
  };
}

function notSelectedFrom(message: string, observedGeneration: number): ConditionState {
  const reason: InUseReason = 'NotSelectedFrom';
  return { type: IN_USE_CONDITION, status: 'False', reason, message, observedGeneration };
}

function listed({ names, more }: Users): string {
  return `${names.join(', ')}${more ? ' and others' : ''}`;
}
