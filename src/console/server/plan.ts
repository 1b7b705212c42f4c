import { createHash } from 'node:crypto';
import { laterMoves } from '../../answers/plan/movesahead.js';
import { manifestRules } from '../../answers/files/files.js';
import { loseEachSteps } from '../../answers/plan/loseeach.js';
import { lossLines, totalText } from '../../answers/plan/text.js';
import { isChange, lossReportSteps, planReportSteps, type PlanReport } from '../../answers/plan/report.js';
import { problemText } from '../../domain/conditions.js';
import type { PlacementPlan, PlacementState } from '../../answers/plan/plan.js';
import type { Steps } from '../../answers/plan/steps.js';
import type { Draft, Plan, PlanAnswer, PlannedPlacement, PlannedState } from '../wire/plan.js';
import {
  DraftFault,
  draftWorldSteps,
  faulty,
  isChanged,
  nameOf,
  notApplied,
  type DraftContext,
  type DraftWorld,
} from './draft.js';
import { faultLine } from './faultline.js';
import { manifestText } from './manifest.js';
import type { Snapshot } from './snapshot.js';
import { inSlices, TooLong, type Slices } from './slices.js';

/** What a draft does to every Placement, as `plan` says it. */

/** Of a list, this many clusters are named; the counts are whole. */
const MOST_CLUSTERS = 500;

/** What is planned of, and for how long. */
export interface Planning {
  /** Of objects of a draft that name none. */
  readonly namespace: string;
  readonly slices: Slices;
}

export async function planAnswer(snapshot: Snapshot, draft: Draft, planning: Planning): Promise<PlanAnswer> {
  const planned = await plannedDraft(snapshot, draft, planning);
  if (!('fault' in planned)) return planned.plan;
  const line = faultLine(draft.manifests, planned.fault);
  return { fault: planned.fault, ...(line === undefined ? {} : { line }) };
}

/** A draft with its plan, or why there is none. */
export async function plannedDraft(
  snapshot: Snapshot,
  draft: Draft,
  { namespace, slices }: Planning,
): Promise<{ readonly world: DraftWorld; readonly plan: Plan } | { readonly fault: string }> {
  const rules = await manifestRules();
  try {
    return await inSlices(planSteps(snapshot, draft, { world: snapshot.world, namespace, rules }), slices);
  } catch (error) {
    if (error instanceof TooLong)
      return { fault: `planning ${error.message}: plan fewer changes at once, or take kubectl mce plan, which waits` };
    if (error instanceof DraftFault) return { fault: error.message };
    throw error;
  }
}

function* planSteps(
  snapshot: Snapshot,
  draft: Draft,
  context: DraftContext,
): Steps<{ readonly world: DraftWorld; readonly plan: Plan }> {
  const world = yield* faulty(draftWorldSteps(draft, context));
  const each = yield* lossOfEachSteps(snapshot, world, draft);
  const reason = notApplied(world, draft);
  const refused = reason === undefined ? {} : { notApplied: reason };
  return { world, plan: { ...(yield* planOfSteps(snapshot, world)), ...each, ...refused } };
}

/** The changes of the draft count as made. @throws DraftFault */
function* lossOfEachSteps(
  { reading }: Snapshot,
  { after, lost }: DraftWorld,
  { each }: Draft,
): Steps<Pick<Plan, 'lossOfEach'>> {
  const [key, other] = each;
  if (key === undefined) return {};
  if (other !== undefined) throw new DraftFault(`the loss of each value is planned of one key: take ${other} away`);
  if (lost.size > 0) throw new DraftFault('a loss, and the loss of each value, are two plans: take one of them away');
  const steps = loseEachSteps({ ...reading, world: after }, key, { output: 'text', colored: false });
  return { lossOfEach: (yield* faulty(steps)).text };
}

function* planOfSteps(snapshot: Snapshot, { after, objects, labels, lost }: DraftWorld): Steps<Plan> {
  const { reading, inputs: known } = snapshot;
  const report: PlanReport =
    lost.size > 0
      ? yield* lossReportSteps({ ...reading, world: after }, lost, {})
      : yield* planReportSteps(reading, { after, writes: [], known }, {});
  const { placements, refusals, totals } = report;
  const loss = lossLines(report, { wide: false }).join(' ');
  const planned = placements.filter((one) => isChange(one) || one.kind === 'Unknown').map(plannedPlacement);
  const replaced = objects.flatMap(({ type, live }) =>
    live === undefined ? [] : [{ name: nameOf({ type, object: live }), live: manifestText(live) }],
  );
  const basedOn = createHash('sha256')
    .update(JSON.stringify([planned, replaced]))
    .digest('base64url');
  return {
    summary: totalText(totals),
    ...(loss === '' ? {} : { loss }),
    placements: planned,
    refusals: refusals.map(({ kind, name }) => `${kind} ${name} is in use: its deletion is refused`),
    replaced,
    writes: [
      ...objects.filter(isChanged).map(nameOf),
      ...new Set(labels.map(({ object }) => `ManagedCluster ${object.name}`)),
    ],
    basedOn,
  };
}

function plannedPlacement({ namespace, name, kind, before, after, ...lists }: PlacementPlan): PlannedPlacement {
  const some = (list: readonly { readonly name: string; readonly why: string }[]): PlannedPlacement['add'] =>
    list.slice(0, MOST_CLUSTERS).map((one) => ({ name: one.name, why: one.why }));
  return {
    namespace,
    name,
    change: kind,
    ...(before === undefined ? {} : { before: stateOf(before) }),
    ...(after === undefined ? {} : { after: stateOf(after) }),
    add: some(lists.adds),
    remove: some(lists.removes),
    held: some(lists.held),
    // Without times, which are others at each reading: `basedOn` is the same while the plan is.
    moves: some([
      ...laterMoves(lists).map(({ from, to, why }) => ({ name: from, why: `moves to ${to}: ${why}` })),
      ...lists.addLater,
    ]),
    added: lists.adds.length,
    removed: lists.removes.length,
    stay: lists.stays.length,
  };
}

function stateOf({ phase, satisfied, clusters, rules }: PlacementState): PlannedState {
  return {
    phase,
    selected: clusters.length,
    ...(rules.wanted === undefined ? {} : { wanted: rules.wanted }),
    ...(rules.problem === undefined ? {} : { problem: problemText(rules.problem) }),
    message: satisfied.message,
  };
}
