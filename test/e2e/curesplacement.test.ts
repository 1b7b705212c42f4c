import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { deployAlone, startAlone } from '../support/hub/alone.js';
import type { Pod } from '../support/hub/pod.js';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { condition, fields, items, text, type Fields } from '../support/scenario/checks/reading.js';
import { crds, install, lax } from '../support/scenario/run/stage.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';
const SHOP = `${FLEET}/namespaces/shop`;
const selecting = (operator: string): object => ({
  requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'region', operator, values: ['eu'] }] } },
});

describeWithServer(
  'the reason why a placement has no current decision',
  { own: true, capabilities: ['requestLog'] },
  (server) => {
    let controller: Pod;

    const apply = (...objects: readonly AnyObject[]): Promise<string> =>
      kubectlOk(['apply', '-f', '-'], {
        kubeconfig: server().adminKubeconfig,
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      });
    /** Applies an object that the rules of a CRD have rejected so far, once the changed rules are in force. */
    const slip = (...objects: readonly AnyObject[]): Promise<string> =>
      waitFor('the rules to be off', async (seen) => {
        return apply(...objects).catch((error: unknown) => {
          seen(error);
          return undefined;
        });
      });
    const fleet = (
      kind: string,
      name: string,
      spec: Readonly<Record<string, unknown>>,
      meta: object = {},
    ): AnyObject => ({ apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind, metadata: { name, ...meta }, spec });
    const placement = (name: string, spec: Readonly<Record<string, unknown>> = {}): AnyObject =>
      fleet('Placement', name, spec, { namespace: 'shop' });

    beforeAll(async () => {
      await deployAlone(server());
      await apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
        fleet('ManagedClusterSet', 'prod', {}),
      );
      await apply(
        ...['eu-1', 'eu-2', 'us-1'].map((name) =>
          fleet(
            'ManagedCluster',
            name,
            {},
            { labels: { 'cluster.fleetmgmt.io/clusterset': 'prod', region: name.slice(0, 2) } },
          ),
        ),
      );
      controller = await startAlone(server());
    }, 6 * MINUTE);
    afterAll(() => controller.stop(), 3 * MINUTE);

    async function read(uri: string): Promise<AnyObject> {
      const { status, body, text: answer } = await server().call({ path: uri });
      if (status !== 200) throw new Error(`${uri}: ${status} ${answer}`);
      return body;
    }

    /** Waits until a condition has this reason. */
    function reason(uri: string, type: string, wanted: string): Promise<Fields> {
      return waitFor(`${uri} ${type} ${wanted}`, async (seen) => {
        const found = condition(await read(uri), type);
        seen(found);
        return found['reason'] === wanted ? found : undefined;
      });
    }

    async function clusters(name: string): Promise<string[]> {
      const object = await read(`${SHOP}/placementdecisions/${name}-decision-1`);
      return items(fields(object.status)['decisions']).map((one) => text(one['clusterName']));
    }

    it(
      'a binding with a wrong name that was admitted under older rules is named as ignored, and a correct one is used',
      async () => {
        await install(server(), crds().map(lax));
        await slip(fleet('ManagedClusterSetBinding', 'alias', { clusterSet: 'prod' }, { namespace: 'shop' }));
        await apply(placement('all'));
        // Under the full rules the API server rejects every write of such a binding, also of its status.
        const bound = await reason(`${SHOP}/managedclustersetbindings/alias`, 'Bound', 'NameDiffers');
        await install(server(), crds());

        expect(bound['status']).toBe('False');
        const why =
          'no cluster set is bound to namespace shop: create a ManagedClusterSetBinding there, with the name of a ManagedClusterSet as metadata.name and as spec.clusterSet; ' +
          'ignored: binding alias (its name is not its spec.clusterSet, prod)';
        await waitFor(why, async (seen) => {
          const { reason: is, message } = condition(await read(`${SHOP}/placements/all`), 'PlacementSatisfied');
          seen({ is, message });
          return is === 'NoManagedClusterSetBindings' && message === why;
        });
        expect(await clusters('all')).toEqual([]);

        await apply(fleet('ManagedClusterSetBinding', 'prod', { clusterSet: 'prod' }, { namespace: 'shop' }));
        await reason(`${SHOP}/placements/all`, 'PlacementSatisfied', 'AllDecisionsScheduled');
        expect((await clusters('all')).sort()).toEqual(['eu-1', 'eu-2', 'us-1']);
        expect((await read(`${SHOP}/placements/all`)).metadata?.generation).toBe(1);
      },
      5 * MINUTE,
    );

    it(
      'an invalid predicate that was admitted under older rules is named, the last decision stays, and a corrected one is used',
      async () => {
        await apply(placement('europe', { predicates: [selecting('In')] }));
        await reason(`${SHOP}/placements/europe`, 'Ready', 'DecisionPublished');
        const before = await read(`${SHOP}/placementdecisions/europe-decision-1`);
        await install(server(), crds().map(lax));
        await slip(placement('europe', { predicates: [selecting('Near')] }));
        await install(server(), crds());

        const misconfigured = await reason(`${SHOP}/placements/europe`, 'PlacementMisconfigured', 'Misconfigured');
        expect(misconfigured).toMatchObject({
          status: 'True',
          message: expect.stringMatching(
            /^spec\.predicates\[0\]\.requiredClusterSelector\.labelSelector\.matchExpressions\[0\]\.operator: .*"?Near"?/,
          ),
        });
        const stalled = await read(`${SHOP}/placements/europe`);
        expect([
          condition(stalled, 'Stalled')['reason'],
          condition(stalled, 'Ready')['status'],
          fields(stalled.status)['phase'],
        ]).toEqual(['Misconfigured', 'False', 'Misconfigured']);
        expect((await read(`${SHOP}/placementdecisions/europe-decision-1`)).metadata?.resourceVersion).toBe(
          before.metadata?.resourceVersion,
        );

        await apply(placement('europe', { predicates: [selecting('NotIn')] }));
        await waitFor('the decision to follow', async () => (await clusters('europe')).join() === 'us-1');
        // Decisions are written before the status that reports them.
        await reason(`${SHOP}/placements/europe`, 'Ready', 'DecisionPublished');
        expect(condition(await read(`${SHOP}/placements/europe`), 'Stalled')).toEqual({});
      },
      5 * MINUTE,
    );

    it(
      'a label key that no cluster can have, which admission accepts, is named, too',
      async () => {
        await apply(
          placement('typo', {
            predicates: [
              {
                requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'a b', operator: 'Exists' }] } },
              },
            ],
          }),
        );

        const misconfigured = await reason(`${SHOP}/placements/typo`, 'PlacementMisconfigured', 'Misconfigured');
        expect(misconfigured['message']).toMatch(
          /^spec\.predicates\[0\]\.requiredClusterSelector\.labelSelector\.matchExpressions\[0\]\.key: .*"?a b"?/,
        );
      },
      3 * MINUTE,
    );

    it(
      'a cluster whose label names no set says so, until the label is corrected',
      async () => {
        const label = 'cluster.fleetmgmt.io/clusterset';
        const status = { clusterClaims: [{ name: 'platform', value: 'aws' }] };
        await apply(fleet('ManagedCluster', 'lost', {}, { labels: { [label]: 'pord' } }));
        const kubeconfig = server().adminKubeconfig;
        await kubectlOk(
          ['patch', 'mcl', 'lost', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })],
          {
            kubeconfig,
          },
        );

        const missing = await reason(`${FLEET}/managedclusters/lost`, 'ClusterSetMissing', 'NoSuchClusterSet');
        expect(missing['message']).toBe(`label ${label}=pord: there is no ManagedClusterSet pord`);
        expect(await kubectlOk(['get', 'mcl', 'lost', '--no-headers'], { kubeconfig })).toMatch(
          /^lost +pord +NoSuchClusterSet /,
        );

        await kubectlOk(['label', 'mcl', 'lost', `${label}=prod`, '--overwrite'], { kubeconfig });
        await waitFor('the condition to go', async (seen) => {
          const found = await read(`${FLEET}/managedclusters/lost`);
          seen(found.status);
          return condition(found, 'ClusterSetMissing')['type'] === undefined || undefined;
        });
        expect(fields((await read(`${FLEET}/managedclusters/lost`)).status)['clusterClaims']).toEqual(
          status.clusterClaims,
        );
      },
      3 * MINUTE,
    );
  },
);
