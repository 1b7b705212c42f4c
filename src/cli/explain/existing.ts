import { textsOf } from '../../domain/placement/select/unmatched.js';
import { wordText } from '../../domain/placement/explain/requirementtext.js';
import { valueOf } from '../../domain/selectors.js';
import type { ExplainReport } from './report.js';

/** Which labels are proposed: those that some cluster has. */

/** Whether a change of labels is offered for the predicate: not where it asks for a value that no candidate has. */
export function isOffered(index: number, { predicates }: ExplainReport): boolean {
  const { unmatched } = predicates[index] ?? {};
  return unmatched?.kind !== 'RequirementUnmet';
}

const MOST_VALUES = 5;

/** The values that candidates have where the predicate asks for one that none has: `; there are label tier=gold (5), tier=silver (4)`. */
export function existingValues(index: number, { explanation, predicates }: ExplainReport): string {
  const { unmatched, hints = [] } = predicates[index] ?? {};
  if (unmatched?.kind !== 'RequirementUnmet' || hints.length > 0) return '';
  const { source, requirement } = unmatched.requirement;
  const counts = new Map<string, number>();
  for (const { cluster, sets } of explanation.clusters) {
    const found = cluster && sets.length > 0 ? valueOf(textsOf(cluster, source), requirement.key) : undefined;
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const texts = sorted
    .slice(0, MOST_VALUES)
    .map(([value, count]) => `${wordText(requirement.key)}=${wordText(value)} (${count})`);
  const more = sorted.length - texts.length;
  return texts.length === 0
    ? ''
    : `; there are ${source} ${texts.join(', ')}${more > 0 ? ` and ${more} more values` : ''}`;
}
