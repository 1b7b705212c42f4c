import { causeText } from '../../domain/placement/explain/causes.js';
import { absentText } from '../../domain/placement/explain/absentsets.js';
import type { ClusterExplanation, Explanation } from '../../domain/placement/explain/verdict.js';
import type { OtherTaint } from '../../domain/placement/select/standing.js';
import { otherTaints, selectedTaintsText } from '../../domain/placement/explain/taints.js';
import type { ExplainReport } from '../explain/report.js';

/** Sentences and clauses that the text and the JSON of an explanation share. */

/** Why the cluster has its verdict: `predicate 1, kept`, `label tier=edge, wanted tier=gold`. */
export function whyText(one: ClusterExplanation, { explanation }: ExplainReport): string {
  const kept = one.inDecision && isSelectedByRules(one, explanation) ? ', kept' : '';
  return `${reasonText(one, explanation)}${kept}${taintClause(one, explanation)}`;
}

/** `; taint maintenance:NoSelect, tolerated for ever by spec.tolerations[0]`; empty for a cluster that is not selected. */
export function taintClause(one: ClusterExplanation, explanation: Explanation): string {
  if (!isSelectedByRules(one, explanation)) return '';
  const text = selectedTaintsText(one, explanation.placement.rules);
  if (text === undefined) return '';
  const isStuck = explanation.schedule?.stuck.some(({ cluster }) => cluster === one.name) === true;
  return `; ${text}${isStuck ? ', and no other cluster can take its place' : ''}`;
}

/** The taints of a selected cluster that do not make it leave; none for one that is not selected. */
export function otherTaintsOf(one: ClusterExplanation, explanation: Explanation): readonly OtherTaint[] {
  return isSelectedByRules(one, explanation) ? otherTaints(one, explanation.placement.rules) : [];
}

/** With an invalid spec the decision stays as it is, whatever the taints. */
function isSelectedByRules({ verdict }: ClusterExplanation, { placement }: Explanation): boolean {
  return verdict === 'Selected' && placement.rules.problem === undefined;
}

/** {@link whyText} without whether the cluster was selected before, and without taints that leave it selected. */
export function reasonText(one: ClusterExplanation, explanation: Explanation): string {
  if (one.verdict === 'Unknown') return 'not readable';
  const cause = causeText(one, explanation);
  if (cause !== undefined) return cause;
  if (explanation.placement.rules.problem !== undefined) return 'kept, since the spec is invalid';
  const matched = matchedPredicate(one);
  return matched === undefined ? 'every cluster matches' : `predicate ${matched}`;
}

/** The first predicate that the cluster matches. */
export function matchedPredicate({ unmet }: ClusterExplanation): number | undefined {
  const index = unmet.findIndex((list) => list.length === 0);
  return index < 0 ? undefined : index;
}

/** The sets that bring in no cluster, with the reason; undefined without one. */
export function absentLine({ absent, explanation }: ExplainReport): string | undefined {
  if (absent.length === 0) return undefined;
  const { namespace } = explanation.placement;
  return `nothing comes from ${absent.map((one) => `${one.set} (${absentText(one, namespace)})`).join(', ')}`;
}

/** What could not be read; undefined when everything was. */
export function withheldLine({ withheld, explanation }: ExplainReport): string | undefined {
  if (withheld.length === 0) return undefined;
  const list = withheld.map(({ resource, verb, status }) => `${resource} (${verb}: ${status})`).join(', ');
  const rest = explanation.readable.fleet
    ? 'which clusters were selected before is not known'
    : 'verdicts Unknown; the rest is from status and decisions';
  return `not readable: ${list}: ${rest}`;
}

/** `cluster set edge`, `cluster sets edge, production`, `no cluster set`. */
export function setsText(sets: readonly string[]): string {
  if (sets.length === 0) return 'no cluster set';
  return `${sets.length === 1 ? 'cluster set' : 'cluster sets'} ${sets.join(', ')}`;
}
