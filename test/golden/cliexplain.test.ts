import { explainPlacement, type ExplainRequest } from '../../src/cli/commands/explain.js';
import type { World } from '../../src/answers/world/world.js';
import { EXAMPLE_SPEC, exampleClusters, exampleWorld } from '../support/builders/examplefleet.js';
import { predicate, rawBinding, rawCluster, rawDecision, rawPlacement, rawSet } from '../support/builders/world.js';
import type { LeavingEvents } from '../../src/answers/explain/events.js';
import { CLUSTER_SET_LABEL, TAINTS } from '../../src/api/names.js';
import { NOW } from '../support/builders/hubinput.js';
import { taint } from '../support/builders/taints.js';
import { describeRecorded, type Case } from './recorded.js';

const REQUEST: ExplainRequest = {
  namespace: 'shop',
  placement: 'web',
  cluster: undefined,
  nearest: 2,
  output: 'text',
  colored: false,
};

/** The lines of the text. */
function text(sentence: string, world: World, over: Partial<ExplainRequest> = {}): Case {
  return [
    `the text for ${sentence}`,
    () =>
      explainPlacement(world, { ...REQUEST, ...over })
        .trimEnd()
        .split('\n'),
  ];
}

function json(sentence: string, world: World, over: Partial<ExplainRequest> = {}): Case {
  const request: ExplainRequest = { ...REQUEST, output: 'json', ...over };
  return [`the JSON for ${sentence}`, () => JSON.parse(explainPlacement(world, request)) as unknown];
}

const claim = (key: string, value: string): unknown => predicate({}, [], [{ key, operator: 'In', values: [value] }]);
/** Clusters have the claims cost, of which one is no number, and a zone. */
const costly: Partial<World['objects']> = {
  placementdecisions: [rawDecision(1, [])],
  managedclusters: exampleClusters({
    'prod-us-1': rawCluster('prod-us-1', { set: 'production', claims: { cost: 'n/a' } }),
    'prod-ap-1': rawCluster('prod-ap-1', { set: 'production', claims: { cost: '0.4' }, labels: { zone: 'b' } }),
  }),
};
const cheap = predicate({}, [], [{ key: 'cost', operator: 'Lt', values: ['0.35'] }]);
const inZone = {
  requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.metadata.labels.zone == "a"'] } },
};
const misspelt = {
  requiredClusterSelector: { celSelector: { celExpressions: ['managedcluster.metadata.labels.zone == "a"'] } },
};
const wants = (...predicates: readonly unknown[]): unknown => ({ numberOfClusters: 3, predicates });
const nothing: Partial<World['objects']> = { placementdecisions: [rawDecision(1, [])] };
const production = [rawSet('production')];
const typoInSet = exampleClusters({
  'prod-us-1': rawCluster('prod-us-1', { set: 'prodution', labels: { tier: 'gold' } }),
});

/** The world is read at the epoch. */
const ago = (seconds: number): { readonly since: number } => ({ since: -seconds * 1_000 });
const gold = { set: 'production', labels: { tier: 'gold' } };
const lostAndTainted: Partial<World['objects']> = {
  managedclusters: exampleClusters({
    'prod-us-1': rawCluster('prod-us-1', { ...gold, taints: [taint(TAINTS.unreachable, ago(600))] }),
    'prod-ap-1': rawCluster('prod-ap-1', {
      ...gold,
      taints: [taint('maintenance', { value: 'disks', ...ago(60) }), taint('example.com/old', ago(60))],
    }),
    'prod-eu-2': rawCluster('prod-eu-2', {
      set: 'production',
      claims: { platform: 'Google Cloud' },
      taints: [taint('maintenance', ago(60))],
    }),
  }),
};
const someMinutes = [{ key: 'maintenance', operator: 'Exists', tolerationSeconds: 600 }];
const taintedWorld = exampleWorld({ ...EXAMPLE_SPEC, tolerations: someMinutes }, lostAndTainted);

