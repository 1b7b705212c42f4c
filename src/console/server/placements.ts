import { keyOf } from '../../runtime/vocabulary/names.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { conditionsOf, hubSummary, phaseSince, type HubSummary, type PlacementSummary } from '../../answers/status.js';
import { commandOf } from '../../answers/actions/action.js';
import { lossText } from '../../answers/check/placements.js';
import { undecided, type Undecided } from '../../answers/undecided.js';
import { goneByPlacement } from '../../answers/fleetsummary.js';
import { explanationDocument } from '../../answers/explain/document.js';
import type { ExplainReport } from '../../answers/explain/report.js';
import { funnelOf, isIn, nearOf } from '../../answers/explain/funnel.js';
import { proposalsOf, proposalText, type Proposal } from '../../answers/explain/proposals.js';
import { changeNotes, findingLines } from '../../answers/explain/text.js';
import { field, textField } from '../../runtime/vocabulary/json.js';
import {
  UNDECIDED,
  type PlacementNote,
  type PlacementRow,
  type Placements,
  type PlacementView,
  type PieceView,
  type SpreadView,
} from '../wire/placement.js';
import { manifestText } from './manifest.js';
import type { Snapshot } from './snapshot.js';
import { decisionHistory } from '../../answers/history.js';
import { labelWords } from '../../domain/placement/explain/fix.js';
import { topologyText } from '../../domain/placement/explain/choicetext.js';
import { topologiesAfter } from '../../domain/placement/explain/ranking.js';
import type { ClusterExplanation, ExplainInput, Explanation } from '../../domain/placement/explain/verdict.js';
import { domainOf } from '../../domain/placement/spec/spread.js';

/** The list of Placements, and one of them as `explain` explains it. */

export function placementsAnswer(snapshot: Snapshot, query: string): Placements {
  const rows = snapshot.once('placements', () => allPlacements(snapshot));
  return { total: rows.length, rows: nearestNames(rows, query, keyOf) };
}

/** Those whose names contain the text, in their order; that of this very name, without or with its namespace, comes first. */
export function nearestNames<T>(list: readonly T[], text: string, nameOf: (one: T) => string): readonly T[] {
  const found = list.filter((one) => nameOf(one).includes(text));
  const isExact = (one: T): boolean => text !== '' && `/${nameOf(one)}`.endsWith(`/${text}`);
  return [...found.filter(isExact), ...found.filter((one) => !isExact(one))];
}

/** As `status` has it. */
export function hubStatusOf(snapshot: Snapshot): HubSummary {
  return snapshot.once('hubstatus', () => hubSummary(snapshot.world));
}

/** As `status` and `check` have it. */
export function undecidedIn(snapshot: Snapshot): Undecided | undefined {
  return snapshot.once('undecided', () => {
    const hub = hubStatusOf(snapshot);
    const loss = lossText(hub.placements);
    const stop = undecided(snapshot.world, hub);
    if (stop !== undefined || loss === undefined) return stop;
    return { message: loss, remedy: 'kubectl apply -f BACKUP', isOfSome: true };
  });
}

/** As `status` has them. While nothing is decided, nobody knows how they are: only how they were. */
export function placementsOf(snapshot: Snapshot): readonly PlacementSummary[] {
  const { placements } = hubStatusOf(snapshot);
  const stop = undecidedIn(snapshot);
  if (stop === undefined || stop.isOfSome === true) return placements;
  return snapshot.once('undecided placements', () =>
    placements.map(({ phase, message, ...one }) => {
      return { ...one, held: false, phase: UNDECIDED, message: `when it was last decided: ${phase}, ${message}` };
    }),
  );
}

function allPlacements(snapshot: Snapshot): Placements['rows'] {
  const objects = new Map(snapshot.world.objects.placements.map((one) => [keyOf(one.metadata), one]));
  return placementsOf(snapshot).map((one) => {
    const { since, ...numbers } = numbersOf(objects.get(keyOf(one)));
    const known = since === undefined || one.phase === UNDECIDED ? {} : { since };
    return { ...one, ...numbers, ...known, ...goneIn(snapshot, keyOf(one)) };
  });
}

function goneIn(snapshot: Snapshot, placement: string): Pick<PlacementRow, 'gone'> {
  const gone = snapshot.once('gone', () => goneByPlacement(snapshot.world)).get(placement) ?? '';
  return gone === '' ? {} : { gone };
}

/** As kubectl shows them. */
function numbersOf(object: RawObject | undefined): Pick<PlacementRow, 'selected' | 'wanted' | 'since'> {
  const selected = field(object?.status, 'numberOfSelectedClusters');
  const wanted = field(object?.spec, 'numberOfClusters');
  const since = phaseSince(object?.status);
  return {
    selected: typeof selected === 'number' ? selected : 0,
    ...(typeof wanted === 'number' ? { wanted } : {}),
    ...(since === '' ? {} : { since }),
  };
}

