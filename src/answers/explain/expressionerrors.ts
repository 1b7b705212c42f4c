import { printable, requirementText } from '../../domain/placement/explain/requirementtext.js';
import type { Unmet } from '../../domain/placement/select/rules.js';
import type { Explanation } from '../../domain/placement/explain/verdict.js';
import { someNames } from '../output.js';

/** Errors of expressions: a cluster does not match, and a mistake in the expression may be the reason. */

/** Lines and names that are shown. */
const MOST_LINES = 3;
const MOST_NAMES = 3;

/** `predicate 0: expression …: error: no such key: env, for 3 of 9 clusters (a, b, c)`; the most frequent first. */
export function expressionErrorLines({ clusters, placement }: Explanation): readonly string[] {
  if (!placement.rules.predicates.some(({ expressions }) => expressions.length > 0)) return [];
  const found = new Map<string, string[]>();
  for (const { name, unmet } of clusters)
    for (const head of unmet.flatMap(errorsOf)) {
      const names = found.get(head) ?? [];
      names.push(name);
      found.set(head, names);
    }
  const sorted = [...found].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const more = sorted.length - MOST_LINES;
  return [
    ...sorted
      .slice(0, MOST_LINES)
      .map(
        ([head, names]) =>
          `${head}, for ${names.length} of ${clusters.length} clusters (${someNames(names, MOST_NAMES)})`,
      ),
    ...(more > 0 ? [`${more} more errors of expressions`] : []),
  ];
}

function errorsOf(unmet: readonly Unmet[], index: number): readonly string[] {
  return unmet.flatMap((one) => {
    const { source, found } = one;
    if (source !== 'expression' || found?.startsWith('error: ') !== true) return [];
    return [`predicate ${index}: ${requirementText(one)}: ${printable(found)}`];
  });
}
