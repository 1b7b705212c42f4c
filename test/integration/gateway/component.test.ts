import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, expect, test } from '@jest/globals';

import { readManifests } from '../../../src/runtime/manifests.js';
import { launch, type Container } from '../../../src/standalone/local/launcher.js';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { askOnce } from '../../gateway/client.js';
import { mustConform } from '../../gateway/openapi/conformance.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer, testNeeding } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { root } from '../../support/repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { at, pick } from '../deploy/overlay.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const NAMESPACE = 'multicluster-engine';
/** The components that serve with the tokens of their clients, and have none. */
const COMPONENTS = ['gateway', 'console'];

function objectsOf(component: string): readonly AnyObject[] {
  return JSON.parse(JSON.stringify(readManifests(path.join(root, 'deploy/components', component))));
}

function podOf(component: string) {
  return Object(at(pick(objectsOf(component), 'Deployment', component), 'spec.template.spec'));
}

describeWithServer('deploy/components/gateway and console', { own: true }, (server) => {
  beforeAll(async () => {
    await installCrds(server());
    await server().call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    });
  }, 300_000);

  test.each(COMPONENTS)(
    'the component %s is a Deployment, a Service, an account without rights and token, a budget and a network policy',
    (name) => {
      const objects = objectsOf(name);
      const deployment = pick(objects, 'Deployment', name);
      expect(new Set(objects.map(({ kind }) => kind))).toEqual(
        new Set(['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount']),
      );
      expect(objects.every(({ metadata }) => metadata?.name === name && metadata.namespace === NAMESPACE)).toBe(true);
      expect([
        podOf(name).automountServiceAccountToken,
        pick(objects, 'ServiceAccount', name)['automountServiceAccountToken'],
      ]).toEqual([false, false]);
      expect(at(deployment, 'spec.replicas')).toBe(2);
      expect(at(pick(objects, 'Service', name), 'spec.ports.0.port')).toBe(443);
      expect(at(pick(objects, 'NetworkPolicy', name), 'spec.policyTypes')).toEqual(['Ingress', 'Egress']);
    },
  );

  testNeeding('podSecurity')(
    'the components are accepted by the API server unchanged, and their pods by Pod Security `restricted` (podSecurity)',
    async () => {
      const paths: Readonly<Record<string, string>> = {
        Deployment: 'apis/apps/v1',
        NetworkPolicy: 'apis/networking.k8s.io/v1',
        PodDisruptionBudget: 'apis/policy/v1',
        Service: 'api/v1',
        ServiceAccount: 'api/v1',
      };
      const plurals: Readonly<Record<string, string>> = {
        Deployment: 'deployments',
        NetworkPolicy: 'networkpolicies',
        PodDisruptionBudget: 'poddisruptionbudgets',
        Service: 'services',
        ServiceAccount: 'serviceaccounts',
      };
      for (const object of COMPONENTS.flatMap(objectsOf).sort((a, b) => ((a.kind ?? '') > (b.kind ?? '') ? -1 : 1))) {
        const kind = object.kind ?? '';
        const answer = await server().call({
          method: 'POST',
          path: `/${paths[kind]}/namespaces/${NAMESPACE}/${plurals[kind]}?fieldValidation=Strict`,
          body: object,
        });
        expect({ kind, status: answer.status, text: answer.status === 201 ? '' : answer.text }).toEqual({
          kind,
          status: 201,
          text: '',
        });
      }
      for (const spec of COMPONENTS.map(podOf)) {
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe', namespace: NAMESPACE }, spec };
        const answer = await server().call({
          method: 'POST',
          path: `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All&fieldValidation=Strict`,
          body: pod,
        });
        expect({ status: answer.status, message: answer.body.message }).toEqual({ status: 201, message: undefined });
      }
    },
  );

  test('the gateway component runs as rendered: it serves TLS with the certificate of its Secret and becomes ready', async () => {
    const pair = await issueServingCertificate({ names: ['gateway', `gateway.${NAMESPACE}.svc`], now: Date.now() });
    const ca = await readFile(server().caFile, 'utf8');
    const [container] = podOf('gateway').containers as readonly Container[];
    if (container === undefined) throw new Error('no container');
    const launched = await launch({
      container,
      pod: { name: 'gateway-0', namespace: NAMESPACE },
      executable: [process.execPath, MAIN],
      folder: path.join(server().folder, 'gateway-0'),
      kubeconfig: server().adminKubeconfig,
      volumes: { serving: { 'tls.crt': pair.certificate, 'tls.key': pair.privateKey }, api: { 'ca.crt': ca } },
      overrides: { MULTICLUSTER_ENGINE_UPSTREAM: server().url },
    });
    launched.output.resume();
    const agent = new Agent({ ca: pair.certificate, servername: `gateway.${NAMESPACE}.svc` });
    try {
      await waitFor(
        'readiness',
        async () => (await fetch(`http://${launched.addresses['MULTICLUSTER_ENGINE_HEALTH_LISTEN']}/readyz`)).ok,
      );
      const port = Number(launched.addresses['MULTICLUSTER_ENGINE_LISTEN']?.split(':')[1]);
      const target = '/platform/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
      const token = await server().tokenFor({ user: 'admin' });

      // The API server serves a CRD shortly after it is established.
      const reply = await waitFor('the kind to be served', async (seen) => {
        const one = await askOnce(port, { path: target, token }, agent);
        mustConform('GET', target, one);
        seen(one);
        return one.status === 200 ? one : undefined;
      });

      expect(JSON.parse(reply.body)).toMatchObject({ items: [] });
    } finally {
      agent.destroy();
      await launched.stop();
    }
  });
});
