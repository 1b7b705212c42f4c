import {
  ADDITIONS_ANNOTATION,
  ALLOW_ADDITIONS_ANNOTATION,
  ALLOW_REMOVALS_ANNOTATION,
  MESSAGE_LIMIT,
  REMOVALS_ANNOTATION,
} from '../../../api/names.js';
import { boundedList, clip, nameList } from '../../conditions.js';
import { isOwn, type StoredDecision } from '../stored/decision.js';
import { moveText, notNeededText } from '../explain/choicetext.js';
import { causeText } from '../explain/causes.js';
import { leastUnmet } from '../explain/explain.js';
import { unmet } from '../select/rules.js';
import { boundOf, isHeld, keptOut, staying, type Bound, type Decision, type Leaving } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import { releaseOfLoss, replacedDefinitions } from '../select/definitions.js';
import { budgetInForce } from '../select/limits.js';
import { limitValue } from '../spec/budget.js';

/** Characters of the clusters that a message names, and of the cause of some of them. */
const HELD_LIMIT = 540;
const CAUSE_LIMIT = 160;
const GROUP = 'cluster.fleetmgmt.io';

/** What the condition RemovalsHeld says: what holds the clusters, which with their causes, and how to let them go. */
export function heldMessage(snapshot: PlacementSnapshot, decision: Decision): string {
  const { namespace, name } = snapshot.placement;
  const tail =
    `; to let them go: kubectl mce release placement ${name} -n ${namespace} ` +
    `(annotation ${ALLOW_REMOVALS_ANNOTATION})`;
  switch (boundOf(decision)) {
    case 'Definitions':
      return clippedHead(definitionsHead(snapshot, decision), `${restoreText(snapshot)}${tail}`);
    case 'Deletions':
      return clippedHead(deletionsHead(decision), `; those that are created again stay${tail}`);
    default:
      return clippedHead(budgetHead(snapshot, decision), `${tail}, or ${raiseText(snapshot, 'maxRemovals')}`);
  }
}

function clippedHead(head: string, tail: string): string {
  return `${clip(head, MESSAGE_LIMIT - tail.length)}${tail}`;
}

function budgetHead(snapshot: PlacementSnapshot, decision: Decision): string {
  const unreadable = unreadableText(snapshot, REMOVALS_ANNOTATION, (one) => one.removals);
  return `${exceededText(snapshot, 'maxRemovals')}${unreadable}; held: ${causesText(staying(decision, isHeld), snapshot, decision)}`;
}

/** `maxRemovals 10% in 3600 s would be exceeded`. */
function exceededText({ placement }: PlacementSnapshot, field: 'maxRemovals' | 'maxAdditions'): string {
  const inForce = budgetInForce(placement);
  const { limit, isFormer = false } = inForce?.[field] ?? {};
  const before = isFormer ? ', which spec.disruptionBudget had before,' : '';
  const value = limit === undefined ? '' : ` ${limitValue(limit)} in ${inForce?.windowSeconds} s`;
  return `${field}${value}${before} would be exceeded`;
}

function raiseText({ placement }: PlacementSnapshot, field: 'maxRemovals' | 'maxAdditions'): string {
  const isFormer = budgetInForce(placement)?.[field]?.isFormer === true;
  return `${isFormer ? 'set a larger' : 'raise'} spec.disruptionBudget.${field}`;
}

/** What holds removals, in short. */
export function boundText(bound: Bound, snapshot: PlacementSnapshot): string {
  switch (bound) {
    case 'Definitions':
      return replacedText(snapshot);
    case 'Deletions':
      return 'more than half of the decision was deleted within a minute and stays for 15 minutes';
    case 'Budget':
      return exceededText(snapshot, 'maxRemovals');
  }
}

/**
 * The number changes with each cluster that is deleted or comes back, so that the time of the condition is that of the last. It
 * does not say of how many: an unrelated change of the decision would make the hold longer.
 */
function deletionsHead(decision: Decision): string {
  const names = staying(decision, isHeld).map((one) => one.cluster);
  const head = `${names.length} ${names.length === 1 ? 'cluster was deleted and stays' : 'clusters were deleted and stay'} for 15 minutes`;
  return `${head}, since more than half of the decision was deleted within a minute: ${boundedList(names, ', ', HELD_LIMIT)}`;
}

