/**
 * Uninstalling in the wrong order. People ran `kubectl delete -k` of the whole installation while an engine existed: the
 * definitions went with every Placement and decision, the command hung in the engine's finalizer, which nobody was left to
 * remove, and the next installation lost its definitions to the old deletion. `kubectl delete crd` took a fleet's data alone.
 *
 * Right is: what removes the operator never removes data, and is refused while an engine needs it; what removes data is
 * refused until somebody has said so on the object; a refused command can be repeated without harm; one reinstallation brings
 * back whatever a refused command has taken.
 */
import path from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';

import {
  AGENTS_NAMESPACE,
  ALLOW_DELETION_ANNOTATION,
  CLEANUP_FINALIZER,
  OPERATOR_NAMESPACE,
} from '../../src/api/names.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk, type KubectlResult } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay, definitionsFolder, servedFolder } from '../support/hub/overlays.js';
import { root } from '../support/repository/root.js';

const MINUTE = 60_000;

const CRDS = path.join(root, 'crds');
const ALLOWED = `${ALLOW_DELETION_ANNOTATION}=true`;
const ENGINE_FIRST =
  'engine engine exists, and only the operator can delete it: kubectl delete mce engine first; ' +
  'annotation cluster.fleetmgmt.io/allow-deletion: "true" lets this object go';
const UIDS = '-o=jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\\n"}{end}';
/** One object of each kind of a fleet, and the identity of an agent. */
const FLEET = `
{apiVersion: multicluster.platform.io/v1alpha1, kind: MultiClusterEngine, metadata: {name: engine, finalizers: [${CLEANUP_FINALIZER}]}}
---
{apiVersion: cluster.fleetmgmt.io/v1alpha1, kind: ManagedClusterSet, metadata: {name: production}}
---
{apiVersion: cluster.fleetmgmt.io/v1alpha1, kind: ManagedCluster, metadata: {name: prod-1}}
---
{apiVersion: cluster.fleetmgmt.io/v1alpha1, kind: ManagedClusterSetBinding, metadata: {name: production, namespace: default}, spec: {clusterSet: production}}
---
{apiVersion: cluster.fleetmgmt.io/v1alpha1, kind: Placement, metadata: {name: web, namespace: default}}
---
{apiVersion: cluster.fleetmgmt.io/v1alpha1, kind: PlacementDecision, metadata: {name: web-decision-1, namespace: default}, status: {decisions: [{clusterName: prod-1, reason: ""}]}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: prod-1, namespace: ${AGENTS_NAMESPACE}}}
`;
const KINDS = ['mce', 'mclset', 'mcl', 'mclsetbinding', 'placement', 'placementdecision'];
/** What stays without the operator. */
const DATA = KINDS.slice(1);
const PLURALS = [
  'managedclusters',
  'managedclustersetbindings',
  'managedclustersets',
  'multiclusterengines',
  'placementdecisions',
  'placements',
];
const HUB = { capabilities: ['garbageCollection', 'namespaceDeletion'] } as const;

