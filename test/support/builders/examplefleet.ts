import type { RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { worldOf, type World } from '../../../src/answers/world/world.js';
import { predicate, rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from './world.js';

/** The fleet of the documentation: nine clusters in the sets edge and production, bound to namespace shop. */

const edge = { selectorType: 'LabelSelector', labelSelector: { matchLabels: { tier: 'edge' } } };

export const EXAMPLE_SPEC = {
  numberOfClusters: 3,
  predicates: [
    predicate({ tier: 'gold' }),
    predicate({}, [], [{ key: 'platform', operator: 'In', values: ['aws', 'Azure', 'Google Cloud'] }]),
  ],
};

const EDGE = { set: 'edge', labels: { tier: 'edge' } };
const PRODUCTION = { set: 'production' };

const CLUSTERS: readonly RawObject[] = [
  rawCluster('edge-ap-1', { ...EDGE, claims: { platform: 'bare metal' } }),
  rawCluster('edge-eu-1', { ...EDGE, claims: { platform: 'bare metal' } }),
  rawCluster('edge-eu-2', { ...EDGE, claims: { platform: 'Azure' } }),
  rawCluster('edge-us-1', { ...EDGE, claims: { platform: 'bare metal' } }),
  rawCluster('prod-ap-1', { ...PRODUCTION, labels: { tier: 'gold' }, claims: { platform: 'aws' } }),
  rawCluster('prod-ap-2', { ...PRODUCTION, labels: { tier: 'silver' }, claims: { platform: 'OpenStack' } }),
  rawCluster('prod-eu-1', { ...PRODUCTION, labels: { tier: 'gold' }, claims: { platform: 'aws' } }),
  rawCluster('prod-eu-2', { ...PRODUCTION, labels: { tier: 'silver' }, claims: { platform: 'Google Cloud' } }),
  rawCluster('prod-us-1', { ...PRODUCTION, labels: { tier: 'gold' }, claims: { platform: 'aws' } }),
];

/** The example with another spec, other clusters of the decision, or other objects. */
export function exampleWorld(
  spec: unknown = EXAMPLE_SPEC,
  over: Partial<World['objects']> = {},
  withheld: World['withheld'] = [],
): World {
  return worldOf(
    {
      placements: [rawPlacement(spec)],
      placementdecisions: [rawDecision(1, ['edge-eu-2', 'prod-eu-2', 'prod-us-1'])],
      managedclusters: CLUSTERS,
      managedclustersets: [rawSet('edge', edge), rawSet('production')],
      managedclustersetbindings: [rawBinding('edge'), rawBinding('production')],
      ...over,
    },
    withheld,
  );
}

/** The clusters of the example, some of them changed by name; undefined: gone. */
export function exampleClusters(changes: Readonly<Record<string, RawObject | undefined>> = {}): readonly RawObject[] {
  return CLUSTERS.flatMap((one) => {
    const changed = one.metadata.name in changes ? changes[one.metadata.name] : one;
    return changed === undefined ? [] : [changed];
  });
}
