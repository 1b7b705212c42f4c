import { describe, expect, it } from '@jest/globals';
import { carriedOver, type CarriedOver } from '../../../src/domain/inventories/ocmpolicy.js';

const OCM = 'cluster.open-cluster-management.io';

function carried(spec: unknown, metadata: object = {}): CarriedOver {
  const result = carriedOver({
    apiVersion: `${OCM}/v1beta1`,
    kind: 'Placement',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec,
  });
  if (result?.ok !== true) throw new Error(JSON.stringify(result));
  return result.value;
}

const texts = ({ differences }: CarriedOver): readonly string[] =>
  differences.map(({ field, text }) => (field === '' ? text : `${field} ${text}`));

const BALANCE = { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' }, weight: 1 };
const RANGE =
  'spec.prioritizerPolicy.configurations[0].scoreCoordinate scores are 0 to 100 here, and -100 to 100 there';
const exactly = (...configurations: readonly unknown[]): unknown => ({ mode: 'Exact', configurations });
const builtIn = (name: string, over: object = {}): unknown => ({ scoreCoordinate: { builtIn: name }, ...over });
const requirement = { key: 'platform', operator: 'In', values: ['AWS'] };

/** What OCM has, what is printed, and what differs. */
const ROWS: readonly (readonly [what: string, from: object, to: object, differences: readonly string[]])[] = [
  ['sets', { clusterSets: ['edge', 'production'] }, { ClusterSets: ['edge', 'production'] }, []],
  [
    'a number',
    { numberOfClusters: 3 },
    { numberOfClusters: 3, prioritizerPolicy: { configurations: [BALANCE] } },
    ['spec.prioritizerPolicy Balance is added: OCM adds it, and Steady, to a Placement without the field'],
  ],
  [
    'labels and claims',
    {
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchLabels: { region: 'eu' }, matchExpressions: [requirement] },
            claimSelector: { matchExpressions: [requirement] },
          },
        },
        {},
      ],
    },
    {
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchLabels: { region: 'eu' }, matchExpressions: [requirement] },
            claimSelector: { matchExpressions: [requirement] },
          },
        },
        {},
      ],
    },
    [],
  ],
  [
    'a label of OCM',
    { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { [`${OCM}/clusterset`]: 'a' } } } }] },
    { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { [`${OCM}/clusterset`]: 'a' } } } }] },
    [
      `spec.predicates[0].requiredClusterSelector.labelSelector label ${OCM}/clusterset: clusters that the adapter reads have it, and no others`,
    ],
  ],
  [
    'expressions of CEL',
    { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['true'] } } }] },
    { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['true'] } } }] },
    [
      'spec.predicates[0].requiredClusterSelector.celSelector a cluster for which an expression fails does not match, and explain shows the error',
    ],
  ],
  [
    'tolerations',
    {
      tolerations: [
        { key: 'gpu', operator: 'Equal', value: 'a', effect: 'NoSelect' },
        { key: `${OCM}/unreachable`, operator: 'Exists', tolerationSeconds: 300 },
        { key: `${OCM}/unavailable`, operator: 'Exists' },
      ],
    },
    {
      tolerations: [
        { key: 'gpu', operator: 'Equal', value: 'a', effect: 'NoSelect' },
        { key: 'cluster.fleetmgmt.io/unreachable', operator: 'Exists', tolerationSeconds: 300 },
        { key: 'cluster.fleetmgmt.io/unavailable', operator: 'Exists' },
      ],
    },
    [
      'spec.tolerations[1].key is cluster.fleetmgmt.io/unreachable here',
      'spec.tolerations[1].tolerationSeconds keeps a selected cluster here, and lets no new one in',
      'spec.tolerations[2].key is cluster.fleetmgmt.io/unavailable here',
    ],
  ],
  [
    'built-in prioritizers',
    { prioritizerPolicy: exactly(builtIn('ResourceAllocatableCPU', { weight: -2 })) },
    {
      prioritizerPolicy: {
        configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' }, weight: -2 }],
      },
    },
    [RANGE],
  ],
  [
    'the mode Additive',
    { prioritizerPolicy: { configurations: [builtIn('ResourceAllocatableMemory')] } },
    {
      prioritizerPolicy: {
        configurations: [
          { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableMemory' }, weight: 1 },
          BALANCE,
        ],
      },
    },
    [
      RANGE,
      'spec.prioritizerPolicy Balance is added: the mode Additive of OCM adds it, and Steady, where they are not named',
    ],
  ],
  [
    'Balance that is named',
    { prioritizerPolicy: { mode: 'Additive', configurations: [builtIn('Balance', { weight: 0 })] } },
    { prioritizerPolicy: { configurations: [{ ...BALANCE, weight: 0 }] } },
    [RANGE],
  ],
  [
    'Steady',
    { prioritizerPolicy: exactly(builtIn('Steady', { weight: 3 })) },
    {},
    [
      'spec.prioritizerPolicy.configurations[0].scoreCoordinate Steady is left out: a selected cluster stays here; spec.rebalance.scoreMargin says when it does not',
    ],
  ],
  [
    'prioritizers that only the API of OCM has',
    { prioritizerPolicy: exactly(builtIn('Spread'), builtIn('Random')) },
    {},
    [
      'spec.prioritizerPolicy.configurations[0].scoreCoordinate Spread is left out: write spec.spreadPolicy',
      'spec.prioritizerPolicy.configurations[1].scoreCoordinate Random is left out: a stable hash decides between equals',
    ],
  ],
  [
    'scores of add-ons',
    {
      prioritizerPolicy: exactly({
        scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'usage', scoreName: 'cpu' } },
        weight: 5,
      }),
    },
    {
      prioritizerPolicy: {
        configurations: [
          {
            scoreCoordinate: { type: 'Claim', claim: { name: 'score/usage/cpu', min: '-100', max: '100' } },
            weight: 5,
          },
        ],
      },
    },
    [
      'spec.prioritizerPolicy.configurations[0].scoreCoordinate.addOn is the claim score/usage/cpu here, which the adapter writes; a cluster without it has the score 0 of 0 to 100, and 0 of -100 to 100 in OCM',
    ],
  ],
  [
    'spread',
    {
      numberOfClusters: 3,
      prioritizerPolicy: { mode: 'Exact' },
      spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim' }] },
    },
    { numberOfClusters: 3, spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim' }] } },
    ['spec.spreadPolicy spreads here, and is in the API of OCM without effect'],
  ],
  [
    'spread without a number',
    { spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Claim' }] } },
    {},
    ['spec.spreadPolicy is left out: it needs spec.numberOfClusters'],
  ],
  [
    'groups',
    {
      decisionStrategy: {
        groupStrategy: {
          decisionGroups: [
            { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { canary: 'true' } } } },
          ],
          clustersPerDecisionGroup: '25%',
        },
      },
    },
    {
      decisionStrategy: {
        groupStrategy: {
          decisionGroups: [
            { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { canary: 'true' } } } },
          ],
          clustersPerDecisionGroup: '25%',
        },
      },
    },
    [
      'spec.decisionStrategy.groupStrategy a selected cluster keeps its piece here until the size is edited; OCM cuts again at each reconcile',
    ],
  ],
  [
    'order and rate of scores',
    { sortBy: 'Score', scoreRateLimit: '1m' },
    {},
    [
      'spec.sortBy is left out: the lists of a decision have no order that means anything',
      'spec.scoreRateLimit is left out: a change of scores alone writes nothing here',
    ],
  ],
];

