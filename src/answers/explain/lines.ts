import { absentList } from '../../domain/placement/explain/absentsets.js';
import { printable, requirementText } from '../../domain/placement/explain/requirementtext.js';
import type { Explanation } from '../../domain/placement/explain/verdict.js';
import type { Unmet } from '../../domain/placement/select/rules.js';
import { isBalanced } from '../../domain/placement/spec/prioritizers.js';
import { someNames } from '../output.js';
import { unreadableLine } from '../world/withheld.js';
import type { ExplainReport } from './report.js';

/** Lines that an explanation has beside its table. */

/** The line that scores of Balance leave out decisions that could not be read; undefined where none are left out. */
export function uncountedLine({ explanation, others }: ExplainReport): string | undefined {
  const isUnread =
    others.refused.length > 0 || others.world.withheld.some(({ resource }) => resource.startsWith('placement'));
  if (!isUnread || !isBalanced(explanation.placement.rules)) return undefined;
  return 'scores of Balance do not count decisions of other namespaces: they cannot be read';
}

/** The sets that bring in no cluster, with the reason; undefined without one. */
export function absentLine({ absentSets, explanation }: ExplainReport): string | undefined {
  if (absentSets.length === 0) return undefined;
  return `nothing comes from ${absentList(absentSets, explanation.placement.namespace, Infinity)}`;
}

/** What could not be read; undefined when everything was. */
export function withheldLine({ world, explanation }: ExplainReport): string | undefined {
  // With the fleet, verdicts are computed, but without the decisions; without the fleet, they are what is stored.
  const consequence = explanation.readable.fleet
    ? 'which clusters were selected before is not known'
    : 'verdicts Unknown; the rest is from status and decisions';
  return unreadableLine(world.withheld, consequence);
}

/** `cluster set edge`, `cluster sets edge, production`, `no cluster set`. */
export function setsText(sets: readonly string[]): string {
  if (sets.length === 0) return 'no cluster set';
  return `${sets.length === 1 ? 'cluster set' : 'cluster sets'} ${sets.join(', ')}`;
}

/** The most lines of errors, and the most clusters that a line names. */
const MOST_LINES = 3;
const MOST_NAMES = 3;

/** `predicate 0: expression …: error: no such key: env, for 3 of 9 clusters (a, b, c)`; the most frequent first. */
export function expressionErrorLines({ clusters, placement }: Explanation): readonly string[] {
  if (!placement.rules.predicates.some(({ expressions }) => expressions.length > 0)) return [];
  const found = new Map<string, string[]>();
  for (const { name, unmet } of clusters)
    for (const errorText of unmet.flatMap(errorsOf)) {
      const names = found.get(errorText) ?? [];
      names.push(name);
      found.set(errorText, names);
    }
  const sorted = [...found].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const more = sorted.length - MOST_LINES;
  return [
    ...sorted
      .slice(0, MOST_LINES)
      .map(
        ([errorText, names]) =>
          `${errorText}, for ${names.length} of ${clusters.length} clusters (${someNames(names, MOST_NAMES)})`,
      ),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'error' : 'errors'} of expressions`] : []),
  ];
}

function errorsOf(unmet: readonly Unmet[], index: number): readonly string[] {
  return unmet.flatMap((one) => {
    const { source, found } = one;
    if (source !== 'expression' || found?.startsWith('error: ') !== true) return [];
    return [`predicate ${index}: ${requirementText(one)}: ${printable(found)}`];
  });
}
