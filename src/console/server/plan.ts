import { createHash } from 'node:crypto';
import { loseEach } from '../../cli/plan/loseeach.js';
import { lossText, totalText } from '../../cli/plan/text.js';
import { isChange, lossReport, planReport, type PlanReport } from '../../cli/plan/report.js';
import { laterMoves } from '../../cli/whatif/moves.js';
import { problemText } from '../../domain/conditions.js';
import type { PlacementPlan, PlacementState } from '../../domain/fleet/plan.js';
import type { Draft, Plan, PlanAnswer, PlannedPlacement, PlannedState } from '../wire/plan.js';
import { DraftFault, draftWorld, faulty, keyOf, type DraftWorld } from './draft.js';
import { faultLine } from './faultline.js';
import { manifestText } from './manifest.js';
import type { Snapshot } from './reading/snapshot.js';

/** What a draft does to every Placement, as `plan` says it. */

/** Of a list, this many clusters are named; the counts are whole. */
const MOST_CLUSTERS = 500;

export async function planAnswer(snapshot: Snapshot, draft: Draft, namespace: string): Promise<PlanAnswer> {
  try {
    const world = await draftWorld(snapshot.world, draft, namespace);
    return { ...planOf(snapshot, world), ...lossOfEach(snapshot, world, draft) };
  } catch (error) {
    if (error instanceof DraftFault) {
      const line = faultLine(draft.manifests, error.message);
      return { fault: error.message, ...(line === undefined ? {} : { line }) };
    }
    throw error;
  }
}

/** The changes of the draft count as made. @throws DraftFault */
function lossOfEach({ reading }: Snapshot, { after, lost }: DraftWorld, { each }: Draft): Pick<Plan, 'lossOfEach'> {
  const [key, other] = each;
  if (key === undefined) return {};
  if (other !== undefined) throw new DraftFault(`the loss of each value is planned of one key: take ${other} away`);
  if (lost.size > 0) throw new DraftFault('a loss, and the loss of each value, are two plans: take one of them away');
  const { text } = faulty(() => loseEach({ ...reading, world: after }, key, { output: 'text', colored: false }));
  return { lossOfEach: text };
}

export function planOf({ reading }: Snapshot, { after, objects, lost }: DraftWorld): Plan {
  const { placements, refusals, totals, loss }: PlanReport =
    lost.size > 0 ? lossReport({ ...reading, world: after }, lost, {}) : planReport(reading, { after, writes: [] }, {});
  const planned = placements.filter((one) => isChange(one) || one.kind === 'Unknown').map(plannedPlacement);
  const replaced = objects.flatMap(({ type, live }) =>
    live === undefined ? [] : [{ name: `${type.kind} ${keyOf(live)}`, live: manifestText(live) }],
  );
  const basedOn = createHash('sha256')
    .update(JSON.stringify([planned, replaced]))
    .digest('base64url');
  return {
    summary: totalText(totals),
    ...(loss === undefined ? {} : { loss: lossText(loss, { wide: false }) }),
    placements: planned,
    refusals: refusals.map(({ kind, name }) => `${kind} ${name} is in use: its deletion is refused`),
    replaced,
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
    moves: some(laterMoves(lists).map(({ from, to, why }) => ({ name: from, why: `moves to ${to}: ${why}` }))),
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