describe('a Placement of Open Cluster Management', () => {
  it.each(ROWS)('%s', (_what, from, to, differences) => {
    const result = carried(from);

    expect(result.object?.spec).toEqual(to);
    expect(texts(result)).toEqual(differences);
  });

  it('has the name, namespace, labels and annotations of people', () => {
    const result = carried(
      {},
      {
        labels: { app: 'web' },
        annotations: {
          team: 'a',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          [`${OCM}/experimental-scheduling-disable`]: 'true',
        },
        finalizers: ['x/y'],
        resourceVersion: '7',
      },
    );

    expect(result.object).toEqual({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'Placement',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: { team: 'a' } },
      spec: { paused: true },
    });
    expect(texts(result)).toEqual([
      'metadata.finalizers is left out: it belongs to controllers of OCM',
      `metadata.annotations[${OCM}/experimental-scheduling-disable] is spec.paused here: the first decision is made when it is resumed`,
    ]);
  });

  it.each([
    [{ weather: 1 }, 'spec.weather', 'is no field of a Placement of OCM (v1beta1)'],
    [{ predicates: [{ optional: {} }] }, 'spec.predicates[0].optional', 'is no field of a Placement of OCM (v1beta1)'],
    [
      { prioritizerPolicy: exactly({ scoreCoordinate: { builtIn: 'Cheapest' } }) },
      'spec.prioritizerPolicy.configurations[0].scoreCoordinate.builtIn',
      '"Cheapest" is no prioritizer of OCM',
    ],
    [{ prioritizerPolicy: { mode: 'Maybe' } }, 'spec.prioritizerPolicy.mode', '"Maybe" is not Exact or Additive'],
    [
      {
        predicates: [
          { requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.scores("a").b > 1'] } } },
        ],
      },
      'spec.predicates[0].requiredClusterSelector.celSelector.celExpressions[0]',
      'calls scores(), which does not exist here: compare the claim score/RESOURCE/NAME in the claimSelector',
    ],
  ])('%j is refused', (spec, field, message) => {
    const metadata = { name: 'web', namespace: 'shop' };

    expect(carriedOver({ apiVersion: `${OCM}/v1beta1`, kind: 'Placement', metadata, spec })).toEqual({
      ok: false,
      problems: [{ field, message }],
    });
  });
});

describe('other objects of Open Cluster Management', () => {
  const metadata = { name: 'a' };

  it.each([
    ['ManagedClusterSet', 'v1beta2', { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } }],
    ['ManagedClusterSet', 'v1beta2', {}],
    ['ManagedClusterSetBinding', 'v1beta2', { clusterSet: 'a' }],
  ])('a %s (%s) is the same here', (kind, version, spec) => {
    expect(carriedOver({ apiVersion: `${OCM}/${version}`, kind, metadata, spec })).toEqual({
      ok: true,
      value: { object: { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind, metadata, spec }, differences: [] },
    });
  });

  it.each([
    ['ManagedCluster', 'is left out: kubectl mce cluster add lets it join here, or the adapter reads it where it is'],
    ['AddOnPlacementScore', 'is left out: the adapter imports its scores as claims'],
    ['ClusterManager', 'is left out: it has no counterpart'],
  ])('a %s is left out, which is said', (kind, text) => {
    expect(carriedOver({ apiVersion: `${OCM}/v1`, kind, metadata })).toEqual({
      ok: true,
      value: { object: undefined, differences: [{ field: '', text }] },
    });
  });

  it('an earlier version, and an object of another group, are told apart', () => {
    expect(carriedOver({ apiVersion: `${OCM}/v1beta1`, kind: 'ManagedClusterSet', metadata })).toEqual({
      ok: false,
      problems: [{ field: 'apiVersion', message: `"${OCM}/v1beta1" is not read: convert it to v1beta2 first` }],
    });
    expect(carriedOver({ apiVersion: 'v1', kind: 'Namespace', metadata })).toBeUndefined();
  });
});