describeWithServer('uninstalling in any order', { own: true, ...HUB }, (server) => {
  const run = (...args: readonly string[]): Promise<KubectlResult> =>
    kubectl(args, { kubeconfig: server().adminKubeconfig });
  const ok = (...args: readonly string[]): Promise<string> => kubectlOk(args, { kubeconfig: server().adminKubeconfig });

  /** The objects of the fleet with their uids: whatever is deleted and made anew has another one. */
  async function fleet(kinds = KINDS): Promise<string> {
    const identity = await ok('get', 'sa', 'prod-1', '-n', AGENTS_NAMESPACE, '-o=jsonpath={.metadata.uid}');
    return (await ok('get', kinds.join(), UIDS)) + identity;
  }

  async function install(overlay: string): Promise<void> {
    await applyOverlay(server(), overlay);
    await kindsServed(server());
    await kubectlOk(['apply', '-f', '-'], { kubeconfig: server().adminKubeconfig, input: FLEET });
    for (const what of ['crd/placements.cluster.fleetmgmt.io', `namespace/${OPERATOR_NAMESPACE}`])
      await waitFor(`the deletion of ${what} to be refused`, async (seen) => {
        const { stderr } = await run('delete', what, '--dry-run=server');
        seen(stderr);
        return stderr.includes('denied request');
      });
  }

  /** The deletion of the engine, with what the operator does at its end. */
  async function deleteEngine(): Promise<void> {
    await ok('delete', 'mce', 'engine', '--wait=false');
    await ok('patch', 'mce', 'engine', '--type=merge', '-p={"metadata":{"finalizers":null}}');
    await waitFor('the engine to be gone for the policies too', async (seen) => {
      const { stderr } = await run('delete', 'namespace', OPERATOR_NAMESPACE, '--dry-run=server');
      seen(stderr);
      return !stderr.includes('denied request');
    });
  }

  /** What the refusals say, each once, without the object and the policy. */
  function refusals({ stderr }: KubectlResult): string[] {
    const said = [...stderr.matchAll(/ denied request: (.*)$/gm)].map(([, text = '']) => text);
    return [...new Set(said)].sort();
  }

  /** The data that the deletion of each overlay has left. */
  const kept: string[] = [];

  // The overlay ha has the objects of default.
  describe.each(['namespaced', 'default'])('deploy/overlays/%s', (overlay) => {
    let before = '';
    let folder = '';

    beforeAll(async () => {
      await install(overlay);
      before = await fleet();
      folder = await servedFolder(server(), overlay);
    }, 3 * MINUTE);

    it(
      `the deletion of overlay ${overlay} is refused while an engine exists, however often, and takes no data`,
      async () => {
        for (let time = 0; time < 2; time++) {
          const result = await run('delete', '-k', folder, '--ignore-not-found', '--timeout=60s');

          expect([result.code, refusals(result)]).toEqual([1, [ENGINE_FIRST]]);
          expect(await fleet()).toBe(before);
        }
        const operator = ['deployment,sa', '-n', OPERATOR_NAMESPACE, '-o=name'];
        expect((await ok('get', ...operator)).match(/\/multicluster-engine-operator$/gm)).toHaveLength(2);
        const rights = await ok('get', 'clusterroles,clusterrolebindings', '-o=name');
        expect(rights.match(/\/multicluster-engine-(operator|agents)$/gm)).toHaveLength(4);
        expect(rights).toContain('clusterrole.rbac.authorization.k8s.io/multicluster-engine-placement-controller');
      },
      3 * MINUTE,
    );

    it(
      `one installation of overlay ${overlay} brings back what the refused deletion has taken`,
      async () => {
        await install(overlay);

        await ok('get', '-k', folder);
        await ok('get', '-k', definitionsFolder);
        expect(await fleet()).toBe(before);
      },
      2 * MINUTE,
    );

    it(
      `without an engine overlay ${overlay} is deleted, and the data stays`,
      async () => {
        await deleteEngine();
        const data = await fleet(DATA);

        const { code, stderr } = await run('delete', '-k', folder, '--ignore-not-found', '--timeout=120s');
        expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
        expect(await fleet(DATA)).toBe(data);
        expect((await run('delete', '-f', CRDS)).code).toBe(1);
        kept.push(data);
      },
      5 * MINUTE,
    );
  });

  describe('the definitions', () => {
    beforeAll(() => install('default'), 3 * MINUTE);

    it('each installation has the data that the deletion of the one before it has left', async () => {
      const data = await fleet(DATA);

      expect(kept).toEqual([data, data]);
    });

    it.each([
      ['kubectl delete -f crds/', ['delete', '-f', CRDS]],
      ['kubectl delete crd --all', ['delete', 'crd', '--all']],
    ])('%s is refused for each of the six, and says what would go', async (_what, command) => {
      const before = await fleet();
      const result = await run(...command);

      expect([result.code, refusals(result)]).toEqual([
        1,
        PLURALS.map(
          (plural) =>
            `with it go all ${plural} of the hub, and what follows the decisions removes its workloads; ` +
            'annotation cluster.fleetmgmt.io/allow-deletion: "true" lets it go; where the same command deletes this ' +
            'policy too, nothing refuses it a second time: kubectl apply -k deploy/definitions restores it',
        ),
      ]);
      expect(await fleet()).toBe(before);
    });

    it('the deletion of the collection of all definitions is refused', async () => {
      const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
      const { status, text } = await server().call({ method: 'DELETE', path: collection });

      expect([status, text]).toEqual([403, expect.stringContaining('multicluster-engine-definitions')]);
    });

    it('the namespace of the agents is not deleted with their identities', async () => {
      const result = await run('delete', 'namespace', AGENTS_NAMESPACE);

      expect(refusals(result)).toEqual([expect.stringContaining('every cluster would have to join again')]);
    });

    it(
      'definitions that somebody has allowed to go are deleted, and the next installation has them again',
      async () => {
        await deleteEngine();
        await ok('annotate', '-f', CRDS, ALLOWED);
        await ok('annotate', 'namespace', AGENTS_NAMESPACE, ALLOWED);
        await ok('delete', '-k', definitionsFolder, '--timeout=6m');
        expect(await ok('get', 'crd', '-o=name')).toBe('');

        await install('default');
        expect(await ok('get', 'placement', '-o=name')).toBe('placement.cluster.fleetmgmt.io/web\n');
      },
      8 * MINUTE,
    );
  });
});
