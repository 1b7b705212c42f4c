import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import type { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import type { Cluster, ClusterSet, Placement, Predicate, Write } from './world.js';

/** The fleet, the sets and the placements that every script begins with. */

export const NAMESPACES = ['script-a', 'script-b', 'script-c'] as const;

export const SETS: ReadonlyMap<string, ClusterSet> = new Map<string, ClusterSet>([
  ['prod', {}],
  ['stage', {}],
  ['edge', {}],
  ['gold', { selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['gold', 'platinum'] }] } }],
  ['fleet', { selector: {} }],
  ['void', {}],
]);

export const BINDINGS: ReadonlyMap<string, string> = new Map([
  ['script-a/prod', 'prod'],
  ['script-a/stage', 'stage'],
  ['script-b/edge', 'edge'],
  ['script-b/gold', 'gold'],
  ['script-c/fleet', 'fleet'],
  ['script-c/void', 'void'],
]);

export const REGIONS = ['eu', 'us', 'asia'] as const;
export const TIERS = ['gold', 'silver', 'platinum'] as const;
export const PLATFORMS = ['aws', 'gcp', 'Bare metal (rack #7)'] as const;
export const EXCLUSIVE = ['prod', 'stage', 'edge'] as const;

export const PREDICATES: readonly Predicate[] = [
  {},
  { labelSelector: { matchLabels: { region: 'eu' } } },
  { labelSelector: { matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['us'] }] } },
  { labelSelector: { matchExpressions: [{ key: 'canary', operator: 'DoesNotExist' }] } },
  { labelSelector: { matchExpressions: [{ key: 'canary', operator: 'Exists' }] } },
  { claims: [{ key: 'platform', operator: 'In', values: ['aws', 'Bare metal (rack #7)'] }] },
  {
    claims: [
      { key: 'platform', operator: 'NotIn', values: ['gcp'] },
      { key: 'id', operator: 'Exists' },
    ],
  },
  { labelSelector: { matchLabels: { tier: 'gold' } }, claims: [{ key: 'platform', operator: 'Exists' }] },
  { labelSelector: { matchLabels: { region: 'mars' } } },
];

/** Predicates that a schema refuses; the script's server has one that lets them pass. */
export const BAD_PREDICATES: readonly Predicate[] = [
  { labelSelector: { matchExpressions: [{ key: 'region', operator: 'Near', values: ['eu'] }] } },
  { labelSelector: { matchExpressions: [{ key: 'region', operator: 'In' }] } },
  { claims: [{ key: 'platform', operator: 'Exists', values: ['aws'] }] },
  { claims: [{ key: 'platform', operator: 'NotIn', values: [] }] },
];

function predicate(index: number): Predicate {
  return PREDICATES[index] ?? {};
}

export const PLACEMENTS: ReadonlyMap<string, Placement> = new Map<string, Placement>([
  ['script-a/everything', { sets: [], predicates: [] }],
  ['script-a/wide', { sets: [], count: 130, predicates: [predicate(3)] }],
  ['script-a/three', { sets: ['prod'], count: 3, predicates: [predicate(1), predicate(5)] }],
  ['script-a/elsewhere', { sets: ['edge'], count: 2, predicates: [] }],
  ['script-b/edge', { sets: ['edge'], count: 12, predicates: [predicate(2)] }],
  ['script-b/both', { sets: [], count: 9, predicates: [predicate(7), predicate(6)] }],
  ['script-b/mars', { sets: ['gold'], count: 5, predicates: [predicate(8)] }],
  ['script-c/fleet', { sets: [], count: 205, predicates: [] }],
  ['script-c/nobody', { sets: ['void'], count: 2, predicates: [] }],
  ['script-c/canaries', { sets: ['fleet'], count: 4, predicates: [predicate(4)] }],
]);

const FLEET = 250;
const BATCH = 50;

/** How many steps the opening takes: the sets, the clusters, the bindings, the placements. */
export const OPENING = 1 + FLEET / BATCH + 1 + PLACEMENTS.size;

/** A cluster as it joins: in one of the exclusive sets, with labels and claims by chance. */
export function newcomer(dice: Dice): Cluster {
  const labels: Record<string, string> = { region: dice.pick(REGIONS), tier: dice.pick(TIERS) };
  if (dice.chance(0.9)) labels[CLUSTER_SET_LABEL] = dice.chance(0.5) ? 'prod' : dice.pick(EXCLUSIVE);
  if (dice.chance(0.08)) labels['canary'] = '';
  const claims: Record<string, string> = dice.chance(0.8) ? { platform: dice.pick(PLATFORMS) } : {};
  if (dice.chance(0.5)) claims['id'] = `${dice.between(1, 9)}`;
  return { labels, claims, deleting: false, heartbeat: 0 };
}

/** The writes of the first steps: the sets, the fleet, the bindings, then one placement a step. */
export function opening(dice: Dice): Write[][] {
  const steps: Write[][] = [[...SETS].map(([name, to]) => ({ kind: 'set', name, to }))];
  for (let first = 0; first < FLEET; first += BATCH) {
    const batch: Write[] = [];
    for (let n = first; n < first + BATCH; n++)
      batch.push({ kind: 'cluster', name: clusterName(n), to: newcomer(dice) });
    steps.push(batch);
  }
  steps.push([...BINDINGS].map(([name, to]) => ({ kind: 'binding', name, to })));
  for (const [name, to] of PLACEMENTS) steps.push([{ kind: 'placement', name, to }]);
  return steps;
}

export function clusterName(n: number): string {
  return `member-${String(n).padStart(3, '0')}`;
}