/** Two clusters are cordoned; the Placement tolerates the other taint of prod-eu-2. */
const cordonedWorld = exampleWorld(
  { ...EXAMPLE_SPEC, tolerations: [{ key: 'maintenance', operator: 'Exists' }] },
  {
    managedclusters: exampleClusters({
      'prod-us-1': rawCluster('prod-us-1', {
        ...gold,
        taints: [taint(TAINTS.cordoned, { effect: 'NoSelectIfNew', ...ago(60) })],
      }),
      'prod-eu-2': rawCluster('prod-eu-2', {
        set: 'production',
        claims: { platform: 'Google Cloud' },
        taints: [taint(TAINTS.cordoned, { effect: 'NoSelectIfNew' }), taint('maintenance', ago(60))],
      }),
    }),
  },
);

const costs: Readonly<Record<string, string>> = {
  'prod-ap-1': '0.30',
  'prod-eu-1': '0.10',
  'prod-eu-2': '0.40',
  'prod-us-1': 'n/a',
};
const scoring = {
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Claim', claim: { name: 'cost', order: 'Ascending' } }, weight: 3 },
      { scoreCoordinate: { type: 'Selector', selector: { labelSelector: { matchLabels: { tier: 'gold' } } } } },
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'PredicateOrder' }, weight: -1 },
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } },
    ],
  },
};
const priced: Partial<World['objects']> = {
  managedclusters: exampleClusters().map((one) => {
    const { clusterClaims = [] } = one.status as { clusterClaims?: readonly object[] };
    const cost = costs[one.metadata.name];
    return cost === undefined
      ? one
      : { ...one, status: { clusterClaims: [...clusterClaims, { name: 'cost', value: cost }] } };
  }),
};
const scored = exampleWorld({ ...EXAMPLE_SPEC, ...scoring }, priced);
const undecided = exampleWorld({ ...EXAMPLE_SPEC, ...scoring }, { ...priced, ...nothing });

/** A selected cluster has lost its label, and the budget holds it. */
const unlabelled: Partial<World['objects']> = {
  managedclusters: exampleClusters({ 'prod-us-1': rawCluster('prod-us-1', { set: 'production' }) }),
};
const heldWorld = exampleWorld({ ...EXAMPLE_SPEC, disruptionBudget: { maxRemovals: 0 } }, unlabelled);
const windowedSpec = { ...EXAMPLE_SPEC, changeWindows: [{ start: 'Mon 22:00', duration: '1h', timeZone: 'UTC' }] };
const windowedWorld = exampleWorld(windowedSpec, {
  ...unlabelled,
  placements: [rawPlacement(windowedSpec)].map((one) => {
    return { ...one, status: { observedGeneration: one.metadata.generation } };
  }),
});
/** The same with windows of the set, and no number: the other gold clusters would come in. */
const nightWorld = exampleWorld(
  { predicates: EXAMPLE_SPEC.predicates },
  {
    ...unlabelled,
    managedclustersets: exampleWorld().objects.managedclustersets.map((one) =>
      one.metadata.name === 'production'
        ? { ...one, spec: { changeWindows: [{ start: 'Mon 22:00', duration: '1h', timeZone: 'UTC' }] } }
        : one,
    ),
  },
);
/** The first predicate has its cluster, and nobody matches the second one. */
const fullWorld = exampleWorld(
  {
    predicates: [
      { ...Object(predicate({ tier: 'gold' })), numberOfClusters: 1 },
      { ...Object(predicate({ tier: 'silver', zone: 'z' })), numberOfClusters: 1 },
    ],
  },
  nothing,
);

const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
const leaving: LeavingEvents = {
  events: [
    {
      time: minutesAgo(5),
      reason: 'DecisionChanged',
      note: 'added 1 cluster: prod-eu-1; removed 1 cluster: prod-eu-9',
    },
    { time: minutesAgo(90), reason: 'DecisionChanged', note: 'removed 2 clusters: prod-ap-1, prod-eu-1' },
  ],
  withheld: undefined,
  now: NOW,
};

