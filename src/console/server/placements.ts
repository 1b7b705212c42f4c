import { keyOf } from '../../runtime/vocabulary/names.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { PlacementConditions } from '../../api/placementreasons.js';
import { conditionsOf, hubSummary, phaseCounts, type HubSummary } from '../../answers/status.js';
import { countedText } from '../../domain/placement/explain/causes.js';
import { summarize } from '../../domain/placement/explain/summary.js';
import { explanationDocument } from '../../answers/explain/document.js';
import { explainReport, type ExplainReport } from '../../answers/explain/report.js';
import { changeLines, findingLines } from '../../answers/explain/text.js';
import { eligibleSets, readableSelectors } from '../../domain/placement/select/eligible.js';
import { grouped } from '../../answers/world/world.js';
import { setsOf } from '../../answers/world/clustertable.js';
import { field, textField } from '../../runtime/vocabulary/json.js';
import type { FunnelStep, PlacementRow, Placements, PlacementView, PieceView, SpreadView } from '../wire/placement.js';
import { conditionIn } from '../../domain/conditions.js';
import { managerOf, manifestText } from './manifest.js';
import type { Snapshot } from './snapshot.js';
import { decisionHistories } from '../../answers/history.js';
import { pieceText, topologyText } from '../../domain/placement/explain/choicetext.js';
import { topologiesAfter } from '../../domain/placement/explain/ranking.js';
import type { ClusterExplanation, ExplainInput, Explanation } from '../../domain/placement/explain/verdict.js';
import { domainOf } from '../../domain/placement/spec/spread.js';

/** The list of Placements, and one of them as `explain` explains it. */

export function placementsAnswer(snapshot: Snapshot, query: string): Placements {
  const { rows, phases } = snapshot.once('placements', () => allPlacements(snapshot));
  const isWanted = ({ namespace, name }: PlacementRow): boolean => `${namespace}/${name}`.includes(query);
  return { total: rows.length, phases, rows: rows.filter(isWanted) };
}

/** As `status` has it. */
export function hubStatusOf(snapshot: Snapshot): HubSummary {
  return snapshot.once('hubstatus', () => hubSummary(snapshot.world));
}

function allPlacements(snapshot: Snapshot): Pick<Placements, 'rows' | 'phases'> {
  const hub = hubStatusOf(snapshot);
  const objects = new Map(snapshot.world.objects.placements.map((one) => [keyOf(one.metadata), one]));
  const phases = phaseCounts(hub.placements).map(([phase, count]) => ({ phase, count }));
  return {
    phases,
    rows: hub.placements.map((one) => ({ ...one, ...numbersOf(objects.get(`${one.namespace}/${one.name}`)) })),
  };
}

/** As kubectl shows them. */
function numbersOf(object: RawObject | undefined): Pick<PlacementRow, 'selected' | 'wanted' | 'since'> {
  const selected = field(object?.status, 'numberOfSelectedClusters');
  const wanted = field(object?.spec, 'numberOfClusters');
  const since = textField(conditionIn(object?.status, PlacementConditions.PlacementSatisfied), 'lastTransitionTime');
  return {
    selected: typeof selected === 'number' ? selected : 0,
    ...(typeof wanted === 'number' ? { wanted } : {}),
    ...(since === '' ? {} : { since }),
  };
}

/** The explanation of a Placement; undefined when there is no such Placement. */
export function reportOf(snapshot: Snapshot, namespace: string, name: string): ExplainReport | undefined {
  return snapshot.once(`report ${namespace}/${name}`, () => {
    const { world, refused } = snapshot.reading;
    return explainReport(world, namespace, name, { others: { world, refused } });
  });
}

/** What the page of a Placement shows; undefined when there is no such Placement. */
export function placementAnswer(snapshot: Snapshot, namespace: string, name: string): PlacementView | undefined {
  const report = reportOf(snapshot, namespace, name);
  const object = snapshot.world.objects.placements.find(({ metadata }) => keyOf(metadata) === `${namespace}/${name}`);
  if (report === undefined || object === undefined) return undefined;
  return snapshot.once(`placement ${namespace}/${name}`, () => viewOf(snapshot, report, object));
}

