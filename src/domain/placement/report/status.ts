import { isRecord, sameJson, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import type { PlacementStatus } from '../../../api/generated/placement.js';
import type { Condition, ConditionStatus } from '../../../runtime/vocabulary/meta.js';
import { PlacementConditions, type PlacementPhase, type PlacementReason } from '../../../api/placementreasons.js';
import { joinedTexts, mergeConditions, nameList, problemText, type ConditionState } from '../../conditions.js';
import { isList } from '../../selectors.js';
import { wantedToRemember, budgetInForce, budgetToRemember } from '../select/limits.js';
import { basisToStore, hadDecision, readBasis } from '../stored/basis.js';
import { definitionsToRemember, releaseToRemember } from '../select/definitions.js';
import { heldAdditionsMessage, heldMessage, waitingTexts } from './holds.js';
import { statementsOf, type Statements } from './statements.js';
import { decisionGroups, emptyGroupsText } from './groups.js';
import { missingSetsCondition, satisfiedCondition, type ConditionText } from './satisfaction.js';
import { chosen, type Decision, hasHold, holdOf, keptOut, staying } from '../select/decision.js';
import { isHold, isKeptBySet, opensIn, type Hold } from '../select/holders.js';
import { specHashToRemember } from '../select/waiting.js';
import { isFrozen, publishedAfter, type PublishedSlice, type SliceChanges } from '../publish/slices.js';
import type { PlacementSnapshot } from '../select/snapshot.js';

/** How far changes were carried out: the first `done` writes are stored; `failure` is that of the next one, if it was tried. */
export interface Publication {
  readonly changes: SliceChanges;
  readonly done: number;
  readonly failure?: PublicationFailure;
}

/** A failed write: the name of the decision object, and the error message of the API. */
export interface PublicationFailure {
  readonly name: string;
  readonly message: string;
}

/** The status to report, without times. It lists only what is stored. */
export interface PlacementReport {
  readonly phase: PlacementPhase;
  readonly observedGeneration: number;
  readonly numberOfSelectedClusters: number;
  readonly decisions: readonly { readonly name: string; readonly revision: string }[];
  /** Undefined without groups. */
  readonly decisionGroups: PlacementStatus['decisionGroups'];
  readonly states: readonly ConditionState[];
  /** What the decision was made with; undefined for nothing to remember. */
  readonly basis: JsonRecord | undefined;
}

/** The status after a reconcile, computed from the snapshot, the decision, and how much of it is stored. */
export function placementReport(
  snapshot: PlacementSnapshot,
  decision: Decision,
  publication: Publication,
): PlacementReport {
  const slices = publishedAfter(publication.changes, publication.done);
  const stored = new Set(slices.flatMap((slice) => slice.clusters));
  const statements = statementsOf(snapshot, decision, stored);
  const { namespace } = snapshot.placement;
  const { problem } = decision;
  const isPaused = snapshot.placement.rules.paused;
  const ready =
    problem === undefined
      ? readiness(publication, namespace, isPaused)
      : statement('False', 'Misconfigured', problemText(problem));
  const satisfied = withBlocker(satisfiedCondition(statements), ready);
  const decided = slices.length > 0 || hadDecision(snapshot.placement.status);
  return {
    phase:
      decided || problem !== undefined || isPaused
        ? phaseOf(decision, satisfied, { stored: stored.size, isPaused })
        : 'Pending',
    observedGeneration: snapshot.placement.generation,
    numberOfSelectedClusters: stored.size,
    decisions: slices.map(({ name, revision }) => ({ name, revision })),
    decisionGroups: decisionGroups(slices),
    states: statesOf(snapshot, statements, {
      satisfied,
      ready,
      others: [
        ...heldStates(snapshot, decision),
        ...waitingTexts(snapshot, decision).map(({ type, message }) =>
          stateOf(snapshot, type, statement('True', waitReason(type, decision), message)),
        ),
        ...emptyGroupStates(snapshot, slices),
      ],
    }),
    basis: basisOf(snapshot, decision, publication),
  };
}

export type StatusToWrite = Required<Omit<PlacementStatus, 'basis' | 'decisionGroups'>> &
  Pick<PlacementStatus, 'basis' | 'decisionGroups'>;

/** The status to write, with times; undefined when the stored one is the same. `now` is RFC 3339. */
export function statusToWrite(
  stored: unknown,
  { states, decisionGroups: groups, basis, ...report }: PlacementReport,
  now: string,
): StatusToWrite | undefined {
  const before = isRecord(stored) ? stored : {};
  const listed = isList(before['conditions']) ? before['conditions'] : [];
  const conditions = mergeConditions(listed.filter(isCondition), states, now);
  const decisions = [...report.decisions];
  const next = { ...report, decisions, ...(groups && { decisionGroups: groups }), conditions, ...(basis && { basis }) };
  return sameJson(before, next) ? undefined : next;
}

const HOLD_REASONS: Readonly<Record<Hold, PlacementReason>> = {
  Definitions: 'DefinitionsReplaced',
  Budget: 'DisruptionBudgetExceeded',
  Deletions: 'ClustersDeleted',
};

function waitReason(type: 'Paused' | 'ChangesWaiting', { fates }: Decision): PlacementReason {
  if (type === 'Paused') return 'PausedBySpec';
  const kept = [...fates.of('held'), ...fates.of('keptOut')];
  return kept.some(([, { by }]) => opensIn(by) !== undefined) ? 'OutsideChangeWindows' : 'ClusterSetPaused';
}

function stateOf({ placement }: PlacementSnapshot, type: string, text: ConditionText): ConditionState {
  return { type, ...text, observedGeneration: placement.generation };
}

/** The conditions RemovalsHeld and AdditionsHeld, those that are True. */
export function heldStates(snapshot: PlacementSnapshot, decision: Decision): readonly ConditionState[] {
  const { RemovalsHeld, AdditionsHeld } = PlacementConditions;
  const states: ConditionState[] = [];
  const hold = holdOf(decision);
  if (hold !== undefined) {
    const text = statement('True', HOLD_REASONS[hold], heldMessage(hold, snapshot, decision));
    states.push(stateOf(snapshot, RemovalsHeld, text));
  }
  if (keptOut(decision, isHold).length > 0) {
    const text = statement('True', 'DisruptionBudgetExceeded', heldAdditionsMessage(snapshot, decision));
    states.push(stateOf(snapshot, AdditionsHeld, text));
  }
  return states;
}

/** The condition GroupsEmpty, while it is True. */
function emptyGroupStates(snapshot: PlacementSnapshot, slices: readonly PublishedSlice[]): ConditionState[] {
  const filled = slices.flatMap(({ piece, clusters }) => (piece === undefined || clusters.length === 0 ? [] : [piece]));
  const message = emptyGroupsText(snapshot.placement.rules.groups, filled);
  if (message === undefined) return [];
  return [stateOf(snapshot, PlacementConditions.GroupsEmpty, statement('True', 'NoClusterInGroup', message))];
}

/** What a later pass has to know of this one; as long as the decision is not stored, what it was made with stays. */
function basisOf(snapshot: PlacementSnapshot, decision: Decision, publication: Publication): JsonRecord | undefined {
  const { placement } = snapshot;
  const hold = holdOf(decision);
  const additions = keptOut(decision, isHold).length > 0;
  const isSet = decision.move === undefined && keptOut(decision, isKeptBySet).length > 0;
  const keepsOut = additions || isSet;
  const before = readBasis(placement.status);
  const made = {
    wanted: wantedToRemember(snapshot, { holds: keepsOut, size: isSet ? chosen(decision).length : 0 }),
    definitions: definitionsToRemember(snapshot, hold === 'Definitions'),
    clusterSets: setsToRemember(snapshot, decision),
  };
  const isStored = publication.done >= publication.changes.writes.length;
  // While sets keep all clusters out, the first decision has still to be made.
  const isMade = decision.candidates > 0 && !(isSet && chosen(decision).length === 0);
  const isFirst = isStored && publication.changes.blocked.length === 0 && !isFrozen(snapshot) && isMade;
  if (!isFirst && !hadDecision(placement.status)) return undefined;
  const budgetNow = budgetToRemember(placement, budgetInForce(placement), { removals: hold === 'Budget', additions });
  const specHash = specHashToRemember(placement, isStored);
  // A pause changes nothing of what the decision was made with.
  const { wanted, definitions, clusterSets, budget } = placement.rules.paused
    ? { ...NOT_MADE, ...before }
    : { ...(isStored ? made : (before ?? made)), budget: budgetNow };
  const heldBefore = isStored ? undefined : before;
  const heldDeletions = hold === 'Deletions' ? staying(decision, isHold).length : (heldBefore?.heldDeletions ?? 0);
  const releaseBefore = hold === 'Definitions' ? releaseToRemember(snapshot) : heldBefore?.releaseBefore;
  return basisToStore({ budget, wanted, definitions, clusterSets, heldDeletions, releaseBefore, specHash });
}

const NOT_MADE = { wanted: undefined, definitions: undefined, clusterSets: undefined, budget: undefined };

/** The sets to remember with a decision: while clusters are held or wait, those that they came from. */
function setsToRemember(
  { placement: { rules, status } }: PlacementSnapshot,
  { fates, eligibility }: Decision,
): readonly string[] | undefined {
  if (fates.of('held').length > 0 || rules.problem !== undefined) return readBasis(status)?.clusterSets;
  return rules.budget?.maxRemovals === undefined ? undefined : eligibility.eligible;
}

/**
 * The stored status with the conditions of holds that begin, and nothing else changed, to be stored before the decision objects;
 * undefined when all are stored for this generation.
 */
export function statusWithHolds(
  stored: unknown,
  held: readonly ConditionState[],
  now: string,
): (Partial<PlacementStatus> & { conditions: Condition[] }) | undefined {
  const before = isRecord(stored) ? stored : {};
  const conditions = (isList(before['conditions']) ? before['conditions'] : []).filter(isCondition);
  const isStored = ({ type, reason, observedGeneration }: ConditionState): boolean =>
    conditions.some(
      (one) =>
        one.type === type &&
        one.status === 'True' &&
        one.reason === reason &&
        one.observedGeneration === observedGeneration,
    );
  if (held.every(isStored)) return undefined;
  const others = conditions.filter(({ type }) => held.every((one) => one.type !== type));
  return { ...before, conditions: [...others, ...mergeConditions(conditions, held, now)] };
}

function statement(status: ConditionStatus, reason: PlacementReason, message: string): ConditionText {
  return { status, reason, message };
}

/** PlacementSatisfied with the reason why the decision is not stored: the number of missing clusters alone would hide it. */
function withBlocker(satisfied: ConditionText, ready: ConditionText): ConditionText {
  if (ready.status === 'True' || satisfied.reason === 'Misconfigured') return satisfied;
  return { ...satisfied, message: joinedTexts(satisfied.message, ready.message) };
}

/** Whether the decision is stored; for a valid spec. */
function readiness({ changes, done, failure }: Publication, namespace: string, isPaused: boolean): ConditionText {
  const located = (name: string): string => `${namespace}/${name}`;
  const foreign = changes.blocked.filter((slice) => slice.why === 'Foreign').map((slice) => located(slice.name));
  if (foreign.length > 0) {
    const text =
      `not owned by this Placement and therefore not changed: PlacementDecision ${nameList(foreign)}; ` +
      'the clusters for it are not published until it is deleted';
    return statement('False', 'PublishFailed', text);
  }
  if (failure !== undefined)
    return statement('False', 'PublishFailed', `PlacementDecision ${located(failure.name)}: ${failure.message}`);
  const pending = [...changes.writes.slice(done), ...changes.blocked].map((one) => located(one.name));
  // Who waits for Ready reads the decision then.
  if (pending.length === 0 && isPaused && changes.published.length === 0)
    return statement('False', 'PausedBySpec', 'there is no decision: the first one is made when spec.paused ends');
  if (pending.length === 0) return statement('True', 'DecisionPublished', 'the decision for this generation is stored');
  return statement('False', 'Publishing', `not stored yet: PlacementDecision ${nameList([...new Set(pending)])}`);
}

/** All conditions in their order; PlacementSatisfied, PlacementMisconfigured and Ready always, others only when they are True. */
function statesOf(
  snapshot: PlacementSnapshot,
  statements: Statements,
  of: Record<'satisfied' | 'ready', ConditionText> & { readonly others: readonly ConditionState[] },
): readonly ConditionState[] {
  const { satisfied, ready, others } = of;
  const { problem } = statements;
  const types = PlacementConditions;
  const missing = missingSetsCondition(statements);
  const misconfigured =
    problem === undefined
      ? statement('False', 'Succeedconfigured', 'every field of the spec is valid')
      : statement('True', 'Misconfigured', problemText(problem));
  const states = [
    stateOf(snapshot, types.PlacementSatisfied, satisfied),
    stateOf(snapshot, types.PlacementMisconfigured, misconfigured),
    stateOf(snapshot, types.Ready, ready),
  ];
  if (missing !== undefined) states.push(stateOf(snapshot, types.ClusterSetsMissing, missing));
  states.push(...others);
  if (problem !== undefined) states.push(stateOf(snapshot, types.Stalled, misconfigured));
  else if (ready.status !== 'True') states.push(stateOf(snapshot, types.Reconciling, { ...ready, status: 'True' }));
  return states;
}

/** The phase of a Placement that had a decision, or has an invalid spec. */
function phaseOf(
  decision: Decision,
  satisfied: ConditionText,
  { stored, isPaused }: { readonly stored: number; readonly isPaused: boolean },
): PlacementPhase {
  if (decision.problem !== undefined) return 'Misconfigured';
  const { wanted = 0 } = decision;
  if (isPaused) return 'Paused';
  if (hasHold(decision)) return 'Held';
  // Only clusters that wait to leave take the place of others, or only such are missing as wait to come in.
  const coming = keptOut(decision, isKeptBySet).length;
  const isAllOfIt = satisfied.status === 'True' || stored + coming >= wanted;
  if (staying(decision).length + coming > 0 && isAllOfIt) return 'Waiting';
  if (satisfied.status === 'True') return 'Satisfied';
  return stored === 0 ? 'Unsatisfied' : 'PartiallySatisfied';
}

const TEXT_FIELDS = ['type', 'status', 'reason', 'message', 'lastTransitionTime', 'lastUpdateTime'];

/** Whether a stored condition has the fields that this controller writes: an edited one is written again. */
function isCondition(value: unknown): value is Condition {
  if (!isRecord(value)) return false;
  const hasTexts = TEXT_FIELDS.every((field) => typeof value[field] === 'string');
  return hasTexts && typeof value['observedGeneration'] === 'number';
}
