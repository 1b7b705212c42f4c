import type { ConditionStatus } from '../../../runtime/vocabulary/meta.js';
import type { PlacementReason } from '../../../api/placementreasons.js';
import { boundedList, clip, joinedTexts, nameList, problemText } from '../../conditions.js';
import type { IgnoredBinding } from '../select/eligible.js';
import { absentList, absentText, type AbsentSet } from '../explain/membership.js';
import type { Statements } from './statements.js';
import { shortageTexts } from '../explain/choicetext.js';
import { unmatchedText } from '../explain/requirementtext.js';
import { stuckTexts } from '../explain/taints.js';
import { TOLD } from '../explain/causes.js';
import type { OutByRules } from '../select/rules.js';

/** Status, reason and message of a condition. */
export interface ConditionText {
  readonly status: ConditionStatus;
  readonly reason: PlacementReason;
  readonly message: string;
}

type Rule = (statements: Statements) => ConditionText | undefined;

/** The first match wins. */
const RULES: readonly Rule[] = [
  misconfigured,
  noneWanted,
  noBinding,
  noIntersection,
  noCandidate,
  noMatch,
  allOut,
  tooFew,
];

const MOST_PREDICATES = 3;
/** Characters of what is reported of one predicate: three and the names of sets fit in a message. */
const PREDICATE_LIMIT = 180;
/** The most lacking predicates and spread constraints that are named, and the most characters of each. */
const MOST_SHORTAGES = 4;
const SHORTAGE_LIMIT = 420;

/** What is said of one cluster that stays although it is not selected any more, and of several. */
const KEPT = {
  Hold: ['is held', 'are held'],
  Window: ['waits for a change window', 'wait for a change window'],
  Pause: ['stays while spec.paused is true', 'stay while spec.paused is true'],
  SetPause: ['stays while its cluster set is paused', 'stay while their cluster sets are paused'],
} as const;

export function satisfiedCondition(statements: Statements): ConditionText {
  for (const rule of RULES) {
    const condition = rule(statements);
    if (condition === undefined) continue;
    return withTails(condition, statements);
  }
  return withTails({ status: 'True', reason: 'AllDecisionsScheduled', message: allSelected(statements) }, statements);
}

/** The ClusterSetsMissing condition; undefined unless it is True. */
export function missingSetsCondition(statements: Statements): ConditionText | undefined {
  if (statements.absent.length === 0) return undefined;
  return { status: 'True', reason: 'ClusterSetsNotEligible', message: nothingComesFrom(statements.absent, statements) };
}

function allSelected({ wanted, outByRules }: Statements): string {
  if (wanted === undefined && outByRules.length > 0)
    return `every cluster that matches is selected, except those ${outTexts(outByRules, 'with').join(' and those ')}`;
  if (wanted === undefined) return 'every cluster that matches is selected';
  return wanted === 1 ? 'the 1 wanted cluster is selected' : `all ${wanted} wanted clusters are selected`;
}

/** What is said of the clusters that each rule keeps out. */
function outTexts(outByRules: OutByRules, form: 'with' | 'all' | 'some'): readonly string[] {
  return outByRules.map(([rule, names]) => TOLD[rule].out[form](nameList(names)));
}

function misconfigured({ problem, stored, isDecided }: Statements): ConditionText | undefined {
  if (problem === undefined) return undefined;
  const last = isDecided
    ? `the last decision, of ${stored} ${stored === 1 ? 'cluster' : 'clusters'}, stays published`
    : 'there is no decision yet';
  return { status: 'False', reason: 'Misconfigured', message: `${last}: ${problemText(problem)}` };
}

function noneWanted({ wanted, numbers }: Statements): ConditionText | undefined {
  if (wanted !== 0) return undefined;
  const message = `no cluster is wanted: ${numbers === 'zero' ? 'numberOfClusters of each of spec.predicates' : 'spec.numberOfClusters'} is 0`;
  return { status: 'True', reason: 'AllDecisionsScheduled', message };
}

function noBinding({ bound, ignored, namespace }: Statements): ConditionText | undefined {
  if (bound.length > 0) return undefined;
  const remedy =
    `no cluster set is bound to namespace ${namespace}: create a ManagedClusterSetBinding there, ` +
    'with the name of a ManagedClusterSet as metadata.name and as spec.clusterSet';
  const ignoredText =
    ignored.length === 0
      ? ''
      : `; ignored: ${boundedList(
          ignored.map((one) => ignoredReason(one, namespace)),
          '; ',
        )}`;
  return { status: 'False', reason: 'NoManagedClusterSetBindings', message: `${remedy}${ignoredText}` };
}

function ignoredReason({ binding, clusterSet, why }: IgnoredBinding, namespace: string): string {
  switch (why) {
    case 'OtherName':
      return `binding ${binding} (its name is not its spec.clusterSet, ${clusterSet})`;
    case 'BindingDeleting':
      return `binding ${binding} (it is being deleted)`;
    default:
      return `binding ${binding} (${absentText({ set: clusterSet, why }, namespace)})`;
  }
}

function noIntersection({ bound, eligible, absent, namespace }: Statements): ConditionText | undefined {
  if (eligible.length > 0) return undefined;
  const names = `${absentList(absent, namespace)}; bound: ${nameList(bound)}`;
  return {
    status: 'False',
    reason: 'NoIntersection',
    message: `nothing can be selected from spec.ClusterSets: ${names}`,
  };
}

function noCandidate({ someCandidate, eligible }: Statements): ConditionText | undefined {
  if (someCandidate) return undefined;
  const message = `no cluster to select from in cluster sets ${nameList(eligible)}`;
  return { status: 'False', reason: 'AllManagedClusterSetsEmpty', message };
}

