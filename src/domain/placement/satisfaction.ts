import type { ConditionStatus } from '../../api/meta.js';
import type { PlacementReason } from '../../api/placementreasons.js';
import { boundedList, nameList, problemText } from '../conditions.js';
import type { IgnoredBinding } from './eligible.js';
import type { PlacementRules } from './predicates.js';
import type { Schedule } from './schedule.js';

/** Status, reason and message of a condition. */
export interface ConditionText {
  readonly status: ConditionStatus;
  readonly reason: PlacementReason;
  readonly message: string;
}

/** What the condition PlacementSatisfied is computed from. */
export interface SatisfactionInput {
  readonly namespace: string;
  readonly rules: PlacementRules;
  readonly schedule: Schedule;
  /** The number of clusters that are selected and stored. */
  readonly scheduled: number;
  /** The number of clusters that are stored, selected or not. */
  readonly stored: number;
}

type Rule = (input: SatisfactionInput) => ConditionText | undefined;

/** The first match wins. No message has a count that changes without a change of the condition. */
const RULES: readonly Rule[] = [misconfigured, noneWanted, noBinding, noIntersection, noCandidate, noMatch, tooFew];

/** The PlacementSatisfied condition. */
export function satisfiedCondition(input: SatisfactionInput): ConditionText {
  for (const rule of RULES) {
    const condition = rule(input);
    if (condition === undefined) continue;
    return condition.reason === 'Misconfigured' ? condition : withUnreadable(condition, input.schedule);
  }
  const { wanted } = input.schedule;
  const all: ConditionText = { status: 'True', reason: 'AllDecisionsScheduled', message: allSelected(wanted) };
  return withUnreadable(all, input.schedule);
}

function allSelected(wanted: number | undefined): string {
  if (wanted === undefined) return 'every cluster that matches is selected';
  return wanted === 1 ? 'the 1 wanted cluster is selected' : `all ${wanted} wanted clusters are selected`;
}

function misconfigured({ schedule, stored }: SatisfactionInput): ConditionText | undefined {
  if (schedule.problem === undefined) return undefined;
  const message = `the last decision, of ${stored} ${stored === 1 ? 'cluster' : 'clusters'}, stays published: ${problemText(schedule.problem)}`;
  return { status: 'False', reason: 'Misconfigured', message };
}

function noneWanted({ schedule }: SatisfactionInput): ConditionText | undefined {
  if (schedule.wanted !== 0) return undefined;
  const message = 'no cluster is wanted: spec.numberOfClusters is 0';
  return { status: 'True', reason: 'AllDecisionsScheduled', message };
}

function noBinding({ schedule, namespace }: SatisfactionInput): ConditionText | undefined {
  const { bound, ignored } = schedule.eligibility;
  if (bound.length > 0) return undefined;
  const cure =
    `no cluster set is bound to namespace ${namespace}: create a ManagedClusterSetBinding there, ` +
    'with the name of a ManagedClusterSet as metadata.name and as spec.clusterSet';
  const but = ignored.length === 0 ? '' : `; ignored: ${boundedList(ignored.map(ignoredText), '; ')}`;
  return { status: 'False', reason: 'NoManagedClusterSetBindings', message: `${cure}${but}` };
}

function ignoredText({ binding, clusterSet, why }: IgnoredBinding): string {
  switch (why) {
    case 'OtherName':
      return `binding ${binding} (its name is not its spec.clusterSet, ${clusterSet})`;
    case 'BindingDeleting':
      return `binding ${binding} (it is being deleted)`;
    case 'NoSuchSet':
      return `binding ${binding} (there is no ManagedClusterSet ${clusterSet})`;
    case 'SetDeleting':
      return `binding ${binding} (ManagedClusterSet ${clusterSet} is being deleted)`;
  }
}

function noIntersection({ schedule, rules }: SatisfactionInput): ConditionText | undefined {
  const { bound, eligible } = schedule.eligibility;
  if (eligible.length > 0) return undefined;
  const names = `asked for: ${nameList(rules.requested)}; bound: ${nameList(bound)}`;
  const message = `none of spec.ClusterSets is bound to the namespace; ${names}`;
  return { status: 'False', reason: 'NoIntersection', message };
}

function noCandidate({ schedule }: SatisfactionInput): ConditionText | undefined {
  if (schedule.candidates > 0) return undefined;
  const message = `no cluster to select from in cluster sets ${nameList(schedule.eligibility.eligible)}`;
  return { status: 'False', reason: 'AllManagedClusterSetsEmpty', message };
}

function noMatch({ schedule, rules }: SatisfactionInput): ConditionText | undefined {
  if (schedule.matched > 0) return undefined;
  const sets = nameList(schedule.eligibility.eligible);
  const tried = rules.predicates.length;
  const message = `no cluster of cluster sets ${sets} matches ${tried === 1 ? 'the 1 predicate' : `any of ${tried} predicates`}`;
  return { status: 'False', reason: 'NoManagedClusterMatched', message };
}

function tooFew({ schedule, scheduled }: SatisfactionInput): ConditionText | undefined {
  const needed = schedule.wanted ?? schedule.matched;
  if (scheduled >= needed) return undefined;
  return { status: 'False', reason: 'NotAllDecisionsScheduled', message: missing(needed - scheduled, needed) };
}

function missing(count: number, needed: number): string {
  if (needed === 1) return 'the 1 wanted cluster is missing';
  return `${count} of ${needed} wanted clusters ${count === 1 ? 'is' : 'are'} missing`;
}

/** Adds the sets that no new cluster is selected from. */
function withUnreadable(condition: ConditionText, { eligibility }: Schedule): ConditionText {
  if (eligibility.unreadable.length === 0) return condition;
  const text = `the selector of cluster set ${nameList(eligibility.unreadable)} cannot be read, so no new cluster is selected from it`;
  return { ...condition, message: `${condition.message}; ${text}` };
}
