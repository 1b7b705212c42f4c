import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { ManagedClusterSets } from '../../../../src/api/resources.js';
import { step, scenarios } from '../../scenario.js';
import { addCluster, claim, fleet, join, label, leave, place, report, taint, tiers } from '../fleet.js';
import { addSet, byClaims, byExpressions, byLabels, move, type Requirement, reselect } from './words.js';

/** Which clusters a Placement selects. */

const inEurope: Requirement = { key: 'region', operator: 'In', values: ['eu'] };

const [isLabelled, isSilver] = [
  { labelSelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' as const }] } },
  { labelSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn' as const, values: ['gold'] }] } },
];
const isNew: Requirement = { key: 'kubernetes-version', operator: 'Ge', values: ['v1.31'] };
const isOld: Requirement = { key: 'kubernetes-version', operator: 'Le', values: ['v1.30.4'] };
const isRoomy = 'quantity(managedCluster.status.allocatable.cpu).isGreaterThan(quantity("2"))';
const isGolden = 'managedCluster.metadata.labels.tier == "gold"';

const slow = { key: 'slow', effect: 'PreferNoSelect' };

const broken = [{ requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.'] } } }];

const predicates = [byLabels({ tier: 'gold' }), byLabels({})];
const prioritizerPolicy: PlacementSpec['prioritizerPolicy'] = {
  configurations: [
    {
      weight: 3,
      scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending', min: '1', max: '5' } },
    },
    {
      weight: 2,
      scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { near: 'yes' } } } },
    },
    { scoreCoordinate: { type: 'BuiltIn', builtIn: 'PredicateOrder' } },
  ],
};

const byRank: PlacementSpec['prioritizerPolicy'] = {
  configurations: [{ scoreCoordinate: { type: 'Label', label: { name: 'rank', order: 'Descending' } } }],
};

export const SELECTION = scenarios('placement', {
  claims: {
    given: async (hands) => {
      await fleet(hands, 'ab', { claims: { cost: '1500m', region: 'eu' } });
      await addCluster(hands, 'c', { claims: { cost: '3', region: 'eu' } });
      await addCluster(hands, 'd', { claims: { cost: '3', region: 'us' } });
      await addCluster(hands, 'e', { claims: { cost: 'unknown', region: 'eu' } });
      await addCluster(hands, 'f', { labels: { tier: 'gold' } });
    },
    steps: [
      place('web', {
        predicates: [byClaims({ key: 'cost', operator: 'Gt', values: ['1.5'] }, inEurope), byLabels({ tier: 'gold' })],
      }),
      claim('a', { cost: '1501m', region: 'eu' }),
      claim('c', { cost: '3', region: 'us' }),
      place('web', { predicates: [byClaims({ key: 'cost', operator: 'Lt', values: ['3'] })] }),
      join('g', { claims: { cost: '2', region: 'us' } }),
    ],
  },
  /** What a cluster reports beside its claims, operators of labels, and expressions. */
  facts: {
    selects: 'bcd bd abcdef acdef abcdef abcde af abf a',
    given: async (hands) => {
      await fleet(hands, 'abcdef', { labels: { tier: 'silver' } });
      for (const [name, version, cpu] of [
        ['a', 'v1.30.4', '2500m'],
        ['b', 'v1.31.0', '2'],
        ['c', 'v1.32.1-gke.7', '1'],
        ['d', 'v1.40.0', '500m'],
      ] as const)
        await report(name, { version: { kubernetes: version }, allocatable: { cpu }, capacity: { cpu: '8' } }).act({
          hands,
        } as never);
    },
    steps: [
      place('web', { predicates: [byClaims(isNew)] }),
      report('c', { version: { kubernetes: 'v1.30.9' } }),
      place('web', { predicates: [{ requiredClusterSelector: isLabelled }] }),
      label('b', { tier: null }),
      place('web', { predicates: [{ requiredClusterSelector: isSilver }, byClaims(isOld)] }),
      label('f', { tier: 'gold' }),
      place('web', { predicates: [byExpressions(isRoomy), byExpressions(isGolden)] }),
      report('b', { allocatable: { cpu: '2001m' } }),
      place('web', {
        numberOfClusters: 1,
        prioritizerPolicy: {
          configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' } }],
        },
      }),
    ],
  },
  /** Sets with a label of their own, and one whose members any label makes: a cluster can be in two. */
  sets: {
    given: async (hands) => {
      await fleet(hands, 'ab', { labels: { tier: 'gold' } });
      await addSet(hands, 'blue');
      await addSet(hands, 'precious', ['gold']);
      await addCluster(hands, 'c', { set: 'blue', labels: { tier: 'gold' } });
      await addCluster(hands, 'd', { set: 'blue', labels: { tier: 'silver' } });
      await addCluster(hands, 'e', { set: 'elsewhere', labels: { tier: 'gold' } });
      await addCluster(hands, 'f', { set: 'elsewhere', labels: { tier: 'silver' } });
    },
    steps: [
      place('web', { ClusterSets: ['blue', 'precious'] }),
      reselect('precious', ['silver']),
      label('e', { tier: 'silver' }),
      move('c', 'fleet'),
      place('web', {}),
    ],
  },
  /** Nobody joins a set whose selector cannot be read. */
  'unreadable-set': {
    selects: 'ab ab ab ab bc',
    given: async (hands) => {
      await fleet(hands, 'ab', { labels: { tier: 'gold' } });
      await addCluster(hands, 'c', { set: 'elsewhere', labels: { tier: 'silver' } });
      await addSet(hands, 'precious', ['gold']);
    },
    steps: [
      place('web', { ClusterSets: ['precious'] }),
      step('a selector of set precious is stored that admission refuses today', (hands) =>
        hands.overwrite(ManagedClusterSets, { name: 'precious' }, { clusterSelector: { selectorType: 'Nobody' } }),
      ),
      label('c', { tier: 'gold' }),
      label('a', { tier: 'silver' }),
      reselect('precious', ['gold']),
    ],
  },
  /** Clusters with a taint that others are preferred to come in last, and stay where they are. */
  preferred: {
    given: (hands) => fleet(hands, 'abcdef'),
    steps: [
      place('web', { numberOfClusters: 2 }),
      taint('a', [slow]),
      taint('b', [slow, { key: 'loud', effect: 'PreferNoSelect' }]),
      place('web', { numberOfClusters: 4 }),
      leave('c'),
      place('web', { numberOfClusters: 5 }),
      place('web', { numberOfClusters: 2 }),
    ],
  },
  /** A spec that cannot be read leaves the decision as it is, but for clusters that are gone. */
  misconfigured: {
    given: tiers('abcd', 'e'),
    steps: [
      place('web', { predicates: [byLabels({ tier: 'gold' })] }),
      place('web', { predicates: broken }),
      leave('a'),
      label('b', { tier: 'silver' }),
      place('web', { predicates: [byLabels({ tier: 'silver' })] }),
      place('api', { predicates: broken }),
    ],
  },
  /** Each predicate has its own number. */
  'shared-numbers': {
    given: tiers('abcd', 'efg'),
    steps: [
      place('web', { predicates: [byLabels({ tier: 'gold' }, 2), byLabels({ tier: 'silver' }, 2)] }),
      place('web', { predicates: [byLabels({ tier: 'gold' }, 3), byLabels({ tier: 'silver' }, 1)] }),
      label('f', { tier: 'gold' }),
      leave('c'),
      place('web', {
        numberOfClusters: 2,
        predicates: [byLabels({ tier: 'gold' }, 3), byLabels({ tier: 'silver' }, 1)],
      }),
    ],
  },
  /** Scores say who comes in; nobody leaves for them. */
  scores: {
    given: async (hands) => {
      await fleet(hands, 'ab', { labels: { tier: 'gold' }, claims: { cost: '4' } });
      await addCluster(hands, 'c', { labels: { near: 'yes' }, claims: { cost: '3' } });
      await addCluster(hands, 'd', { claims: { cost: '2' } });
      await addCluster(hands, 'e', { labels: { tier: 'gold' }, claims: { cost: '9' } });
      await addCluster(hands, 'f', {});
    },
    steps: [
      place('web', { numberOfClusters: 2, predicates, prioritizerPolicy }),
      claim('b', { cost: '1' }),
      place('web', { numberOfClusters: 3, predicates, prioritizerPolicy }),
      label('f', { near: 'yes' }),
      leave('c'),
      place('web', { numberOfClusters: 1, predicates, prioritizerPolicy }),
      label('e', { rank: '7' }),
      place('web', { numberOfClusters: 3, predicates, prioritizerPolicy: byRank }),
    ],
  },
});
