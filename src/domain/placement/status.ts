import type { PlacementStatus } from '../../api/generated/placement.js';
import type { Condition, ConditionStatus } from '../../api/meta.js';
import type { PlacementPhase, PlacementReason } from '../../api/placementreasons.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { mergeConditions } from '../conditions.js';
import type { ConditionState } from '../conditions.js';
import { isList, isObject } from '../selectors.js';
import type { Schedule } from './schedule.js';
import { satisfiedCondition } from './satisfaction.js';
import { selected } from './schedule.js';
import { publishedAfter } from './slices.js';
import type { SlicePlan } from './slices.js';
import type { PlacementSnapshot } from './snapshot.js';
import { joinedTexts, nameList, problemText } from './messages.js';
import type { ConditionText } from './messages.js';

/** How far a plan was carried out: the first `done` writes were accepted, and the next one was refused if `failure` is set. */
export interface Publication {
  readonly plan: SlicePlan;
  readonly done: number;
  readonly failure?: PublicationFailure;
}

/** A refused write: the decision object's name, and the API's words. */
export interface PublicationFailure {
  readonly name: string;
  readonly message: string;
}

/** The status to report, before times are set. It claims what is stored and nothing else. */
export interface PlacementReport {
  readonly phase: PlacementPhase;
  readonly observedGeneration: number;
  readonly numberOfSelectedClusters: number;
  readonly decisions: readonly { readonly name: string; readonly revision: string }[];
  readonly states: readonly ConditionState[];
}

/** What to say of a pass: everything follows from the snapshot, what was decided, and how much of it is stored. */
export function placementReport(
  snapshot: PlacementSnapshot,
  schedule: Schedule,
  publication: Publication,
): PlacementReport {
  const slices = publishedAfter(publication.plan, publication.done);
  const stored = new Set(slices.flatMap((slice) => slice.clusters));
  const scheduled = selected(schedule).filter((name) => stored.has(name)).length;
  const { namespace, rules } = snapshot.placement;
  const { problem } = schedule;
  const ready =
    problem === undefined
      ? readiness(publication, namespace)
      : statement('False', 'Misconfigured', problemText(problem));
  const satisfied = withBlocker(
    satisfiedCondition({ namespace, rules, schedule, scheduled, stored: stored.size }),
    ready,
  );
  const decided = slices.length > 0 || hadDecision(snapshot.placement.status);
  return {
    phase: decided || problem !== undefined ? phaseOf(schedule, satisfied, stored.size) : 'Pending',
    observedGeneration: snapshot.placement.generation,
    numberOfSelectedClusters: stored.size,
    decisions: slices.map(({ name, revision }) => ({ name, revision })),
    states: statesOf(schedule, satisfied, ready, snapshot.placement.generation),
  };
}

const DECIDED: readonly unknown[] = [
  'Unsatisfied',
  'PartiallySatisfied',
  'Satisfied',
] satisfies readonly PlacementPhase[];

/**
 * Whether a stored status speaks of a decision that was published once, whether or not its objects still exist: it lists
 * them, or has a phase that none has before its first decision.
 */
export function hadDecision(stored: unknown): boolean {
  if (!isObject(stored)) return false;
  const { phase, decisions } = stored;
  return (isList(decisions) && decisions.length > 0) || DECIDED.includes(phase);
}

/** The status to write, with times set; undefined when what is stored says the same. `now` is RFC 3339. */
export function statusToWrite(
  stored: unknown,
  report: PlacementReport,
  now: string,
): Required<PlacementStatus> | undefined {
  const before = isObject(stored) ? stored : {};
  const listed = isList(before['conditions']) ? before['conditions'] : [];
  const conditions = mergeConditions(listed.filter(isCondition), report.states, now);
  const { phase, observedGeneration, numberOfSelectedClusters } = report;
  const decisions = report.decisions.map(({ name, revision }) => ({ name, revision }));
  const next = { phase, observedGeneration, numberOfSelectedClusters, decisions, conditions };
  return sameValue(before, next) ? undefined : next;
}

function statement(status: ConditionStatus, reason: PlacementReason, message: string): ConditionText {
  return { status, reason, message };
}

/** PlacementSatisfied, with what keeps the decision from being stored: a count of missing clusters alone would hide it. */
function withBlocker(satisfied: ConditionText, ready: ConditionText): ConditionText {
  if (ready.status === 'True' || satisfied.reason === 'Misconfigured') return satisfied;
  return { ...satisfied, message: joinedTexts(satisfied.message, ready.message) };
}

/** Whether the decision is stored; a spec that can be read is presumed. */
function readiness({ plan, done, failure }: Publication, namespace: string): ConditionText {
  const located = (name: string): string => `${namespace}/${name}`;
  const foreign = plan.blocked.filter((slice) => slice.why === 'Foreign').map((slice) => located(slice.name));
  if (foreign.length > 0) {
    const text =
      `not of this Placement and therefore not touched: PlacementDecision ${nameList(foreign)}; ` +
      'what belongs there is not published until it is deleted';
    return statement('False', 'PublishFailed', text);
  }
  if (failure !== undefined)
    return statement('False', 'PublishFailed', `PlacementDecision ${located(failure.name)}: ${failure.message}`);
  const pending = [...plan.writes.slice(done), ...plan.blocked].map((one) => located(one.name));
  if (pending.length === 0) return statement('True', 'DecisionPublished', 'the decision for this generation is stored');
  return statement('False', 'Publishing', `not stored yet: PlacementDecision ${nameList([...new Set(pending)])}`);
}

/** Every condition, in its order; Reconciling and Stalled only where they are True. */
function statesOf(
  schedule: Schedule,
  satisfied: ConditionText,
  ready: ConditionText,
  generation: number,
): ConditionState[] {
  const { problem } = schedule;
  const misconfigured =
    problem === undefined
      ? statement('False', 'Succeedconfigured', 'every field of the spec can be read')
      : statement('True', 'Misconfigured', problemText(problem));
  const states: ConditionState[] = [];
  const add = (type: string, said: ConditionText): void => {
    states.push({ type, ...said, observedGeneration: generation });
  };
  add(PlacementConditions.PlacementSatisfied, satisfied);
  add(PlacementConditions.PlacementMisconfigured, misconfigured);
  add(PlacementConditions.Ready, ready);
  if (problem !== undefined) add(PlacementConditions.Stalled, misconfigured);
  else if (ready.status !== 'True') add(PlacementConditions.Reconciling, { ...ready, status: 'True' });
  return states;
}

/** The phase of a Placement that has had a decision, or cannot have one. */
function phaseOf(schedule: Schedule, satisfied: ConditionText, stored: number): PlacementPhase {
  if (schedule.problem !== undefined) return 'Misconfigured';
  if (satisfied.status === 'True') return 'Satisfied';
  return stored === 0 ? 'Unsatisfied' : 'PartiallySatisfied';
}

const CONDITION_FIELDS: readonly string[] = [
  'type',
  'status',
  'reason',
  'message',
  'lastTransitionTime',
  'lastUpdateTime',
];

/** Whether a stored condition is one that we can have written: an edited one is written anew. */
function isCondition(value: unknown): value is Condition {
  if (!isObject(value)) return false;
  return (
    CONDITION_FIELDS.every((field) => typeof value[field] === 'string') &&
    typeof value['observedGeneration'] === 'number'
  );
}

/** Whether two JSON values are the same, whatever the order of their keys. */
function sameValue(a: unknown, b: unknown): boolean {
  if (isList(a) && isList(b)) return a.length === b.length && a.every((one, index) => sameValue(one, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}
