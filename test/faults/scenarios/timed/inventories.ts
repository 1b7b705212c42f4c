import { TAINTS } from '../../../../src/api/names.js';
import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { ClusterProfiles, OcmAddOnPlacementScores, OcmManagedClusters } from '../../../../src/api/resources.js';
import type { JsonRecord } from '../../../../src/runtime/vocabulary/json.js';
import { apiVersionOf } from '../../../../src/runtime/vocabulary/kinds.js';
import { TEAM } from '../../hub/base.js';
import type { Hands } from '../../hub/hands.js';
import { slowly, step, wait, scenarios, type Step } from '../../scenario.js';
import { bindingOf, gold, join, place, setOf } from '../fleet.js';
import { manifest } from '../engine/words.js';
import { at, atOnce, createAll, note, noted, pending, selectedBy } from './words.js';

/** Clusters of the inventories of others. */

/** How long what is gone from an inventory is waited for, and some more, s. */
const HELD_SECONDS = 180;

const told = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: 'Told',
  message: '',
  lastTransitionTime: at('09:00'),
});

async function addProfile(hands: Hands, name: string, tier: string): Promise<void> {
  await hands.put({
    apiVersion: apiVersionOf(ClusterProfiles),
    kind: ClusterProfiles.kind,
    metadata: { name, namespace: TEAM, labels: { tier } },
    spec: { displayName: name, clusterManager: { name: 'other' } },
  });
}

const profile = (name: string, tier: string): Step =>
  step(`ClusterProfile ${name} has the label tier=${tier}`, (hands) => addProfile(hands, name, tier));

/** `names`: letters, one each. */
const removeProfiles = (names: string) => async (hands: Hands) => {
  for (const name of names) await hands.remove(ClusterProfiles, { name, namespace: TEAM });
};

const inventory = {
  repeatsEvents: true,
  // After an outage each of five clusters comes in at a time of its own.
  mostPasses: 12,
  programs: [
    {
      name: 'operator',
      controllers: ['placement', 'inventories'],
      config: { inventories: { clusterProfiles: TEAM, ocmClusters: false } },
    },
  ],
  given: async (hands: Hands) => {
    await createAll(hands, 'test/support/definitions/clusterprofiles.yaml');
    const clusterSelector = { selectorType: 'LabelSelector', labelSelector: {} };
    await hands.create(setOf('all', { clusterSelector }));
    await hands.create(bindingOf('all'));
    for (const name of 'abcde') await addProfile(hands, name, 'gold');
  },
} as const;

const report = (names: string, status: 'True' | 'False') => async (hands: Hands) => {
  const conditions = [told('ControlPlaneHealthy', status)];
  for (const name of names)
    await hands.patch(ClusterProfiles, { name, namespace: TEAM }, { status: { conditions } }, 'status');
};

const goneFor = (seconds: number, name: string): Step => ({
  title: `ClusterProfile ${name} is deleted, and there again after ${seconds} s`,
  act: async (stage) => {
    await slowly(seconds, step('', removeProfiles(name))).act(stage);
    await addProfile(stage.hands, name, 'gold');
  },
});

/** A cluster of Open Cluster Management. Without `isAvailable` its hub has not heard of it yet. */
async function addOcm(hands: Hands, name: string, spec: JsonRecord = {}, isAvailable = true): Promise<void> {
  await hands.put(manifest(OcmManagedClusters, { name }, { spec: { hubAcceptsClient: true, ...spec } }));
  const conditions = isAvailable ? [told('ManagedClusterConditionAvailable', 'True')] : [];
  const clusterClaims = [{ name: 'region.open-cluster-management.io', value: 'eu' }];
  await hands.patch(OcmManagedClusters, { name }, { status: { conditions, clusterClaims } }, 'status');
}

const score = (cluster: string, value: number, validUntil?: string): Step =>
  step(
    `the score of ${cluster} is ${value}${validUntil === undefined ? '' : ` until ${validUntil}`}`,
    async (hands) => {
      const name = { name: 'usage', namespace: cluster };
      await hands.put(manifest(OcmAddOnPlacementScores, name, {}));
      const status = { scores: [{ name: 'cpu', value }], ...(validUntil !== undefined && { validUntil }) };
      await hands.patch(OcmAddOnPlacementScores, name, { status }, 'status');
    },
  );

