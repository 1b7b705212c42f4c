import { placementOf } from '../fleet.js';
import { MultiClusterEngines, PlacementDecisions } from '../../../../src/api/resources.js';
import { ServiceAccounts } from '../../../../src/runtime/vocabulary/kinds.js';
import { TEAM } from '../../hub/base.js';
import { scenarios, step } from '../../scenario.js';
import { ask, clients, create, decide, IF_MATCH, list, read, remove, replace, served } from './words.js';

/** What people and programs ask the gateway for. */

const [ONE, TWO, THREE] = [1, 2, 3].map((numberOfClusters) => ({ numberOfClusters })) as [object, object, object];
const engine = { type: MultiClusterEngines, headers: { 'Content-Type': 'MultiClusterEngines/yaml' } };
const spec = { targetNamespace: 'engines' };
const shows = { spec: TWO };
const YAML = { Accept: 'application/yaml' };
const WHOLE = { Prefer: 'return=representation' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const bodyOf = (name: string): string => JSON.stringify({ metadata: { name }, spec: TWO });

const [a, b] = ['a', 'b'].map((clusterName) => ({ clusterName })) as [object, object];
const EXPECT = { Expect: '100-continue' };
const sets = Array.from({ length: 40 }, (_, n) => `cluster-set-number-${n}`);

export const GATEWAYS = scenarios('gateway', {
  create: served(
    ['web'],
    [
      ask([create('api', TWO)]),
      ask([create('shop', TWO, { headers: { ...JSON_TYPE, ...WHOLE }, body: bodyOf('shop'), shows })]),
      ask([create('web', THREE, { code: 409 })]),
      ask([create('engine', spec, engine)]),
    ],
  ),
  replace: served(
    ['web'],
    [
      ask([replace('web', TWO, { headers: IF_MATCH })]),
      ask([replace('web', THREE)]),
      ask([replace('web', ONE, { headers: { 'If-Match': '"1"' }, code: 412 })]),
      ask([replace('gone', ONE, { code: 404 })]),
    ],
  ),
  delete: served(
    ['web', 'api'],
    [
      ask([remove('web')]),
      ask([remove('api', { headers: { 'If-Match': '"1"' }, code: 412 })]),
      ask([remove('api', { headers: IF_MATCH })]),
      ask([remove('gone', { code: 404 })]),
    ],
  ),
  read: served(
    ['web', 'api'],
    [
      ask([read('web', { shows: { spec: ONE } })]),
      ask([read('api', { shows: { metadata: { name: 'api' } }, headers: YAML })]),
      ask([list({ shows: { items: [{ metadata: { name: 'api' } }, { metadata: { name: 'web' } }] } })]),
      ask([read('gone', { code: 404 })]),
      ask([list({ type: MultiClusterEngines, shows: { items: [] } })]),
      ask([
        list({ headers: YAML, shows: { items: [{ metadata: { name: 'api' } }, { metadata: { name: 'web' } }] } }),
        read('web', { headers: { 'If-None-Match': '"1"' }, code: 400 }),
      ]),
    ],
  ),
  decision: {
    ...served(
      [],
      [
        ask([read('web', { suffix: '/decision', shows: { decisions: [a, b] } })]),
        ask([
          read('web', { suffix: '/decision?as=argocd', shows: { output: { parameters: [a, b] } } }),
          read('web', { suffix: '/decision?as=flux', shows: { inputs: [a, b] } }),
          read('web', { suffix: '/decision?as=json', headers: YAML, shows: { decisions: [a, b] } }),
          read('web', { suffix: '/decision?as=prometheus', shows: { 1: { targets: ['b'] } } }),
          read('web', { suffix: '/decision?as=nobody', code: 400 }),
        ]),
        ask([
          create(
            'web',
            {},
            {
              suffix: '/decision/api/v1/getparams.execute',
              headers: JSON_TYPE,
              body: '{"applicationSetName":"x"}',
              chunk: 9,
              shows: { output: { parameters: [a, b] } },
            },
          ),
        ]),
        step('somebody takes b out of the decision', (hands) =>
          hands.patch(
            PlacementDecisions,
            { name: 'web-decision-1', namespace: TEAM },
            { status: { decisions: [{ ...a, reason: '' }] } },
          ),
        ),
        // It is no smaller one.
        ask([read('web', { suffix: '/decision', code: 503 })]),
      ],
    ),
    given: async (hands) => {
      await served([], []).given(hands);
      await hands.create(placementOf('web', TWO));
      await decide(hands, 'web', ['a', 'b']);
    },
  },
  chunks: served(
    ['web'],
    [
      ask([create('api', TWO, { chunk: 16 })]),
      ask([create('shop', TWO, { headers: EXPECT })]),
      ask([replace('web', THREE, { headers: { ...EXPECT, ...IF_MATCH }, chunk: 20 })]),
      ask([create('bad', TWO, { as: 'eve', headers: EXPECT, code: 403 })]),
    ],
  ),
  large: served(
    [],
    [
      ask([create('web', { ClusterSets: sets })]),
      ask([create('api', TWO, { headers: { 'Content-Length': '1048577' }, code: 413 })]),
    ],
  ),
  kept: served(
    ['web'],
    [
      // No step deletes what it creates: a creation that is late may arrive after its repetition, and after all that follows.
      ask([create('api', TWO), read('api', { shows }), replace('api', THREE)]),
      ask([remove('api'), replace('web', TWO, { copies: 2 }), replace('web', THREE)]),
      ask([remove('web', { copies: 2 })]),
    ],
  ),
  refused: served(
    ['web'],
    [
      ask([create('api', TWO, { as: 'eve', code: 403 }), read('web', { as: 'eve', code: 403 })]),
      ask([remove('web', { token: 'nobody', code: 403 })]),
      ask([create('api', { numberOfClusters: -1 }, { code: 422 }), create('api', TWO, { body: 'spec: {', code: 400 })]),
      clients('the token of Ann expires', async (ones) => {
        await ones.talk([replace('web', TWO)]);
        await ones.expire('ann');
        await ones.talk([remove('web', { code: 403 })]);
        await ones.renew('ann');
        await ones.talk([replace('web', THREE)]);
      }),
      {
        title: 'the account of Bob is removed',
        act: async ({ hands, clients: ones }) => {
          await ones?.talk([replace('web', ONE, { as: 'bob' })]);
          await hands.remove(ServiceAccounts, { name: 'bob', namespace: TEAM });
          await ones?.talk([remove('web', { as: 'bob', code: 403 })]);
        },
      },
    ],
  ),
  company: served(
    ['web'],
    [
      ask(
        [create('api', TWO), read('api', { shows })],
        [create('shop', THREE, { as: 'bob' }), read('shop', { as: 'bob', shows: { spec: THREE } })],
        [remove('web', { as: 'eve', code: 403 })],
      ),
      ask([replace('api', THREE)], [remove('shop', { as: 'bob' })], [read('api', { as: 'eve', code: 403 })]),
    ],
  ),
});
