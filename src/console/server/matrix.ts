import { VERDICTS } from '../../api/verdicts.js';
import { grouped, once, type World } from '../../answers/world/world.js';
import { healthByName } from '../../answers/fleetsummary.js';
import { namesOf } from '../../answers/meant.js';
import { byNumbers } from '../../runtime/vocabulary/names.js';
import { foundIn } from '../../domain/placement/select/rules.js';
import { requirementText } from '../../domain/placement/explain/requirementtext.js';
import type { RequirementExplanation } from '../../domain/placement/explain/predicates.js';
import { matchedPredicate, verdictWord, type ClusterExplanation } from '../../domain/placement/explain/verdict.js';
import { unreadText } from '../../answers/undecided.js';
import { clusterLines } from '../../answers/explain/text.js';
import { unknownCluster } from '../../answers/explain/explain.js';
import { clusterOf, whyText, type ExplainReport } from '../../answers/explain/report.js';
import {
  SHOWS,
  type Cell,
  type Matrix,
  type MatrixRow,
  type Requirement,
  type Show,
  type TroubledHealth,
  type WhyCluster,
} from '../wire/placement.js';
import { isIn, nearOf } from '../../answers/explain/funnel.js';
import { nearestNames } from './placements.js';
import type { Snapshot } from './snapshot.js';

/** Each cluster that a Placement may select from, against each requirement. */

export interface MatrixRequest {
  readonly show: Show;
  readonly query: string;
  readonly after: number;
  readonly limit: number;
}

type Lists = Readonly<Record<keyof Matrix['totals'], readonly ClusterExplanation[]>>;

export function isShow(text: string): text is Show {
  return (SHOWS as readonly string[]).includes(text) || Object.hasOwn(VERDICTS, text);
}

/** Which clusters meet which requirements of a Placement; undefined when there is no such Placement. */
export function matrixAnswer(
  snapshot: Snapshot,
  [namespace, name]: readonly [namespace: string, name: string],
  { show, query, after, limit }: MatrixRequest,
): Matrix | undefined {
  const report = snapshot.report(namespace, name);
  if (report === undefined) return undefined;
  const all = once(report, 'lists', () => listsOf(report));
  const lists = query === '' ? all : named(all, query);
  const verdicts = grouped(
    lists.all,
    (one) => [verdictWord(one, report.explanation)],
    (one) => one,
  );
  const rows = isBase(show) ? lists[show] : (verdicts.get(show) ?? []);
  const columns = once(report, 'columns', () => columnsOf(report));
  return {
    requirements: columns.map(({ shown }) => shown),
    totals: { in: lists.in.length, near: lists.near.length, out: lists.out.length, all: lists.all.length },
    verdicts: Object.fromEntries([...verdicts].map(([word, of]) => [word, of.length])),
    show,
    after,
    rows: rows.slice(after, after + limit).map((one) => rowOf(one, { snapshot, report, columns })),
    ...(query === '' || lists.all.length > 0 ? {} : { elsewhere: elsewhere(snapshot, report, query) }),
  };
}

/** The clusters of the fleet with the text in their names: of none of the sets that the Placement selects from. */
function elsewhere({ world }: Snapshot, { explanation }: ExplainReport, query: string): readonly string[] {
  const names = explanation.decision === undefined ? [] : namesOf(world.objects.managedclusters);
  return nearestNames([...names].sort(byNumbers), query, (name) => name).slice(0, MOST_ELSEWHERE);
}

const MOST_ELSEWHERE = 5;

function isBase(show: Show): show is keyof Matrix['totals'] {
  return (SHOWS as readonly string[]).includes(show);
}

/** What `explain` says of one cluster; undefined when there is no such Placement, or no such cluster as far as that is known. */
export function whyAnswer(
  snapshot: Snapshot,
  namespace: string,
  name: string,
  cluster: string,
): WhyCluster | undefined {
  const report = snapshot.report(namespace, name);
  if (report === undefined) return undefined;
  const found = clusterOf(report, cluster);
  if (found === undefined)
    return report.explanation.decision === undefined ? { lines: [unknownCluster(cluster, report)] } : undefined;
  return { ...troubledHealth(snapshot.world, cluster), lines: clusterLines(found, report) };
}

