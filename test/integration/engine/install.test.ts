import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { KubeObject, ResourceType } from '../../../src/runtime/vocabulary/meta.js';
import {
  ClusterRoleBindings,
  Deployments,
  Namespaces,
  NetworkPolicies,
  PodDisruptionBudgets,
  RoleBindings,
  Secrets,
  ServiceAccounts,
} from '../../../src/runtime/vocabulary/kinds.js';
import { at, itemsAt, treeAt } from '../../../src/domain/engine/manifest/manifest.js';
import { driftedFields } from '../../../src/domain/engine/steps/drift.js';
import { desired, identity, NAMESPACE } from '../../support/builders/engine.js';
import { pullSecret } from '../../support/builders/pullsecret.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../deploy/overlay.js';
import { MANAGER, OperatorRig, User } from '../../support/rigs/server/engine.js';

const LONG_MS = 480_000;
/** The documented time is 5 s. A change without a watch event is found by the next resync, after 10 minutes. */
const REPAIR_MS = 60_000;
const COMPONENT = { namespace: NAMESPACE, name: 'placement-controller' };

const OBJECTS: readonly (readonly [string, ResourceType, { namespace?: string; name: string }])[] = [
  ['the RoleBinding of the installer', RoleBindings, { namespace: NAMESPACE, name: 'multicluster-engine-installer' }],
  ['the ServiceAccount', ServiceAccounts, COMPONENT],
  ['the ClusterRoleBinding', ClusterRoleBindings, { name: 'multicluster-engine-placement-controller' }],
  ['the PodDisruptionBudget', PodDisruptionBudgets, COMPONENT],
  ['the NetworkPolicy', NetworkPolicies, COMPONENT],
  ['the Deployment', Deployments, COMPONENT],
];

/** Changes of fields by other clients: a title, a merge patch, and its object. */
const CHANGES: readonly (readonly [string, ResourceType, object])[] = [
  ['a scaled Deployment', Deployments, { spec: { replicas: 0 } }],
  [
    'another image',
    Deployments,
    { spec: { template: { spec: { containers: [{ name: 'placement-controller', image: 'evil' }] } } } },
  ],
  ['a foreign toleration', Deployments, { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } }],
  [
    'a node selector widened',
    Deployments,
    { spec: { template: { spec: { nodeSelector: { infra: 'yes', theirs: 'x' } } } } },
  ],
  ['a label of ours taken off', Deployments, { metadata: { labels: { 'app.kubernetes.io/part-of': null } } }],
  [
    'the label that makes it ours taken off',
    ServiceAccounts,
    { metadata: { labels: { 'multicluster.platform.io/engine': null } } },
  ],
  ['the owner taken off', NetworkPolicies, { metadata: { ownerReferences: null } }],
  [
    'an annotation of ours changed',
    ServiceAccounts,
    { metadata: { annotations: { 'multicluster.platform.io/version': 'x' } } },
  ],
  ['a policy opened', NetworkPolicies, { spec: { egress: [{}] } }],
  [
    'a range of ports opened',
    NetworkPolicies,
    { spec: { ingress: [{ ports: [{ protocol: 'TCP', port: 8080, endPort: 9999 }] }] } },
  ],
  ['another budget', PodDisruptionBudgets, { spec: { maxUnavailable: 2 } }],
];

/**
 * Fields that exclude those of the operator: server-side apply alone would keep both, and the API server rejects that.
 */
const CONFLICTING_FIELDS: readonly (readonly [string, ResourceType, object])[] = [
  [
    'another kind of probe',
    Deployments,
    {
      spec: {
        template: {
          spec: {
            containers: [{ name: 'placement-controller', readinessProbe: { httpGet: null, tcpSocket: { port: 1 } } }],
          },
        },
      },
    },
  ],
  [
    'the other kind of budget',
    PodDisruptionBudgets,
    { metadata: { labels: { anotherEngine: 'x' } }, spec: { maxUnavailable: null, minAvailable: 1 } },
  ],
];