const ocmCluster = (name: string, spec: JsonRecord, isAvailable = true): Step =>
  step(`cluster ${name} of Open Cluster Management: ${JSON.stringify(spec)}`, (hands) =>
    addOcm(hands, name, spec, isAvailable),
  );

const bestScore: PlacementSpec['prioritizerPolicy'] = {
  configurations: [{ scoreCoordinate: { type: 'Claim', claim: { name: 'score/usage/cpu' } } }],
};

export const INVENTORIES = scenarios('timed', {
  /** An inventory has a cluster of a name that people have given to another one. */
  'taken-name': {
    selects: 'abcde abcde abcde',
    ...inventory,
    steps: [
      place('web', { predicates: gold }),
      // That there is no such set is said after a while.
      slowly(HELD_SECONDS, join('f', { labels: { tier: 'silver' } })),
      slowly(HELD_SECONDS, profile('f', 'gold')),
    ],
  },
  inventories: {
    selects: 'abcde abcdef bcdef cdef cdef cf',
    ...inventory,
    steps: [
      place('web', { predicates: gold }),
      profile('f', 'gold'),
      profile('a', 'silver'),
      slowly(HELD_SECONDS, step('ClusterProfile b is deleted', removeProfiles('b'))),
      slowly(HELD_SECONDS, atOnce('ClusterProfiles c, d and e are deleted', removeProfiles('cde'))),
      slowly(HELD_SECONDS, profile('c', 'gold')),
    ],
  },
  /** A cluster that its inventory calls unhealthy is tainted after a minute, and none while most are. */
  'inventory-health': {
    selects: 'abcde bcde bcde ade',
    ...inventory,
    steps: [
      place('web', { tolerations: [{ key: TAINTS.unavailable, operator: 'Exists', tolerationSeconds: 1 }] }),
      slowly(HELD_SECONDS, noted(0.2, step('a is not healthy', report('a', 'False')), selectedBy('web'))),
      slowly(HELD_SECONDS, atOnce('b and c are not healthy', report('bc', 'False'))),
      slowly(HELD_SECONDS, step('a is healthy', report('a', 'True'))),
    ],
    stores: [note(2, 'abcde')],
  },
  /** What is back before it is deleted stays, whatever the watch has delivered. */
  'inventory-returns': {
    selects: 'abcde abcde',
    ...inventory,
    steps: [place('web', { predicates: gold }), slowly(HELD_SECONDS, goneFor(50, 'b'))],
  },
  /** Each absence is waited for anew. */
  'inventory-flaps': {
    selects: 'abcde abcde acde',
    ...inventory,
    steps: [
      place('web', { predicates: gold }),
      slowly(HELD_SECONDS, goneFor(30, 'b')),
      slowly(HELD_SECONDS, noted(0.5, step('ClusterProfile b is deleted', removeProfiles('b')), selectedBy('web'))),
    ],
    stores: [note(3, 'abcde')],
  },
  /** Two inventories; one has taints and scores. */
  'open-clusters': {
    selects: 'fg fg fgh fgh efg efg efg efg aefg aceg',
    ...inventory,
    programs: [{ ...inventory.programs[0], config: { inventories: { clusterProfiles: TEAM, ocmClusters: true } } }],
    given: async (hands) => {
      for (const name of ['ocmmanagedclusters', 'ocmaddonplacementscores'])
        await createAll(hands, `test/support/definitions/${name}.yaml`);
      await inventory.given(hands);
      for (const name of 'fgh') {
        await hands.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
        await addOcm(hands, name);
      }
    },
    steps: [
      place('web', { numberOfClusters: 2, prioritizerPolicy: bestScore }),
      score('h', 40),
      place('web', { numberOfClusters: 3, prioritizerPolicy: bestScore }),
      // Each of these steps ends before the score does.
      pending(score('g', 50, at('11:00')), 90),
      pending(
        slowly(
          HELD_SECONDS,
          ocmCluster('h', { taints: [{ key: 'disks', effect: 'NoSelect', timeAdded: at('09:00') }] }),
        ),
        90,
      ),
      // Both inventories have it: it stays what it is made from.
      pending(slowly(HELD_SECONDS, ocmCluster('a', {})), 90),
      pending(slowly(HELD_SECONDS, step('ClusterProfile a is deleted', removeProfiles('a'))), 90),
      wait(90),
      place('web', { numberOfClusters: 4, prioritizerPolicy: bestScore }),
      slowly(HELD_SECONDS, ocmCluster('f', { hubAcceptsClient: false })),
    ],
  },
});