/** A fleet of three platforms, two of which have one cluster each. */
const spreadWorld = exampleWorld(
  {
    numberOfClusters: 9,
    spreadPolicy: {
      spreadConstraints: [
        { topologyKey: 'platform', topologyKeyType: 'Claim', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1 },
      ],
    },
    predicates: [predicate({ tier: 'edge' }), predicate({ tier: 'silver' }), predicate({ tier: 'gold' })],
  },
  { ...nothing, managedclusters: exampleClusters({ 'prod-us-1': rawCluster('prod-us-1', gold) }) },
);
const numberedWorld = exampleWorld({
  predicates: [
    { ...Object(predicate({ tier: 'gold' })), numberOfClusters: 1 },
    { ...Object(predicate({ tier: 'platinum' })), numberOfClusters: 2 },
    { numberOfClusters: 1 },
  ],
});

/** A score of 100 for two clusters that match and are not selected. */
const others = [{ key: 'cluster-name', operator: 'In', values: ['prod-eu-1', 'prod-ap-1'] }];
const movingSpec = {
  ...EXAMPLE_SPEC,
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'Selector', selector: { claimSelector: { matchExpressions: others } } } },
    ],
  },
  rebalance: { scoreMargin: 20 },
};
const movingWorld = exampleWorld(movingSpec);
/** All clusters of the decision are of one set. */
const crowded = (fields: object, objects: Partial<World['objects']> = {}): World =>
  exampleWorld(
    {
      ...EXAMPLE_SPEC,
      spreadPolicy: { spreadConstraints: [{ topologyKey: CLUSTER_SET_LABEL, topologyKeyType: 'Label' }] },
      ...fields,
    },
    { placementdecisions: [rawDecision(1, ['prod-eu-1', 'prod-eu-2', 'prod-us-1'])], ...objects },
  );

const unpreferred = rawCluster('edge-eu-2', {
  set: 'edge',
  labels: { tier: 'edge' },
  claims: { platform: 'aws' },
  taints: [taint('slow', { effect: 'PreferNoSelect' })],
});