describeWithServer('an engine with the permissions of deploy/', { own: true }, (server) => {
  let user: User;
  let operator: OperatorRig;
  const spec = {
    nodeSelector: { infra: 'yes' },
    tolerations: [{ key: 'a', operator: 'Exists' as const, effect: 'NoSchedule' as const, tolerationSeconds: 5 }],
    imagePullSecret: 'pull',
  };
  const read = (type: ResourceType, name: { namespace?: string; name: string }): Promise<KubeObject | undefined> =>
    user.client.get<KubeObject>(type, name);
  const merge = async (type: ResourceType, patch: object): Promise<void> => {
    const path = `/apis/${type.group}/v1/namespaces/${NAMESPACE}/${type.plural}/placement-controller`.replace(
      '/apis//v1',
      '/api/v1',
    );
    // A merge patch replaces a list of containers whole; the strategic one merges them by name.
    const contentType =
      type === Deployments ? 'application/strategic-merge-patch+json' : 'application/merge-patch+json';
    const answer = await server().call({ method: 'PATCH', path, body: patch, contentType });
    expect(answer.status).toBe(200);
  };

  beforeAll(async () => {
    await installCrds(server());
    await applyOverlay(server(), 'default');
    user = new User(server());
    operator = await OperatorRig.start(server());
    await user.apply('hub', spec);
  }, LONG_MS);
  afterAll(async () => {
    await operator.stop();
    await user.close();
  }, LONG_MS);

  it(
    'an engine is installed with the permissions of deploy/, waits for its pull secret and notices its creation',
    async () => {
      await user.rollOut(NAMESPACE);
      await user.reaches('hub', 'Progressing PullSecretNotFound', 'Secret multicluster-engine/pull');
      const metadata = { namespace: NAMESPACE, name: 'pull' };
      const create = (secret: object): Promise<KubeObject> =>
        user.client.create<KubeObject>(Secrets, Object.assign({ metadata }, secret), { fieldManager: 'user' });
      const { uid = '', resourceVersion = '' } = (await create({ type: 'Opaque' })).metadata;
      await user.reaches('hub', 'Progressing PullSecretUnusable', 'is not of type kubernetes.io/dockerconfigjson');
      await user.client.delete(Secrets, metadata, { preconditions: { uid, resourceVersion } });
      await user.reaches('hub', 'Progressing PullSecretNotFound');
      await create(pullSecret(NAMESPACE, 'pull'));
      await user.reaches('hub', 'Available EngineReady');

      // The event is recorded after the status is stored.
      await waitFor('the events', () => operator.events.length >= 5);
      expect(operator.events.map((event) => event.reason)).toEqual([
        'EngineInstalling',
        'PullSecretNotFound',
        'PullSecretUnusable',
        'PullSecretNotFound',
        'EngineAvailable',
      ]);
    },
    LONG_MS,
  );

  it('the operator counts stored objects with server defaults as up to date', async () => {
    const { uid = '' } = (await user.engine('hub'))?.metadata ?? {};
    for (const one of desired(spec)) {
      const stored = await read(one.type, one.object.metadata);
      const wanted = JSON.parse(
        JSON.stringify(one.object)
          .replaceAll(identity.uid, uid)
          .replaceAll(one.revision, stored?.metadata.annotations?.['multicluster.platform.io/revision'] ?? ''),
      );
      expect([one.type.kind, driftedFields(wanted, stored)]).toEqual([one.type.kind, []]);
    }
  });

  it('the operator drops tolerationSeconds where Kubernetes rejects them', async () => {
    expect(treeAt(await read(Deployments, COMPONENT), 'spec', 'template', 'spec')).toMatchObject({
      nodeSelector: { infra: 'yes' },
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
      imagePullSecrets: [{ name: 'pull' }],
    });
  });

  it(
    'an engine opens the ports of the API server that its spec names, and turns NetworkPolicies off and on',
    async () => {
      const patch = async (networkPolicies: object | null): Promise<void> => {
        const path = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines/hub';
        const contentType = 'application/merge-patch+json';
        const body = { spec: { networkPolicies } };
        expect((await server().call({ method: 'PATCH', path, body, contentType })).status).toBe(200);
      };
      /** The ports of the egress in the order of the policy, with the annotation; undefined without a policy. */
      const becomes = (wanted: string | undefined): Promise<true> =>
        waitFor(`the policy to be ${wanted}`, async (seen) => {
          const policy = await read(NetworkPolicies, COMPONENT);
          const rules = itemsAt(policy, 'spec', 'egress').map((one) => itemsAt(one, 'ports').map(({ port }) => port));
          const named = policy?.metadata.annotations?.['multicluster.platform.io/api-server-ports'];
          const found = policy === undefined ? undefined : `${JSON.stringify(rules)} ${named}`;
          seen(found);
          return found === wanted || undefined;
        });
      await patch({ apiServerPorts: [16_443] });
      await becomes('[[16443]] 16443');
      await merge(NetworkPolicies, { spec: { egress: [{ ports: [{ port: 16_443 }, { port: 4318 }] }] } });
      await patch(null);
      await becomes('[[4318,443,6443]] undefined');
      await patch({ enabled: false });
      await becomes(undefined);
      await user.comesUp('hub', NAMESPACE);
      await patch(null);
      await becomes('[[443,6443]] undefined');
      await user.comesUp('hub', NAMESPACE);
    },
    LONG_MS,
  );

  it(
    'an operator with --without=console removes the console of an engine, and writes nothing else',
    async () => {
      const path = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines/hub';
      const patch = async (components: object): Promise<void> => {
        const contentType = 'application/merge-patch+json';
        expect(
          (await server().call({ method: 'PATCH', path, body: { spec: { components } }, contentType })).status,
        ).toBe(200);
      };
      const deployment = (): Promise<KubeObject | undefined> =>
        read(Deployments, { namespace: NAMESPACE, name: 'console' });
      await patch([{ name: 'console', enabled: true }]);
      await waitFor('the console', async () => (await deployment()) !== undefined);
      await user.comesUp('hub', NAMESPACE);
      expect(await operator.stop()).toBe(true);

      const mark = await user.mark();
      operator = await OperatorRig.start(server(), { without: ['console'] });
      await waitFor('the end of it', async () => {
        const found = await deployment();
        return found === undefined || found.metadata.deletionTimestamp !== undefined;
      });
      await user.collect(NAMESPACE);
      await user.reaches('hub', 'Available EngineReady', "the operator's flag --without=console turns it off");
      const writes = (await user.writes(mark)).filter((one) => !one.includes('status'));
      expect(writes.filter((one) => !/^delete \w+ (multicluster-engine-)?console(-ca|-tls)? 200$/.test(one))).toEqual(
        [],
      );
      const kinds = ['configmaps', 'deployments', 'networkpolicies', 'poddisruptionbudgets', 'secrets'];
      expect(writes.map((one) => one.split(' ')[1] ?? '').toSorted()).toEqual([
        ...kinds,
        'serviceaccounts',
        'services',
      ]);

      await patch([]);
      expect(await operator.stop()).toBe(true);
      operator = await OperatorRig.start(server());
      await user.comesUp('hub', NAMESPACE);
    },
    LONG_MS,
  );

  it('an engine is applied by server-side apply with one field manager', async () => {
    for (const [, type, name] of OBJECTS) {
      const managers = itemsAt(await read(type, name), 'metadata', 'managedFields').filter(
        (one) => one['manager'] === MANAGER,
      );
      expect(managers.map((one) => one['operation'])).toEqual(['Apply']);
    }
  });

  it.each(CHANGES)(
    'the operator repairs %s with one write',
    async (_name, type, patch) => {
      const before = await read(type, COMPONENT);
      const mark = await user.mark();
      const eventsBefore = operator.events.length;
      await merge(type, patch);
      await waitFor(
        'the repair',
        async (seen) => {
          const found = await read(type, COMPONENT);
          const same = {
            spec: at(found, 'spec'),
            labels: found?.metadata.labels,
            annotations: found?.metadata.annotations,
            owners: found?.metadata.ownerReferences,
          };
          seen(same);
          return (
            JSON.stringify(same) ===
            JSON.stringify({
              spec: at(before, 'spec'),
              labels: before?.metadata.labels,
              annotations: before?.metadata.annotations,
              owners: before?.metadata.ownerReferences,
            })
          );
        },
        { deadlineMs: REPAIR_MS },
      );
      // The event is recorded after the write was answered, so the write is in the request log.
      await waitFor('the event', () =>
        operator.events.slice(eventsBefore).some(({ reason }) => reason === 'DriftRepaired'),
      );
      await user.comesUp('hub', NAMESPACE);

      expect((await user.writes(mark)).filter((one) => !one.includes('status'))).toEqual([
        `patch ${type.plural} placement-controller 200`,
      ]);
    },
    LONG_MS,
  );

  it.each(CONFLICTING_FIELDS)(
    'the operator repairs %s, although the API server rejects both fields together',
    async (_name, type, patch) => {
      const before = await read(type, COMPONENT);
      const mark = await user.mark();
      await merge(type, patch);
      await waitFor(
        'the repair',
        async (seen) => {
          const spec = at(await read(type, COMPONENT), 'spec');
          seen(spec);
          return isDeepStrictEqual(spec, at(before, 'spec'));
        },
        { deadlineMs: REPAIR_MS },
      );
      await user.comesUp('hub', NAMESPACE);
      const after = await read(type, COMPONENT);

      const place = `patch ${type.plural} placement-controller`;
      expect((await user.writes(mark)).filter((one) => !one.includes('status'))).toEqual([
        `${place} 422`,
        `${place} 200`,
        `${place} 200`,
      ]);
      expect(after?.metadata.labels?.['anotherEngine']).toBe(at(patch, 'metadata', 'labels', 'anotherEngine'));
      const managers = itemsAt(after, 'metadata', 'managedFields').filter(
        (one) => at(one, 'fieldsV1', 'f:spec') !== undefined,
      );
      expect(managers.map((one) => [one['manager'], one['operation']])).toEqual([[MANAGER, 'Apply']]);
    },
    LONG_MS,
  );

  it(
    'the operator keeps labels, annotations, variables and containers that others add',
    async () => {
      await merge(Deployments, {
        metadata: { labels: { theirs: 'x' }, annotations: { theirs: 'x' } },
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'placement-controller', env: [{ name: 'THEIRS', value: 'x' }] },
                { name: 'sidecar', image: 'x', securityContext: { allowPrivilegeEscalation: false } },
              ],
            },
          },
        },
      });
      await user.rollOut(NAMESPACE);
      const mark = await user.mark();
      await user.apply('hub', { ...spec, nodeSelector: { infra: 'other' } });
      await waitFor(
        'the new selector',
        async () =>
          at(await read(Deployments, COMPONENT), 'spec', 'template', 'spec', 'nodeSelector', 'infra') === 'other',
      );
      await user.comesUp('hub', NAMESPACE);
      const stored = await read(Deployments, COMPONENT);

      expect(stored?.metadata.labels).toHaveProperty('theirs', 'x');
      expect(stored?.metadata.annotations).toHaveProperty('theirs', 'x');
      expect(itemsAt(stored, 'spec', 'template', 'spec', 'containers').map((one) => one['name'])).toEqual([
        'placement-controller',
        'sidecar',
      ]);
      expect((await user.writes(mark)).filter((one) => one.includes('deployments placement-controller'))).toHaveLength(
        1,
      );
    },
    LONG_MS,
  );

  it(
    'the operator removes a field that is no longer desired',
    async () => {
      await user.apply('hub', {});
      await waitFor('the fields to go', async (seen) => {
        const pod = treeAt(await read(Deployments, COMPONENT), 'spec', 'template', 'spec');
        seen(pod);
        return (
          pod['nodeSelector'] === undefined && pod['tolerations'] === undefined && pod['imagePullSecrets'] === undefined
        );
      });
      await user.comesUp('hub', NAMESPACE);
    },
    LONG_MS,
  );

  it(
    'the operator restores the labels of the namespace of an engine',
    async () => {
      const path = `/api/v1/namespaces/${NAMESPACE}`;
      await server().call({
        method: 'PATCH',
        path,
        body: { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged', theirs: 'x' } } },
        contentType: 'application/merge-patch+json',
      });
      const back = await waitFor(
        'Pod Security',
        async () => {
          const found = await read(Namespaces, { name: NAMESPACE });
          return found?.metadata.labels?.['pod-security.kubernetes.io/enforce'] === 'restricted' ? found : undefined;
        },
        { deadlineMs: REPAIR_MS },
      );

      expect(back.metadata.labels).toHaveProperty('theirs', 'x');
    },
    LONG_MS,
  );
});
