import { createHash } from 'node:crypto';
import type { PlannedPlacement } from '../../answers/plan/document.js';
import { InputError } from '../../answers/output.js';
import { loseEach } from '../../answers/plan/loseeach.js';
import { lossLines } from '../../answers/plan/text.js';
import { lossReport, planReport } from '../../answers/plan/report.js';
import type { CutPlacement, Draft, Plan, PlanAnswer } from '../wire/plan.js';
import { draftWorld, faultOf, notApplied, type DraftWorld } from './draft.js';
import { faultLine } from './faultline.js';
import { manifestText } from './manifest.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import type { Computing } from '../../answers/plan/fleetplan.js';

/** What a draft does to every Placement, as `plan` says it. */

/** The most clusters that a list names. The counts are of all. */
const MOST_CLUSTERS = 500;

/** A draft with its plan and what applying it writes, or why there is none. */
export type PlannedDraft = ({ readonly plan: Plan } & Pick<DraftWorld, 'requests'>) | { readonly fault: string };

export function planAnswer(planned: PlannedDraft, { manifests }: Draft): PlanAnswer {
  if (!('fault' in planned)) return planned.plan;
  const line = faultLine(manifests, planned.fault);
  return { fault: planned.fault, ...(line === undefined ? {} : { line }) };
}

/** The plan of a draft. `namespace`: that of objects that name none. @throws what `onDecision` throws */
export async function plannedDraft(
  reading: FleetReading,
  draft: Draft,
  { namespace, ...computing }: Computing & { readonly namespace: string },
): Promise<PlannedDraft> {
  try {
    const drafted = await draftWorld(reading, draft, { namespace, ...computing });
    const { after, lost, objects, requests } = drafted;
    const each = lossOfEach({ ...reading, world: after }, lost, draft, computing);
    const plan = { ...planOf(reading, drafted, computing), ...each };
    const reason = notApplied(objects, draft);
    return { requests, plan: reason === undefined ? plan : { ...plan, notApplied: reason } };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === undefined) throw error;
    return { fault };
  }
}

/** The changes of the draft count as made. @throws InputError */
function lossOfEach(
  after: FleetReading,
  lost: DraftWorld['lost'],
  { each }: Draft,
  computing: Computing,
): Pick<Plan, 'lossOfEach'> {
  const [key, other] = each;
  if (key === undefined) return {};
  if (other !== undefined) throw new InputError(`the loss of each value is planned of one key: take ${other} away`);
  if (lost.size > 0) throw new InputError('a loss, and the loss of each value, are two plans: take one of them away');
  return { lossOfEach: loseEach(after, key, { ...computing, output: 'text', colored: false }).text };
}

function planOf(reading: FleetReading, draft: DraftWorld, computing: Computing): Plan {
  const { after, objects, requests, lost } = draft;
  const then = { ...reading, world: after };
  const { document } = lost.size > 0 ? lossReport(then, lost, computing) : planReport(reading, draft, computing);
  const { summary, placements, refusals, apartComputed } = document;
  const loss = lossLines(document, then, { wide: false }).join(' ');
  const planned = placements.map(cut);
  const replaced = objects.flatMap(({ name, live, kept }) =>
    live === undefined ? [] : [{ name, live: manifestText(live), kept }],
  );
  // The times of moves are others at each reading.
  const text = JSON.stringify([planned, replaced], (key, value: unknown) => (key === 'at' ? undefined : value));
  return {
    summary,
    ...(loss === '' ? {} : { loss }),
    placements: planned,
    refusals,
    apartComputed,
    replaced,
    writes: requests.map(({ name }) => name),
    basedOn: createHash('sha256').update(text).digest('base64url'),
  };
}

/** The plan with shorter lists and the counts of all clusters. Those that stay are not named. */
function cut(one: PlannedPlacement): CutPlacement {
  const { add, remove, stay, held, moves } = one;
  const waiting = held.filter(({ waitsFor }) => waitsFor !== undefined);
  const bound = held.filter(({ waitsFor }) => waitsFor === undefined);
  const kept = { held: bound.length, waiting: waiting.length };
  const counts = { add: add.length, remove: remove.length, stay: stay.length, ...kept };
  const some = <T>(list: readonly T[]): readonly T[] => list.slice(0, MOST_CLUSTERS);
  return {
    ...one,
    add: some(add),
    remove: some(remove),
    held: [...some(bound), ...some(waiting)],
    ...(moves && { moves: some(moves) }),
    stay: [],
    counts,
  };
}
