import { existsSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import type { ControlPlane } from '../../testing/controlplane/plane.js';
import { chosenBackend } from '../../testing/controlplane/start.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';
import { kubectlOk } from '../../testing/kubectl.js';
import { waitFor } from '../../testing/wait.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function createConfigMap(server: ControlPlane, name: string): Promise<string> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  const answer = await server.call({ method: 'POST', path: CONFIG_MAPS, body });
  expect(answer.status).toBe(201);
  return answer.body.metadata?.resourceVersion ?? '';
}

async function watchCode(server: ControlPlane, resourceVersion: string): Promise<string> {
  const { text } = await server.call({
    path: `${CONFIG_MAPS}?watch=true&timeoutSeconds=1&resourceVersion=${resourceVersion}`,
  });
  return text;
}

/** The events of a watch of one second; kube-apiserver responds 429 shortly after its start. */
function watched(server: ControlPlane, resourceVersion: string, what: string): Promise<string> {
  return waitFor(`a watch event of ${what}`, async (seen) => {
    const text = await watchCode(server, resourceVersion);
    seen(text);
    return text.includes(what) ? text : undefined;
  });
}

describeWithServer(
  'a control plane of one test file',
  { capabilities: ['restart', 'compaction'], log: 'Request', users: [{ user: 'pat', groups: ['team'] }] },
  (server) => {
    test('a server knows the users that it was started with, and their groups', async () => {
      const kubeconfig = await server().kubeconfigFor({ user: 'pat', groups: ['team'] });

      const groups = await kubectlOk(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}'], { kubeconfig });

      expect(JSON.parse(groups)).toEqual(['team', 'system:authenticated']);
      await expect(server().tokenFor({ user: 'pat', groups: ['others'] })).rejects.toThrow(
        'user pat is in the groups [team], not [others]',
      );
    });

    test('a server with the audit level RequestResponse logs bodies', async () => {
      await createConfigMap(server(), 'with-body');

      const log = await server().requestLog({ verbs: ['create'], name: 'with-body' });

      expect(log[0]?.requestObject).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'with-body' } });
    });

    test('the audit log has the binding that allowed a request', async () => {
      const kubeconfig = await server().kubeconfigFor({ user: 'bob' });
      await kubectlOk(['auth', 'whoami'], { kubeconfig });

      const log = await server().requestLog({ user: 'bob', resources: ['selfsubjectreviews'] });

      expect(log[0]?.allowedBy).toContain('ClusterRoleBinding "system:basic-user"');
    });

    test('the audit log has a watch once, when it starts', async () => {
      const mark = await server().logMark();

      await watchCode(server(), '');
      await watchCode(server(), '');

      expect(await server().requestLog({ after: mark, verbs: ['watch'], user: 'admin' })).toHaveLength(2);
    });

    test('a server has the same data and credentials after a restart', async () => {
      await createConfigMap(server(), 'kept');
      const token = await server().tokenFor({ user: 'alice' });

      await server().restart();

      expect((await server().call({ path: `${CONFIG_MAPS}/kept` })).status).toBe(200);
      expect((await server().call({ path: `${CONFIG_MAPS}/kept`, token })).status).toBe(403);
    });

    test('a stopped server refuses connections', async () => {
      await server().stopServer('SIGTERM');

      await expect(server().call({ path: '/version' })).rejects.toThrow('ECONNREFUSED');

      await server().startServer();
      expect((await server().call({ path: '/version' })).status).toBe(200);
    });

    test('a watch and a continue token from before a compaction get 410', async () => {
      const old = await createConfigMap(server(), 'page-1');
      await createConfigMap(server(), 'page-2');
      const page = await server().call({ path: `${CONFIG_MAPS}?limit=1` });
      const before = await watched(server(), old, 'page-2');

      await server().compactHistory();
      const after = await watched(server(), old, '"type":"ERROR"');
      const nextPage = await server().call({
        path: `${CONFIG_MAPS}?limit=1&continue=${page.body.metadata?.continue ?? ''}`,
      });

      expect(before).toContain('page-2');
      expect(JSON.parse(after)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
      expect(nextPage.status).toBe(410);
    });

    test('a server keeps its logs and its data in its folder', () => {
      const programs = chosenBackend() === 'real' ? ['etcd.log', 'kube-apiserver.log'] : ['embedded.log'];
      for (const name of [...programs, 'audit.log', 'data'])
        expect(existsSync(`${server().folder}/${name}`)).toBe(true);
    });
  },
);
