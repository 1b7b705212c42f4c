import { expect, test } from '@jest/globals';

import { describeWithServer } from '../../support/controlplane/suite.js';
import { kubectlOk, kubectlStream } from '../../support/kubectl.js';
import { waitFor } from '../../support/wait.js';

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

describeWithServer('a hub', { capabilities: ['pods', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] }, (server) => {
  test('schedules the pods of a Deployment to a fitting node, and empties a namespace that is deleted', async () => {
    const admin = { kubeconfig: server().adminKubeconfig };
    await server().addNode({ name: 'loud' });
    await server().addNode({ name: 'quiet', labels: { room: 'quiet' }, taints: [{ key: 'nap', effect: 'NoSchedule' }] });
    await kubectlOk(['create', 'namespace', 'play'], admin);
    const watch = await kubectlStream(['get', 'deployments', '-n', 'play', '-w', '--no-headers'], server().adminKubeconfig);

    await kubectlOk(['apply', '-f', '-'], { ...admin, input: DEPLOYMENT });
    await watch.line('sleeper with 1 of 1 ready', (line) => /^sleeper +1\/1/.test(line));
    await watch.stop();
    const node = await kubectlOk(['get', 'pods', '-n', 'play', '-o', 'jsonpath={.items[*].spec.nodeName}'], admin);
    const token = await server().tokenFor({ serviceAccount: { namespace: 'play', name: 'default' } });
    await kubectlOk(['delete', 'namespace', 'play', '--wait=false'], admin);

    expect(node).toBe('quiet');
    expect((await server().call({ path: '/version', token })).status).toBe(200);
    await waitFor('namespace play to go', async (seen) => {
      const { status, text } = await server().call({ path: '/api/v1/namespaces/play' });
      seen(text);
      return status === 404;
    }, { deadlineMs: 60_000 });
  });
});
