import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import { DEFAULT_TARGET_NAMESPACE, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT } from '../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer, testNeeding } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';

import { Hub, readyOf } from '../support/hub/hub.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const NAMESPACE = `/api/v1/namespaces/${TARGET}`;
const BUDGETS = `/apis/policy/v1/namespaces/${TARGET}/poddisruptionbudgets`;
const BUDGET = `${BUDGETS}/placement-controller`;
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/multicluster-engine-installer';
const ENGINE: AnyObject = {
  apiVersion: 'multicluster.platform.io/v1alpha1',
  kind: 'MultiClusterEngine',
  metadata: { name: 'engine' },
  spec: {},
};

const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;

describeWithServer('the reason why an engine is not available', { own: true, ...HUB }, (server) => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await Hub.open(server());
  }, 6 * MINUTE);
  afterAll(() => hub.stop(), 3 * MINUTE);

  /** The engine is not changed meanwhile: its generation and annotations are the same as before. */
  async function untouched(body: () => Promise<void>): Promise<void> {
    const before = await hub.engine('to be there', () => true);
    await body();
    const { metadata } = await hub.available({ deadlineMs: 3 * MINUTE });
    expect([metadata.uid, metadata.generation, metadata.annotations]).toEqual([
      before.metadata.uid,
      before.metadata.generation,
      before.metadata.annotations,
    ]);
  }

  afterEach(async () => {
    const available = await hub.engine('to be what it is', () => true);
    expect(available.status?.phase).toBe('Available');
    expect(available.status?.conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['Ready', 'True'],
      ['Available', 'True'],
    ]);
  });

  it(
    'an object of another owner with a name that the engine needs is named and not changed, and the installation continues once it is deleted',
    async () => {
      const theirs = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'placement-controller', namespace: TARGET },
        spec: { maxUnavailable: 0 },
      };
      await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TARGET } });
      await hub.apply(theirs);
      // The disruption controller writes the status in its own time.
      const content = async (): Promise<object> => {
        const { metadata, spec } = (await hub.get(BUDGET)) ?? {};
        return { spec, labels: metadata?.labels, uid: metadata?.uid, generation: metadata?.generation };
      };
      const before = await content();
      await hub.apply(ENGINE);

      const ready = await hub.reason('ForeignObject');
      expect(ready.message).toBe(
        `PodDisruptionBudget ${TARGET}/placement-controller: was created by somebody else and is not changed; delete or rename it, or let the engine take it over (spec.adoption: IfUnowned)`,
      );
      const engine = await hub.engine(
        'to have tried the rest',
        ({ status }) =>
          status?.components?.some(({ kind, status: is }) => kind === 'Deployment' && is === 'True') === true,
      );
      expect(engine.status?.phase).toBe('Error');
      expect(engine.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'ForeignObject' }),
      );
      expect(engine.status?.components).toContainEqual(
        expect.objectContaining({ kind: 'PodDisruptionBudget', status: 'False', reason: 'Skipped' }),
      );
      expect(await content()).toEqual(before);

      await untouched(() => hub.remove(BUDGET));
      expect((await hub.get(BUDGET))?.metadata?.labels).toMatchObject({ 'multicluster.platform.io/engine': 'engine' });
    },
    5 * MINUTE,
  );

  testNeeding('quota')(
    'an exceeded quota is reported with the message of the API server, not as a missing permission, and a raised one is noticed (quota)',
    async () => {
      const quota = `${NAMESPACE}/resourcequotas/none`;
      const spec = { hard: { 'count/poddisruptionbudgets.policy': '0' } };
      await hub.apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none', namespace: TARGET }, spec });
      const probe = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'probe' },
        spec: { selector: { matchLabels: { app: 'probe' } } },
      };
      await waitFor('the quota to be in force', async (seen) => {
        const { text } = await server().call({ method: 'POST', path: `${BUDGETS}?dryRun=All`, body: probe });
        seen(text);
        return text.includes('exceeded quota');
      });
      await hub.remove(BUDGET);

      const ready = await hub.reason('ApplyFailed');
      expect(ready.message).toMatch(
        /^PodDisruptionBudget multicluster-engine\/placement-controller: .*exceeded quota: none, requested: count\/poddisruptionbudgets\.policy=1, used: /,
      );
      const engine = await hub.engine('to have failed three times', ({ status }) => status?.phase === 'Error');
      expect(engine.status?.conditions?.map(({ type }) => type)).not.toContain('Stalled');

      await untouched(() => hub.remove(quota));
    },
    6 * MINUTE,
  );

  it(
    'a missing permission is named with verb, resource, namespace and remedy, and is used within 60 s after it is granted',
    async () => {
      const role = await hub.get(ROLE);
      const token = await server().tokenFor({
        serviceAccount: { namespace: OPERATOR_NAMESPACE, name: OPERATOR_SERVICE_ACCOUNT },
      });
      await hub.remove(ROLE);
      // The authorizer observes it with a delay.
      await waitFor('the right to be gone', async () => (await server().call({ path: BUDGET, token })).status === 403);
      await hub.remove(BUDGET);

      const ready = await hub.reason('PermissionDenied');
      expect(ready.message).toMatch(
        /the operator may not [a-z]+ poddisruptionbudgets\.policy in namespace multicluster-engine; RoleBinding multicluster-engine\/multicluster-engine-installer to ClusterRole multicluster-engine-installer would grant the right/,
      );
      const engine = await hub.engine('to be stalled', ({ status }) => status?.phase === 'Error');
      expect(engine.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', reason: 'PermissionDenied' }),
      );
      const { name, labels, annotations } = role?.metadata ?? {};
      await untouched(async () => {
        await hub.apply({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name, labels, annotations },
          rules: role?.['rules'],
        } as AnyObject);
        await hub.available({ deadlineMs: 3 * MINUTE });
      });
    },
    10 * MINUTE,
  );

  it(
    'a target namespace that is being deleted is reported with the reason why it remains, and is created again',
    async () => {
      const held = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held', namespace: TARGET, finalizers: ['example.com/hold'] },
      };
      await hub.apply(held);
      const before = await hub.get(NAMESPACE);
      await hub.remove(NAMESPACE);

      const ready = await hub.reason('NamespaceTerminating');
      expect(ready.message).toMatch(/^Namespace multicluster-engine is being deleted/);
      const named = await hub.engine(
        'to name what keeps it',
        (one) => readyOf(one)?.message.includes('example.com/hold') === true,
        { deadlineMs: 90_000 },
      );
      expect(readyOf(named)).toMatchObject({
        reason: 'NamespaceTerminating',
        message: expect.stringMatching(/; it is created again when it is gone$/),
      });
      expect(named.status?.phase).toBe('Progressing');

      await untouched(() => hub.patch(`${NAMESPACE}/configmaps/held`, { metadata: { finalizers: null } }));
      expect((await hub.get(NAMESPACE))?.metadata?.uid).not.toBe(before?.metadata?.uid);
    },
    10 * MINUTE,
  );

  it(
    'each of these reasons was recorded as an event when it began',
    async () => {
      const quota = server().capabilities.has('quota') ? ['ComponentFailed PodDisruptionBudget '] : [];
      for (const begin of ['EngineStalled ForeignObject: ', 'EngineStalled PermissionDenied: ', ...quota]) {
        await waitFor(`the event ${begin}`, async (seen) => {
          const list = await hub.get('/apis/events.k8s.io/v1/namespaces/default/events');
          const ours = (list?.items ?? []).filter(
            (one) => one['reportingController'] === 'multicluster.platform.io/engine',
          );
          const texts = ours.map((one) => `${String(one['reason'])} ${String(one['note'])}`);
          seen(texts);
          return texts.some((one) => one.startsWith(begin));
        });
      }
    },
    3 * MINUTE,
  );
});
