import { CLUSTER_SET_LABEL, FOLLOWS_PLACEMENT_ANNOTATION, PLACEMENT_LEASE } from '../../../../src/api/names.js';
import type { PlacementSpec } from '../../../../src/api/generated/placement.js';
import { ManagedClusters, MultiKueueConfigs, SigPlacementDecisions } from '../../../../src/api/resources.js';
import { apiVersionOf } from '../../../../src/runtime/vocabulary/kinds.js';
import type { ObjectName } from '../../../../src/runtime/vocabulary/meta.js';
import type { Content } from '../../checks/contents.js';
import { TEAM } from '../../hub/base.js';
import { scenarios, step, wait, type Step, type Unnamed } from '../../scenario.js';
import { bind, bindingOf, fleet, gold, join, label, leave, place, setOf, tiers, unbind, unplace } from '../fleet.js';
import {
  annotate,
  at,
  createAll,
  deleteLease,
  edit,
  endLeader,
  joinAll,
  killLeader,
  selectedBy,
  stopLeader,
} from './words.js';

/** Placements in company: of others, of another process, and of controllers that give them clusters or follow them. */

const golden = { labels: { tier: 'gold' } };
const balanced: PlacementSpec = {
  numberOfClusters: 2,
  predicates: gold,
  prioritizerPolicy: { configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }] },
};

const replicated = {
  programs: ['first', 'second'].map((name) => ({ name, controllers: ['placement'] as const, realLeases: true })),
} as const;

/** No agent of it ever reports: Placements do not select it. Agents that do are in `scenarios/agents`. */
const accept = (name: string): Step =>
  step(`cluster ${name} joins, whose agent never reports`, (hands) =>
    hands.create({
      apiVersion: apiVersionOf(ManagedClusters),
      kind: ManagedClusters.kind,
      metadata: { name, labels: { [CLUSTER_SET_LABEL]: 'fleet', tier: 'gold' } },
      spec: { hubAcceptsClient: true },
    }),
  );

const follows = (annotation: string, name: Partial<ObjectName> = {}) => ({
  metadata: { ...name, annotations: { [FOLLOWS_PLACEMENT_ANNOTATION]: annotation } },
});

const queue = step('a MultiKueueConfig follows Placement web', (hands) =>
  hands.create({
    apiVersion: apiVersionOf(MultiKueueConfigs),
    kind: MultiKueueConfigs.kind,
    ...follows(`${TEAM}/web`, { name: 'jobs' }),
    spec: { clusters: ['any'] },
  }),
);

const kueue = (at: number, names: string): Content => ({
  step: at,
  type: MultiKueueConfigs,
  name: { name: 'jobs' },
  field: 'spec.clusters',
  expect: names.split(' '),
});

const following = {
  programs: [{ name: 'operator', controllers: ['placement'], config: { sigDecisions: true, multikueue: true } }],
  given: async (hands) => {
    for (const name of ['placementdecisions', 'multikueueconfigs'])
      await createAll(hands, `test/support/definitions/${name}.yaml`);
    await fleet(hands, 'abcd', golden);
  },
} satisfies Partial<Unnamed>;

