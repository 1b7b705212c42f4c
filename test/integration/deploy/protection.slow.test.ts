import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { ManagedClusterSet } from '../../../src/api/generated/managedclusterset.js';
import type { ManagedClusterSetBinding } from '../../../src/api/generated/managedclustersetbinding.js';
import type { KubeObject, ObjectName, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import { ALLOW_DELETION_ANNOTATION } from '../../../src/api/names.js';
import { ManagedClusterSetBindings, ManagedClusterSets, Placements } from '../../../src/api/resources.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk, type KubectlResult } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';
import { describeWithPrograms, runProgram } from '../../support/programs/programs.js';
import { pathOf } from '../api/admission.js';
import { applyOverlay } from './overlay.js';

const LONG_MS = 300_000;
const ALLOWED = `${ALLOW_DELETION_ANNOTATION}=true`;
const REFUSAL =
  'ManagedClusterSet production is in use by Placements of namespaces shop; see kubectl mce plan --delete mclset/production; ' +
  'annotation cluster.fleetmgmt.io/allow-deletion: "true" lets it go';

/** A binding of production and a Placement that selects from it. */
function release(namespace: string): string {
  return `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSetBinding
metadata: {name: production, namespace: ${namespace}}
spec: {clusterSet: production}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: web, namespace: ${namespace}}
spec: {ClusterSets: [production]}
`;
}

describeWithServer('sets in use', { own: true, capabilities: ['garbageCollection', 'namespaceDeletion'] }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  const run = (...args: readonly string[]): Promise<KubectlResult> =>
    kubectl(args, { kubeconfig: server().adminKubeconfig });
  const ok = (...args: readonly string[]): Promise<string> => kubectlOk(args, { kubeconfig: server().adminKubeconfig });
  const exists = async (type: ResourceType, name: ObjectName): Promise<boolean> =>
    (await fleet.client.get<KubeObject>(type, name)) !== undefined;

  async function inUse(type: ResourceType, name: ObjectName): Promise<string | undefined> {
    const found = await fleet.client.get<ManagedClusterSet | ManagedClusterSetBinding>(type, name);
    return found?.status?.conditions?.find((one) => one.type === 'InUse')?.status;
  }

  function untilInUse(type: ResourceType, name: ObjectName, status = 'True'): Promise<true> {
    return waitFor(`InUse of ${name.name} to be ${status}`, async (seen) => {
      const found = await inUse(type, name);
      seen(found);
      return found === status || undefined;
    });
  }

  /** What the policies said, without the prefix that names them. */
  function warnings({ stderr }: KubectlResult): string[] {
    return stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(/^Warning: .*'multicluster-engine-(?:fleet-)?warnings': /, ''));
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await kindsServed(server());
    fleet = new Fleet(server());
    for (const set of ['production', 'spare', 'owned', 'sibling']) await fleet.set(set);
    await fleet.namespace('shop', 'production');
    for (const name of ['prod-eu-1', 'prod-eu-2', 'prod-us-1']) await fleet.cluster(name, 'production');
    await fleet.place('shop', 'web', { numberOfClusters: 3 });
    await fleet.place('shop', 'waves', { decisionStrategy: { groupStrategy: { clustersPerDecisionGroup: 1 } } });
    running = new PlacementServerRig(server());
    await untilInUse(ManagedClusterSets, { name: 'production' });
    await untilInUse(ManagedClusterSetBindings, { namespace: 'shop', name: 'production' });
    await untilInUse(ManagedClusterSets, { name: 'spare' }, 'False');
    await waitFor(
      'the decision to be in the status',
      async () => (await fleet.placement('shop', 'web'))?.status?.numberOfSelectedClusters === 3,
    );
    await waitFor(
      'the decision of several objects',
      async () => (await fleet.placement('shop', 'waves'))?.status?.numberOfSelectedClusters === 3,
    );
    await waitFor('the policy to be in force', async (seen) => {
      const path = `${pathOf(ManagedClusterSets, '', 'production')}?dryRun=All`;
      const { status, text } = await server().call({ method: 'DELETE', path });
      seen(text);
      return status === 403;
    });
    await waitFor('the warnings to be in force', async (seen) => {
      const { stderr } = await run('delete', 'placement', 'web', '-n', 'shop', '--dry-run=server');
      seen(stderr);
      return stderr.includes('Warning');
    });
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  it.each([[[]], [['--dry-run=server']]])('a set in use is not deleted by kubectl delete mclset %j', async (flags) => {
    const { code, stderr } = await run('delete', 'mclset', 'production', ...flags);

    expect(code).toBe(1);
    expect(stderr).toContain(`denied request: ${REFUSAL}`);
    expect(await exists(ManagedClusterSets, { name: 'production' })).toBe(true);
  });

  it('a set in use is not deleted with all sets', async () => {
    const path = `${pathOf(ManagedClusterSets, '')}?dryRun=All`;
    const { status, body } = await server().call({ method: 'DELETE', path });

    expect([status, body.message]).toEqual([403, expect.stringContaining(REFUSAL)]);
  });

  it('a set that no Placement may select from is deleted without a word', async () => {
    const { code, stderr } = await run('delete', 'mclset', 'spare');

    expect([code, stderr]).toEqual([0, '']);
  });

  it.each([
    ['one object', ['placementdecision', 'waves-decision-1']],
    ['all objects of it', ['placementdecisions', '-l=cluster.fleetmgmt.io/placement=waves']],
  ])('a decision of several objects is not deleted by kubectl delete of %s', async (_what, names) => {
    const { code, stderr } = await run('delete', '-n=shop', ...names);

    expect(code).toBe(1);
    expect(stderr).toContain(
      'denied request: it is part of the decision of Placement waves: without it, tools remove what runs in its clusters; to end ' +
        'the decision, delete the Placement; annotation cluster.fleetmgmt.io/allow-deletion: "true" lets it go',
    );
  });

  it.each([
    [
      'the deletion of its binding',
      ['delete', 'mclsetbinding', 'production'],
      'ManagedClusterSetBinding shop/production is deleted: Placements waves, web lose the clusters of production; see kubectl mce plan --delete mclsetbinding/production -n shop',
    ],
    [
      'the deletion of a Placement',
      ['delete', 'placement', 'web'],
      'Placement shop/web selects 3 clusters: what follows its decisions removes its workloads there',
    ],
    [
      'a lower number of clusters',
      ['patch', 'placement', 'web', '--type=merge', '-p={"spec":{"numberOfClusters":2}}'],
      'Placement shop/web: spec.numberOfClusters 2 is less than the 3 selected: 1 leaves',
    ],
    [
      'no clusters at all',
      ['patch', 'placement', 'web', '--type=merge', '-p={"spec":{"numberOfClusters":0}}'],
      'Placement shop/web: spec.numberOfClusters 0 is less than the 3 selected: 3 leave',
    ],
    ['a label', ['label', 'placement', 'web', 'a=b'], ''],
  ])('a dry run on a set in use warns of %s, and refuses nothing', async (_what, command, warning) => {
    const result = await run(...command, '-n=shop', '--dry-run=server');

    expect([result.code, warnings(result)]).toEqual([0, [warning]]);
  });

  it.each([
    ['the only object of a decision is deleted', 'web', []],
    ['one of several objects is deleted once the annotation allows it', 'waves', [ALLOWED]],
  ])('%s, and is made again', async (_what, placement, annotations) => {
    const object = ['placementdecision', `${placement}-decision-1`, '-n=shop'];
    const uid = (): Promise<string> => ok('get', ...object, '--ignore-not-found', '-o=jsonpath={.metadata.uid}');
    const before = await uid();
    if (annotations.length > 0) await ok('annotate', ...object, ...annotations);
    await ok('delete', ...object);

    await waitFor('the object to be made again', async () => !['', before].includes(await uid()));
  });

  it('a decision is deleted with its Placement', async () => {
    await fleet.place('shop', 'short', { numberOfClusters: 1 });
    await waitFor('the decision', async () => (await fleet.selected('shop', 'short'))?.length === 1);

    await ok('delete', 'placement', 'short', '-n=shop');

    // A real garbage collector takes half a minute to notice new definitions.
    await waitFor(
      'the decision to be collected',
      () => ok('get', 'placementdecisions', '-n=shop', '-o=name').then((names) => !names.includes('short')),
      {
        deadlineMs: 120_000,
      },
    );
  });

  it('a namespace is deleted with its bindings and Placements while they use a set', async () => {
    await fleet.namespace('leaving', 'production');
    await fleet.place('leaving', 'web');
    await untilInUse(ManagedClusterSetBindings, { namespace: 'leaving', name: 'production' });

    await ok('delete', 'namespace', 'leaving', '--timeout=60s');

    expect(await exists(ManagedClusterSetBindings, { namespace: 'leaving', name: 'production' })).toBe(false);
  });

  describeWithPrograms('a Helm release', ['helm'], () => {
    it('a Helm release is uninstalled with its bindings and Placements while they use a set', async () => {
      const folder = path.join(server().folder, 'release');
      await mkdir(path.join(folder, 'templates'), { recursive: true });
      await writeFile(path.join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: fleet\nversion: 1.0.0\n');
      await writeFile(path.join(folder, 'templates', 'all.yaml'), release('store'));
      const env = {
        KUBECONFIG: server().adminKubeconfig,
        HELM_CACHE_HOME: path.join(folder, 'cache'),
        HELM_CONFIG_HOME: path.join(folder, 'config'),
        HELM_DATA_HOME: path.join(folder, 'data'),
      };
      const options = ['--namespace', 'store'];
      await runProgram('helm', ['install', 'fleet', folder, ...options, '--create-namespace'], { env });
      await untilInUse(ManagedClusterSetBindings, { namespace: 'store', name: 'production' });

      await runProgram('helm', ['uninstall', 'fleet', ...options, '--wait'], { env });

      expect(await exists(Placements, { namespace: 'store', name: 'web' })).toBe(false);
      expect(await exists(ManagedClusterSetBindings, { namespace: 'store', name: 'production' })).toBe(false);
    });
  });

  // Late in the file: a real garbage collector takes half a minute to notice new definitions.
  it('a set in use is not deleted by the garbage collector until it is allowed', async () => {
    await ok('create', 'clusterrole', 'owner', '--verb=get', '--resource=pods');
    const uid = await ok('get', 'clusterrole', 'owner', '-o=jsonpath={.metadata.uid}');
    const owner = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'owner', uid };
    const patch = `-p=${JSON.stringify({ metadata: { ownerReferences: [owner] } })}`;
    await ok('patch', 'mclset', 'owned', 'sibling', '--type=merge', patch);
    await fleet.bind('shop', 'owned');
    await fleet.place('shop', 'all', { ClusterSets: ['owned'] });
    await untilInUse(ManagedClusterSets, { name: 'owned' });

    await ok('delete', 'clusterrole', 'owner');
    await waitFor('the other set of the owner to be collected', async () => {
      return !(await exists(ManagedClusterSets, { name: 'sibling' }));
    });
    expect(await exists(ManagedClusterSets, { name: 'owned' })).toBe(true);

    await ok('annotate', 'mclset', 'owned', ALLOWED);
    await waitFor('the set to be gone', async () => !(await exists(ManagedClusterSets, { name: 'owned' })));
  });

  it('a set in use is deleted once the annotation allows it, and its Placement loses the clusters', async () => {
    await ok('annotate', 'mclset', 'production', ALLOWED);
    const { code, stderr } = await run('delete', 'mclset', 'production');

    expect([code, stderr]).toEqual([0, '']);
    await waitFor('the decision to be empty', async () => (await fleet.selected('shop', 'web'))?.length === 0);
    await untilInUse(ManagedClusterSetBindings, { namespace: 'shop', name: 'production' }, 'False');
  });

  it('the definition of sets is deleted with a set in use once the annotation allows it', async () => {
    await fleet.set('production');
    await untilInUse(ManagedClusterSets, { name: 'production' });

    await ok('annotate', 'crd', 'managedclustersets.cluster.fleetmgmt.io', ALLOWED);
    await ok('delete', 'crd', 'managedclustersets.cluster.fleetmgmt.io', '--timeout=60s');

    // The API server goes on serving the definition for a moment.
    await waitFor(
      'the sets to be gone',
      async () => (await server().call({ path: pathOf(ManagedClusterSets, '') })).status === 404,
    );
  });
});
