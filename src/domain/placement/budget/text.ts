import { ALLOW_REMOVALS_ANNOTATION, MESSAGE_LIMIT, REMOVALS_ANNOTATION } from '../../../api/names.js';
import { clip, nameList } from '../../conditions.js';
import { causeText } from '../explain/causes.js';
import { leastUnmet } from '../explain/explain.js';
import { unmet } from '../rules.js';
import type { Schedule } from '../schedule.js';
import type { PlacementSnapshot } from '../snapshot.js';
import type { HeldRemoval } from './budget.js';
import { maxRemovalsText, type DisruptionBudget } from './spec.js';

/** Characters of the clusters that a message names, and of the cause of some of them. */
const HELD_LIMIT = 540;
const CAUSE_LIMIT = 160;

/** What the condition RemovalsHeld says: the budget, the clusters with their causes, and how to let them go. */
export function heldMessage(snapshot: PlacementSnapshot, schedule: Schedule, budget: DisruptionBudget): string {
  const { namespace, name } = snapshot.placement;
  const exceeded = `maxRemovals ${maxRemovalsText(budget)} in ${budget.windowSeconds} s would be exceeded`;
  const head = `${exceeded}${unreadableText(snapshot)}; held: ${heldText(snapshot, schedule)}`;
  const tail =
    `; to let them go: kubectl mce release placement ${name} -n ${namespace} ` +
    `(annotation ${ALLOW_REMOVALS_ANNOTATION}), or raise spec.disruptionBudget.maxRemovals`;
  return `${clip(head, MESSAGE_LIMIT - tail.length)}${tail}`;
}

/** The objects whose record cannot be read: while there is one, nothing may be removed. */
function unreadableText({ stored }: PlacementSnapshot): string {
  const names = stored.filter(({ removals }) => removals?.kind === 'unreadable').map((object) => object.name);
  if (names.length === 0) return '';
  return ` (annotation ${REMOVALS_ANNOTATION} of PlacementDecision ${nameList(names.sort())} cannot be read and counts as full)`;
}

/** `prod-eu-2, prod-us-1 (there is no ManagedClusterSet production)`: the clusters by cause, in the order of their names. */
function heldText(snapshot: PlacementSnapshot, schedule: Schedule): string {
  const byCause = new Map<string, string[]>();
  // A status says the same after a restart, when nothing is known of the decision before.
  const standing = { ...snapshot, before: undefined };
  for (const one of schedule.heldRemovals) {
    const cause = heldCause(one, standing, schedule);
    const names = byCause.get(cause) ?? [];
    names.push(one.cluster);
    byCause.set(cause, names);
  }
  let text = '';
  let left = schedule.heldRemovals.length;
  for (const [cause, names] of byCause) {
    const next = `${text === '' ? '' : `${text}, `}${nameList(names)} (${clip(cause, CAUSE_LIMIT)})`;
    if (text !== '' && next.length > HELD_LIMIT) return `${text} and ${left} more`;
    text = next;
    left -= names.length;
  }
  return text;
}

/** Why a held cluster would leave; `snapshot.before` counts. */
export function heldCause(
  { cluster: name, cause }: HeldRemoval,
  snapshot: PlacementSnapshot,
  schedule: Schedule,
): string {
  const { placement, held, before } = snapshot;
  const cluster = held.get(name);
  const failing = cluster === undefined ? [] : placement.rules.predicates.map((one) => [...unmet(one, cluster)]);
  const judged = {
    cluster,
    inDecision: true,
    verdict: cause,
    causes: [cause],
    unmet: failing,
    best: leastUnmet(failing),
  };
  return causeText(judged, { placement, schedule }, before) ?? cause;
}
