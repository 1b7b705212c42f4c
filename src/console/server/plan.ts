import { createHash } from 'node:crypto';
import { LOSS_EFFECTS, type PlannedPlacement } from '../../answers/plan/document.js';
import { InputError } from '../../answers/output.js';
import { fleetLosses, lossNotes } from '../../answers/plan/loseeach.js';
import { changeLists, headlineText, lossLines, totalText, type ChangeList } from '../../answers/plan/text.js';
import { lossReport, planReport } from '../../answers/plan/report.js';
import type { CutPlacement, Draft, Plan, PlanAnswer, PlannedCluster } from '../wire/plan.js';
import { draftWorld, faultOf, notApplied, type DraftWorld } from './draft.js';
import { faultLine } from './faultline.js';
import type { PlanMarks } from './fleet/fleetmap.js';
import { heatOf } from './heat.js';
import { manifestText } from './manifest.js';
import { troubledHealth } from './matrix.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import type { ComputeOptions } from '../../answers/plan/plan.js';

/** What a draft does to every Placement, as `plan` says it. */

/** So many clusters of each list are named before somebody asks for more. The counts are of all. */
const NAMED = 20;

/** All lists of a plan together have so many clusters at most. */
const MOST_LISTED = 200_000;

/** The plan of a draft, and what applying it writes. */
export interface Made extends Pick<DraftWorld, 'requests'> {
  readonly plan: Plan;
  /** By {@link listKey}, the lists of which the plan does not name all clusters. */
  readonly lists: Readonly<Record<string, readonly PlannedCluster[]>>;
  /** What becomes of each cluster that something becomes of. */
  readonly marks: PlanMarks;
}

/** A draft with its plan, or why there is none. */
export type PlannedDraft = Made | { readonly fault: string };

export function planAnswer(planned: PlannedDraft, { manifests }: Draft): PlanAnswer {
  if (!('fault' in planned)) return planned.plan;
  const line = faultLine(manifests, planned.fault);
  return { fault: planned.fault, ...(line === undefined ? {} : { line }) };
}

