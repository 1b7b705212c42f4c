import { createHash } from 'node:crypto';
import { laterMoves } from '../../answers/plan/movesahead.js';
import { loseEach } from '../../answers/plan/loseeach.js';
import { lossLines, totalText } from '../../answers/plan/text.js';
import { isChange, lossReport, planReport, type PlanReport } from '../../answers/plan/report.js';
import { problemText } from '../../domain/conditions.js';
import type { PlacementPlan, PlacementState } from '../../answers/plan/plan.js';
import type { Draft, Plan, PlanAnswer, PlannedPlacement, PlannedState } from '../wire/plan.js';
import { DraftFault, draftWorld, faultOf, isChanged, notApplied, type DraftWorld } from './draft.js';
import { faultLine } from './faultline.js';
import { manifestText } from './manifest.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import type { Computing } from '../../answers/plan/fleetplan.js';

/** What a draft does to every Placement, as `plan` says it. */

/** Of a list, this many clusters are named; the counts are whole. */
const MOST_CLUSTERS = 500;

/** A draft with its plan and what applying it writes, or why there is none. */
export type PlannedDraft =
  | ({ readonly plan: Plan } & Pick<DraftWorld, 'objects' | 'labels'>)
  | { readonly fault: string };

export function planAnswer(planned: PlannedDraft, { manifests }: Draft): PlanAnswer {
  if (!('fault' in planned)) return planned.plan;
  const line = faultLine(manifests, planned.fault);
  return { fault: planned.fault, ...(line === undefined ? {} : { line }) };
}

/** `namespace`: of objects that name none. @throws what `onDecision` throws */
export async function plannedDraft(
  reading: FleetReading,
  draft: Draft,
  { namespace, ...computing }: Computing & { readonly namespace: string },
): Promise<PlannedDraft> {
  try {
    const drafted = await draftWorld(reading, draft, { namespace, ...computing });
    const { after, lost, objects, labels } = drafted;
    const each = lossOfEach({ ...reading, world: after }, lost, draft, computing);
    const plan = { ...planOf(reading, drafted, computing), ...each };
    const reason = notApplied(objects, draft);
    return { objects, labels, plan: reason === undefined ? plan : { ...plan, notApplied: reason } };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return { fault };
  }
}

/** The changes of the draft count as made. @throws DraftFault */
function lossOfEach(
  after: FleetReading,
  lost: DraftWorld['lost'],
  { each }: Draft,
  computing: Computing,
): Pick<Plan, 'lossOfEach'> {
  const [key, other] = each;
  if (key === undefined) return {};
  if (other !== undefined) throw new DraftFault(`the loss of each value is planned of one key: take ${other} away`);
  if (lost.size > 0) throw new DraftFault('a loss, and the loss of each value, are two plans: take one of them away');
  return { lossOfEach: loseEach(after, key, { ...computing, output: 'text', colored: false }).text };
}

function planOf(reading: FleetReading, draft: DraftWorld, computing: Computing): Plan {
  const { after, objects, labels, lost } = draft;
  const report: PlanReport =
    lost.size > 0 ? lossReport({ ...reading, world: after }, lost, computing) : planReport(reading, draft, computing);
  const { placements, refusals, totals } = report;
  const loss = lossLines(report, { wide: false }).join(' ');
  const planned = placements.filter((one) => isChange(one) || one.kind === 'Unknown').map(plannedPlacement);
  const replaced = objects.flatMap(({ name, live, kept }) =>
    live === undefined ? [] : [{ name, live: manifestText(live), kept }],
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
      ...new Set(objects.filter(isChanged).map(({ name }) => name)),
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
