import { describe, expect, it } from '@jest/globals';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { ALLOW_REMOVALS_ANNOTATION, CLUSTER_SET_LABEL } from '../../src/api/names.js';
import { overlay, type Change } from '../../src/answers/world/overlay.js';
import { worldOf, type World, type WorldResource } from '../../src/answers/world/world.js';
import { NAMESPACE, predicate, rawBinding, rawCluster, rawPlacement, rawSet } from '../support/builders/world.js';
import { PlacementRig } from '../support/rigs/controllers/placement.js';
import { storeWorld } from '../support/rigs/controllers/worlds.js';

/*
 * A cluster was held, and left at the release: its label was blamed where a binding or a set had been deleted. Right: the event
 * names what changed: the selector of the set and the label that it does not fit, the label of the cluster, the binding, the set,
 * the field of the spec. One row for each kind of change; causesgenerated.test.ts asks plan, event and condition about any.
 */

const byTier = (tier: string): unknown => ({
  selectorType: 'LabelSelector',
  labelSelector: { matchLabels: { tier } },
});

/** Cluster a is in prod by its label, and in gold by the selector of this set. */
function worldWith(spec: object, bound: readonly string[] = ['edge', 'gold', 'prod']): World {
  return worldOf({
    placements: [rawPlacement(spec)],
    managedclusters: [
      rawCluster('a', { set: 'prod', labels: { tier: 'gold', region: 'eu' }, claims: { platform: 'aws' } }),
    ],
    managedclustersets: [rawSet('edge'), rawSet('gold', byTier('gold')), rawSet('prod')],
    managedclustersetbindings: bound.map((name) => rawBinding(name)),
  });
}

/** A change of the objects, as a whole or by the commands that a plan takes. */
type Edit = Change | ((world: World) => World);

interface Row {
  /** What is changed. */
  readonly what: string;
  readonly spec: object;
  /** The sets that are bound; default all. */
  readonly bound?: readonly string[];
  readonly change: Edit;
  /** What the event says once the cluster is released. */
  readonly cause: string;
}

function replacing(resource: WorldResource, object: RawObject): Edit {
  return (world) => {
    const others = world.objects[resource].filter(({ metadata }) => metadata.name !== object.metadata.name);
    return { ...world, objects: { ...world.objects, [resource]: [...others, object] } };
  };
}

function changed(world: World, change: Edit): World {
  return typeof change === 'function' ? change(world) : overlay(world, [change]);
}

const label = (key: string, value: string | undefined): Change => {
  return { kind: 'label', resource: 'managedclusters', object: { name: 'a' }, key, value };
};
const remove = (resource: WorldResource, name: string): Change => {
  const namespaced = resource === 'managedclustersetbindings';
  return { kind: 'delete', resource, object: namespaced ? { namespace: NAMESPACE, name } : { name } };
};
const put = (resource: WorldResource, object: RawObject): Change => ({ kind: 'apply', resource, object });
const edit = (spec: object): Change => put('placements', { metadata: rawPlacement({}).metadata, spec });

const platform = predicate({}, [], [{ key: 'platform', operator: 'In', values: ['aws'] }]);
const several = { ClusterSets: ['prod'], predicates: [predicate({ tier: 'silver' }), predicate({ region: 'eu' })] };