/** What the page of a Placement shows; undefined when there is no such Placement. */
export function placementAnswer(snapshot: Snapshot, namespace: string, name: string): PlacementView | undefined {
  const report = snapshot.report(namespace, name);
  const object = snapshot.world.objects.placements.find(({ metadata }) => keyOf(metadata) === `${namespace}/${name}`);
  return report === undefined || object === undefined ? undefined : viewOf(snapshot, report, object);
}

function viewOf(snapshot: Snapshot, report: ExplainReport, object: RawObject): PlacementView {
  const { explanation, input } = report;
  const { decision, placement } = explanation;
  const { since, selected } = numbersOf(object);
  return {
    explanation: explanationDocument(report, { clusters: scored(explanation), nearest: 0 }),
    // Of another phase than that of the status it is not known.
    ...(since === undefined || textField(object.status, 'phase') !== report.satisfaction.phase ? {} : { since }),
    ...goneIn(snapshot, keyOf(object.metadata)),
    // Without decisions, what the status says.
    selected: input.readable.decisions ? explanation.clusters.filter(isIn).length : selected,
    first: isLacking(report) && nearOf(report).length > 0 ? 'near' : 'in',
    isKnown: decision !== undefined && placement.rules.problem === undefined,
    funnel: funnelOf(snapshot.world, report),
    spread: spreadOf(explanation, input),
    pieces: piecesOf(report),
    objects: input.snapshot.stored.map(({ name }) => name).sort(),
    history: decisionHistory(snapshot.world, object, () => true),
    notes: notesOf(report),
    conditions: conditionsOf(object.status),
    manifest: manifestText(object),
    deleting: object.metadata.deletionTimestamp !== undefined,
    paused: field(object.spec, 'paused') === true,
  };
}

/** What holds, releases, is not published or was left out, and what helps. */
function notesOf(report: ExplainReport): PlacementView['notes'] {
  const { namespace, name } = report.explanation.placement;
  return [
    ...changeNotes(report, true).map((one): PlacementNote => {
      return one.end === undefined ? one : { ...one, command: commandOf({ kind: one.end, namespace, name }) };
    }),
    ...findingLines(report).map((text) => ({ text })),
    ...proposalsOf(report).map((one) => ({ text: helpText(one), ...bindCommand(one) })),
  ];
}

function bindCommand(one: Proposal): Pick<PlacementNote, 'command'> {
  return one.kind === 'Bind' ? { command: one.command.split(' ') } : {};
}

/** No command for labels: to make a cluster match is right only where they say what it is. */
function helpText(one: Proposal): string {
  switch (one.kind) {
    case 'Bind':
      return `to help: bind ${one.sets.join(' or ')} to the namespace`;
    case 'Rename':
      return `there is no cluster set ${one.set}; ${one.suggested} may be meant`;
    case 'Harmful':
      return proposalText(one);
    case 'Label':
      return `to help: ${one.cluster} would match with ${labelWords(one.labels).join(' ')} (if that is true of it)`;
  }
}

/** Whether clusters are missing that no bound keeps out. */
function isLacking({ satisfaction, summary }: ExplainReport): boolean {
  return satisfaction.status === 'False' && (summary.held ?? 0) === 0;
}

/** Rows of scores: of the selected, and of those that would be next. */
const MOST_SCORED = 20;
const NEXT_SCORED = 5;

/** The domains that the decision leaves. */
function spreadOf({ clusters, decision }: Explanation, { snapshot }: ExplainInput): readonly SpreadView[] {
  if (decision === undefined) return [];
  return topologiesAfter(decision, snapshot).map((topology) => {
    const { constraint } = topology;
    const { maxSkew, minDomains, isStrict } = constraint;
    const isWithout = ({ cluster }: ClusterExplanation): boolean =>
      cluster !== undefined && domainOf(constraint, cluster) === undefined;
    const without = clusters.filter((one) => isIn(one) && isWithout(one)).length;
    return {
      key: topologyText(constraint),
      maxSkew,
      ...(minDomains === undefined ? {} : { minDomains }),
      isStrict,
      most: topology.lowest + maxSkew,
      without,
      domains: topology.domains.map(({ value, count }) => ({ value, count })),
    };
  });
}

/** Those whose scores are shown. */
function scored({ clusters, scorer }: Explanation): readonly ClusterExplanation[] {
  if (scorer === undefined) return [];
  const ranked = clusters.filter(({ rank }) => rank !== undefined).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  return [...ranked.filter(isIn).slice(0, MOST_SCORED), ...ranked.filter((one) => !isIn(one)).slice(0, NEXT_SCORED)];
}

function piecesOf({ pieces }: ExplainReport): readonly PieceView[] {
  const byIndex = new Map<number, { text: string; clusters: string[] }>();
  for (const [name, piece] of pieces) {
    const known = byIndex.get(piece.index) ?? { text: piece.group === '' ? 'in no group' : piece.group, clusters: [] };
    known.clusters.push(name);
    byIndex.set(piece.index, known);
  }
  return [...byIndex].sort(([a], [b]) => a - b).map(([, { text, clusters }]) => ({ text, clusters: clusters.sort() }));
}
