import { existsSync } from 'node:fs';

import { expect, test } from '@jest/globals';

import { WRITES } from '../../testing/controlplane/audit.js';
import { describeWithServer } from '../../testing/controlplane/suite.js';
import { kubectl, kubectlOk } from '../../testing/kubectl.js';
import { ownName } from '../../testing/names.js';

describeWithServer('a shared control plane', {}, (server) => {
  test('the administrator reaches a server of the pinned release', async () => {
    const { body } = await server().call({ path: '/version' });

    expect(body['gitVersion']).toMatch(/^v1\.36\.3(\+embedded)?$/);
    expect(existsSync(server().caFile)).toBe(true);
  });

  test('a standard user is authenticated by its token and has no rights', async () => {
    const kubeconfig = await server().kubeconfigFor({ user: 'alice' });

    const who = await kubectlOk(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'], { kubeconfig });
    const refused = await kubectl(['get', 'secrets', '-n', 'default'], { kubeconfig });

    expect(who).toBe('alice');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('User "alice" cannot list resource "secrets"');
  });

  test('a request for the token of an unknown user fails and lists the known users', async () => {
    await expect(server().kubeconfigFor({ user: 'mallory' })).rejects.toThrow(
      'user mallory is not known to this server (known: admin, alice',
    );
  });

  test('a ServiceAccount has a token, and a missing ServiceAccount is named in the error', async () => {
    const namespace = ownName('accounts');
    const admin = { kubeconfig: server().adminKubeconfig };
    await kubectlOk(['create', 'namespace', namespace], admin);
    await kubectlOk(['create', 'serviceaccount', 'robot', '-n', namespace], admin);

    const kubeconfig = await server().kubeconfigFor({ serviceAccount: { namespace, name: 'robot' } });
    const who = await kubectlOk(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'], { kubeconfig });

    expect(who).toBe(`system:serviceaccount:${namespace}:robot`);
    await expect(server().tokenFor({ serviceAccount: { namespace, name: 'nobody' } })).rejects.toThrow(
      '"nobody" not found',
    );
  });

  test('the audit log has the user, verb, object and outcome of requests', async () => {
    const namespace = ownName('logged');
    const mark = await server().logMark();
    const alice = await server().tokenFor({ user: 'alice' });

    await server().call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
    await server().call({ path: `/api/v1/namespaces/${namespace}`, token: alice });
    const log = await server().requestLog({ after: mark, resources: ['namespaces'], name: namespace });
    const writes = await server().requestLog({
      after: mark,
      resources: ['namespaces'],
      name: namespace,
      verbs: WRITES,
    });

    expect(log.map(({ user, verb, code }) => ({ user, verb, code }))).toEqual([
      { user: 'admin', verb: 'create', code: 201 },
      { user: 'alice', verb: 'get', code: 403 },
    ]);
    expect(log[1]?.message).toContain('cannot get resource "namespaces"');
    expect(writes).toHaveLength(1);
  });

  test('a test that uses the shared server cannot stop it', async () => {
    await expect(server().restart()).rejects.toThrow('the shared server cannot be stopped');
  });
});
