import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { pathWithPlugin } from '../support/clients/plugin.js';
import { MANIFESTS } from '../support/definitions/manifests.js';
import { Flux } from '../support/flux/flux.js';
import { Hub } from '../support/hub/hub.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';
import { root } from '../support/repository/root.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
const WEB = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/web/placements/web';
const CHART = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/web/placements/chart';
const ENGINE = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines/engine';
const EDGE = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/edge-1';
const HUB = { capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] } as const;

const FLEET = `
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSet
metadata: {name: berlin}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSetBinding
metadata: {name: berlin, namespace: web}
spec: {clusterSet: berlin}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata: {name: edge-1, labels: {cluster.fleetmgmt.io/clusterset: berlin}}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata: {name: edge-2, labels: {cluster.fleetmgmt.io/clusterset: berlin}}
`;

function placement(name: string, spec: object, annotations: object = {}): string {
  const metadata = { name, namespace: 'web', annotations };
  return JSON.stringify({ apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', metadata, spec });
}

/** The folder of the fleet in Git, with these Placements. */
function fleet(placements: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const engine = readFileSync(path.join(root, 'examples/engine.yaml'), 'utf8');
  const files = { 'fleet.yaml': FLEET, 'engine.yaml': engine, ...placements };
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`fleet/${file}`, text]));
}

/** A manifest of each kind that people keep in Git. The hub has an engine already. */
const FULL = {
  'full/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: full}\n',
  ...Object.fromEntries(
    Object.entries(MANIFESTS)
      .filter(([kind]) => kind !== 'PlacementDecision')
      .map(([kind, text]) => {
        const isNamespaced = ['Placement', 'ManagedClusterSetBinding'].includes(kind);
        const metadata = `{name: full${isNamespaced ? ', namespace: full' : ''}}`;
        return [`full/${kind}.yaml`, `kind: ${kind}\nmetadata: ${metadata}${text}\n`];
      }),
  ),
};

const two = fleet({ 'web.yaml': placement('web', { numberOfClusters: 2 }) });