/** The health of a cluster that is not as it should be, and since when. */
export function troubledHealth(world: World, name: string): TroubledHealth {
  const found = healthByName(world).get(name);
  return found === undefined || found.health === 'available' || found.health === 'noAgent' ? {} : found;
}

/** The selected by rank, those first that are held or do not answer; the others the nearest first. */
function listsOf(report: ExplainReport): Lists {
  const { clusters, nearest } = report.explanation;
  const healths = healthByName(report.world);
  const urgency = (one: ClusterExplanation): number => {
    if (one.verdict !== 'Selected') return 0;
    return ['silent', 'unavailable'].includes(healths.get(one.name)?.health ?? '') ? 1 : 2;
  };
  const selected = clusters.filter(isIn).sort((a, b) => urgency(a) - urgency(b) || byRank(a, b));
  const others = clusters.filter((one) => !isIn(one));
  const near = nearOf(report);
  const waiting = others.filter(({ verdict }) => verdict !== 'NotMatched').sort(byRank);
  const out = [...waiting, ...nearest];
  return { in: selected, near, out, all: [...selected, ...out] };
}

function named(lists: Lists, part: string): Lists {
  const found = (list: readonly ClusterExplanation[]): readonly ClusterExplanation[] =>
    nearestNames(list, part, ({ name }) => name);
  return { in: found(lists.in), near: found(lists.near), out: found(lists.out), all: found(lists.all) };
}

function byRank(a: ClusterExplanation, b: ClusterExplanation): number {
  return (a.rank ?? Infinity) - (b.rank ?? Infinity);
}

type Column = RequirementExplanation & { readonly shown: Requirement };

/** The requirements, each a column. There is none where it is not known which clusters meet them. */
function columnsOf({ explanation, predicates }: ExplainReport): readonly Column[] {
  if (explanation.decision === undefined) return [];
  const alone = new Map<unknown, number>();
  for (const { unmet } of explanation.clusters) {
    for (const list of unmet) {
      const [only] = list;
      if (list.length === 1 && only !== undefined) alone.set(only.requirement, (alone.get(only.requirement) ?? 0) + 1);
    }
  }
  return predicates.flatMap(({ index: predicate, requirements }) =>
    requirements.map((one): Column => {
      const { source, requirement, met } = one;
      const text = requirementText(one).slice(source.length + 1);
      return { ...one, shown: { predicate, source, text, met, failsAlone: alone.get(requirement) ?? 0 } };
    }),
  );
}

interface RowContext {
  readonly snapshot: Snapshot;
  readonly report: ExplainReport;
  readonly columns: readonly Column[];
}

function rowOf(one: ClusterExplanation, { snapshot, report, columns }: RowContext): MatrixRow {
  // The decision names it, and more may not be read.
  const isOnlyNamed = one.verdict === 'Unknown' && one.inDecision;
  const health =
    healthByName(snapshot.world).get(one.name)?.health ?? (one.cluster === undefined ? undefined : 'deleting');
  return {
    name: one.name,
    ...(health === undefined ? {} : { health }),
    verdict: isOnlyNamed ? 'Selected' : verdictWord(one, report.explanation),
    ...(one.rank === undefined ? {} : { rank: one.rank }),
    why: isOnlyNamed ? onlyNamedText(health, snapshot.world) : whyText(one, report),
    cells: one.cluster === undefined ? [] : columns.map((column) => cellOf(one, column)),
  };
}

function onlyNamedText(health: string | undefined, { withheld }: Snapshot['world']): string {
  const unread = withheld.find(({ resource }) => health === undefined && resource.startsWith('managedclusters'));
  return unread === undefined ? 'why is not known' : `not known: ${unreadText(unread)}`;
}

function cellOf({ cluster, unmet }: ClusterExplanation, column: Column): Cell {
  const met = !(unmet[column.shown.predicate] ?? []).some((one) => one.requirement === column.requirement);
  const found = cluster && foundIn(cluster, column);
  const isSpare = !met && matchedPredicate({ unmet }) !== undefined;
  return { met, ...(isSpare && { isSpare }), ...(found === undefined ? {} : { found }) };
}
