import { hasNumbers, type PlacementRules } from '../spec/predicates.js';
import type { Shortage } from './choice/shortage.js';
import { predicateOf } from './rules.js';
import type { SelectedClusters } from './judge.js';
import type { PlacementSnapshot } from './snapshot.js';
import { taintsAgainstNew } from './standing.js';

/** A selected cluster that would leave because of a taint if another cluster could take its place. */
export interface StuckCluster {
  readonly cluster: string;
  readonly key: string;
}

/** What taints leave open in a schedule. */
export interface TaintEffects {
  /** Whether another matching cluster would be selected if there were one, or could take the place of one. */
  readonly hasRoom: boolean;
  /** While too few are selected, or some cannot be replaced: the keys of the taints that keep matching clusters out, sorted. */
  readonly taintKeys: readonly string[];
  /** Those that stay and would yield their place, which no other cluster can take, sorted by name. */
  readonly stuck: readonly StuckCluster[];
  /** When a toleration ends that keeps a cluster: ms since the epoch, Infinity for never. */
  readonly until: number;
}

/** What stays and comes in, and how many are wanted: Infinity for all. */
export interface Selection {
  /** The clusters selected before that leave. */
  readonly dropped: ReadonlyMap<string, unknown>;
  /** Those that fail a rule and stay: held, or waiting for a change window. */
  readonly held: ReadonlyMap<string, unknown>;
  /** How many are selected, held ones included. */
  readonly size: number;
  readonly limit: number;
  /** Which predicates lack clusters. */
  readonly shortage: Shortage;
}

/** What the taints leave open, in O(clusters with taints). */
export function taintEffects(
  selection: Selection,
  judged: SelectedClusters,
  snapshot: PlacementSnapshot,
): TaintEffects {
  const { dropped, size, limit } = selection;
  const stuck: StuckCluster[] = [];
  let until = Infinity;
  for (const [cluster, { standing }] of judged.tainted) {
    if (dropped.has(cluster) || standing.kind === 'leaves') continue;
    until = Math.min(until, standing.until);
    if (standing.kind === 'yields') stuck.push({ cluster, key: standing.taint.key });
  }
  const isShort = snapshot.placement.rules.problem === undefined && (limit === Infinity || size - stuck.length < limit);
  return {
    hasRoom: isShort || stuck.length > 0,
    taintKeys: isShort ? taintKeys(selection, judged, snapshot) : [],
    stuck: stuck.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    until,
  };
}

/** Where predicates have numbers, only clusters of one that lacks some could come in. */
function wantedOnes(
  { predicates }: Shortage,
  rules: PlacementRules,
  candidates: PlacementSnapshot['candidates'],
): (cluster: string) => boolean {
  if (!hasNumbers(rules)) return () => true;
  const lacking = new Set(predicates.map(({ index }) => index));
  return (cluster) => {
    const one = candidates.view(cluster);
    return one !== undefined && lacking.has(predicateOf(rules, one));
  };
}

function taintKeys(
  { dropped, held, shortage }: Selection,
  judged: SelectedClusters,
  { placement, candidates }: PlacementSnapshot,
): readonly string[] {
  const keys = new Set<string>();
  const wants = wantedOnes(shortage, placement.rules, candidates);
  for (const [cluster, taints] of candidates.tainted) {
    const stays = (judged.tainted.has(cluster) || held.has(cluster)) && !dropped.has(cluster);
    if (stays || !wants(cluster)) continue;
    for (const { taint } of taintsAgainstNew(taints, placement.rules.tolerations)) keys.add(taint.key);
  }
  return [...keys].sort();
}
