import { boundedList } from '../../conditions.js';
import { afterChoice } from '../select/choice/choose.js';
import { placesOf } from './ranking.js';
import type { Topology } from '../select/choice/topology.js';
import { tierOfNew } from '../select/judge.js';
import type { Decision } from '../select/decision.js';
import type { PlacementSnapshot } from '../select/snapshot.js';
import type { SpreadConstraint } from '../spec/spread.js';
import { spreadText } from './choicetext.js';
import { wordText } from './requirementtext.js';

/** The spread of a decision that is made. */

/** A constraint that the selected clusters do not keep. */
export interface ExceededSpread {
  readonly constraint: SpreadConstraint;
  /** The domains with more than `maxSkew` above the lowest count, sorted by their values. */
  readonly full: readonly { readonly domain: string; readonly count: number }[];
  readonly lowest: number;
}

/** Characters of a list of domains. */
const DOMAINS_LIMIT = 160;

/** The domains that a decision leaves, by constraint in the order of the spec. */
export function topologiesAfter(decided: Decision, snapshot: PlacementSnapshot): readonly Topology[] {
  if (snapshot.placement.rules.spread.length === 0) return [];
  const tierOf = (name: string): number | undefined => tierOfNew(name, snapshot);
  return afterChoice(placesOf(decided), tierOf, snapshot, () => 0).contest.topologies;
}

/** The constraints that the decision exceeds, in the order of the spec. */
export function exceededSpread(decided: Decision, snapshot: PlacementSnapshot): readonly ExceededSpread[] {
  return topologiesAfter(decided, snapshot).flatMap(({ constraint, excess, lowest, domains }) => {
    if (excess === 0) return [];
    const full = domains.filter(({ count }) => count - lowest > constraint.maxSkew);
    return [{ constraint, full: full.map(({ value, count }) => ({ domain: value, count })), lowest }];
  });
}

/** `spread by claim region (maxSkew 1) is exceeded: eu has 3 clusters, the lowest count is 0`. */
export function exceededText({ constraint, full, lowest }: ExceededSpread): string {
  const domains = full.map(
    ({ domain, count }) => `${wordText(domain)} has ${count} ${count === 1 ? 'cluster' : 'clusters'}`,
  );
  return `${spreadText(constraint)} is exceeded: ${boundedList(domains, ', ', DOMAINS_LIMIT)}, the lowest count is ${lowest}`;
}
