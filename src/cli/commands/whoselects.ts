import { Placements } from '../../api/resources.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import {
  resourceName,
  shownAnswer,
  type ShownOptions,
  type TextOptions,
  table,
  type Cell,
} from '../../answers/output.js';
import { clusterSelections, withoutText, wouldLeave, type Selection } from '../../answers/whoselects.js';
import { isWithheld, unreadLines, DECISION_RESOURCES, type FleetReading } from '../../answers/world/worlds.js';
import { inspect, type InspectConfig } from '../inspect.js';

/** Prints which Placements select a cluster; returns the exit code. */
export function runWhoSelects(config: InspectConfig & { readonly cluster: string }): Promise<number> {
  return inspect(config, {
    resources: DECISION_RESOURCES,
    namespaceOf: () => config.namespace,
    textOf: (reading, options) => whoSelects(reading, config.cluster, options),
  });
}

/** The output of `who-selects`. @throws NotFoundError when there is neither such a cluster nor a decision that holds it. */
export function whoSelects(reading: FleetReading, cluster: string, options: ShownOptions): string {
  const found = clusterSelections(reading, cluster);
  return shownAnswer(found, options, {
    lines: (how) => [...notes(reading), ...lines(reading, found, how)],
    names: () => [...new Set(found.selections.map(({ placement }) => resourceName(Placements, placement)))],
  });
}

function notes(reading: FleetReading): readonly string[] {
  const rest = isWithheld(reading, 'placementdecisions')
    ? 'which Placements select it is not known'
    : 'the reason and the replacement are not known';
  return unreadLines(reading, rest);
}

function lines(
  reading: FleetReading,
  { metadata: { name }, selections }: ReturnType<typeof clusterSelections>,
  { wide, colored }: TextOptions,
): readonly string[] {
  if (selections.length === 0 && isWithheld(reading, 'placementdecisions')) return [];
  const where = reading.namespace === undefined ? '' : ` of namespace ${reading.namespace}`;
  if (selections.length === 0) return [`no decision${where} holds ${wordText(name)}`];
  const titles = ['NAMESPACE', 'PLACEMENT', 'OBJECT', ...(wide ? ['SETS'] : []), 'WHY', 'WITHOUT IT'];
  return table([titles, ...selections.map((one) => cellsOf(one, wide))], colored);
}

function cellsOf(one: Selection, wide: boolean): readonly Cell[] {
  const { namespace, placement, objects, why, clusterSets = [], without } = one;
  return [
    namespace,
    placement,
    objects.join(','),
    ...(wide ? [clusterSets.length === 0 ? '-' : clusterSets.join(',')] : []),
    { text: why, color: wouldLeave(one) ? 'red' : undefined },
    withoutText(without),
  ];
}
