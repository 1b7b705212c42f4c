import { AGENTS_NAMESPACE, TAINTS } from '../../../../src/api/names.js';
import { ManagedClusters } from '../../../../src/api/resources.js';
import { Leases } from '../../../../src/runtime/vocabulary/kinds.js';
import type { Hands } from '../../hub/hands.js';
import { scenarios, slowly, step, wait, type Step, type Unnamed } from '../../scenario.js';
import { bindingOf, gold, place, setOf } from '../fleet.js';
import { note, noted, selectedBy } from '../timed/words.js';
import { connect, customClaims, cut, hubWith, joinCluster, machines, north, setClock, sicken } from './machines.js';

/** What the hub makes of the Leases and reports of clusters. */

const SHORT = { leaseSeconds: 20 };
const tolerations = [{ key: TAINTS.unreachable, tolerationSeconds: 20 }];

const accept = (name: string, hubAcceptsClient: boolean): Step =>
  step(`the hub ${hubAcceptsClient ? 'accepts' : 'refuses'} cluster ${name}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { spec: { hubAcceptsClient } }),
  );

/** Clusters a, b and c of set `north`, and `others`, a letter each, of set `fleet`. Placements may select `golden`. */
async function twoSets(hands: Hands, others: string, golden: string): Promise<void> {
  await machines(hands, `abc${others}`, others, SHORT);
  for (const object of [setOf('north'), bindingOf('north')]) await hands.create(object);
  for (const one of 'abc') await joinCluster(hands, one, one, { ...SHORT, set: 'north' });
  await hands.patch(ManagedClusters, { name: golden }, { metadata: { labels: { tier: 'gold' } } });
}

/** Of six clusters in two sets, Placement `web` may select d. A fault that silences one more is what the brake is for. */
const silenced = (selects: string, names: string): Unnamed => ({
  selects,
  isTimed: true,
  ...hubWith('abcdef'),
  given: (hands) => twoSets(hands, 'def', 'd'),
  steps: [place('web', { predicates: gold, tolerations }), slowly(150, cut(names))],
});

const maintain = (name: string, maintenance: string | null): Step =>
  step(`cluster ${name} has maintenance ${maintenance}`, (hands) =>
    hands.patch(ManagedClusters, { name }, { spec: { maintenance } }),
  );

export const HEALTH = scenarios('agents', {
  silence: {
    selects: 'ac bc bc',
    ...hubWith('abc', SHORT),
    steps: [place('web', { numberOfClusters: 2, tolerations }), slowly(150, cut('a')), slowly(60, connect('a'))],
  },
  /** Most of a set falls silent at once: nobody is tainted, until the others have been back for some minutes. */
  brake: {
    selects: 'ac ac ad ad',
    ...hubWith('abcd', SHORT),
    steps: [
      place('web', { numberOfClusters: 2, tolerations }),
      slowly(150, cut('abc')),
      slowly(330, connect('ab')),
      slowly(60, connect('c')),
    ],
  },
  /** As long as half of the fleet is silent, it has not recovered: a process that is started meanwhile does not know that. */
  recovery: {
    selects: 'ac ac',
    isTimed: true,
    ...hubWith('abcd', SHORT),
    steps: [
      place('web', { numberOfClusters: 2, tolerations }),
      slowly(330, {
        title: 'no network between the hub and a, b, c, and one of a again after 150 s',
        act: async (stage) => {
          await slowly(150, cut('abc')).act(stage);
          await connect('a').act(stage);
        },
      }),
    ],
  },
  drain: {
    selects: 'ac bc bc bc ac',
    ...hubWith('abc'),
    steps: [
      place('web', { numberOfClusters: 2 }),
      maintain('a', 'Draining'),
      maintain('a', null),
      maintain('c', 'Cordoned'),
      maintain('b', 'Draining'),
    ],
  },
  clock: {
    selects: 'a a a a',
    ...hubWith('a', SHORT),
    steps: [place('web', {}), slowly(60, setClock('a', 300_000)), slowly(180, setClock('a', -3_600_000)), wait(2)],
  },
  claims: {
    selects: '- a ab b',
    ...hubWith('ab'),
    steps: [
      place('web', { predicates: north }),
      slowly(5, customClaims('a', { region: 'north' })),
      slowly(5, customClaims('b', { region: 'north', 'Not-a-label': 'x' })),
      slowly(5, customClaims('a', { region: null })),
    ],
  },
  /** What an agent has to say while it cannot reach the hub, it says later. */
  'claims-while-cut': {
    selects: '- - - b',
    ...hubWith('abc', SHORT),
    steps: [
      place('web', { predicates: north }),
      // Until it is tainted: else a step that takes longer would end otherwise.
      slowly(150, cut('b')),
      slowly(5, customClaims('b', { region: 'north' })),
      slowly(60, connect('b')),
    ],
  },
  /** Its agent says that the API server of the cluster is not ready: it is tainted after two lease durations. */
  unhealthy: {
    selects: 'ac bc bc',
    ...hubWith('abc', SHORT),
    steps: [
      place('web', {
        numberOfClusters: 2,
        tolerations: [{ key: TAINTS.unavailable, operator: 'Exists', tolerationSeconds: 20 }],
      }),
      slowly(150, sicken('a')),
      slowly(60, sicken('a', false)),
    ],
  },
  /** First its API server is not ready, then it is silent: by that taint it leaves, which has the time of the first. */
  'unhealthy-and-silent': {
    selects: 'abcde abcde bcde',
    ...hubWith('abcde', SHORT),
    steps: [
      place('web', {
        tolerations: [
          { key: TAINTS.unavailable, operator: 'Exists' },
          { key: TAINTS.unreachable, tolerationSeconds: 600 },
        ],
      }),
      slowly(700, sicken('a')),
      slowly(250, cut('a')),
    ],
  },
  /** A cluster whose agent is given up has no taint of silence. */
  'given-up': {
    selects: 'abcde bcde abcde',
    ...hubWith('abcde', SHORT),
    steps: [
      place('web', { tolerations }),
      slowly(200, cut('a')),
      slowly(
        60,
        step('cluster a has no agent any more', (hands) =>
          hands.patch(ManagedClusters, { name: 'a' }, { spec: { hubAcceptsClient: null } }),
        ),
      ),
    ],
  },
  /** Clusters that the hub refuses are no part of a silent fleet. */
  'refused-and-silent': {
    selects: 'abcde cde de',
    isTimed: true,
    ...hubWith('abcde', SHORT),
    steps: [
      place('web', { tolerations }),
      slowly(330, {
        title: 'the hub refuses cluster a, and 150 s later b',
        act: async (stage) => {
          await slowly(150, accept('a', false)).act(stage);
          await accept('b', false).act(stage);
        },
      }),
      slowly(300, cut('c')),
    ],
  },
  /** The brake of a set ends after 15 minutes. */
  'set-brake-ends': {
    selects: 'a -',
    isTimed: true,
    ...hubWith('abcdefg'),
    given: (hands) => twoSets(hands, 'defg', 'a'),
    steps: [place('web', { predicates: gold, tolerations }), slowly(360, noted(12, cut('abc'), selectedBy('web')))],
    stores: [note(2, 'a')],
  },
  /** What somebody takes out of a report is there again within an hour. */
  'report-taken-out': {
    selects: '- a a',
    ...hubWith('a'),
    steps: [
      place('web', { predicates: north }),
      slowly(5, customClaims('a', { region: 'north' })),
      {
        title: 'somebody takes the claims out of the status of cluster a, and 70 minutes pass',
        act: async ({ hands, simulation }) => {
          await hands.patch(ManagedClusters, { name: 'a' }, { status: { clusterClaims: null } }, 'status');
          await simulation.leap(70 * 60_000);
        },
      },
    ],
  },
  'lease-deleted': {
    selects: 'abc abc',
    ...hubWith('abc', SHORT),
    steps: [
      place('web', { tolerations }),
      slowly(
        150,
        step('the Lease of cluster a is deleted', (hands) =>
          hands.remove(Leases, { name: 'a', namespace: AGENTS_NAMESPACE }),
        ),
      ),
    ],
  },
  accepted: {
    selects: 'abc bc abc',
    ...hubWith('abc', SHORT),
    steps: [place('web', { tolerations }), slowly(150, accept('a', false)), slowly(60, accept('a', true))],
  },
  /** Half of a fleet is not most of it. */
  half: silenced('d -', 'ade'),
  /** A set can be silent in a fleet that is not. */
  'set-brake': silenced('d d', 'abc'),
});
