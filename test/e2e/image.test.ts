import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, expect, it } from '@jest/globals';

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
const IMAGE = 'registry.example.com/fleet/engine:9.9.9';
const IMAGES =
  '-o=jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/name} {.spec.containers[*].image}{"\\n"}{end}';

describeWithServer(
  'make deploy IMAGE=… on a hub',
  { own: true, capabilities: ['pods', 'rollouts', 'serviceAccounts'] },
  (server) => {
    let operator: Pod | undefined;
    afterAll(() => operator?.stop(), MINUTE);

    /** `NAME IMAGE` of each pod of a namespace, without repetitions. */
    async function pods(namespace: string): Promise<string[]> {
      const text = await kubectlOk(['get', 'pods', '-n', namespace, IMAGES], { kubeconfig: server().adminKubeconfig });
      return [...new Set(text.split('\n').filter((line) => line !== ''))].sort();
    }

    it(
      'make deploy IMAGE=… runs the pods of the operator and of all components with that image',
      async () => {
        await server().addNode({ name: 'node-a' });
        await promisify(execFile)('make', ['deploy', `IMAGE=${IMAGE}`], {
          cwd: root,
          env: { ...process.env, PATH: pathWithKubectl(), KUBECONFIG: server().adminKubeconfig },
        });
        await kindsServed(server());
        const { text } = await server().call({
          path: `/apis/apps/v1/namespaces/${OPERATOR_NAMESPACE}/deployments/${OPERATOR_SERVICE_ACCOUNT}`,
        });
        const deployment: unknown = JSON.parse(text);
        if (!isDeployment(deployment)) throw new Error(text);
        operator = await startPod(server(), deployment, { name: 'operator-0' });
        const admin = { kubeconfig: server().adminKubeconfig };
        await kubectlOk(['apply', '-f', `${root}/examples/engine.yaml`], admin);
        await kubectlOk(['wait', '--for=condition=Ready', '--timeout=120s', 'mce/engine'], admin);

        const wanted = ['gateway', 'placement-controller'].map((name) => `${name} ${IMAGE}`);
        await waitFor('the pods of the components', async (seen) => {
          const found = await pods(DEFAULT_TARGET_NAMESPACE);
          seen(found);
          return found.join() === wanted.join();
        });
        expect(await pods(OPERATOR_NAMESPACE)).toEqual([`${OPERATOR_SERVICE_ACCOUNT} ${IMAGE}`]);
      },
      6 * MINUTE,
    );
  },
);
