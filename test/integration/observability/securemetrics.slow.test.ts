import { get } from 'node:https';
import path from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { textAt } from '../../../src/domain/engine/manifest/manifest.js';
import { pathWithKubectl } from '../../support/clients/kubectl.js';
import { runComponents, type Components } from '../../support/hub/components.js';
import { isDeployment } from '../../support/hub/deployment.js';
import { startOperator } from '../../support/hub/operator.js';
import { applyFolder, withComponents } from '../../support/hub/overlays.js';
import { startPod, type Pod } from '../../support/hub/pod.js';
import { readPage } from '../../support/repository/documents.js';
import { blocksIn, stepsIn } from '../../support/repository/markdown.js';
import { root } from '../../support/repository/root.js';
import { ReaderSession } from '../../support/repository/session.js';
import { at, pick, rendered } from '../deploy/overlay.js';

const OPERATORS = 'multicluster-engine-operator';
const INVENTORIES = 'multicluster-engine-inventories';
const TARGET = 'multicluster-engine';
const COMPONENTS = ['placement-controller', 'gateway'];
const METRICS = 'MULTICLUSTER_ENGINE_METRICS_LISTEN';
const PAGE = readPage('docs/how-to/operate.md');
/** The Secret that the page shows, and the name of its ServiceAccount. */
const SECRET = blocksIn(PAGE).find(({ language, text: block }) => language === 'yaml' && /^kind: Secret$/m.test(block));
const READER = 'multicluster-engine-metrics-reader';

const HUB = { own: true, capabilities: ['serviceAccounts'] } as const;

describeWithServer('the secure metrics of an operator and its components', HUB, (server) => {
  let objects: readonly AnyObject[] = [];
  const pods: Pod[] = [];
  let components: Components | undefined;

  beforeAll(async () => {
    const admin = { kubeconfig: server().adminKubeconfig };
    const folder = await withComponents(server(), 'default', ['inventories', 'metrics-secure']);
    objects = await rendered(server(), folder);
    await applyFolder(server(), folder);
    await kindsServed(server());
    const reader = new ReaderSession(server().folder, { PATH: pathWithKubectl(), KUBECONFIG: admin.kubeconfig });
    for (const step of stepsIn(PAGE)) await reader.shows(step);
    await kubectlOk(['apply', '-f', '-'], { ...admin, input: SECRET?.text ?? '' });
    await kubectlOk(['create', 'serviceaccount', 'unprivileged', '-n', OPERATORS], admin);
    pods.push(await startOperator(server(), { env: { MULTICLUSTER_ENGINE_METRICS_SECURE: 'true' } }));
    const inventories = pick(objects, 'Deployment', INVENTORIES);
    if (!isDeployment(inventories)) throw new Error(`${INVENTORIES} is no Deployment`);
    pods.push(await startPod(server(), inventories, { name: `${INVENTORIES}-0` }));
    for (const pod of pods) await pod.ready();
    await kubectlOk(['apply', '-f', path.join(root, 'examples', 'engine.yaml')], admin);
    components = runComponents(server());
    for (const name of COMPONENTS) await (await componentPod(name)).ready();
  }, 240_000);

  afterAll(async () => {
    await Promise.all([...pods.map((pod) => pod.stop()), components?.stop()]);
  }, 90_000);

  function componentPod(name: string): Promise<Pod> {
    return waitFor(`the ${name} to run`, () => components?.pods(TARGET, name)[0]);
  }

  /** The token in the Secret of the page. */
  function readerToken(): Promise<string> {
    const uri = `/api/v1/namespaces/${OPERATORS}/secrets/${READER}`;
    return waitFor('the token of the Secret', async () => {
      const data = textAt((await server().call({ path: uri })).body, 'data', 'token');
      return data === undefined ? undefined : Buffer.from(data, 'base64').toString();
    });
  }

  /** The codes of operator, controller of inventories, placement controller and gateway. */
  async function scrape(token: string): Promise<(number | undefined)[]> {
    const codes: (number | undefined)[] = [];
    for (const pod of [...pods, ...(await Promise.all(COMPONENTS.map(componentPod)))]) {
      // The certificates of all but the gateway are self-signed, and known to the processes only.
      const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false };
      const [response] = await once(get(`https://${pod.addresses[METRICS]}/metrics`, options), 'response');
      response.resume();
      codes.push(response.statusCode);
    }
    return codes;
  }

  test('the component adds the flag, two reviews and the role for scrapers, and nothing else', async () => {
    const plain = await rendered(server(), await withComponents(server(), 'default', ['inventories']));
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
      { kind: 'ServiceAccount', name: OPERATORS, namespace: OPERATORS },
      { kind: 'ServiceAccount', name: INVENTORIES, namespace: OPERATORS },
      { kind: 'ServiceAccount', name: 'placement-controller', namespace: TARGET },
    ]);
    for (const name of [OPERATORS, INVENTORIES])
      expect(at(pick(objects, 'Deployment', name), 'spec.template.spec.containers.0.env')).toContainEqual({
        name: 'MULTICLUSTER_ENGINE_METRICS_SECURE',
        value: 'true',
      });
  });

  test('the token that docs/how-to/operate.md makes reads the metrics, one without the right gets 403, and an unknown one 401', async () => {
    const unprivileged = await server().tokenFor({ serviceAccount: { namespace: OPERATORS, name: 'unprivileged' } });

    expect(await scrape(await readerToken())).toEqual([200, 200, 200, 200]);
    expect(await scrape(unprivileged)).toEqual([403, 403, 403, 403]);
    expect(await scrape('unknown')).toEqual([401, 401, 401, 401]);
  });

  test('the gateway serves its metrics with its serving certificate, so that a scraper can verify it', async () => {
    const address = (await componentPod('gateway')).addresses[METRICS];
    const { body } = await server().call({ path: `/api/v1/namespaces/${TARGET}/configmaps/gateway-ca` });
    const headers = { authorization: `Bearer ${await readerToken()}` };
    const options = { headers, ca: textAt(body, 'data', 'ca.crt'), servername: `gateway.${TARGET}.svc` };
    const [response] = await once(get(`https://${address}/metrics`, options), 'response');

    expect(await text(response)).toContain('# TYPE multicluster_gateway_requests_total counter');
  });
});