/** The plan of a draft. `namespace`: that of objects that name none. @throws what `onDecision` throws */
export async function plannedDraft(
  reading: FleetReading,
  draft: Draft,
  { namespace, ...computing }: ComputeOptions & { readonly namespace: string },
): Promise<PlannedDraft> {
  try {
    const drafted = await draftWorld(reading, draft, { namespace, ...computing });
    const { after, lost, objects, requests } = drafted;
    const each = lossOfEach({ ...reading, world: after }, lost, draft, computing);
    const { plan: whole, lists, marks } = planOf(reading, drafted, computing);
    const { totals: _totals, headline: _headline, ...rest } = whole;
    const isEachAlone = draft.each.length > 0 && drafted.writes.length === 0;
    const plan = isEachAlone ? rest : whole;
    const reason = notApplied(objects, draft);
    const { action } = drafted;
    const more = { ...(reason !== undefined && { notApplied: reason }), ...(action !== undefined && { action }) };
    return { requests, lists, marks, plan: { ...plan, ...each, ...more } };
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
  computing: ComputeOptions,
): Pick<Plan, 'lossOfEach'> {
  const [key, other] = each;
  if (key === undefined) return {};
  if (other !== undefined) throw new InputError(`the loss of each value is planned of one key: take ${other} away`);
  if (lost.size > 0) throw new InputError('a loss, and the loss of each value, are two plans: take one of them away');
  const losses = fleetLosses(after, key, computing);
  const notes = lossNotes(losses, after, { wide: false });
  return { lossOfEach: heatOf(losses, [...notes.before, ...notes.after]) };
}

function planOf(reading: FleetReading, draft: DraftWorld, computing: ComputeOptions): Omit<Made, 'requests'> {
  const { after, objects, requests, lost } = draft;
  const then = { ...reading, world: after };
  const { document } = lost.size > 0 ? lossReport(then, lost, computing) : planReport(reading, draft, computing);
  const { summary, placements, refusals, apartComputed } = document;
  // The table names them, the worst first.
  const [headline = headlineText(placements), ...others] = lossLines(document, then, { wide: false, mostNames: 0 });
  const replaced = objects.flatMap(({ name, live, kept }) =>
    live === undefined ? [] : [{ name, live: manifestText(live), kept }],
  );
  const listed = placements.map((one): Listed => {
    const lists = changeLists(one, lost).map(({ sign, rows }) => ({
      sign,
      rows: rows.map((row) => ({ ...row, ...troubledHealth(reading.world, row.name) })),
    }));
    return { one, lists };
  });
  const plan = {
    // Of a loss the sentences before say it, without what is lost; what is not known is not counted.
    ...(lost.size + summary.unknown === 0 && { totals: totalText(summary) }),
    headline,
    ...(document.loss === undefined ? {} : { loss: others.join(' ') }),
    placements: [...listed].sort(byHarm).map(cut),
    refusals,
    apartComputed,
    replaced,
    writes: requests.map(({ name }) => name),
    basedOn: hashOf([...placements, replaced, [...lost.keys()], written(draft)], draft.action),
  };
  return { plan, lists: longLists(listed), marks: marksOf(listed, lost.keys()) };
}

/** The later ones win: who leaves one Placement and comes into another one leaves, and who is lost is lost, whatever follows. */
const MARKS = [
  ['waiting', 'waiting'],
  ['held', 'held'],
  ['+', 'comesIn'],
  ['−', 'leaves'],
] as const;

function marksOf(listed: readonly Listed[], lost: Iterable<string>): PlanMarks {
  const lists = listed.flatMap((one) => one.lists);
  const marked = MARKS.flatMap(([sign, mark]) =>
    lists.filter((one) => one.sign === sign).flatMap(({ rows }) => rows.map(({ name }) => [name, mark] as const)),
  );
  return Object.fromEntries([...marked, ...Array.from(lost, (name) => [name, 'lost'] as const)]);
}

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Which objects are written, and which clusters a release names: at its end stands when it was asked for. */
function written({ objects, requests }: DraftWorld): readonly string[] {
  const released = requests.flatMap(({ of }) => (of?.kind === 'annotations' ? Object.values(of.annotations) : []));
  return [
    ...objects.map(({ live }) => live?.metadata.uid ?? ''),
    ...released.map((text) => text.slice(text.indexOf('/'))),
  ];
}

/** Of all clusters that change. Piece by piece: of a large fleet, one text of them all would be too long. */
function hashOf(parts: readonly unknown[], action: Plan['action']): string {
  const hash = createHash('sha256');
  // The times of moves are others at each reading, and how many stay is known by the counts.
  const isLeftOut = (key: string): boolean => key === 'at' || key === 'stay';
  for (const one of parts)
    hash.update(JSON.stringify(one, (key, value: unknown) => (isLeftOut(key) ? undefined : value)));
  if (action !== undefined) hash.update(JSON.stringify([action.done, action.lines]).replaceAll(TIMES, ''));
  return hash.digest('base64url');
}

/** Those that a loss hurts worst first, of these the largest. */
function byHarm({ one: a }: Listed, { one: b }: Listed): number {
  const [rank, other] = [a, b].map(({ loss }) => LOSS_EFFECTS.indexOf(loss?.effect ?? 'None'));
  const [lost = 0, more = 0] = [a, b].map(({ before, loss }) => (loss ? (before?.selected ?? 0) - loss.usable : 0));
  return (rank ?? 0) - (other ?? 0) || more - lost;
}

/** The Placement with the counts of all its clusters, and the names of some. */
function cut({ one, lists }: Listed): CutPlacement {
  const { namespace, name, change, before, after, apart, loss, stay } = one;
  const some = lists.map(({ sign, rows }) => ({ sign, total: rows.length, rows: rows.slice(0, NAMED) }));
  return { namespace, name, change, before, after, apart, ...(loss && { loss }), stay: stay.length, lists: some };
}

/** Of a very large plan, each list has its first clusters alone. */
function longLists(placements: readonly Listed[]): Made['lists'] {
  const long = placements.flatMap(({ one, lists }) =>
    lists.flatMap(({ sign, rows }) =>
      rows.length > NAMED ? [[listKey(`${one.namespace}/${one.name}`, sign), rows] as const] : [],
    ),
  );
  const most = Math.max(NAMED, Math.floor(MOST_LISTED / long.length));
  return Object.fromEntries(long.map(([key, rows]) => [key, rows.slice(0, most)]));
}

/** `placement`: `namespace/name`. */
export function listKey(placement: string, sign: string): string {
  return `${placement} ${sign}`;
}

interface Listed {
  readonly one: PlannedPlacement;
  readonly lists: readonly { readonly sign: ChangeList['sign']; readonly rows: readonly PlannedCluster[] }[];
}
