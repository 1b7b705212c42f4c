import { nearestWord } from '../../domain/placement/explain/hints.js';
import { wordText } from '../../domain/placement/facts/requirementtext.js';
import type { ExplainReport } from './report.js';

/**
 * What would bring in sets that bring in no cluster: a binding, or another name. The names are those of the sets that the caller
 * can read; without this right there are no lines.
 */
export function setFixLines({ absent, explanation, world }: ExplainReport): readonly string[] {
  const { namespace, rules } = explanation.placement;
  const eligibility = explanation.schedule?.eligibility;
  if (eligibility === undefined || world.withheld.some(({ resource }) => resource === 'managedclustersets')) return [];
  const names = world.objects.managedclustersets.map(({ metadata }) => metadata.name);
  const bind = (set: string): string => `fix: kubectl mce clusterset bind ${set} -n ${namespace}`;
  const lines = absent.flatMap(({ set, why }): string[] => {
    if (names.includes(set)) return why === 'NoBinding' ? [bind(set)] : [];
    const near = nearestWord(set, new Map(names.map((name) => [name, 1])));
    return near === undefined
      ? []
      : [`there is no ManagedClusterSet ${wordText(set)}; did you mean ${wordText(near.word)}?`];
  });
  const isUnbound = eligibility.bound.length === 0 && rules.requested.length === 0 && rules.problem === undefined;
  const [only, ...others] = names;
  if (!isUnbound || lines.length > 0 || only === undefined) return lines;
  return others.length === 0
    ? [bind(only)]
    : [`${bind('SET')}, with one of ${[...names].sort().slice(0, MOST_NAMES).join(', ')}`];
}

const MOST_NAMES = 10;
