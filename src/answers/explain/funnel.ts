import { countedText, summarize } from '../../domain/placement/explain/causes.js';
import type { ClusterExplanation, Explanation } from '../../domain/placement/explain/verdict.js';
import { eligibleSets, readableSelectors } from '../../domain/placement/select/eligible.js';
import { setsOf } from '../world/clustertable.js';
import { inputsOf, once, grouped, type World } from '../world/world.js';
import type { ExplainReport } from './report.js';

/** The way of clusters into a decision, step by step. */

/** So many clusters, and what is said of them. */
export interface CountedClusters {
  readonly count: number;
  readonly text: string;
}

export interface FunnelStep {
  readonly step: 'fleet' | 'bound' | 'sets' | 'match' | 'taints' | 'in';
  readonly count: number;
  /** Why clusters of the step before are not in this one, as `explain` counts them; absent where the step itself says it. */
  readonly lost?: readonly CountedClusters[];
  /** In the last step: the clusters of the decision that are not in the step before. */
  readonly kept?: readonly CountedClusters[];
}

/** How many clusters pass each step of the way into the decision; without the steps that are not known. */
export function funnelOf(world: World, { explanation, input }: ExplainReport): readonly FunnelStep[] {
  const selected = explanation.clusters.filter(isIn).length;
  const isKnown = input.readable.decisions;
  // With an invalid spec nothing is selected anew: the way into the decision is not known either.
  if (explanation.decision?.problem !== undefined || explanation.decision === undefined)
    return isKnown ? [{ step: 'in', count: selected }] : [];
  const { placement, bindings, sets } = input.snapshot;
  const bound = readableSelectors(eligibleSets({ ...placement.rules, requested: [] }, bindings, sets));
  const members = once(world, `bound ${placement.namespace}`, () =>
    inputsOf(world).clusters.clusters.filter((one) => setsOf(one, bound).length > 0),
  );
  const candidates = explanation.clusters.filter((one) => one.sets.length > 0);
  const matching = candidates.filter(({ causes }) => !causes.includes('NotMatched'));
  const tolerated = new Set(matching.filter(({ causes }) => causes.length === 0));
  const lostOf = (clusters: readonly ClusterExplanation[]): Pick<FunnelStep, 'lost'> => {
    const lost = summarize({ ...explanation, clusters }).parts;
    return lost.length === 0 ? {} : { lost };
  };
  const kept = keptParts(
    explanation.clusters.filter((one) => isIn(one) && !tolerated.has(one)),
    explanation,
  );
  const last = { ...lostOf([...tolerated].filter((one) => !isIn(one))), ...(kept.length === 0 ? {} : { kept }) };
  return [
    { step: 'fleet', count: world.objects.managedclusters.length },
    { step: 'bound', count: members.length },
    { step: 'sets', count: candidates.length },
    { step: 'match', count: matching.length },
    { step: 'taints', count: tolerated.size, ...lostOf(matching.filter((one) => !tolerated.has(one)).map(asFailing)) },
    ...(isKnown ? [{ step: 'in', count: selected, ...last } as const] : []),
  ];
}

/** By the rule that it fails, also where it is held. */
function asFailing(one: ClusterExplanation): ClusterExplanation {
  return { ...one, verdict: one.causes[0] ?? one.verdict };
}

/** Clusters that fail a rule and stay: `8 that would leave are held`. */
function keptParts(clusters: readonly ClusterExplanation[], explanation: Explanation): NonNullable<FunnelStep['kept']> {
  const byPhrase = grouped(
    clusters,
    (one) => [countedText(one, explanation).join('|')],
    (one) => one.name,
  );
  return [...byPhrase].map(([phrase, { length: count }]) => {
    return { count, text: `that would leave ${phrase.split('|')[count === 1 ? 0 : 1]}` };
  });
}

/** A near miss lacks one requirement of a predicate. */
const NEAR = 1;

/** The clusters that lack one requirement alone, the nearest first. */
export function nearOf({ explanation: { nearest } }: ExplainReport): readonly ClusterExplanation[] {
  return nearest.filter((one) => (one.unmet[one.best ?? 0]?.length ?? 0) <= NEAR);
}

/** Whether the decision names the cluster once it is published. */
export function isIn({ verdict, inDecision }: { readonly verdict: string; readonly inDecision: boolean }): boolean {
  return verdict === 'Selected' || (verdict === 'Held' && inDecision) || (verdict === 'Unknown' && inDecision);
}