describeWithBuiltProgram('Flux on a hub', 'flux', (_run, kustomize) => {
  describeWithBuiltProgram(
    'its controllers of Kustomizations and of Helm releases',
    'helm-controller',
    (_again, helm) => {
      describeWithServer('Flux on a hub', { own: true, ...HUB }, (server) => {
        let hub: Hub;
        let flux: Flux;
        let reader: ReaderSession;

        beforeAll(async () => {
          hub = await Hub.open(server());
          flux = await Flux.install(server(), { flux: kustomize, 'helm-controller': helm });
          const PATH = pathWithPlugin(path.join(server().folder, 'bin'));
          reader = new ReaderSession(server().folder, { PATH, KUBECONFIG: server().adminKubeconfig });
        }, 4 * MINUTE);
        afterAll(async () => {
          await flux.stop();
          await hub.stop();
        }, MINUTE);

        it(
          'a Kustomization that waits is ready once the engine is available and the Placement decided',
          async () => {
            const revision = await flux.commit(fleet({ 'web.yaml': placement('web', { numberOfClusters: 1 }) }));
            await flux.kustomize('fleet', true);
            await flux.applied('fleet', revision);

            expect((await hub.get(ENGINE))?.status).toMatchObject({ phase: 'Available' });
            expect((await hub.get(WEB))?.status).toMatchObject({ phase: 'Satisfied', numberOfSelectedClusters: 1 });
          },
          4 * MINUTE,
        );

        it(
          'it waits while a Placement is not decided, and fails with the name of one that is misconfigured',
          async () => {
            const placements = await hub.placementController(DEFAULT_TARGET_NAMESPACE);
            placements.kill('SIGSTOP');
            const revision = await flux.commit(two);
            await flux.report('fleet', 'to wait for the Placement', ({ ready, doing, attempted }) => {
              return attempted === revision && ready[0] === 'Unknown' && doing.startsWith('Running health checks');
            });
            placements.kill('SIGCONT');
            await flux.applied('fleet', revision);
            expect((await hub.get(WEB))?.status).toMatchObject({ numberOfSelectedClusters: 2 });

            const changeWindows = [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Mars/Phobos' }];
            await flux.commit(fleet({ 'web.yaml': placement('web', { numberOfClusters: 2, changeWindows }) }));
            const { ready } = await flux.report('fleet', 'to fail', ({ ready: [status] }) => status === 'False');
            expect(ready[1]).toBe('HealthCheckFailed');
            // What is wrong with it stands in its own conditions alone.
            expect(ready[2]).toContain("failed early due to stalled resources: [Placement/web/web status: 'Failed']");
            expect(JSON.stringify((await hub.get(WEB))?.status)).toContain('Mars/Phobos');
            await flux.applied('fleet', await flux.commit(two));
          },
          4 * MINUTE,
        );

        it(
          'what kubectl has written becomes that of Git, also where kubectl has made the Placement; what the commands have written stays',
          async () => {
            await hub.kubectl(
              'patch',
              'placement',
              'web',
              '-n',
              'web',
              '--type=merge',
              '-p',
              '{"spec":{"numberOfClusters":1}}',
            );
            await hub.kubectl('label', 'placement', 'web', '-n', 'web', 'colour=red');
            await hub.apply(JSON.parse(placement('later', { numberOfClusters: 1, ClusterSets: ['berlin'] })));
            await reader.succeeds('kubectl mce cordon edge-1');
            const files = { ...two, 'fleet/later.yaml': placement('later', { ClusterSets: ['berlin'] }) };
            await flux.applied('fleet', await flux.commit(files));

            const web = await hub.get(WEB);
            expect([web?.spec, web?.metadata?.labels?.['colour']]).toEqual([{ numberOfClusters: 2 }, undefined]);
            expect((await hub.get(WEB.replace(/web$/, 'later')))?.spec).toEqual({ ClusterSets: ['berlin'] });
            expect((await hub.get(EDGE))?.spec).toMatchObject({ maintenance: 'Cordoned' });
          },
          3 * MINUTE,
        );

        it(
          'nothing is written at rest: neither by a reconciliation, nor by the controllers after it, whatever the manifests say',
          async () => {
            const files = { ...two, 'fleet/later.yaml': placement('later', { ClusterSets: ['berlin'] }), ...FULL };
            const revision = await flux.commit(files);
            await flux.kustomize('full', false);
            await flux.applied('full', revision);
            await flux.applied('fleet', revision);
            await hub.settled();
            const kinds = `${Object.keys(MANIFESTS).join()},namespaces`;
            const template =
              'jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}';
            const versions = (): Promise<string> => hub.kubectl('get', kinds, '-A', '-o', template);
            const before = await versions();
            const mark = await server().logMark();

            for (const name of ['fleet', 'full', 'fleet', 'full']) await flux.reconcile(name);
            await hub.settled();
            expect(await versions()).toBe(before);
            expect(await hub.writes(mark)).toEqual([]);
          },
          3 * MINUTE,
        );

        it(
          'a Placement that leaves Git is deleted with its decision, unless its annotation says otherwise',
          async () => {
            const kept = placement('web', { numberOfClusters: 2 }, { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' });
            const later = placement('later', { ClusterSets: ['berlin'] });
            await flux.applied(
              'fleet',
              await flux.commit({ ...fleet({ 'web.yaml': kept, 'later.yaml': later }), ...FULL }),
            );
            await flux.applied('fleet', await flux.commit({ ...fleet({}), ...FULL }));

            await waitFor('the decision of the deleted Placement to go', async (seen) => {
              const names = await hub.kubectl('get', 'placements,placementdecisions', '-n', 'web', '-o', 'name');
              seen(names);
              return (
                names
                  .trim()
                  .split('\n')
                  .map((name) => name.split('/')[1])
                  .join() === 'web,web-decision-1'
              );
            });
          },
          3 * MINUTE,
        );

        it(
          'a HelmRelease is ready once the Placement of its chart is decided, and fails when it is misconfigured',
          async () => {
            const placements = await hub.placementController(DEFAULT_TARGET_NAMESPACE);
            placements.kill('SIGSTOP');
            await flux.release('1.0.0', { 'placement.yaml': placement('chart', { numberOfClusters: 1 }) });
            await waitFor('the chart to be installed', () => hub.get(CHART));
            const { doing } = await flux.released('to wait', ({ ready }) => ready[0] === 'Unknown');
            expect(doing).toContain("Running 'install' action");
            placements.kill('SIGCONT');
            await flux.released('to be ready', ({ ready, attempted }) => ready[0] === 'True' && attempted === '1.0.0');
            expect((await hub.get(CHART))?.status).toMatchObject({ phase: 'Satisfied' });

            const changeWindows = [{ start: 'Mon 22:00', duration: '4h', timeZone: 'Mars/Phobos' }];
            await flux.release('2.0.0', {
              'placement.yaml': placement('chart', { numberOfClusters: 1, changeWindows }),
            });
            const { ready } = await flux.released('to fail', ({ ready: [status] }) => status === 'False');
            expect(ready[2]).toContain("failed early due to stalled resources: [Placement/web/chart status: 'Failed']");
          },
          3 * MINUTE,
        );
      });
    },
  );
});
