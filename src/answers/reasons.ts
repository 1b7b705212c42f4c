import { timestamp } from '../runtime/vocabulary/meta.js';
import { blockText } from '../domain/placement/explain/choicetext.js';
import { causeText, lackText } from '../domain/placement/explain/causes.js';
import { placeText, selectedTaintsText } from '../domain/placement/explain/taints.js';
import {
  keptOutBy,
  matchedPredicate,
  type ClusterExplanation,
  type Explanation,
} from '../domain/placement/explain/verdict.js';
import { endableLine, type ActiveRelease } from '../domain/placement/report/releases.js';
import { isKeptOutByPause } from '../domain/placement/select/decision.js';

/** Clauses and fields about a Placement that several commands print. */

/** `; taint maintenance:NoSelect, tolerated for ever by spec.tolerations[0]`; empty for a cluster that is not selected. */
export function taintClause(one: ClusterExplanation, explanation: Explanation): string {
  if (!isSelectedByRules(one, explanation)) return '';
  const text = selectedTaintsText(one, explanation.placement.rules);
  if (text === undefined) return '';
  const { decision } = explanation;
  const isStuck = decision?.fates.get(one.name)?.kind === 'stays';
  return `; ${text}${isStuck ? `, and ${placeText(isKeptOutByPause(decision))}` : ''}`;
}

/** With an invalid spec the decision stays as it is, whatever the taints. */
export function isSelectedByRules({ verdict }: ClusterExplanation, { placement }: Explanation): boolean {
  return verdict === 'Selected' && placement.rules.problem === undefined;
}

/** Why the cluster has its verdict, without taints that leave it selected: `predicate 1`, `label tier=edge, wanted tier=gold`. */
export function reasonText(one: ClusterExplanation, explanation: Explanation): string {
  const out = keptOutBy(one, explanation);
  return `${ruleText(one, explanation)}${out === undefined ? '' : `; ${out} keeps it out`}`;
}

function ruleText(one: ClusterExplanation, explanation: Explanation): string {
  if (one.verdict === 'Unknown') return 'not readable';
  const cause = causeText(one, explanation);
  if (cause !== undefined) return cause;
  if (one.blocked !== undefined) return blockText(one.blocked);
  if (explanation.placement.rules.problem !== undefined) return 'kept, since the spec is invalid';
  const matched = matchedPredicate(one);
  return matched === undefined ? 'every cluster matches' : `predicate ${matched}`;
}

/** The most predicates of which it is said what a cluster lacks. */
const MOST_LACKS = 3;

/** What the cluster lacks of each predicate, of which one would do: `label tier=edge, wanted tier=gold; or no claim gpu, wanted gpu`. */
export function lacksText({ unmet }: ClusterExplanation): string {
  const lacks = unmet.flatMap((list) => lackText(list) ?? []);
  const more = lacks.length - MOST_LACKS;
  const rest = more > 0 ? `; or one of ${more} more predicates` : '';
  return `${lacks.slice(0, MOST_LACKS).join('; or ')}${rest}`;
}

/** What an annotation lets leave or come in, whatever the bound. */
export interface Release {
  readonly annotation: string;
  readonly direction: ActiveRelease['direction'];
  /** RFC 3339; absent for a text that cannot be read, which releases nothing. */
  readonly until?: string;
  readonly message: string;
}

/** Field `releases` of a document about a Placement; left out where there is none. */
export function releasesField(
  releases: readonly ActiveRelease[],
  owner: { readonly namespace: string; readonly name: string },
): { readonly releases?: readonly Release[] } {
  if (releases.length === 0) return {};
  return {
    releases: releases.map((one): Release => {
      const { annotation, direction, release } = one;
      const until = release === undefined ? {} : { until: timestamp(release.until) };
      return { annotation, direction, ...until, message: endableLine(one, owner) };
    }),
  };
}
