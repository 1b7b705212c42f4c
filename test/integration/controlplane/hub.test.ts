import { expect, test } from '@jest/globals';

import { describeWithServer, testNeeding } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk, kubectlStream } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: sleeper, namespace: play}
spec:
  replicas: 1
  selector: {matchLabels: {app: sleeper}}
  template:
    metadata: {labels: {app: sleeper}}
    spec:
      nodeSelector: {room: quiet}
      tolerations: [{key: nap, operator: Exists}]
      containers: [{name: main, image: none}]
`;

describeWithServer(
  'a hub',
  { capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] },
  (server) => {
    test('a hub rolls a Deployment out once there is a fitting node, and empties a namespace that is deleted', async () => {
      const admin = { kubeconfig: server().adminKubeconfig };
      await server().addNode({ name: 'loud' });
      await kubectlOk(['create', 'namespace', 'play'], admin);
      const watch = await kubectlStream(
        ['get', 'deployments', '-n', 'play', '-w', '--no-headers'],
        server().adminKubeconfig,
      );

      await kubectlOk(['apply', '-f', '-'], { ...admin, input: DEPLOYMENT });
      await watch.line('sleeper with 0 of 1 ready', (line) => /^sleeper +0\/1 +1 /.test(line));
      await quietWindow(1000);
      const before = [...watch.lines];
      await server().addNode({
        name: 'quiet',
        labels: { room: 'quiet' },
        taints: [{ key: 'nap', effect: 'NoSchedule' }],
      });
      await watch.line('sleeper with 1 of 1 ready', (line) => /^sleeper +1\/1 +1 +1 /.test(line));
      await watch.stop();
      const token = await server().tokenFor({ serviceAccount: { namespace: 'play', name: 'default' } });
      const { status: known } = await server().call({ path: '/version', token });
      await kubectlOk(['delete', 'namespace', 'play', '--wait=false'], admin);

      expect(before.filter((line) => line.includes('1/1'))).toEqual([]);
      expect(known).toBe(200);
      await waitFor(
        'namespace play to go',
        async (seen) => {
          const { status, text } = await server().call({ path: '/api/v1/namespaces/play' });
          seen(text);
          return status === 404;
        },
        { deadlineMs: 120_000 },
      );
    }, 300_000);

    testNeeding('pods')('a hub schedules the pods of a Deployment to a fitting node (pods)', async () => {
      const admin = { kubeconfig: server().adminKubeconfig };
      await kubectlOk(['create', 'namespace', 'nap'], admin);
      await kubectlOk(['apply', '-f', '-'], {
        ...admin,
        input: DEPLOYMENT.replace('namespace: play', 'namespace: nap'),
      });
      await kubectlOk(['rollout', 'status', '-n', 'nap', 'deployment/sleeper', '--timeout=120s'], admin);

      expect(await kubectlOk(['get', 'pods', '-n', 'nap', '-o', 'jsonpath={.items[*].spec.nodeName}'], admin)).toBe(
        'quiet',
      );
    });
  },
);
