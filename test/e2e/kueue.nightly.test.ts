import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { installCrds, kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { ManagedClusters } from '../../src/api/resources.js';
import { runComponents, type Components } from '../support/hub/components.js';
import { isDeployment } from '../support/hub/deployment.js';
import { applyFolder, withComponents } from '../support/hub/overlays.js';
import { startPod, type Pod } from '../support/hub/pod.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';
import { root } from '../support/repository/root.js';
import { Fleet } from '../support/rigs/server/placement.js';
import { rendered } from '../integration/deploy/overlay.js';

const LONG_MS = 240_000;
/** Of Kueue, and of the ClusterProfiles that it reads. */
const NAMESPACE = 'cluster-inventory';
const HUB = { capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] } as const;
const CHECK = '/apis/kueue.x-k8s.io/v1beta2/admissionchecks/gpus';

/** What Kueue is told: a check that uses a config, which follows a Placement, and the clusters that Kueue can reach. */
const CONFIGURATION = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: gpus}
spec:
  controllerName: kueue.x-k8s.io/multikueue
  parameters: {apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: gpus}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueConfig
metadata: {name: gpus, annotations: {cluster.fleetmgmt.io/follows-placement: team/gpus}}
spec: {clusters: [any]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueCluster
metadata: {name: edge-1}
spec: {clusterSource: {kubeConfig: {locationType: Secret, location: edge-1}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: MultiKueueCluster
metadata: {name: edge-3}
spec: {clusterSource: {clusterProfileRef: {name: edge-3}}}
`;

describeWithBuiltProgram('Kueue on a hub with its options', 'kueue', (_run, program) => {
  describeWithServer(
    'Kueue on a hub with deploy/multikueue and deploy/cluster-profiles',
    { own: true, ...HUB },
    (server) => {
      let pod: Pod;
      let components: Components | undefined;
      let worker: ControlPlane;
      let kueue: Child;
      let fleet: Fleet;

      beforeAll(async () => {
        const admin = { kubeconfig: server().adminKubeconfig };
        const definitions = path.join(path.dirname(program), 'kueue-definitions');
        const folder = await withComponents(server(), 'default', ['multikueue', 'cluster-profiles']);
        await kubectlOk(['create', 'namespace', NAMESPACE], admin);
        await applyFolder(server(), folder);
        await installCrds(server(), definitions);
        const profiles = path.join(root, 'test', 'support', 'definitions', 'clusterprofiles.yaml');
        await kubectlOk(['apply', '--server-side', '-f', profiles], admin);
        await kindsServed(server());
        fleet = new Fleet(server());
        const objects: readonly unknown[] = await rendered(server(), folder);
        const operator = objects
          .filter(isDeployment)
          .find(({ metadata }) => metadata.name === 'multicluster-engine-operator');
        if (operator === undefined) throw new Error('no operator is rendered');
        pod = await startPod(server(), operator, { name: 'operator-0' });
        await pod.ready();
        await kubectlOk(['apply', '-f', path.join(root, 'examples', 'engine.yaml')], admin);
        components = runComponents(server());

        worker = await startBackend('embedded', { size: 'hub', label: 'edge-1' });
        await installCrds(worker, definitions);
        // Kueue takes no kubeconfig that names files.
        const kubeconfig = await kubectlOk(['config', 'view', '--flatten', '--raw'], {
          kubeconfig: worker.adminKubeconfig,
        });
        const secret = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'edge-1', namespace: NAMESPACE },
          stringData: { kubeconfig },
        };
        await kubectlOk(['apply', '-f', '-'], { ...admin, input: JSON.stringify(secret) });
        await kubectlOk(['apply', '-f', '-'], { ...admin, input: CONFIGURATION });
        const log = openSync(path.join(server().folder, 'kueue.log'), 'a');
        const env = { PATH: process.env['PATH'] ?? '', KUBECONFIG: server().adminKubeconfig };
        kueue = await startChild({
          command: [program, NAMESPACE, path.join(path.dirname(program), 'secretreader')],
          env,
          output: log,
        });
        closeSync(log);
      }, LONG_MS);
      afterAll(async () => {
        await kueue.stop();
        await components?.stop();
        await pod.stop();
        await worker.stop();
        await fleet.close();
      }, LONG_MS);

      /** Waits until Kueue reports this of the clusters of the config. */
      const reports = (text: string): Promise<true> =>
        waitFor(
          `Kueue to report ${text}`,
          async (seen) => {
            const { body } = await server().call({ path: CHECK });
            const { conditions = [] } = Object(body.status);
            const [condition] = conditions;
            seen(conditions);
            return String(condition?.message).includes(text) || undefined;
          },
          { deadlineMs: 120_000 },
        );

      /** Waits until Kueue says of a cluster that it is connected or not, and why. */
      const connects = (name: string, status: string, text: string): Promise<true> =>
        waitFor(
          `Kueue to report ${status} of ${name}`,
          async (seen) => {
            const { body } = await server().call({ path: `/apis/kueue.x-k8s.io/v1beta2/multikueueclusters/${name}` });
            const { conditions = [] } = Object(body.status);
            const [condition] = conditions;
            seen(conditions);
            return (condition?.status === status && String(condition?.message).includes(text)) || undefined;
          },
          { deadlineMs: 150_000 },
        );

      it(
        'Kueue uses the clusters of the decision, and follows each change of it',
        async () => {
          await reports('Missing clusters: [any]');
          await fleet.set('fleet');
          await fleet.namespace('team', 'fleet');
          await fleet.cluster('edge-1', 'fleet');
          await fleet.place('team', 'gpus', {});
          await reports('The admission check is active');

          await fleet.cluster('edge-2', 'fleet');
          await reports('Missing clusters: [edge-2]');

          await kubectlOk(
            ['label', 'managedclusters.cluster.fleetmgmt.io', 'edge-2', 'cluster.fleetmgmt.io/clusterset-'],
            {
              kubeconfig: server().adminKubeconfig,
            },
          );
          await reports('The admission check is active');
          expect((await server().call({ path: CHECK })).body.status).toMatchObject({
            conditions: [{ type: 'Active', status: 'True' }],
          });
        },
        LONG_MS,
      );

      it(
        'Kueue reaches a cluster by the ClusterProfile that the hub publishes, until the cluster has been gone for a minute',
        async () => {
          const token = await worker.tokenFor({ user: 'admin' });
          // The plugin takes the Secret with the name of the cluster, in the namespace of the kubeconfig.
          await kubectlOk(['create', 'secret', 'generic', 'edge-3', '-n', 'default', `--from-literal=token=${token}`], {
            kubeconfig: server().adminKubeconfig,
          });
          const caBundle = readFileSync(worker.caFile).toString('base64');
          await fleet.cluster('edge-3', 'fleet');
          await fleet.report({
            metadata: { name: 'edge-3' },
            status: { managedClusterClientConfigs: [{ url: worker.url, caBundle }] },
          });
          await connects('edge-3', 'True', 'Connected');
          await reports('The admission check is active');

          await fleet.remove(ManagedClusters, { name: 'edge-3' });
          await connects('edge-3', 'False', 'not found');
        },
        LONG_MS,
      );
    },
  );
});