function viewOf(snapshot: Snapshot, report: ExplainReport, object: RawObject): PlacementView {
  const { explanation, input } = report;
  const { decision, placement } = explanation;
  const { since, selected } = numbersOf(object);
  const manager = managerOf(object, 'f:spec');
  const histories = decisionHistories(snapshot.world, placement.name);
  const history = histories.find((one) => one.namespace === placement.namespace);
  return {
    explanation: explanationDocument(report, { clusters: scored(explanation), nearest: 0 }),
    ...(since === undefined ? {} : { since }),
    // Without decisions, what the status says.
    selected: input.readable.decisions ? explanation.clusters.filter(isIn).length : selected,
    isKnown: decision !== undefined && placement.rules.problem === undefined,
    funnel: funnelOf(snapshot, report),
    spread: spreadOf(explanation, input),
    pieces: piecesOf(explanation),
    changes: history?.changes ?? [],
    olderChanges: history?.notKept ?? 0,
    notes: [...changeLines(report), ...findingLines(report)],
    conditions: conditionsOf(object.status),
    manifest: manifestText(object),
    ...(manager === undefined ? {} : { manager }),
    deleting: object.metadata.deletionTimestamp !== undefined,
  };
}

/** How many clusters pass each step of the way into the decision; without the steps that are not known. */
function funnelOf(snapshot: Snapshot, { explanation, input, world }: ExplainReport): readonly FunnelStep[] {
  const selected = explanation.clusters.filter(isIn).length;
  const isKnown = input.readable.decisions;
  // With an invalid spec nothing is selected anew: the way into the decision is not known either.
  if (explanation.decision?.problem !== undefined || explanation.decision === undefined)
    return isKnown ? [{ step: 'in', count: selected }] : [];
  const { placement, bindings, sets } = input.snapshot;
  const bound = readableSelectors(eligibleSets({ ...placement.rules, requested: [] }, bindings, sets));
  const members = snapshot.once(`bound ${placement.namespace}`, () =>
    snapshot.inputs.clusters.clusters.filter((one) => setsOf(one, bound).length > 0),
  );
  const candidates = explanation.clusters.filter((one) => one.sets.length > 0);
  const matching = candidates.filter(({ causes }) => !causes.includes('NotMatched'));
  const tolerated = new Set(matching.filter(({ causes }) => causes.length === 0));
  const lostOf = (clusters: readonly ClusterExplanation[]): Pick<FunnelStep, 'lost'> => {
    const lost = summarize({ ...explanation, clusters }).parts;
    return lost.length === 0 ? {} : { lost };
  };
  const kept = keptParts(
    explanation.clusters.filter((one) => isIn(one) && !tolerated.has(one)),
    explanation,
  );
  const last = { ...lostOf([...tolerated].filter((one) => !isIn(one))), ...(kept.length === 0 ? {} : { kept }) };
  return [
    { step: 'fleet', count: world.objects.managedclusters.length },
    { step: 'bound', count: members.length },
    { step: 'sets', count: candidates.length },
    { step: 'match', count: matching.length },
    { step: 'taints', count: tolerated.size, ...lostOf(matching.filter((one) => !tolerated.has(one)).map(asFailing)) },
    ...(isKnown ? [{ step: 'in', count: selected, ...last } as const] : []),
  ];
}

/** By the rule that it fails, also where it is held. */
function asFailing(one: ClusterExplanation): ClusterExplanation {
  return { ...one, verdict: one.causes[0] ?? one.verdict };
}

/** Clusters that fail a rule and stay: `8 that would leave are held`. */
function keptParts(clusters: readonly ClusterExplanation[], explanation: Explanation): NonNullable<FunnelStep['kept']> {
  const byPhrase = grouped(
    clusters,
    (one) => [countedText(one, explanation).join('|')],
    (one) => one.name,
  );
  return [...byPhrase].map(([phrase, { length: count }]) => {
    return { count, text: `that would leave ${phrase.split('|')[count === 1 ? 0 : 1]}` };
  });
}

/** Rows of scores: of the selected, and of those that would be next. */
const MOST_SCORED = 20;
const NEXT_SCORED = 5;

/** Whether the decision names the cluster once it is published. */
export function isIn({ verdict, inDecision }: { readonly verdict: string; readonly inDecision: boolean }): boolean {
  return verdict === 'Selected' || (verdict === 'Held' && inDecision) || (verdict === 'Unknown' && inDecision);
}

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

function piecesOf({ pieces }: Explanation): readonly PieceView[] {
  const byIndex = new Map<number, { text: string; clusters: string[] }>();
  for (const [name, piece] of pieces) {
    const known = byIndex.get(piece.index) ?? { text: pieceText(piece), clusters: [] };
    known.clusters.push(name);
    byIndex.set(piece.index, known);
  }
  return [...byIndex].sort(([a], [b]) => a - b).map(([, { text, clusters }]) => ({ text, clusters: clusters.sort() }));
}
