import type { FleetReading } from '../../src/answers/world/worlds.js';
import { planChange, type PlanRequest } from '../../src/cli/commands/plan.js';
import { overlay, type Change } from '../../src/answers/world/overlay.js';
import type { World } from '../../src/answers/world/world.js';
import type { KubeObject } from '../../src/runtime/vocabulary/meta.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';
import { readingOf } from '../support/builders/hubinput.js';
import { predicate, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';
import { describeRecorded, type Case } from './recorded.js';

const BALANCE = { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } };
/** A score of 100 for two clusters that match and are not selected. */
const OTHERS = {
  scoreCoordinate: {
    type: 'Selector',
    selector: {
      claimSelector: {
        matchExpressions: [{ key: 'cluster-name', operator: 'In', values: ['prod-eu-1', 'prod-ap-1'] }],
      },
    },
  },
};
const MOVING = { ...EXAMPLE_SPEC, prioritizerPolicy: { configurations: [OTHERS] }, rebalance: { scoreMargin: 20 } };
const BOUNDED = { ...MOVING, disruptionBudget: { maxRemovals: 1, windowSeconds: 7_200 } };
const WINDOWED = {
  ...MOVING,
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { preferred: 'yes' } } } } },
    ],
  },
  changeWindows: [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin' }],
};
const FOLLOWED = {
  numberOfClusters: 1,
  ClusterSets: ['edge'],
  rebalance: { scoreMargin: 20, minSelectedSeconds: 0 },
};
const FLEET = 'cluster.fleetmgmt.io/v1alpha1';
const REQUEST: PlanRequest = {
  namespace: 'shop',
  manifests: undefined,
  complete: false,
  deletions: [],
  labels: [],
  maxRemovals: undefined,
  maxAdditions: undefined,
  output: 'text',
  colored: false,
};

/** The lines of the text, those on standard error, and the exit code. */
function text(sentence: string, request: Partial<PlanRequest>, before: World | FleetReading = exampleWorld()): Case {
  return [
    `the text for ${sentence}`,
    () => {
      const { text: lines, ...rest } = planChange(readingFrom(before), { ...REQUEST, ...request });
      return { lines: lines.trimEnd().split('\n'), ...rest };
    },
  ];
}

function json(sentence: string, request: Partial<PlanRequest>, before: World | FleetReading = exampleWorld()): Case {
  const all: PlanRequest = { ...REQUEST, output: 'json', ...request };
  return [`the JSON for ${sentence}`, () => JSON.parse(planChange(readingFrom(before), all).text) as unknown];
}

function readingFrom(before: World | FleetReading): FleetReading {
  return 'world' in before ? before : readingOf(before);
}

const placement = (spec: unknown, name = 'web'): KubeObject & { spec: unknown } => {
  return { apiVersion: FLEET, kind: 'Placement', metadata: { name }, spec };
};
/** The example long after its decision was made for this spec. */
function decidedWorld(spec: unknown): World {
  const one = rawPlacement(spec);
  const decisions = ['edge-eu-2', 'prod-eu-2', 'prod-us-1'].map((clusterName) => ({
    clusterName,
    reason: '',
    since: '1969-12-01T00:00:00Z',
  }));
  return exampleWorld(spec, {
    placements: [{ ...one, status: { observedGeneration: one.metadata.generation } }],
    placementdecisions: [{ ...rawDecision(1, []), status: { numberOfClusters: 3, decisions } }],
  });
}
const withOne = (name: string): Change => {
  const metadata = { name, namespace: 'shop', uid: name };
  return {
    kind: 'apply',
    resource: 'placements',
    object: { metadata, spec: { numberOfClusters: 1, ClusterSets: ['edge'] } },
  };
};
const inUse = { conditions: [{ type: 'InUse', status: 'True', reason: 'SelectedFrom' }] };
const usedSets = exampleWorld().objects.managedclustersets.map((one) => ({ ...one, status: inUse }));
const used = exampleWorld(EXAMPLE_SPEC, { managedclustersets: usedSets });
const unread = exampleWorld(EXAMPLE_SPEC, { managedclusters: [] }, [
  { resource: 'managedclusters', verb: 'list', status: 403 },
]);
/** The set of two clusters of the decision is paused. */
const pausedSet = exampleWorld(EXAMPLE_SPEC, {
  managedclustersets: exampleWorld().objects.managedclustersets.map((one) =>
    one.metadata.name === 'production' ? { ...one, spec: { paused: true } } : one,
  ),
});
const partly: FleetReading = {
  world: exampleWorld(),
  namespace: 'shop',
  refused: [{ resource: 'managedclustersetbindings', verb: 'list', status: 403 }],
};
const allowed = {
  ...rawSet('production'),
  metadata: { name: 'production', annotations: { 'cluster.fleetmgmt.io/allow-deletion': 'true' } },
  status: inUse,
};

