import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import path from 'node:path';
import { once } from 'node:events';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { load } from 'js-yaml';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { deploy, startOperator } from '../../support/hub/operator.js';
import type { Pod } from '../../support/hub/pod.js';
import { root } from '../../support/repository/root.js';
import { at, pick, rendered } from '../deploy/overlay.js';

const NAMESPACE = 'scraping';

// The embedded server has no reviews of tokens.
describeWithServer('the secure metrics of an operator', { own: true, real: true }, (server) => {
  let objects: readonly AnyObject[] = [];
  let pod: Pod | undefined;

  beforeAll(async () => {
    const admin = { kubeconfig: server().adminKubeconfig };
    await deploy(server());
    const overlay = path.relative(server().folder, path.join(root, 'deploy', 'overlays', 'default'));
    const component = path.relative(server().folder, path.join(root, 'deploy', 'metrics-secure'));
    await writeFile(
      path.join(server().folder, 'kustomization.yaml'),
      `resources: [${overlay}]\ncomponents: [${component}]\n`,
    );
    objects = await rendered(server(), server().folder);
    await kubectlOk(['apply', '--server-side', '-k', server().folder], admin);
    await kubectlOk(['create', 'namespace', NAMESPACE], admin);
    for (const name of ['reader', 'stranger'])
      await kubectlOk(['create', 'serviceaccount', name, '-n', NAMESPACE], admin);
    const role = '--clusterrole=multicluster-engine-metrics-reader';
    await kubectlOk(['create', 'clusterrolebinding', 'reader', role, `--serviceaccount=${NAMESPACE}:reader`], admin);
    pod = await startOperator(server(), { env: { MULTICLUSTER_ENGINE_METRICS_SECURE: 'true' } });
    await pod.ready();
  }, 240_000);

  afterAll(async () => {
    await pod?.stop();
  }, 60_000);

  async function tokenOf(name: string): Promise<string> {
    const file = await server().kubeconfigFor({ serviceAccount: { namespace: NAMESPACE, name } });
    return String(at(load(await readFile(file, 'utf8')), 'users.0.user.token'));
  }

  async function scrape(token: string): Promise<number | undefined> {
    const address = pod?.addresses['MULTICLUSTER_ENGINE_METRICS_LISTEN'];
    // The certificate is self-signed, and known to the process only.
    const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false };
    const [response] = await once(get(`https://${address}/metrics`, options), 'response');
    response.resume();
    return response.statusCode;
  }

  test('the component adds the flag, two reviews and the role for scrapers, and nothing else', async () => {
    const plain = await rendered(server(), path.join(root, 'deploy', 'overlays', 'default'));
    const known = new Set(plain.map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
    const added = objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`).filter((one) => !known.has(one));

    expect(added.sort((a, b) => a.localeCompare(b))).toEqual([
      'ClusterRole multicluster-engine-metrics-auth',
      'ClusterRole multicluster-engine-metrics-reader',
      'ClusterRoleBinding multicluster-engine-metrics-auth',
    ]);
    expect(at(pick(objects, 'ClusterRole', 'multicluster-engine-metrics-auth'), 'rules')).toEqual([
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
    const operator = pick(objects, 'Deployment', 'multicluster-engine-operator');
    expect(at(operator, 'spec.template.spec.containers.0.env')).toContainEqual({
      name: 'MULTICLUSTER_ENGINE_METRICS_SECURE',
      value: 'true',
    });
  });

  test('a token with the right reads the metrics, one without gets 403, and an unknown one 401', async () => {
    expect(await scrape(await tokenOf('reader'))).toBe(200);
    expect(await scrape(await tokenOf('stranger'))).toBe(403);
    expect(await scrape('unknown')).toBe(401);
  });
});
