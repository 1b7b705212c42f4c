/**
 * Fields that were accepted and had no effect: `rebalance` alone, `localCluster.name` without `enabled`, 99 replicas of a
 * component of which one works. People believed that the hub did what they had written.
 *
 * Right is: the API server accepts the object, and warns of each field that needs another one, with that one's name. It warns
 * when the spec is written or changed, and not of an apply that changes nothing.
 */
import { beforeAll, expect, it } from '@jest/globals';

import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../support/hub/overlays.js';

const LONG_MS = 240_000;
const SCORES = { configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' } }] };
const REBALANCE = { scoreMargin: 20 };
const spread = (more: object): object => ({
  spreadPolicy: { spreadConstraints: [{ topologyKey: 'region', topologyKeyType: 'Label', ...more }] },
});
const component = (name: string, more: object): object => ({ components: [{ name, ...more }] });

/** Spec of a Placement; what is without effect there. */
const PLACEMENTS: readonly (readonly [object, string])[] = [
  [
    { numberOfClusters: 1, rebalance: REBALANCE },
    'spec.rebalance: it needs spec.prioritizerPolicy with a weight, or spec.spreadPolicy',
  ],
  [{ rebalance: REBALANCE }, 'spec.rebalance: it needs a number of clusters'],
  [
    { rebalance: REBALANCE, prioritizerPolicy: SCORES },
    'spec.rebalance: it needs a number of clusters; spec.prioritizerPolicy: it needs a number of clusters',
  ],
  [{ prioritizerPolicy: SCORES }, 'spec.prioritizerPolicy: it needs a number of clusters'],
  [
    { numberOfClusters: 1, prioritizerPolicy: {} },
    'spec.prioritizerPolicy: it needs a configuration whose weight is not 0',
  ],
  [
    { numberOfClusters: 1, prioritizerPolicy: { configurations: [{ ...SCORES.configurations[0], weight: 0 }] } },
    'spec.prioritizerPolicy: it needs a configuration whose weight is not 0',
  ],
  [{ spreadPolicy: {} }, 'spec.spreadPolicy: it needs spreadConstraints'],
  [
    { numberOfClusters: 1, ...spread({ maxSkew: 2 }) },
    'spec.spreadPolicy: maxSkew of region: it needs whenUnsatisfiable DoNotSchedule, or spec.rebalance',
  ],
];
/** Specs of Placements of which every field has an effect. */
const WELL: readonly object[] = [
  {},
  { numberOfClusters: 1, rebalance: REBALANCE, prioritizerPolicy: SCORES },
  { predicates: [{ numberOfClusters: 1 }], rebalance: REBALANCE, prioritizerPolicy: SCORES },
  { numberOfClusters: 1, rebalance: REBALANCE, ...spread({ maxSkew: 2 }) },
  { numberOfClusters: 1, ...spread({ maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' }) },
];
const ENGINES: readonly (readonly [object, string])[] = [
  [{ localCluster: { name: 'hub' } }, 'spec.localCluster.name: it needs spec.localCluster.enabled: true'],
  [component('console', { replicas: 3 }), 'spec.components: replicas of console: it needs enabled: true'],
  [
    component('gateway', { enabled: false, resources: { limits: { memory: '1Gi' } } }),
    'spec.components: resources of gateway: it needs enabled: true',
  ],
  [
    component('placement-controller', { replicas: 99 }),
    'spec.components: replicas 99 of placement-controller: one of them works, the others wait to take its place, for which 3 suffice',
  ],
  [
    { networkPolicies: { enabled: false, apiServerPorts: [16_443] } },
    'spec.networkPolicies.apiServerPorts: it needs policies, which enabled: false removes',
  ],
  [
    { tolerations: [{ key: 'infra', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] },
    'spec.tolerations: tolerationSeconds of infra: it needs effect NoExecute',
  ],
];
const WELL_ENGINES: readonly object[] = [
  {},
  { localCluster: { enabled: true, name: 'hub' } },
  component('console', { enabled: true, replicas: 3 }),
  component('placement-controller', { replicas: 3 }),
  { networkPolicies: { apiServerPorts: [443, 6443] } },
  { tolerations: [{ key: 'infra', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
];

const placement = (spec: object, name = 'web'): string =>
  JSON.stringify({
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'Placement',
    metadata: { name, namespace: 'default' },
    spec,
  });
const engine = (spec: object): string =>
  JSON.stringify({
    apiVersion: 'multicluster.platform.io/v1alpha1',
    kind: 'MultiClusterEngine',
    metadata: { name: 'engine' },
    spec,
  });

const list = (items: readonly string[]): string => `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;

describeWithServer('fields without effect', { own: true }, (server) => {
  /** What is said to be without effect when this is applied. */
  async function idle(input: string, options: readonly string[] = ['--dry-run=server']): Promise<string[]> {
    const { code, stderr } = await kubectl(['apply', '-f', '-', ...options], {
      kubeconfig: server().adminKubeconfig,
      input,
    });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return stderr.split('\n').flatMap((line) => line.split(': without effect is ')[1] ?? []);
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await kindsServed(server());
    await waitFor('the policies to be in force', async () => {
      const seen = [await idle(placement({ spreadPolicy: {} })), await idle(engine({ localCluster: { name: 'hub' } }))];
      return seen.every(({ length }) => length > 0);
    });
  }, LONG_MS);

  it.each(PLACEMENTS)(
    'a Placement with %j is accepted with a warning',
    async (spec, warning) => {
      expect(await idle(placement(spec))).toEqual([warning]);
    },
    LONG_MS,
  );

  it.each(WELL)(
    'a Placement with %j is accepted without one',
    async (spec) => {
      expect(await idle(placement(spec))).toEqual([]);
    },
    LONG_MS,
  );

  it.each(ENGINES)(
    'an engine with %j is accepted with a warning',
    async (spec, warning) => {
      expect(await idle(engine(spec))).toEqual([warning]);
    },
    LONG_MS,
  );

  it.each(WELL_ENGINES)(
    'an engine with %j is accepted without one',
    async (spec) => {
      expect(await idle(engine(spec))).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'is said again when the spec is edited, and not when something else is',
    async () => {
      const kubeconfig = server().adminKubeconfig;
      const [objects, edited] = [1, 2].map((size) => [
        placement({ rebalance: REBALANCE, tolerations: [{ key: `k${size}`, operator: 'Exists' }] }, 'stored'),
        engine({ localCluster: { name: 'hub' }, nodeSelector: { size: String(size) } }),
      ]) as [string[], string[]];
      await kubectlOk(['apply', '-f', '-'], { kubeconfig, input: list(objects) });

      const label = ['label', 'placement/stored', 'mce/engine', 'a=b', '-n=default'];
      expect((await kubectl(label, { kubeconfig })).stderr).toBe('');
      expect(await idle(list(objects), [])).toEqual([]);
      expect(await idle(list(edited))).toHaveLength(2);
    },
    LONG_MS,
  );
});
