/**
 * One command that widens or empties decisions without a word. People deleted a namespace with its Placements, or 50 of 60
 * clusters by a label; removed `numberOfClusters`, or a predicate, and one cluster became fifteen; left the disruption budget out
 * of a manifest that they replaced.
 *
 * Right is: the API server says before, in a dry run too, what goes or comes in, and what bounds it no more; it refuses nothing.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ManagedClusterSetBindings } from '../../src/api/resources.js';
import type { ManagedClusterSetBinding } from '../../src/api/generated/managedclustersetbinding.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../support/hub/overlays.js';
import { Fleet, PlacementServerRig } from '../support/rigs/server/placement.js';

const LONG_MS = 300_000;
const PREDICATE = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
const BUDGET = { maxRemovals: 1, windowSeconds: 3600 };
const SPEC = { ClusterSets: ['production'], predicates: [PREDICATE], numberOfClusters: 1, disruptionBudget: BUDGET };
const { disruptionBudget: _budget, ...WITHOUT_BUDGET } = SPEC;

describeWithServer('warnings of one command', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  /** Exit code and warnings, without the prefix that names the policy, sorted. */
  async function said(command: readonly string[], input = ''): Promise<{ code: number; warnings: string[] }> {
    const options = { kubeconfig: server().adminKubeconfig, ...(input === '' ? {} : { input }) };
    const { code, stderr } = await kubectl([...command, '--dry-run=server'], options);
    const lines = stderr
      .trim()
      .split('\n')
      .filter((line) => line !== '');
    return { code, warnings: lines.map((line) => line.replace(/^Warning: .*-warnings': /, '')).sort() };
  }

  const manifest = (spec: object): string =>
    JSON.stringify({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'Placement',
      metadata: { name: 'web', namespace: 'shop' },
      spec,
    });
  const patch = (spec: object): readonly string[] => [
    'patch',
    'placement',
    'web',
    '-n=shop',
    '--type=merge',
    `-p=${JSON.stringify({ spec })}`,
  ];

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await kindsServed(server());
    fleet = new Fleet(server());
    for (const set of ['production', 'spare']) await fleet.set(set);
    await fleet.namespace('shop', 'production');
    await fleet.namespace('idle', 'spare');
    for (const name of ['prod-1', 'prod-2', 'prod-3']) await fleet.cluster(name, 'production', { tier: 'gold' });
    await kubectlOk(['apply', '-f', '-'], { kubeconfig: server().adminKubeconfig, input: manifest(SPEC) });
    running = new PlacementServerRig(server());
    await waitFor('the binding to be in use and the decision in the status', async (seen) => {
      const name = { namespace: 'shop', name: 'production' };
      const binding = await fleet.client.get<ManagedClusterSetBinding>(ManagedClusterSetBindings, name);
      const status = (await fleet.placement('shop', 'web'))?.status;
      seen([binding?.status, status]);
      return (
        status?.numberOfSelectedClusters === 1 &&
        binding?.status?.conditions?.some(({ type, status: is }) => type === 'InUse' && is === 'True')
      );
    });
    await waitFor('both policies to be in force', async (seen) => {
      const both = [await said(['delete', 'placement', 'web', '-n=shop']), await said(['delete', 'namespace', 'shop'])];
      seen(both);
      return both.every(({ warnings }) => warnings.length > 0);
    });
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  const LOST_BUDGET = 'spec.disruptionBudget is removed: nothing bounds what the next mistake takes from the decision';
  const UNBOUNDED = 'spec.numberOfClusters is removed: every cluster that matches comes in, beside the 1 selected';

  it.each<[string, readonly string[], string[], string?]>([
    [
      'the deletion of a namespace with Placements',
      ['delete', 'namespace', 'shop'],
      [
        'Placements web of namespace shop are deleted, with their decisions: what follows these removes its workloads from ' +
          'the clusters of production; see kubectl mce plan --delete ns/shop',
      ],
    ],
    ['the deletion of a namespace whose set nobody selects from', ['delete', 'namespace', 'idle'], []],
    [
      'the deletion of clusters by a label',
      ['delete', 'mcl', '-l=tier=gold'],
      ['prod-1', 'prod-2', 'prod-3'].map(
        (name) =>
          `ManagedCluster ${name} was not drained: it leaves every decision that names it (kubectl mce who-selects ` +
          `${name}); kubectl mce drain ${name} first lets others come in for it`,
      ),
    ],
    [
      'a larger number',
      patch({ numberOfClusters: 15 }),
      ['spec.numberOfClusters 15 is more than the 1 selected: up to 14 come in'],
    ],
    [
      'a number that is one larger',
      patch({ numberOfClusters: 2 }),
      ['spec.numberOfClusters 2 is more than the 1 selected: up to 1 comes in'],
    ],
    ['the removal of the number', patch({ numberOfClusters: null }), [UNBOUNDED]],
    [
      'the removal of the predicates',
      patch({ predicates: null }),
      ['spec.predicates is removed: every cluster of the cluster sets matches'],
    ],
    [
      'the removal of the cluster sets',
      patch({ ClusterSets: [] }),
      ['spec.ClusterSets is removed: the clusters of every bound set are candidates'],
    ],
    ['the removal of the budget by a patch', patch({ disruptionBudget: null }), [LOST_BUDGET]],
    ['the removal of the budget by apply', ['apply', '-f', '-'], [LOST_BUDGET], manifest(WITHOUT_BUDGET)],
    ['the removal of the budget by replace', ['replace', '-f', '-'], [LOST_BUDGET], manifest(WITHOUT_BUDGET)],
    [
      'a replacement without a spec',
      ['replace', '-f', '-'],
      [
        'spec.ClusterSets is removed: the clusters of every bound set are candidates',
        LOST_BUDGET,
        UNBOUNDED,
        'spec.predicates is removed: every cluster of the cluster sets matches',
      ],
      manifest({}),
    ],
    ['a label', ['label', 'placement', 'web', '-n=shop', 'a=b'], []],
    ['another window', patch({ disruptionBudget: { windowSeconds: 7200 } }), []],
  ])('a dry run warns of %s, and refuses nothing', async (_what, command, warnings, input = '') => {
    expect(await said(command, input)).toEqual({ code: 0, warnings });
  });

  it('the deletion of a cluster that was drained is not warned of', async () => {
    const taints = [{ key: 'cluster.fleetmgmt.io/draining', effect: 'NoSelect' }];
    await fleet.cluster('prod-4', 'production');
    await kubectlOk(['patch', 'mcl', 'prod-4', '--type=merge', `-p=${JSON.stringify({ spec: { taints } })}`], {
      kubeconfig: server().adminKubeconfig,
    });

    expect(await said(['delete', 'mcl', 'prod-4'])).toEqual({ code: 0, warnings: [] });
  });
});
