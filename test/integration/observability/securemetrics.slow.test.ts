import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import path from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { load } from 'js-yaml';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { textAt } from '../../../src/domain/engine/manifest/manifest.js';
import { runComponents, type Components } from '../../support/hub/components.js';
import { deploy, startOperator } from '../../support/hub/operator.js';
import type { Pod } from '../../support/hub/pod.js';
import { root } from '../../support/repository/root.js';
import { at, pick, rendered } from '../deploy/overlay.js';

const NAMESPACE = 'scraping';
const TARGET = 'multicluster-engine';
const COMPONENTS = ['placement-controller', 'gateway'];
const METRICS = 'MULTICLUSTER_ENGINE_METRICS_LISTEN';

// The embedded server has no reviews of tokens.
describeWithServer('the secure metrics of an operator and its components', { own: true, real: true }, (server) => {
  let objects: readonly AnyObject[] = [];
  let operator: Pod | undefined;
  let components: Components | undefined;

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
    operator = await startOperator(server(), { env: { MULTICLUSTER_ENGINE_METRICS_SECURE: 'true' } });
    await operator.ready();
    await kubectlOk(['apply', '-f', path.join(root, 'examples', 'engine.yaml')], admin);
    // Kubernetes' controller manager, which does not run here, creates it in every namespace.
    const data = { 'ca.crt': await readFile(server().caFile, 'utf8') };
    const uri = `/api/v1/namespaces/${TARGET}/configmaps`;
    const body = { metadata: { name: 'kube-root-ca.crt' }, data };
    await waitFor(
      'the namespace',
      async () => (await server().call({ method: 'POST', path: uri, body })).status === 201,
    );
    components = runComponents(server());
    for (const name of COMPONENTS) await (await componentPod(name)).ready();
  }, 240_000);

  afterAll(async () => {
    await Promise.all([operator?.stop(), components?.stop()]);
  }, 90_000);

  function componentPod(name: string): Promise<Pod> {
    return waitFor(`the ${name} to run`, () => components?.pods(TARGET, name)[0]);
  }

  async function tokenOf(name: string): Promise<string> {
    const file = await server().kubeconfigFor({ serviceAccount: { namespace: NAMESPACE, name } });
    return String(at(load(await readFile(file, 'utf8')), 'users.0.user.token'));
  }

  /** The codes of operator, placement controller and gateway. */
  async function scrape(token: string): Promise<(number | undefined)[]> {
    const codes: (number | undefined)[] = [];
    for (const pod of [operator, ...(await Promise.all(COMPONENTS.map(componentPod)))]) {
      // The certificates of operator and placement controller are self-signed, and known to the processes only.
      const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false };
      const [response] = await once(get(`https://${pod?.addresses[METRICS]}/metrics`, options), 'response');
      response.resume();
      codes.push(response.statusCode);
    }
    return codes;
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
    expect(at(pick(objects, 'ClusterRoleBinding', 'multicluster-engine-metrics-auth'), 'subjects')).toEqual([
      { kind: 'ServiceAccount', name: 'multicluster-engine-operator', namespace: 'multicluster-engine-operator' },
      { kind: 'ServiceAccount', name: 'placement-controller', namespace: TARGET },
    ]);
    const deployment = pick(objects, 'Deployment', 'multicluster-engine-operator');
    expect(at(deployment, 'spec.template.spec.containers.0.env')).toContainEqual({
      name: 'MULTICLUSTER_ENGINE_METRICS_SECURE',
      value: 'true',
    });
  });

  test('a token with the right reads the metrics, one without gets 403, and an unknown one 401', async () => {
    expect(await scrape(await tokenOf('reader'))).toEqual([200, 200, 200]);
    expect(await scrape(await tokenOf('stranger'))).toEqual([403, 403, 403]);
    expect(await scrape('unknown')).toEqual([401, 401, 401]);
  });

  test('the gateway serves its metrics with its serving certificate, so that a scraper can verify it', async () => {
    const address = (await componentPod('gateway')).addresses[METRICS];
    const { body } = await server().call({ path: `/api/v1/namespaces/${TARGET}/configmaps/gateway-ca` });
    const headers = { authorization: `Bearer ${await tokenOf('reader')}` };
    const options = { headers, ca: textAt(body, 'data', 'ca.crt'), servername: `gateway.${TARGET}.svc` };
    const [response] = await once(get(`https://${address}/metrics`, options), 'response');

    expect(await text(response)).toContain('# TYPE multicluster_gateway_requests_total counter');
  });
});