function definitionsHead(snapshot: PlacementSnapshot, decision: Decision): string {
  const { release } = snapshot.placement;
  const before = release !== undefined && releaseOfLoss(snapshot) === undefined;
  const ignored = before ? '; the release that the Placement had before does not count' : '';
  return `${replacedText(snapshot)}${ignored}; held: ${causesText(staying(decision, isHeld), snapshot, decision)}`;
}

function replacedText(snapshot: PlacementSnapshot): string {
  const names = replacedDefinitions(snapshot).map((one) => `${one}.${GROUP}`);
  if (names.length > 1)
    return `CustomResourceDefinitions ${names.join(', ')} were deleted with all their objects, and created again`;
  const which = names[0] ?? 'of clusters, sets or bindings';
  return `CustomResourceDefinition ${which} was deleted with all its objects, and created again`;
}

function restoreText({ placement }: PlacementSnapshot): string {
  return `; to recover, create the clusters, sets and bindings of namespace ${placement.namespace} again, from Git or a backup`;
}

/** What the condition AdditionsHeld says. */
export function heldAdditionsMessage(snapshot: PlacementSnapshot, decision: Decision): string {
  const { namespace, name } = snapshot.placement;
  const tail =
    `; to let them in: kubectl mce release placement ${name} -n ${namespace} --additions ` +
    `(annotation ${ALLOW_ADDITIONS_ANNOTATION}), or ${raiseText(snapshot, 'maxAdditions')}`;
  const unreadable = unreadableText(snapshot, ADDITIONS_ANNOTATION, (one) => one.additions);
  const names = boundedList([...keptOut(decision, isHeld)].sort(), ', ', HELD_LIMIT);
  return clippedHead(`${heldBackCause(snapshot)}${unreadable}; held: ${names}`, tail);
}

/** Why a cluster is held back. */
export function heldBackCause(snapshot: PlacementSnapshot): string {
  return exceededText(snapshot, 'maxAdditions');
}

/** The objects whose record cannot be read: while there is one, the budget counts as full. */
function unreadableText(
  { stored }: PlacementSnapshot,
  annotation: string,
  recordOf: (object: StoredDecision) => StoredDecision['removals'],
): string {
  const names = stored.filter((one) => isOwn(one) && recordOf(one)?.kind === 'unreadable').map((object) => object.name);
  if (names.length === 0) return '';
  return ` (annotation ${annotation} of PlacementDecision ${nameList(names.sort())} cannot be read and counts as full)`;
}

/** `prod-eu-2, prod-us-1 (there is no ManagedClusterSet production)`: the clusters by cause, in the order of their names. */
export function causesText(removals: readonly Leaving[], snapshot: PlacementSnapshot, decision: Decision): string {
  const byCause = new Map<string, string[]>();
  // A status says the same after a restart, when nothing is known of the decision before.
  const undated = { ...snapshot, before: undefined };
  for (const one of removals) {
    const cause = heldCause(one, undated, decision);
    const names = byCause.get(cause) ?? [];
    names.push(one.cluster);
    byCause.set(cause, names);
  }
  let text = '';
  let left = removals.length;
  for (const [cause, names] of byCause) {
    const next = `${text === '' ? '' : `${text}, `}${nameList(names)} (${clip(cause, CAUSE_LIMIT)})`;
    if (text !== '' && next.length > HELD_LIMIT) return `${text} and ${left} more`;
    text = next;
    left -= names.length;
  }
  return text;
}

/** Why a cluster that is held or waits would leave; `snapshot.before` counts. */
export function heldCause({ cluster: name, cause }: Leaving, snapshot: PlacementSnapshot, decision: Decision): string {
  const { placement, selected, before } = snapshot;
  if (cause === 'NotNeeded') return notNeededText(selected.get(name), placement.rules);
  if (cause === 'Moved') return decision.move === undefined ? cause : moveText(decision.move, placement.rules);
  const cluster = selected.get(name);
  const failing = cluster === undefined ? [] : placement.rules.predicates.map((one) => [...unmet(one, cluster)]);
  const judged = {
    cluster,
    inDecision: true,
    verdict: cause,
    causes: [cause],
    unmet: failing,
    best: leastUnmet(failing),
  };
  return causeText(judged, { placement, schedule: decision }, before) ?? cause;
}
