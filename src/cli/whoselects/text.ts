import { meantText } from '../../runtime/vocabulary/nearestword.js';
import { Placements } from '../../api/resources.js';
import {
  isLeaving,
  selectionsOf,
  whySelected,
  withoutText,
  type ExplainedSelection,
  type Selection,
  type Without,
} from '../../answers/selections.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { matchedPredicate } from '../../domain/placement/explain/verdict.js';
import type { FleetReading } from '../../answers/world/worlds.js';
import { namesOf } from '../../answers/meant.js';
import { CLI_API_VERSION, documentText, linesText, NotFoundError, resourceName } from '../../answers/output.js';
import { table, type Cell } from '../../answers/table.js';
import { refusedLine, unreadableLine, withheldFields } from '../../answers/world/withheld.js';
import type { InspectOptions } from '../inspect.js';

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
