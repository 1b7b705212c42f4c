import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT } from '../../src/api/names.js';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { isDeployment } from '../support/hub/deployment.js';
import { startPod, type Pod } from '../support/hub/pod.js';
import { root } from '../support/repository/root.js';

const MINUTE = 60_000;
const IMAGES =
  '-o=jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/name} {.spec.containers[*].image}{"\\n"}{end}';

describeWithServer(
  'make deploy IMAGE=… on a hub',
  { own: true, capabilities: ['pods', 'rollouts', 'serviceAccounts'] },
  (server) => {
    let operator: Pod | undefined;
    beforeAll(() => server().addNode({ name: 'node-a' }), MINUTE);
    afterAll(() => operator?.stop(), MINUTE);

    function kubectl(...args: readonly string[]): Promise<string> {
      return kubectlOk(args, { kubeconfig: server().adminKubeconfig });
    }

    async function make(...args: readonly string[]): Promise<void> {
      const env = { ...process.env, PATH: pathWithKubectl(), KUBECONFIG: server().adminKubeconfig };
      await promisify(execFile)('make', args, { cwd: root, env });
    }

    /** Runs what the pods of the operator's Deployment would run now, and waits until an engine is available. */
    async function operate(name: string): Promise<void> {
      await operator?.stop();
      const { text } = await server().call({
        path: `/apis/apps/v1/namespaces/${OPERATOR_NAMESPACE}/deployments/${OPERATOR_SERVICE_ACCOUNT}`,
      });
      const deployment: unknown = JSON.parse(text);
      if (!isDeployment(deployment)) throw new Error(text);
      operator = await startPod(server(), deployment, { name });
      await kubectl('apply', '-f', `${root}/examples/engine.yaml`);
      await kubectl('wait', '--for=condition=Ready', '--timeout=120s', 'mce/engine');
    }

    /** Waits until all pods of the operator and of the components have this image, and no others are left. */
    async function allPodsRun(image: string): Promise<void> {
      const wanted = ['gateway', OPERATOR_SERVICE_ACCOUNT, 'placement-controller'].map((name) => `${name} ${image}`);
      await waitFor(`all pods to run ${image}`, async (seen) => {
        const lists = [OPERATOR_NAMESPACE, DEFAULT_TARGET_NAMESPACE].map((one) =>
          kubectl('get', 'pods', '-n', one, IMAGES),
        );
        const lines = (await Promise.all(lists)).join('').split('\n');
        const found = [...new Set(lines.filter((line) => line !== ''))].sort();
        seen(found);
        return found.join() === wanted.join();
      });
    }

    it(
      'make deploy IMAGE=… runs the pods of the operator and of all components with that image',
      async () => {
        await make('deploy', 'IMAGE=registry.example.com/fleet/engine:9.9.8');
        await kindsServed(server());
        await operate('operator-0');

        await allPodsRun('registry.example.com/fleet/engine:9.9.8');
      },
      5 * MINUTE,
    );

    it(
      'kubectl apply -f dist/install.yaml updates all pods to the image of make manifests IMAGE=…',
      async () => {
        await make('manifests', 'IMAGE=registry.example.com/fleet/engine:9.9.9');
        await kubectl('apply', '-f', `${root}/dist/definitions.yaml`, '-f', `${root}/dist/install.yaml`);
        await operate('operator-1');

        await allPodsRun('registry.example.com/fleet/engine:9.9.9');
      },
      5 * MINUTE,
    );
  },
);
