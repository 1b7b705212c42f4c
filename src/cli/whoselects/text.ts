import { meantText } from '../../runtime/vocabulary/nearestword.js';
import { Placements } from '../../api/resources.js';
import { selectionsOf, type ExplainedSelection, type Selection, type Without } from '../../answers/selections.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { notNeededText } from '../../domain/placement/explain/choicetext.js';
import { isWaiting, matchedPredicate } from '../../domain/placement/explain/verdict.js';
import { reasonText, taintClause } from '../whatif/reasons.js';
import type { FleetReading } from '../whatif/worlds.js';
import { namesOf } from '../meant.js';
import {
  CLI_API_VERSION,
  documentText,
  linesText,
  NotFoundError,
  resourceName,
  someNames,
} from '../terminal/output.js';
import { table, type Cell } from '../terminal/table.js';
import { refusedLine, unreadableLine, withheldFields } from '../whatif/withheld.js';
import type { InspectOptions } from '../whatif/inspect.js';

/** Of the clusters that come in, this many are named. */
const MOST_NAMES = 3;

/** The output of `who-selects`. @throws NotFoundError when there is neither such a cluster nor a decision that holds it. */
export function whoSelects(reading: FleetReading, cluster: string, { output, colored }: InspectOptions): string {
  const { world } = reading;
  const selections = selectionsOf(world, cluster);
  const names = namesOf(world.objects.managedclusters);
  if (selections.length === 0 && !names.includes(cluster) && world.withheld.length === 0)
    throw new NotFoundError(
      `ManagedCluster ${wordText(cluster)} was not found, and no decision holds it${meantText(cluster, names)}`,
    );
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(textOf(reading, cluster, selections, { wide: output === 'wide', colored }));
    case 'name':
      return linesText([...new Set(selections.map(({ placement }) => resourceName(Placements, placement)))]);
    default:
      return documentText(documentOf(reading, cluster, selections), output);
  }
}

interface TextOptions {
  readonly wide: boolean;
  readonly colored: boolean;
}

function textOf(
  reading: FleetReading,
  cluster: string,
  selections: readonly Selection[],
  { wide, colored }: TextOptions,
): readonly string[] {
  const { withheld } = reading.world;
  const isUnread = withheld.some(({ resource }) => resource === 'placementdecisions');
  const unread = isUnread ? 'which Placements select it is not known' : 'the reason and the replacement are not known';
  const notes = [refusedLine(reading), unreadableLine(withheld, unread)].filter((line) => line !== undefined);
  if (selections.length === 0) return isUnread ? notes : [...notes, noHolderLine(reading, cluster)];
  const titles = ['NAMESPACE', 'PLACEMENT', 'OBJECT', ...(wide ? ['SETS'] : []), 'WHY', 'WITHOUT IT'];
  const head = titles.map((text): Cell => ({ text }));
  return [...notes, ...table([head, ...selections.map((one) => cellsOf(one, wide))], colored)];
}

function noHolderLine({ namespace }: FleetReading, cluster: string): string {
  const where = namespace === undefined ? '' : ` of namespace ${namespace}`;
  return `no decision${where} holds ${wordText(cluster)}`;
}

function cellsOf({ namespace, placement, objects, explained }: Selection, wide: boolean): readonly Cell[] {
  const sets = explained?.cluster.sets.join(',') ?? '';
  const leaves = explained !== undefined && isLeaving(explained);
  return [
    { text: namespace },
    { text: placement },
    { text: objects.join(',') },
    ...(wide ? [{ text: sets === '' ? '-' : sets }] : []),
    { text: explained === undefined ? 'not readable' : whySelected(explained), color: leaves ? 'red' : undefined },
    { text: withoutText(explained?.without) },
  ];
}

function isLeaving({ cluster }: ExplainedSelection): boolean {
  return cluster.verdict !== 'Selected' && cluster.verdict !== 'Unknown';
}

/** Why the Placement selects the cluster, or why it leaves. */
export function whySelected(explained: ExplainedSelection): string {
  const { cluster, explanation } = explained;
  if (!isLeaving(explained)) return `${reasonText(cluster, explanation)}${taintClause(cluster, explanation)}`;
  if (cluster.verdict === 'Held')
    return `${isWaiting(cluster, explanation) ? 'waits' : 'held'}: ${reasonText(cluster, explanation)}`;
  const { rules } = explanation.placement;
  const cause =
    cluster.verdict === 'NotNeeded' ? notNeededText(cluster.cluster, rules) : reasonText(cluster, explanation);
  return `leaves: ${cause}`;
}

/** What the Placement selects instead. */
export function withoutText(without: Without | undefined): string {
  if (without === undefined) return 'not known';
  const { added, selected, wanted } = without;
  if (added.length > 0) return `${someNames(added, MOST_NAMES)} ${added.length === 1 ? 'comes' : 'come'} in`;
  return wanted === undefined || selected >= wanted
    ? 'no replacement'
    : `no replacement: ${selected} of ${wanted} wanted`;
}

/** Kind ClusterSelections. */
function documentOf(reading: FleetReading, cluster: string, selections: readonly Selection[]): object {
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'ClusterSelections',
    metadata: { name: cluster },
    selections: selections.map(({ namespace, placement, objects, explained }) => ({
      namespace,
      placement,
      objects,
      ...(explained === undefined ? { why: 'not readable' } : explainedFields(explained)),
    })),
    ...withheldFields(reading),
  };
}

function explainedFields(explained: ExplainedSelection): object {
  const { cluster, without } = explained;
  const predicate = matchedPredicate(cluster);
  return {
    verdict: cluster.verdict,
    why: whySelected(explained),
    clusterSets: cluster.sets,
    ...(predicate === undefined ? {} : { predicate }),
    ...(without === undefined ? {} : { without: withoutFields(without) }),
  };
}

function withoutFields({ added, selected, wanted }: Without): object {
  return { added, selected, ...(wanted === undefined ? {} : { wanted }) };
}