const ROWS: readonly Row[] = [
  {
    what: 'the selector of a set',
    spec: { ClusterSets: ['gold'] },
    change: put('managedclustersets', rawSet('gold', byTier('platinum'))),
    cause: 'label tier=gold, cluster set gold wants tier=platinum',
  },
  {
    what: 'a set that selects by labels, to the label of sets',
    spec: { ClusterSets: ['gold'] },
    change: replacing('managedclustersets', rawSet('gold')),
    cause: `label ${CLUSTER_SET_LABEL}=prod names none of cluster sets gold`,
  },
  {
    what: 'a set that selects by the label of sets, to other labels',
    spec: { ClusterSets: ['prod'] },
    change: put('managedclustersets', rawSet('prod', byTier('platinum'))),
    cause: 'label tier=gold, cluster set prod wants tier=platinum',
  },
  {
    what: 'a label that a set selects by',
    spec: { ClusterSets: ['gold'] },
    change: label('tier', 'silver'),
    cause: 'label tier=silver, cluster set gold wants tier=gold',
  },
  {
    what: 'the label of the set, to one that the Placement does not name',
    spec: { ClusterSets: ['prod'] },
    change: label(CLUSTER_SET_LABEL, 'edge'),
    cause: `label ${CLUSTER_SET_LABEL}=edge names none of cluster sets prod`,
  },
  {
    what: 'the label of the set, to a name of no set',
    spec: { ClusterSets: ['edge', 'prod'] },
    change: label(CLUSTER_SET_LABEL, 'prdo'),
    cause: `label ${CLUSTER_SET_LABEL}=prdo names none of cluster sets edge, prod`,
  },
  {
    what: 'the label of the set, to none',
    spec: { ClusterSets: ['edge', 'prod'] },
    change: label(CLUSTER_SET_LABEL, undefined),
    cause: `no label ${CLUSTER_SET_LABEL}, in none of cluster sets edge, prod`,
  },
  {
    what: 'a binding that is deleted',
    spec: { ClusterSets: ['edge', 'prod'] },
    change: remove('managedclustersetbindings', 'prod'),
    cause: 'no ManagedClusterSetBinding prod in namespace shop',
  },
  {
    what: 'a binding of a set that selects by labels, deleted',
    spec: { ClusterSets: ['edge', 'gold'] },
    change: remove('managedclustersetbindings', 'gold'),
    cause: 'no ManagedClusterSetBinding gold in namespace shop',
  },
  {
    what: 'the only binding, of a set that selects by labels, deleted where ClusterSets is empty',
    spec: {},
    bound: ['gold'],
    change: remove('managedclustersetbindings', 'gold'),
    cause: 'no ManagedClusterSetBinding gold in namespace shop',
  },
  {
    what: 'a set that selects by labels, deleted where ClusterSets is empty',
    spec: {},
    bound: ['edge', 'gold'],
    change: remove('managedclustersets', 'gold'),
    cause: 'there is no ManagedClusterSet gold',
  },
  {
    what: 'a set that is deleted',
    spec: { ClusterSets: ['edge', 'prod'] },
    change: remove('managedclustersets', 'prod'),
    cause: 'there is no ManagedClusterSet prod',
  },
  {
    what: 'the field ClusterSets',
    spec: { ClusterSets: ['edge', 'prod'] },
    change: edit({ ClusterSets: ['edge'] }),
    cause: 'spec.ClusterSets does not name prod',
  },
  {
    what: 'the field ClusterSets, for a set that selects by labels',
    spec: { ClusterSets: ['edge', 'gold'] },
    change: edit({ ClusterSets: ['edge'] }),
    cause: 'spec.ClusterSets does not name gold',
  },
  {
    what: 'a label, where another predicate is as near',
    spec: several,
    change: label('region', 'us'),
    cause: 'label region=us, wanted region=eu',
  },
  {
    what: 'a predicate, where another one is as near',
    spec: several,
    change: edit({ ...several, predicates: [predicate({ tier: 'silver' }), predicate({ region: 'us' })] }),
    cause: 'label tier=gold, wanted tier=silver',
  },
  {
    what: 'a claim',
    spec: { ClusterSets: ['prod'], predicates: [platform] },
    change: replacing('managedclusters', rawCluster('a', { set: 'prod', claims: { platform: 'gcp' } })),
    cause: 'claim platform=gcp, wanted platform=aws',
  },
];

function withRelease(world: World): World {
  const [placement] = world.objects.placements as [RawObject];
  const annotations = { [ALLOW_REMOVALS_ANNOTATION]: '2099-01-01T00:00:00Z/*' };
  return changed(world, put('placements', { ...placement, metadata: { ...placement.metadata, annotations } }));
}

describe('the cause of a removal', () => {
  it.each(ROWS)(
    'a cluster that was held after a change of $what leaves with the cause of the hold',
    async ({ spec, bound, change, cause }) => {
      const disruptionBudget = { maxRemovals: 0 };
      const before = worldWith({ ...spec, disruptionBudget }, bound);
      const rig = new PlacementRig();
      storeWorld(rig, worldOf({}), before);
      await rig.start();
      const staying = changed(before, withBudget(change, disruptionBudget));
      storeWorld(rig, before, staying);
      await rig.untilIdle();
      rig.events.length = 0;
      storeWorld(rig, staying, withRelease(staying));
      await rig.untilIdle();

      expect(rig.events.map(({ note }) => note)).toContain(`removed 1 cluster: a (${cause})`);
    },
  );
});

function withBudget(change: Edit, disruptionBudget: object): Edit {
  if (typeof change === 'function' || change.kind !== 'apply' || change.resource !== 'placements') return change;
  return { ...change, object: { ...change.object, spec: { ...(change.object.spec as object), disruptionBudget } } };
}