const cases: readonly Case[] = [
  text('a deleted set that is in use', { deletions: ['mclset/production'] }, used),
  text('a deleted set that is in use, with colors', { deletions: ['mclset/production'], colored: true }, used),
  text(
    'a deleted set whose deletion is allowed',
    { deletions: ['mclset/production'] },
    exampleWorld(EXAMPLE_SPEC, { managedclustersets: [allowed] }),
  ),
  text('a deleted set, with a limit', {
    deletions: ['mclset/production'],
    maxRemovals: { kind: 'percent', value: 10 },
  }),
  text(
    'a deleted set, with a disruption budget',
    { deletions: ['mclset/production'] },
    exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: '10%' } }),
  ),
  json(
    'a deleted set, with a disruption budget',
    { deletions: ['mclset/production'] },
    exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: '10%' } }),
  ),
  text('a deleted binding', { deletions: ['mclsetbinding/edge'] }),
  text('a deleted cluster', { deletions: ['mcl/prod-us-1'] }),
  text('a deleted Placement', { deletions: ['placement/web'] }),
  text('a new Placement', { manifests: [placement({ numberOfClusters: 2 }, 'api')] }),
  text('a new Placement of every cluster', { manifests: [placement({}, 'api')] }),
  text('a key of spread that nobody has', {
    manifests: [
      placement({
        ...EXAMPLE_SPEC,
        spreadPolicy: { spreadConstraints: [{ topologyKey: 'teir', topologyKeyType: 'Label' }] },
        numberOfClusters: 5,
      }),
    ],
  }),
  text('a greater number', { manifests: [placement({ ...EXAMPLE_SPEC, numberOfClusters: 5 })] }),
  text('a number that no fleet has', { manifests: [placement({ ...EXAMPLE_SPEC, numberOfClusters: 12 })] }),
  text('other predicates', {
    manifests: [placement({ numberOfClusters: 3, predicates: [predicate({ tier: 'silver' })] })],
  }),
  text('an invalid spec', { manifests: [placement({ numberOfClusters: -1 })] }),
  text('scores of clusters that come in and leave', {
    manifests: [
      placement({
        ...EXAMPLE_SPEC,
        numberOfClusters: 2,
        ClusterSets: ['production'],
        prioritizerPolicy: {
          configurations: [
            { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { tier: 'gold' } } } } },
          ],
        },
      }),
      placement({ numberOfClusters: 1, prioritizerPolicy: { configurations: [BALANCE] } }, 'api'),
      placement({ numberOfClusters: 1, prioritizerPolicy: { configurations: [BALANCE] } }, 'api-2'),
    ],
  }),
  text('moves that follow, with a limit', {
    manifests: [placement(MOVING)],
    maxRemovals: { kind: 'number', value: 1 },
    maxAdditions: { kind: 'number', value: 1 },
  }),
  text('clusters that come into pieces of groups', {
    manifests: [
      placement({
        ...EXAMPLE_SPEC,
        numberOfClusters: 5,
        predicates: [],
        decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 2 } },
      }),
    ],
  }),
  text('a move that waits for a change window', { labels: ['mcl/prod-eu-1:preferred=yes'] }, decidedWorld(WINDOWED)),
  text(
    'a label that takes a cluster out of a paused set',
    { labels: ['mcl/prod-us-1:cluster.fleetmgmt.io/clusterset=lost'] },
    pausedSet,
  ),
  json(
    'a label that takes a cluster out of a paused set',
    { labels: ['mcl/prod-us-1:cluster.fleetmgmt.io/clusterset=lost'] },
    pausedSet,
  ),
  json('a move that waits for a change window', { labels: ['mcl/prod-eu-1:preferred=yes'] }, decidedWorld(WINDOWED)),
  text('moves that wait for a disruption budget', { manifests: [placement(BOUNDED)] }),
  text(
    'moves without an end, with a limit that they do not exceed',
    {
      manifests: [
        placement({ ...FOLLOWED, prioritizerPolicy: { configurations: [BALANCE] } }, 'avoids'),
        placement({ ...FOLLOWED, prioritizerPolicy: { configurations: [{ ...BALANCE, weight: -1 }] } }, 'follows'),
      ],
      maxRemovals: { kind: 'number', value: 9 },
    },
    overlay(exampleWorld({ ...EXAMPLE_SPEC, ClusterSets: ['production'] }), ['avoids', 'follows'].map(withOne)),
  ),
  text('moves that would be made anyway', { labels: ['mcl/prod-ap-2:zone=a'] }, exampleWorld(MOVING)),
  text('the clusters that stay', { deletions: ['mcl/prod-us-1'], output: 'wide' }),
  text('the names of what changes', { deletions: ['mcl/prod-us-1'], output: 'name' }),
  text('a label that changes nothing', { labels: ['mcl/prod-ap-2:zone=a'] }),
  text('a label that takes a cluster out of its set', {
    labels: ['mcl/edge-eu-2:tier-', 'mcl/edge-eu-2:cluster.fleetmgmt.io/clusterset=lost'],
  }),
  text(
    'decisions that are not published',
    { labels: ['mcl/prod-us-1:tier=silver'] },
    exampleWorld(EXAMPLE_SPEC, { placementdecisions: [rawDecision(1, [])] }),
  ),
  text('clusters that cannot be read', { deletions: ['mclset/production'] }, unread),
  text('one readable namespace', { deletions: ['mclsetbinding/production'] }, partly),
  json(
    'a deleted set that is in use',
    { deletions: ['mclset/production'], maxRemovals: { kind: 'number', value: 1 } },
    used,
  ),
  json('a deleted Placement and a new one', {
    manifests: [placement({ numberOfClusters: 2 }, 'api')],
    deletions: ['placement/web'],
  }),
  json('an expression that does not compile', {
    manifests: [
      placement({
        predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: ['managedcluster.x == "a"'] } } }],
      }),
    ],
  }),
  json('moves that follow, with a limit', {
    manifests: [placement(MOVING)],
    maxRemovals: { kind: 'number', value: 1 },
  }),
  json('an invalid spec', { manifests: [placement({ numberOfClusters: -1 })] }),
  json('one readable namespace', { deletions: ['mclsetbinding/production'] }, partly),
  text('lost clusters of a claim', { lost: ['claim/platform=aws'] }),
  text('lost clusters of a set and a label, with a limit', {
    lost: ['mclset/edge', 'label/tier=gold', 'mcl/edge-eu-2'],
    maxRemovals: { kind: 'percent', value: 50 },
  }),
  text('the loss of a cluster that no Placement selects', { lost: ['mcl/edge-us-1'] }),
  text('lost clusters after a change', { lost: ['claim/platform=aws'], deletions: ['mclset/edge'] }),
  text('lost clusters that cannot be read', { lost: ['mcl/prod-us-1'] }, unread),
  text('lost clusters, with one readable namespace', { lost: ['mcl/prod-us-1'] }, partly),
  json('lost clusters of a claim', { lost: ['claim/platform=aws'] }),
  text('each value of a claim', { loseEach: 'claim/platform' }),
  text('each value of a label, and which Placements are short', { loseEach: 'label/tier', output: 'wide' }),
  text('each value of a label, by name', { loseEach: 'label/tier', output: 'name' }),
  text('each value of a claim, of clusters that cannot be read', { loseEach: 'claim/platform' }, unread),
  json('each value of a label', { loseEach: 'label/tier' }),
];

describeRecorded('cli-plan', cases);
