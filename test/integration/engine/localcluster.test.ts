import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { ManagedCluster } from '../../../src/api/generated/managedcluster.js';
import { AVAILABLE_CONDITION, CONTROL_PLANE_HEALTHY_CONDITION } from '../../../src/api/clusterreasons.js';
import {
  AGENT_FIELD_MANAGER,
  LOCAL_CLUSTER_ANNOTATION,
  LOCAL_CLUSTER_ROLE,
  RECONCILE_ANNOTATION,
} from '../../../src/api/names.js';
import { ManagedClusters } from '../../../src/api/resources.js';
import { ClusterRoleBindings, Namespaces } from '../../../src/runtime/vocabulary/kinds.js';
import { itemsAt } from '../../../src/domain/engine/manifest/manifest.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../deploy/overlay.js';
import { OperatorRig, User } from '../../support/rigs/server/engine.js';

const LONG_MS = 480_000;
const WAIT = { deadlineMs: 120_000 };
const BY_USER = { fieldManager: 'user' };

describeWithServer('the hub as a cluster of its own, with the permissions of deploy/', { own: true }, (server) => {
  let user: User;
  let operator: OperatorRig;

  const cluster = (name: string) => user.client.get<ManagedCluster>(ManagedClusters, { name });
  const hubId = async () => (await user.client.get(Namespaces, { name: 'kube-system' }))?.metadata.uid;
  const available = (one: ManagedCluster | undefined) =>
    one?.status?.conditions?.find(({ type }) => type === AVAILABLE_CONDITION);
  const claim = (one: ManagedCluster | undefined) =>
    one?.status?.clusterClaims?.find(({ name }) => name === 'id.k8s.io')?.value;
  const managers = (one: ManagedCluster | undefined) =>
    itemsAt(one, 'metadata', 'managedFields')
      .filter(({ subresource }) => subresource === 'status')
      .map(({ manager }) => manager);
  const says = (name: string, status: string, words: string) =>
    waitFor(
      `${name} to be ${status}: ${words}`,
      async (seen) => {
        const condition = available(await cluster(name));
        seen(condition);
        return condition?.status === status && condition.message?.includes(words) === true;
      },
      WAIT,
    );
  const look = () => user.annotate('hub', { [RECONCILE_ANNOTATION]: String(performance.now()) });
  const set = (localCluster?: { enabled: boolean; name?: string }) =>
    user.apply('hub', localCluster === undefined ? {} : { localCluster });
  const row = async () =>
    (await user.engine('hub'))?.status?.components?.find(({ kind }) => kind === ManagedClusters.kind);

  beforeAll(async () => {
    await installCrds(server());
    await applyOverlay(server(), 'default');
    user = new User(server());
    operator = await OperatorRig.start(server());
    await set();
    await user.comesUp('hub', NAMESPACE);
  }, LONG_MS);
  afterAll(async () => {
    await operator.stop();
    await user.close();
  }, LONG_MS);

  it(
    'there is no cluster and no right for it without the option; with it the hub is one, and every request is allowed',
    async () => {
      expect(await cluster('local-cluster')).toBeUndefined();
      expect(await user.client.get(ClusterRoleBindings, { name: LOCAL_CLUSTER_ROLE })).toBeUndefined();
      const mark = await user.mark();
      await set({ enabled: true });
      await says('local-cluster', 'True', 'the API server of this hub answers');
      await user.reaches('hub', 'Available EngineReady');

      const made = await cluster('local-cluster');
      expect(made?.metadata.labels).toEqual({ 'local-cluster': 'true' });
      expect(made?.spec).toEqual({});
      expect(claim(made)).toBe(await hubId());
      expect(await row()).toMatchObject({ name: 'local-cluster', status: 'True', reason: 'Applied' });
      expect((await user.requests(mark)).filter((one) => / 4\d\d$/.test(one) && !one.endsWith(' 404'))).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'a cluster that stands for the hub causes no write at rest, and none after a restart of the operator',
    async () => {
      await operator.stop();
      const mark = await user.mark();
      operator = await OperatorRig.start(server());
      await waitFor(
        'the operator to read the cluster',
        async (seen) => {
          const requests = await user.requests(mark);
          seen(requests);
          return requests.some((one) => one.startsWith('get managedclusters') && one.endsWith(' 200'));
        },
        WAIT,
      );
      await quietWindow(1_000);

      expect(await user.writes(mark)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'a cluster keeps all that was said of it under its old name, and says that nobody reports',
    async () => {
      await set({ enabled: true, name: 'hub-1' });
      await says('hub-1', 'True', 'answers');
      await says('local-cluster', 'Unknown', 'spec.localCluster of MultiClusterEngine hub names hub-1');

      const left = await cluster('local-cluster');
      expect(left?.metadata.labels).toEqual({ 'local-cluster': 'true' });
      expect(claim(left)).toBe(await hubId());
      expect(await row()).toMatchObject({ name: 'hub-1' });
    },
    LONG_MS,
  );

  it(
    'a cluster of somebody else is not changed, and named, until it is handed over',
    async () => {
      await user.client.create<ManagedCluster>(ManagedClusters, { metadata: { name: 'theirs' }, spec: {} }, BY_USER);
      const before = await cluster('theirs');
      await set({ enabled: true, name: 'theirs' });
      await user.reaches('hub', 'Error ForeignObject', 'ManagedCluster theirs: was created by somebody else');
      expect(await cluster('theirs')).toEqual(before);

      const { uid = '', resourceVersion = '' } = before?.metadata ?? {};
      const patch = { uid, resourceVersion, annotations: { [LOCAL_CLUSTER_ANNOTATION]: 'true' } };
      await user.client.patchMetadata(ManagedClusters, { name: 'theirs' }, patch, BY_USER);
      await look();
      await says('theirs', 'True', 'answers');
      await user.reaches('hub', 'Available EngineReady');
    },
    LONG_MS,
  );

  it(
    'an agent that is expected takes the place of the hub, and no claim is missing meanwhile',
    async () => {
      const stored = await cluster('theirs');
      if (stored === undefined) throw new Error('there is no cluster');
      await user.client.update(ManagedClusters, { ...stored, spec: { hubAcceptsClient: true } }, BY_USER);
      await look();
      await waitFor('the hub to be silent', async () => available(await cluster('theirs')) === undefined, WAIT);
      expect(claim(await cluster('theirs'))).toBe(await hubId());
      await user.reaches('hub', 'Available EngineReady');
      expect(await row()).toMatchObject({ status: 'True', reason: 'Doubtful' });

      const { name, uid = '' } = stored.metadata;
      const conditions = [{ type: CONTROL_PLANE_HEALTHY_CONDITION, status: 'True' as const }];
      const clusterClaims = [{ name: 'id.k8s.io', value: (await hubId()) ?? '' }];
      const report = { metadata: { name, uid }, spec: {}, status: { clusterClaims, conditions } };
      await user.client.applyStatus(ManagedClusters, report, { fieldManager: AGENT_FIELD_MANAGER, force: true });
      await look();
      await waitFor(
        'the agent to be alone',
        async (seen) => {
          seen(managers(await cluster('theirs')));
          return managers(await cluster('theirs')).join() === AGENT_FIELD_MANAGER;
        },
        WAIT,
      );
      expect((await cluster('theirs'))?.status).toEqual({ clusterClaims, conditions });
      expect(await row()).toMatchObject({ status: 'True', reason: 'Given' });
    },
    LONG_MS,
  );

  it(
    'the cluster stays when the option is turned off, says so, and the operator loses its rights',
    async () => {
      await set({ enabled: true });
      await says('local-cluster', 'True', 'answers');
      await set({ enabled: false });
      await says('local-cluster', 'Unknown', 'spec.localCluster of MultiClusterEngine hub is off');
      await waitFor(
        'the binding to go',
        async () => (await user.client.get(ClusterRoleBindings, { name: LOCAL_CLUSTER_ROLE })) === undefined,
        WAIT,
      );
      await waitFor('its row to go', async () => (await row()) === undefined, WAIT);
      await user.reaches('hub', 'Available EngineReady');
    },
    LONG_MS,
  );

  it(
    'the cluster stays when the engine is deleted, and says so',
    async () => {
      await set({ enabled: true });
      await says('local-cluster', 'True', 'answers');
      await user.remove('hub');
      await says('local-cluster', 'Unknown', 'MultiClusterEngine hub is deleted');
      await waitFor(
        'the binding to go with the other objects',
        async () => {
          await user.collect(NAMESPACE);
          return (await user.client.get(ClusterRoleBindings, { name: LOCAL_CLUSTER_ROLE })) === undefined;
        },
        WAIT,
      );

      expect(claim(await cluster('local-cluster'))).toBe(await hubId());
    },
    LONG_MS,
  );
});
