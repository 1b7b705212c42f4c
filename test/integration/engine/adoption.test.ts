import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { KubeObject, ObjectMeta, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import {
  ClusterRoleBindings,
  Deployments,
  Namespaces,
  PodDisruptionBudgets,
  ServiceAccounts,
  Services,
} from '../../../src/runtime/vocabulary/kinds.js';
import { itemsAt } from '../../../src/domain/engine/manifest/manifest.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { applyOverlay } from '../deploy/overlay.js';
import { OperatorRig, User } from '../../support/rigs/server/engine.js';

const LONG_MS = 480_000;
const IN_TARGET = { namespace: NAMESPACE, name: 'gateway' };
const HELM = { labels: { 'app.kubernetes.io/managed-by': 'Helm' } };
const POD = {
  serviceAccountName: 'old',
  containers: [
    { name: 'gateway', image: 'old' },
    { name: 'beside', image: 'old' },
  ],
};
const LABELS = { 'app.kubernetes.io/name': 'gateway' };
/** What somebody has made by hand, with the fields that an engine does not want. */
const BEFORE: readonly (readonly [ResourceType, ObjectMeta, object])[] = [
  [Namespaces, { name: NAMESPACE }, {}],
  [ServiceAccounts, IN_TARGET, {}],
  [Services, IN_TARGET, { spec: { ports: [{ name: 'old', port: 80 }] } }],
  [
    Deployments,
    IN_TARGET,
    { spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: POD } } },
  ],
  [PodDisruptionBudgets, { ...IN_TARGET, ...HELM }, { spec: { maxUnavailable: 3 } }],
  [
    ClusterRoleBindings,
    { name: 'multicluster-engine-placement-controller' },
    {
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'multicluster-engine-placement-controller',
      },
      subjects: [{ kind: 'ServiceAccount', namespace: 'old', name: 'placement-controller' }],
    },
  ],
];

describeWithServer('an engine that takes over what nobody owns', { own: true }, (server) => {
  let user: User;
  let operator: OperatorRig;

  beforeAll(async () => {
    await installCrds(server());
    user = new User(server());
    // Before the policies: without an engine they refuse a binding of a component's name.
    for (const [type, metadata, body] of BEFORE)
      await user.client.create<KubeObject>(type, Object.assign({ metadata }, body), { fieldManager: 'kubectl-create' });
    await applyOverlay(server(), 'default');
    operator = await OperatorRig.start(server());
  }, LONG_MS);
  afterAll(async () => {
    await operator.stop();
    await user.close();
  }, LONG_MS);

  const adopted = (): string[] =>
    operator.events.filter(({ reason }) => reason === 'ObjectAdopted').map(({ note }) => note);

  it(
    'names what was there before, and changes nothing of it',
    async () => {
      await user.apply('hub', {});
      const message = await user.reaches('hub', 'Error ForeignObject', 'or let the engine take it over');

      expect(message).toContain('ServiceAccount multicluster-engine/gateway');
      expect(itemsAt(await user.client.get(Services, IN_TARGET), 'spec', 'ports').map(({ port }) => port)).toEqual([
        80,
      ]);
    },
    LONG_MS,
  );

  it(
    'takes over what nobody owns as the policies allow it, and leaves what belongs to Helm',
    async () => {
      await user.apply('hub', { adoption: 'IfUnowned' });
      const message = await user.reaches('hub', 'Error ForeignObject', 'is managed by Helm');

      expect(message).toBe(
        'PodDisruptionBudget multicluster-engine/gateway: is managed by Helm (label app.kubernetes.io/managed-by) and is ' +
          'not changed; delete or rename it',
      );
      expect(adopted()).toEqual([
        'ServiceAccount multicluster-engine/gateway had no owner and was taken over',
        'ClusterRoleBinding multicluster-engine-placement-controller had no owner and was taken over',
        'Service multicluster-engine/gateway had no owner and was taken over',
        'Deployment multicluster-engine/gateway had no owner and was taken over',
      ]);
    },
    LONG_MS,
  );

  it('leaves nothing of the old spec', async () => {
    const deployment = await user.client.get<KubeObject>(Deployments, IN_TARGET);
    const binding = await user.client.get<KubeObject>(ClusterRoleBindings, {
      name: 'multicluster-engine-placement-controller',
    });

    expect(itemsAt(await user.client.get(Services, IN_TARGET), 'spec', 'ports').map(({ port }) => port)).toEqual([443]);
    expect(itemsAt(deployment, 'spec', 'template', 'spec', 'containers').map(({ name }) => name)).toEqual(['gateway']);
    expect(itemsAt(binding, 'subjects').map(({ namespace }) => namespace)).toEqual([NAMESPACE]);
  });

  it(
    'is available once nobody owns the last of them, and says which it took over',
    async () => {
      const path = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets/gateway`;
      await server().call({
        method: 'PATCH',
        path,
        body: { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } },
        contentType: 'application/merge-patch+json',
      });
      await user.annotate('hub', { 'multicluster.platform.io/reconcile-requested-at': 'now' });
      await user.comesUp('hub', NAMESPACE);

      const rows = (await user.engine('hub'))?.status?.components ?? [];
      expect(rows.filter(({ reason }) => reason === 'Adopted').map(({ kind }) => kind)).toEqual([
        'ClusterRoleBinding',
        'PodDisruptionBudget',
        'Service',
        'ServiceAccount',
      ]);
      expect(rows.find(({ kind, name }) => kind === 'Deployment' && name === 'gateway')?.message).toContain(
        'taken over at',
      );
      expect(adopted()).toHaveLength(5);
    },
    LONG_MS,
  );
});