const cases: readonly Case[] = [
  text('clusters that will move', movingWorld, { scores: true, nearest: 0 }),
  text('a cluster that will make room', movingWorld, { cluster: 'edge-eu-2' }),
  text('a cluster that will come in', movingWorld, { cluster: 'prod-ap-1' }),
  json('a cluster that will come in', movingWorld, { cluster: 'prod-ap-1' }),
  text(
    'a move that no disruption budget allows',
    exampleWorld({ ...movingSpec, disruptionBudget: { maxRemovals: 0 } }),
    {
      nearest: 0,
    },
  ),
  text('an exceeded spread constraint', crowded({}), { nearest: 0 }),
  text('an exceeded spread constraint, with moves', crowded({ rebalance: { scoreMargin: 20 } }), { nearest: 0 }),
  text(
    'an exceeded spread constraint, and no move',
    crowded({ rebalance: { scoreMargin: 20 } }, { managedclusters: exampleClusters({ 'edge-eu-2': unpreferred }) }),
    { nearest: 0 },
  ),
  json('an exceeded spread constraint', crowded({}), { cluster: 'prod-eu-1' }),
  text('clusters that left', exampleWorld(), { leaving }),
  text('a cluster that left', exampleWorld(), { leaving, cluster: 'prod-ap-1' }),
  text('a cluster that left and does not exist any more', exampleWorld(), { leaving, cluster: 'prod-eu-9' }),
  text('events that cannot be read', exampleWorld(), {
    leaving: { events: [], withheld: { resource: 'events', verb: 'list', status: 403 }, now: NOW },
  }),
  json('a cluster that left', exampleWorld(), { leaving, cluster: 'prod-eu-9' }),
  text('a Placement that is satisfied', exampleWorld(), { nearest: 1 }),
  text('a Placement that is satisfied, with colors', exampleWorld(), { nearest: 1, colored: true }),
  text('a cluster that is selected', exampleWorld(), { cluster: 'edge-eu-2' }),
  text('a cluster that is not needed', exampleWorld(), { cluster: 'prod-ap-1' }),
  text('a cluster whose fix would take it out of its set', exampleWorld(), { cluster: 'edge-eu-1' }),
  text('a cluster that a label would let in', exampleWorld(), { cluster: 'prod-ap-2' }),
  text('a typo in a key', exampleWorld(wants(predicate({ teir: 'gold' })), nothing)),
  text('a cluster and a typo in a key', exampleWorld(wants(predicate({ teir: 'gold' })), nothing), {
    cluster: 'prod-us-1',
  }),
  text('a typo in a value', exampleWorld(wants(predicate({ tier: 'glod' })), nothing)),
  text('a claim value in another case', exampleWorld(wants(claim('platform', 'azure')), nothing)),
  text('a label in place of a claim', exampleWorld(wants(predicate({ platform: 'aws' })), nothing)),
  text('a claim in place of a label', exampleWorld(wants(claim('tier', 'gold')), nothing)),
  text(
    'keys of spread, scores, groups and details that nobody has',
    exampleWorld({
      ...EXAMPLE_SPEC,
      spreadPolicy: { spreadConstraints: [{ topologyKey: 'teir', topologyKeyType: 'Label' }] },
      prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: 'Claim', claim: { name: 'cost' } } }] },
      decisionDetails: { labels: ['teir'], claims: ['platform'] },
      decisionStrategy: {
        groupStrategy: {
          decisionGroups: [
            { groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { platform: 'aws' } } } },
          ],
        },
      },
    }),
  ),
  text('a value that nobody has', exampleWorld(wants(predicate({ tier: 'platinum' })), nothing)),
  text(
    'a contradiction',
    exampleWorld(wants(predicate({ tier: 'gold' }, [{ key: 'tier', operator: 'NotIn', values: ['gold'] }])), nothing),
  ),
  text(
    'a set that does not exist',
    exampleWorld(
      { ...EXAMPLE_SPEC, ClusterSets: ['nope', 'production'] },
      {
        managedclustersetbindings: [rawBinding('edge'), rawBinding('production'), rawBinding('nope')],
      },
    ),
  ),
  text('a set that is not bound', exampleWorld({ ...EXAMPLE_SPEC, ClusterSets: ['production', 'secret'] })),
  text('no eligible set', exampleWorld({ ClusterSets: ['secret'] }, nothing)),
  text('a cluster whose set label is misspelt', exampleWorld(EXAMPLE_SPEC, { managedclusters: typoInSet }), {
    cluster: 'prod-us-1',
  }),
  text(
    'a cluster outside the sets and outside the decision',
    exampleWorld(EXAMPLE_SPEC, { ...nothing, managedclusters: typoInSet }),
    { cluster: 'prod-us-1' },
  ),
  text('a set in use that was deleted', exampleWorld(EXAMPLE_SPEC, { managedclustersets: production })),
  text(
    'a shortage with near misses',
    exampleWorld({ numberOfClusters: 5, predicates: [predicate({ tier: 'gold' })] }, nothing),
  ),
  text('a shortage without near misses', exampleWorld({ numberOfClusters: 12 }, nothing)),
  text(
    'clusters that left, are being deleted and are gone',
    exampleWorld(EXAMPLE_SPEC, {
      managedclusters: exampleClusters({
        'edge-eu-2': rawCluster('edge-eu-2', { set: 'edge', labels: { tier: 'edge' }, deleting: true }),
        'prod-eu-2': undefined,
        'prod-us-1': rawCluster('prod-us-1', { set: 'production', labels: { tier: 'silver' } }),
      }),
    }),
  ),
  text('clusters with taints', taintedWorld),
  text('a cluster that a taint keeps out', taintedWorld, { cluster: 'prod-ap-1' }),
  text('a cluster that is lost and that another replaces', taintedWorld, { cluster: 'prod-us-1' }),
  text('a cluster that stays for a time with its taint', taintedWorld, { cluster: 'prod-eu-2' }),
  text('a cluster that is lost and that nothing can replace', exampleWorld({ numberOfClusters: 9 }, lostAndTainted)),
  json('a cluster that stays for a time with its taint', taintedWorld, { cluster: 'prod-eu-2' }),
  text('selected clusters that are cordoned', cordonedWorld),
  text('a selected cluster that is cordoned', cordonedWorld, { cluster: 'prod-us-1' }),
  text('a selected cluster with a taint that is tolerated for ever', cordonedWorld, { cluster: 'prod-eu-2' }),
  json('a selected cluster with a taint that is tolerated for ever', cordonedWorld, { cluster: 'prod-eu-2' }),
  text('clusters that spread keeps out', spreadWorld),
  text('a cluster that spread keeps out', spreadWorld, { cluster: 'edge-us-1' }),
  json('a cluster that spread keeps out', spreadWorld, { cluster: 'edge-us-1' }),
  text('a cluster without the key of a spread constraint', spreadWorld, { cluster: 'prod-us-1' }),
  text('predicates with numbers', numberedWorld),
  text('a cluster of a predicate that has its number', numberedWorld, { cluster: 'prod-ap-1' }),
  text('a cluster that would match a predicate which is full', numberedWorld, { cluster: 'prod-ap-2' }),
  text('a predicate that lacks clusters beside one that is full', fullWorld),
  text('a cluster that is held by the disruption budget', heldWorld, { cluster: 'prod-us-1' }),
  text('a cluster whose place a held one keeps', heldWorld, { cluster: 'prod-eu-1' }),
  text('a cluster that waits for a change window', windowedWorld, { cluster: 'prod-us-1' }),
  text('a Placement of a set outside of its change windows', nightWorld),
  text('a cluster that waits for a change window of its set', nightWorld, { cluster: 'prod-us-1' }),
  text('a cluster that its set keeps out until a change window', nightWorld, { cluster: 'prod-eu-1' }),
  json('a Placement of a set outside of its change windows', nightWorld),
  text(
    'a selected cluster of a Placement of all that match',
    exampleWorld({ predicates: [predicate({ tier: 'gold' })] }),
    {
      cluster: 'prod-us-1',
    },
  ),
  text('a cluster beside the decision of an invalid spec', exampleWorld({ numberOfClusters: -1 }), {
    cluster: 'prod-ap-1',
  }),
  text('scores', scored, { scores: true }),
  text('scores of clusters that come in', undecided, { scores: true }),
  text('a cluster that has a higher score than one that is selected', scored, { cluster: 'prod-eu-1' }),
  text('a cluster that has the score of the last one that comes in', undecided, { cluster: 'prod-us-1' }),
  text('a selected cluster without a usable value', scored, { cluster: 'prod-us-1' }),
  text('scores where there is no policy', exampleWorld(), { scores: true, nearest: 0 }),
  text('scores where decisions of other namespaces cannot be read', scored, {
    others: { world: scored, refused: [{ resource: 'placementdecisions', verb: 'list', status: 403 }] },
  }),
  json('scores', scored),
  text('a spec that is invalid', exampleWorld({ numberOfClusters: -1 })),
  text('a spec without predicates', exampleWorld({})),
  text(
    'clusters that cannot be read',
    exampleWorld(EXAMPLE_SPEC, { managedclusters: [] }, [{ resource: 'managedclusters', verb: 'list', status: 403 }]),
  ),
  text(
    'decisions that cannot be read',
    exampleWorld(EXAMPLE_SPEC, { placementdecisions: [] }, [
      { resource: 'placementdecisions', verb: 'list', status: 403 },
    ]),
  ),
  text('comparisons of claims', exampleWorld(wants(cheap), costly), { nearest: 9 }),
  text('an expression', exampleWorld(wants(inZone), costly), { nearest: 9 }),
  json('one cluster, with a comparison and an expression', exampleWorld(wants(cheap, inZone), costly), {
    cluster: 'prod-ap-1',
  }),
  text('an expression that does not compile', exampleWorld(wants(misspelt))),
  json('a Placement that is satisfied', exampleWorld(), { nearest: 1 }),
  json('a typo in a key', exampleWorld(wants(predicate({ teir: 'gold' })), nothing)),
  json('one cluster', exampleWorld(), { cluster: 'prod-ap-2' }),
  json('a set that is not bound', exampleWorld({ ...EXAMPLE_SPEC, ClusterSets: ['production', 'secret'] })),
  json('a spec that is invalid', exampleWorld({ numberOfClusters: -1 })),
  json(
    'clusters that cannot be read',
    exampleWorld(EXAMPLE_SPEC, { managedclusters: [] }, [{ resource: 'managedclusters', verb: 'list', status: 403 }]),
  ),
];

describeRecorded('cli-explain', cases);