export const COMPANIES = scenarios('timed', {
  /** Clusters that fewer other Placements select come first. In each step one Placement changes: which is first is no matter. */
  shared: {
    given: tiers('abcdef'),
    steps: [
      place('web', balanced),
      place('store', balanced),
      place('cache', balanced),
      label('a', { tier: 'silver' }),
      unplace('store'),
      edit('web', { numberOfClusters: 3 }),
      label('a', { tier: 'gold' }),
      edit('cache', { numberOfClusters: 4 }),
    ],
  },
  replicas: {
    selects: 'abcdef abcdef bcdef cdef cdef cdef cdef',
    ...replicated,
    given: tiers('abcdef'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: 2 } }),
      killLeader(PLACEMENT_LEASE, 40_000),
      label('a', { tier: 'silver' }),
      label('b', { tier: 'silver' }),
      killLeader(PLACEMENT_LEASE, 1_000),
      endLeader(PLACEMENT_LEASE),
      label('c', { tier: 'silver' }),
    ],
  },
  /** The new leader goes on with a hold that the former one has announced. */
  'hold-handed-over': {
    selects: 'abcd abcd abcd',
    ...replicated,
    given: tiers('cd', 'ab'),
    steps: [
      place('web', { disruptionBudget: { maxRemovals: 1 } }),
      {
        title: 'somebody annotates Placement web, and while the leader restarts, it is to select golden clusters only',
        act: async (stage) => {
          await annotate('web', { 'example.com/note': 'two will go' }).act(stage);
          await killLeader(PLACEMENT_LEASE, 2_000).act(stage);
          // One write: a cache that is late shows none of it, or all.
          await edit('web', { predicates: gold }).act(stage);
        },
      },
      {
        title: 'the leader is killed, and cluster a has the label tier=gold',
        act: async (stage) => {
          await killLeader(PLACEMENT_LEASE, 40_000).act(stage);
          await label('a', { tier: 'gold' }).act(stage);
        },
      },
    ],
  },
  /** The new leader counts what the former one has removed. */
  'removal-handed-over': {
    selects: 'abcd bcd',
    ...replicated,
    given: tiers('abcd'),
    steps: [
      place('web', { predicates: gold, disruptionBudget: { maxRemovals: 1 } }),
      {
        title:
          'cluster a has the label tier=silver; when it is removed, the leader is killed, and b has that label, too',
        act: async (stage) => {
          await label('a', { tier: 'silver' }).act(stage);
          for (let left = 600; left > 0 && (await selectedBy('web')(stage.hands)) !== 'bcd'; left--)
            await stage.simulation.pass(1_000);
          await killLeader(PLACEMENT_LEASE, 40_000).act(stage);
          await label('b', { tier: 'silver' }).act(stage);
        },
      },
    ],
  },
  /** A process that leads again knows nothing from the time when it led before. */
  'leader-returns': {
    ...replicated,
    given: tiers('abcd'),
    steps: [
      place('web', { numberOfClusters: 2, predicates: gold }),
      stopLeader(PLACEMENT_LEASE),
      label('a', { tier: 'silver' }),
      label('a', { tier: 'gold' }),
      stopLeader(PLACEMENT_LEASE),
      edit('web', { numberOfClusters: 3 }),
    ],
  },
  'deleted-lease': {
    programs: [{ name: 'operator', controllers: ['placement'], realLeases: true }],
    given: tiers('abcd'),
    steps: [
      place('web', { numberOfClusters: 2, predicates: gold }),
      deleteLease(PLACEMENT_LEASE),
      edit('web', { numberOfClusters: 3 }),
      wait(1),
      leave('a'),
    ],
  },
  'sets-and-health': {
    selects: 'abc abc abc abc abce abce ae abce abce',
    programs: [{ name: 'operator', controllers: ['placement', 'clusters'] }],
    given: tiers('abc'),
    steps: [
      place('web', { predicates: gold }),
      accept('d'),
      step('set extra is bound, which is not there', (hands) => hands.create(bindingOf('extra'))),
      step('set extra is created', (hands) => hands.create(setOf('extra'))),
      join('e', { ...golden, set: 'extra' }),
      label('a', { [CLUSTER_SET_LABEL]: 'extra' }),
      unbind('fleet'),
      bind('fleet'),
      step('somebody writes the time of a taint into the status of cluster b', (hands) => {
        const taintTimes = [{ key: 'repair', effect: 'NoSelect', since: at('09:00') }];
        return hands.patch(ManagedClusters, { name: 'b' }, { status: { taintTimes } }, 'status');
      }),
    ],
  },
  followers: {
    ...following,
    steps: [
      place('web', { numberOfClusters: 2, predicates: gold }),
      queue,
      edit('web', { numberOfClusters: 3 }),
      edit('web', { numberOfClusters: 0 }),
      edit('web', { numberOfClusters: 4 }),
      leave('a'),
      unplace('web'),
    ],
    stores: [kueue(2, 'a c'), kueue(3, 'a c d'), kueue(4, 'a c d')],
  },
  /** More clusters than Kueue takes, an annotation that names nothing, and an object of somebody else in the way. */
  'refused-followers': {
    ...following,
    given: async (hands) => {
      await following.given(hands);
      await hands.create({
        apiVersion: apiVersionOf(SigPlacementDecisions),
        kind: SigPlacementDecisions.kind,
        metadata: { name: 'web-decision-1', namespace: TEAM, labels: { owner: 'others' } },
        decisions: [],
      });
    },
    steps: [
      place('web', { numberOfClusters: 2, predicates: gold }),
      queue,
      joinAll('efghijklmnopqrstuvw', golden),
      edit('web', { numberOfClusters: 23 }),
      step('somebody deletes the object in the way', (hands) =>
        hands.remove(SigPlacementDecisions, { name: 'web-decision-1', namespace: TEAM }),
      ),
      step('the config follows what is no name', (hands) =>
        hands.patch(MultiKueueConfigs, { name: 'jobs' }, follows('web')),
      ),
      edit('web', { numberOfClusters: 1 }),
      step('the config follows a Placement that is not there', (hands) =>
        hands.patch(MultiKueueConfigs, { name: 'jobs' }, follows(`${TEAM}/api`)),
      ),
      place('api', { numberOfClusters: 1, predicates: gold }),
    ],
  },
});
