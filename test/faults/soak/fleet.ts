import * as bench from '../../../bench/placement/fleet.js';
import type { PlacementSpec } from '../../../src/api/generated/placement.js';

/** Of the clusters, 200 have agents; the Placements have all abilities between them. */
export const SIZE = { clusters: 5_000, placements: 1_000, agents: 200 };

/** The shortest Lease that is allowed: silence is noticed after 40 s. */
export const LEASE_SECONDS = 10;

export const TAINT = { key: 'example.com/broken', effect: 'NoSelect' };

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const canary = { groupName: 'canary', groupClusterSelector: labelled({ environment: 'test' }) };
const celExpressions = ['managedCluster.metadata.labels.vendor != "gke"'];

/** What every tenth Placement has beside labels, claims and a number. */
const ABILITIES: readonly ((index: number) => object)[] = [
  () => ({ tolerations: [{ key: TAINT.key, tolerationSeconds: 20 }] }),
  // All that match: some ten, or several objects full of them.
  (index) => all(labelled(index % 100 === 1 ? { tier: 'gold' } : { region: 'eu-west', zone: `zone-${index % 12}` })),
  () => ({ ...bench.SCHEDULING, numberOfClusters: 10 }),
  () => ({
    ...bench.SCHEDULING,
    ...bench.MOVES,
    spreadPolicy: undefined,
    rebalance: { scoreMargin: 20, minSelectedSeconds: 0 },
  }),
  () => ({ ...grouped('25%'), numberOfClusters: 40 }),
  (index) => ({
    changeWindows: [{ start: `${WEEKDAYS[index % 7]} 03:00`, duration: '1h', timeZone: 'Europe/Berlin' }],
  }),
  () => ({ disruptionBudget: { maxRemovals: 2, maxAdditions: '50%', windowSeconds: 300 } }),
  (index) => ({ paused: index % 20 === 7 }),
  () => all({ ...labelled({ tier: 'gold' }), celSelector: { celExpressions } }, 4),
  () => ({ decisionDetails: { labels: ['region'], claims: ['kubernetes-version'] } }),
];

function labelled(matchLabels: Readonly<Record<string, string>>): object {
  return { labelSelector: { matchLabels } };
}

function all(requiredClusterSelector: object, numberOfClusters?: number): object {
  return { numberOfClusters: undefined, predicates: [{ requiredClusterSelector, numberOfClusters }] };
}

function grouped(clustersPerDecisionGroup: string): object {
  return { decisionStrategy: { groupStrategy: { decisionGroups: [canary], clustersPerDecisionGroup } } };
}

export function cluster(index: number): bench.FleetObject {
  const one = bench.cluster(index);
  if (index >= SIZE.agents) return one;
  const spec = { ...one.object.spec, hubAcceptsClient: true, leaseDurationSeconds: LEASE_SECONDS };
  return { ...one, object: { ...one.object, spec } };
}

export function placement(index: number): bench.FleetObject {
  const spec = { ...bench.placementSpec(index, [bench.groupLabel(index)]), ...ABILITIES[index % 10]?.(index) };
  const one = bench.placement(index);
  return { ...one, object: { ...one.object, spec } };
}

/** The same with this number of clusters, and without what holds up changes. */
export function freePlacement(index: number, numberOfClusters: number): bench.FleetObject {
  const one = placement(index);
  const { paused: _, changeWindows: __, disruptionBudget: ___, ...spec } = one.object.spec as PlacementSpec;
  return { ...one, object: { ...one.object, spec: { ...spec, numberOfClusters } } };
}