function noMatch(statements: Statements): ConditionText | undefined {
  if (statements.someMatch) return undefined;
  const message = `no cluster of cluster sets ${nameList(statements.eligible)} matches: ${unmatchedList(statements)}`;
  return { status: 'False', reason: 'NoManagedClusterMatched', message };
}

function allOut({ isAllOut, outByRules }: Statements): ConditionText | undefined {
  const [[first] = []] = outByRules;
  if (!isAllOut || first === undefined) return undefined;
  const message = `clusters match, but all of them ${outTexts(outByRules, 'all').join(', or ')}`;
  return { status: 'False', reason: TOLD[first].out.reason, message };
}

function tooFew(statements: Statements): ConditionText | undefined {
  const { wanted, scheduled, allStored, keptOutBy, stuck } = statements;
  if (wanted === undefined ? allStored && keptOutBy === undefined : scheduled - stuck.length >= wanted)
    return undefined;
  return { status: 'False', reason: 'NotAllDecisionsScheduled', message: missing(statements) };
}

/** Which clusters are missing. What is not stored yet is reported by the condition Ready. */
function missing(statements: Statements): string {
  const { wanted, scheduled, allStored, keptBy, keptOutBy } = statements;
  const keeps = `${keptOutBy} keeps matching clusters out`;
  if (wanted === undefined && keptOutBy !== undefined) return keeps;
  if (wanted === undefined) return 'not every cluster that matches is stored';
  if (keptBy !== undefined && allStored) return missingBesideHeld(wanted, KEPT[keptBy], statements);
  const isFull = scheduled >= wanted;
  const count = isFull ? statements.stuck.length : wanted - scheduled;
  const what = isFull ? 'to be replaced' : 'missing';
  const text =
    wanted === 1
      ? `the 1 wanted cluster is ${what}`
      : `${count} of ${wanted} wanted clusters ${count === 1 ? 'is' : 'are'} ${what}`;
  if (keptBy !== undefined) return `${text}, including those that ${KEPT[keptBy][1]}`;
  if (keptOutBy !== undefined) return `${text}: ${keeps}`;
  if (!allStored) return text;
  const why = unmatchedList(statements);
  const out = outTexts(statements.outByRules, 'some').map((one) => `matching clusters ${one}`);
  const texts = shortageTexts(statements.shortage, out.length > 0).map((one) => clip(one, SHORTAGE_LIMIT));
  const ends = texts.length === 0 && out.length === 0 ? ['every cluster that matches is selected'] : texts;
  const head = ends.length > 0 ? `${text}: ${ends.slice(0, MOST_SHORTAGES).join('; ')}` : text;
  return [head, ...out, why].filter((one) => one !== '').join('; ');
}

/** Held clusters take places: they are no missing ones, as in the count of selected clusters. */
function missingBesideHeld(
  wanted: number,
  [one, several]: (typeof KEPT)[keyof typeof KEPT],
  statements: Statements,
): string {
  const { scheduled, stored, keptAbove: above } = statements;
  const [failing, count] = [stored - scheduled - above, wanted - stored];
  const kept = [
    {
      held: failing,
      of: `${wanted} wanted clusters`,
      text: failing === 1 ? `no longer matches and ${one}` : `no longer match and ${several}`,
    },
    {
      held: above,
      of: `${stored} clusters`,
      text: `${aboveText(above, statements)} and ${above === 1 ? one : several}`,
    },
  ].filter(({ held }) => held > 0);
  const texts = kept.map(({ held, of, text }, at) => `${held}${at > 0 || count > 0 ? '' : ` of ${of}`} ${text}`);
  if (count <= 0) return texts.join('; ');
  return [`${count} of ${wanted} wanted clusters ${count === 1 ? 'is' : 'are'} missing`, ...texts].join('; ');
}

function aboveText(count: number, { numbers }: Statements): string {
  if (numbers === 'none') return `${count === 1 ? 'is' : 'are'} above spec.numberOfClusters`;
  return count === 1 ? 'is above the number of its predicate' : 'are above the number of their predicate';
}

/** The predicates that match no cluster; the empty string for none. */
function unmatchedList({ unmatched }: Statements): string {
  const texts = unmatched.slice(0, MOST_PREDICATES).map((one) => clip(unmatchedText(one), PREDICATE_LIMIT));
  const more = unmatched.length - texts.length;
  if (more > 0) texts.push(`and ${more} more ${more === 1 ? 'predicate' : 'predicates'}`);
  return texts.join('; ');
}

/** Adds the clusters that nothing can replace, and the sets that no new cluster is selected from. */
function withTails(condition: ConditionText, statements: Statements): ConditionText {
  const { unreadable, absent } = statements;
  if (condition.reason === 'Misconfigured') return condition;
  const tails = [...stuckTexts(statements, nameList)];
  if (unreadable.length > 0)
    tails.push(
      `the selector of cluster set ${nameList(unreadable)} cannot be read, so no new cluster is selected from it`,
    );
  const rest = absent.filter(({ set }) => !isNamed(set, condition, statements));
  if (rest.length > 0) tails.push(nothingComesFrom(rest, statements));
  return tails.length === 0 ? condition : { ...condition, message: joinedTexts(condition.message, tails.join('; ')) };
}

/** Whether the message says already why nothing comes from the set. */
function isNamed(set: string, { reason }: ConditionText, { ignored }: Statements): boolean {
  if (reason === 'NoManagedClusterSetBindings') return ignored.some(({ binding }) => binding === set);
  return reason === 'NoIntersection';
}

function nothingComesFrom(absent: readonly AbsentSet[], { namespace }: Statements): string {
  return `nothing comes from ${absentList(absent, namespace)}`;
}
