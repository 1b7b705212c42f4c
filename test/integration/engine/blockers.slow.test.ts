import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { ClusterRoleBindings, ConfigMaps, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import type { ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay, rulesOf } from '../deploy/overlay.js';
import { OperatorRig, User } from '../../support/rigs/server/engine.js';

const LONG_MS = 480_000;
/** Three times the 60 s within which a restored permission is noticed. */
const RIGHT_MS = 180_000;
/** The message for a missing permission. */
const RIGHT = 'User "alice" cannot';
const PROBE = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'placement-controller' },
  spec: {
    selector: { matchLabels: { app: 'probe' } },
    template: { metadata: { labels: { app: 'probe' } }, spec: { containers: [{ name: 'main', image: 'x' }] } },
  },
};
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/multicluster-engine-installer';

describeWithServer('an engine that cannot be installed', { own: true }, (server) => {
  let user: User;
  let operator: OperatorRig;
  let name: string;
  let count = 0;

  const call = async (request: ApiRequest): Promise<void> => {
    const answer = await server().call(request);
    expect([200, 201]).toContain(answer.status);
  };
  const refuse = async (match: object, message: string): Promise<void> => {
    const path = '/apis/admissionregistration.k8s.io/v1';
    const spec = {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [match] },
      validations: [{ expression: 'false', message, reason: 'Forbidden' }],
    };
    await call({
      method: 'POST',
      path: `${path}/validatingadmissionpolicies`,
      body: { metadata: { name: 'no' }, spec },
    });
    await call({
      method: 'POST',
      path: `${path}/validatingadmissionpolicybindings`,
      body: { metadata: { name: 'no' }, spec: { policyName: 'no', validationActions: ['Deny'] } },
    });
    await refused('default', message);
  };
  /** The error of a Deployment as a dry run, as administrator or with a token; undefined when it is accepted. */
  const refusal = async (namespace: string, token?: string): Promise<string> => {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/placement-controller?fieldManager=probe&force=true&dryRun=All`;
    const { body } = await server().call({
      method: 'PATCH',
      path,
      body: PROBE,
      contentType: 'application/apply-patch+yaml',
      ...(token === undefined ? {} : { token }),
    });
    return body.message ?? '';
  };
  /** Waits until one is rejected with this message: the API server observes stored objects with a delay. */
  const refused = (namespace: string, words: string, token?: string): Promise<boolean> =>
    waitFor(`a Deployment to be refused: ${words}`, async (seen) => {
      const message = await refusal(namespace, token);
      seen(message);
      return message.includes(words);
    });
  const permit = async (): Promise<void> => {
    const path = '/apis/admissionregistration.k8s.io/v1';
    await server().call({ method: 'DELETE', path: `${path}/validatingadmissionpolicybindings/no` });
    await server().call({ method: 'DELETE', path: `${path}/validatingadmissionpolicies/no` });
  };
  /** Does the work of the namespace controller, which does not run here. */
  const finishNamespace = async (namespace: string): Promise<void> => {
    await waitFor(`namespace ${namespace} to be finalized`, async () => {
      const found = await server().call({ path: `/api/v1/namespaces/${namespace}` });
      if (found.status === 404) return true;
      const { status } = await server().call({
        method: 'PUT',
        path: `/api/v1/namespaces/${namespace}/finalize`,
        body: { ...found.body, spec: { finalizers: [] } },
      });
      return status === 200;
    });
  };
  /** Does the work of the garbage collector, which does not run here. */
  const collect = async (): Promise<void> => {
    await user.collect(name);
  };

  beforeAll(async () => {
    await installCrds(server());
    await applyOverlay(server(), 'default');
    // Whether the authorizer has observed the role is checked with what alice may do in another namespace.
    await call({
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
      body: {
        metadata: { name: 'alice' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'multicluster-engine-installer' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
      },
    });
    const alice = await server().tokenFor({ user: 'alice' });
    await waitFor('the role to be in force', async () => (await refusal('default', alice)) === '');
    user = new User(server());
    operator = await OperatorRig.start(server());
  }, LONG_MS);
  afterAll(async () => {
    await operator.stop();
    await user.close();
  }, LONG_MS);
  beforeEach(() => {
    name = `way-${++count}`;
  });
  afterEach(async () => {
    await permit();
    await user.remove(name);
    await waitFor(
      'the engine to go',
      async () => {
        await collect();
        const namespace = await user.client.get<KubeObject>(Namespaces, { name });
        if (namespace?.metadata.deletionTimestamp !== undefined) await finishNamespace(name);
        return (await user.engine(name)) === undefined;
      },
      { deadlineMs: RIGHT_MS, everyMs: 200 },
    );
  }, LONG_MS);

  it(
    'a policy that denies a Deployment is reported with its message, and as an Error only when it stays',
    async () => {
      await refuse(
        { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
        'no more Deployments here',
      );
      await user.apply(name, { targetNamespace: name });
      await user.reaches(name, 'Progressing ApplyFailed', 'no more Deployments here');
      await user.reaches(name, 'Error ApplyFailed');

      await permit();
      await user.comesUp(name);
    },
    LONG_MS,
  );

  const applyRules = async (rules: readonly unknown[]): Promise<void> => {
    const { body } = await server().call({ path: ROLE });
    await call({ method: 'PUT', path: ROLE, body: { ...body, rules } });
  };

  it(
    'a right to list that is missing while all runs is reported with the components kept, until it is given again',
    async () => {
      await user.apply(name, { targetNamespace: name });
      await user.comesUp(name);
      const role = (await server().call({ path: ROLE })).body;
      const rules = rulesOf(role);
      // One rule may grant several resources: the others stay.
      const others = rules.map((rule) => ({
        ...rule,
        resources: rule.resources.filter((one) => one !== 'deployments'),
      }));
      await applyRules(others.filter(({ resources }) => resources.length > 0));
      await refused('default', RIGHT, await server().tokenFor({ user: 'alice' }));
      await operator.stop();
      operator = await OperatorRig.start(server());
      await user.reaches(name, 'Error PermissionDenied', `may not list deployments.apps in namespace ${name}`);
      expect((await user.engine(name))?.status?.components).toHaveLength(15);

      await applyRules(rules);
      await user.reaches(name, 'Available EngineReady');
    },
    LONG_MS,
  );

  it(
    'an object of somebody else in the namespace of an engine that is deleted stays untouched, and is reported',
    async () => {
      await user.apply(name, { targetNamespace: name });
      await user.comesUp(name);
      const theirs = await user.client.create<KubeObject>(
        ConfigMaps,
        { metadata: { namespace: name, name: 'theirs' } },
        { fieldManager: 'user' },
      );
      const mark = await user.mark();
      await user.remove(name);
      await user.reaches(name, 'Uninstalling Uninstalling', `Deployment ${name}/placement-controller is being deleted`);
      await collect();
      await waitFor('the engine to go', async () => (await user.engine(name)) === undefined, { deadlineMs: RIGHT_MS });

      expect((await user.writes(mark)).filter((one) => one.startsWith('delete'))).toEqual([
        'delete deployments gateway 200',
        'delete deployments placement-controller 200',
        'delete networkpolicies gateway 200',
        'delete networkpolicies placement-controller 200',
        'delete poddisruptionbudgets gateway 200',
        'delete poddisruptionbudgets placement-controller 200',
        'delete services gateway 200',
        'delete secrets gateway-tls 200',
        'delete configmaps gateway-ca 200',
        'delete clusterrolebindings multicluster-engine-placement-controller 200',
        'delete serviceaccounts gateway 200',
        'delete serviceaccounts placement-controller 200',
        'delete rolebindings multicluster-engine-agent-leases 200',
      ]);
      expect((await user.client.get(ConfigMaps, { namespace: name, name: 'theirs' }))?.metadata.uid).toBe(
        theirs.metadata.uid,
      );
      expect(
        await user.client.get(ClusterRoleBindings, { name: 'multicluster-engine-placement-controller' }),
      ).toBeUndefined();
      expect((await user.client.get<KubeObject>(Namespaces, { name }))?.metadata.deletionTimestamp).toBeUndefined();
      // The event is recorded after the finalizer is removed.
      await waitFor('the event', () => operator.events.at(-1)?.reason === 'EngineUninstalled');
      expect(operator.events.at(-1)).toMatchObject({
        reason: 'EngineUninstalled',
        note: `Namespace ${name} stays, since it holds ConfigMap ${name}/theirs`,
      });
      await user.apply(name, { targetNamespace: name });
    },
    LONG_MS,
  );
});
