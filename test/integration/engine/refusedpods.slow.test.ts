import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { Pods } from '../../../src/runtime/vocabulary/kinds.js';
import { at } from '../../../src/domain/engine/manifest/manifest.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../deploy/overlay.js';
import { OperatorRig, User } from '../../support/rigs/server/engine.js';

const LONG_MS = 480_000;
const REFUSAL = 'unable to validate against any security context constraint: runAsUser: Invalid value: 65532';
const ADMISSION = { apiVersion: 'admissionregistration.k8s.io/v1' };
/**
 * What OpenShift's `restricted-v2` demands of a user: none, or one of the range of the namespace. In `default` it is tried whether
 * this is in force, before there is the namespace of the engine.
 */
const CONSTRAINT: readonly AnyObject[] = [
  {
    ...ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'range' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [NAMESPACE, 'default'] }],
        },
      },
      validations: [
        {
          expression: 'object.spec.?securityContext.?runAsUser.orValue(1000640000) >= 1000640000',
          message: REFUSAL,
          reason: 'Forbidden',
        },
      ],
    },
  },
  {
    ...ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'range' },
    spec: { policyName: 'range', validationActions: ['Deny'] },
  },
];
const PROBE = {
  metadata: { name: 'probe' },
  spec: { securityContext: { runAsUser: 65532 }, containers: [{ name: 'main', image: 'x' }] },
};
const QUOTA = { namespace: NAMESPACE, name: 'none' };

describeWithServer(
  'an engine whose ReplicaSets may create no pods',
  { own: true, capabilities: ['rollouts', 'pods', 'podSecurity', 'quota'] },
  (server) => {
    let user: User;
    let operator: OperatorRig;

    const apply = async (...items: readonly AnyObject[]): Promise<void> => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      await kubectlOk(['apply', '--server-side', '-f', '-'], { kubeconfig: server().adminKubeconfig, input });
    };

    beforeAll(async () => {
      await installCrds(server());
      await applyOverlay(server(), 'default');
      await server().addNode({ name: 'node-1' });
      user = new User(server());
      await apply(...CONSTRAINT);
      // The API server observes stored policies with a delay, in which it would admit the pods of the engine.
      await waitFor('the constraint to be in force', async (seen) => {
        const path = '/api/v1/namespaces/default/pods?dryRun=All';
        const { message = '' } = (await server().call({ method: 'POST', path, body: PROBE })).body;
        seen(message);
        return message.includes(REFUSAL);
      });
      operator = await OperatorRig.start(server());
      await user.apply('hub', {});
    }, LONG_MS);
    afterAll(async () => {
      await operator.stop();
      await user.close();
    }, LONG_MS);

    it(
      'names what the constraints refuse',
      async () => {
        await user.reaches('hub', 'Progressing Installing', REFUSAL);
      },
      LONG_MS,
    );

    it(
      'comes up where its pods name no user, which the constraints admit',
      async () => {
        await operator.stop();
        operator = await OperatorRig.start(server(), { omitUserIds: true });
        await user.reaches('hub', 'Available EngineReady');
        const pods = await user.client.list<KubeObject>(Pods, NAMESPACE);
        expect(pods.length).toBeGreaterThanOrEqual(4);
        for (const pod of pods) expect(at(pod, 'spec', 'securityContext', 'runAsUser')).toBeUndefined();
      },
      LONG_MS,
    );

    it(
      'names the quota that stops a rollout, and goes on without it',
      async () => {
        await apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: QUOTA, spec: { hard: { pods: '0' } } });
        const [body, contentType] = [{ spec: { nodeSelector: { kubernetes: 'yes' } } }, 'application/merge-patch+json'];
        await server().addNode({ name: 'node-2', labels: { kubernetes: 'yes' } });
        const path = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines/hub';
        expect((await server().call({ method: 'PATCH', path, body, contentType })).status).toBe(200);
        await user.reaches('hub', 'Progressing RollingOut', 'exceeded quota: none');

        const kubeconfig = server().adminKubeconfig;
        await kubectlOk(['delete', 'quota', QUOTA.name, '-n', QUOTA.namespace], { kubeconfig });
        await user.reaches('hub', 'Available EngineReady');
      },
      LONG_MS,
    );
  },
);
