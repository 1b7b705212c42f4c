import { isDeepStrictEqual } from 'node:util';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { ManagedClusterSpec, ManagedClusterStatus } from '../../src/api/generated/managedcluster.js';
import { DEFAULT_TARGET_NAMESPACE, TAINTS } from '../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Hub } from '../support/hub/hub.js';
import { essence, everyObject } from '../support/hub/listing.js';
import { kubectlStream, type KubectlStream } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { fields, text } from '../support/scenario/checks/reading.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const ENGINES = '/apis/multicluster.platform.io/v1alpha1/multiclusterengines';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const INSIDE = (prefix: string, plural: string): string =>
  `${prefix}/namespaces/${TARGET}/${plural}/placement-controller`;

/** One object of each kind that an engine has, and the change that another client makes to it. */
const MADE: readonly (readonly [string, string, object])[] = [
  ['ServiceAccount', INSIDE('/api/v1', 'serviceaccounts'), { automountServiceAccountToken: true }],
  ['ClusterRoleBinding', `${RBAC}/clusterrolebindings/multicluster-engine-placement-controller`, { subjects: null }],
  ['RoleBinding', `${RBAC}/namespaces/${TARGET}/rolebindings/multicluster-engine-installer`, { subjects: null }],
  ['PodDisruptionBudget', INSIDE('/apis/policy/v1', 'poddisruptionbudgets'), { spec: { maxUnavailable: 2 } }],
  ['NetworkPolicy', INSIDE('/apis/networking.k8s.io/v1', 'networkpolicies'), { spec: { egress: null } }],
  [
    'Deployment',
    INSIDE('/apis/apps/v1', 'deployments'),
    { spec: { replicas: 5, template: { spec: { terminationGracePeriodSeconds: 1 } } } },
  ],
];
const NAMESPACE = `/api/v1/namespaces/${TARGET}`;
/** The documented time is 5 s. A change without a watch event is found by the next resync, after 10 minutes. */
const REPAIR = { deadlineMs: MINUTE };

const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;

describeWithServer('an installed engine', { own: true, ...HUB }, (server) => {
  let hub: Hub;
  let watch: KubectlStream;

  beforeAll(async () => {
    hub = await Hub.open(server());
    watch = await kubectlStream(['get', 'mce', '-w', '--no-headers'], server().adminKubeconfig);
    await hub.kubectl('apply', '-f', 'examples/engine.yaml');
    await hub.available();
  }, 6 * MINUTE);
  afterAll(async () => {
    await watch.stop();
    await hub.stop();
  }, 3 * MINUTE);

  async function notes(reason: string): Promise<string[]> {
    const list = await hub.get('/apis/events.k8s.io/v1/events');
    return (list?.items ?? []).filter((one) => one.reason === reason).map((one) => text(one['note']));
  }

  async function stored(uri: string): Promise<AnyObject> {
    const object = await hub.get(uri);
    if (object === undefined) throw new Error(`${uri} is not there`);
    return object;
  }

  /** All objects, once the garbage collector has deleted those of earlier tests. */
  async function atRest(): Promise<string[]> {
    let last: readonly string[] = [];
    return waitFor(
      'the objects to stay the same',
      async (seen) => {
        const [before, now] = [last, await everyObject(hub)];
        seen(now.filter((one) => !before.includes(one)));
        last = now;
        return isDeepStrictEqual(before, now) ? now : undefined;
      },
      { everyMs: 2000 },
    );
  }

  it('a cluster that never joined is tainted', async () => {
    const path = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/edge';
    await hub.apply({
      apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
      kind: 'ManagedCluster',
      metadata: { name: 'edge' },
      spec: { hubAcceptsClient: true },
    });
    await waitFor('the taint and the condition of edge', async (seen) => {
      const { spec, status } = (await hub.get(path)) as { spec?: ManagedClusterSpec; status?: ManagedClusterStatus };
      seen({ spec, status });
      const joined = status?.conditions?.find(({ type }) => type === 'ManagedClusterJoined');
      return (spec?.taints?.[0]?.key === TAINTS.unreachable && joined?.status === 'False') || undefined;
    });
    await hub.remove(path);
  });

  it('no output of the processes holds a token', async () => {
    const component = await hub.placementController(TARGET);

    for (const pod of [hub.operator, component])
      await waitFor(`${pod.name} to hold its lease`, () => pod.log().includes('"msg":"lease held"'));
    expect(hub.operator.log() + component.log()).not.toMatch(/eyJ[\w-]+\.[\w-]+|Bearer /);
  });

  it.each([
    ...MADE,
    ['Namespace', NAMESPACE, { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } }] as const,
  ])(
    'the operator restores a changed %s, without removing the additions of others',
    async (kind, uri, change) => {
      const before = await stored(uri);
      const marks = { metadata: { labels: { team: 'theirs' }, annotations: { note: 'theirs' } } };
      await hub.patch(uri, marks);
      await hub.patch(uri, change);

      const after = await waitFor(
        `the ${kind} to be as it was`,
        async (seen) => {
          const now = await stored(uri);
          seen(now);
          return isDeepStrictEqual(essence(now), essence(before)) ? now : undefined;
        },
        REPAIR,
      );

      expect(after.metadata?.uid).toBe(before.metadata?.uid);
      expect([after.metadata?.labels, after.metadata?.annotations]).toMatchObject([
        { team: 'theirs' },
        { note: 'theirs' },
      ]);
      await waitFor(
        'an event that names it',
        async (seen) => {
          const found = await notes('DriftRepaired');
          seen(found);
          return found.some((note) => note.startsWith(`${kind} `) && note.includes('differs at'));
        },
        REPAIR,
      );
    },
    3 * MINUTE,
  );

  it.each(MADE)(
    'the operator creates a deleted %s again',
    async (kind, uri) => {
      const before = await stored(uri);
      await hub.remove(uri);

      await waitFor(
        `another ${kind}`,
        async (seen) => {
          const now = await hub.get(uri);
          seen(now);
          return (
            now !== undefined &&
            now.metadata?.uid !== before.metadata?.uid &&
            isDeepStrictEqual(essence(now), essence(before))
          );
        },
        REPAIR,
      );
    },
    3 * MINUTE,
  );

  it(
    'the operator deletes the obsolete objects of an engine, in every namespace',
    async () => {
      const engine = await hub.available();
      const controller = {
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        name: 'engine',
        uid: engine.metadata.uid,
        controller: true,
      };
      const own = { labels: { 'multicluster.platform.io/engine': 'engine' }, ownerReferences: [controller] };
      const installer = await stored(MADE[2]?.[1] ?? '');
      await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } });
      await hub.apply(
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...own, name: 'retired', namespace: TARGET } },
        { ...installer, metadata: { ...own, name: 'multicluster-engine-installer', namespace: 'elsewhere' } },
      );

      await waitFor(
        'the account to be gone',
        async () => (await hub.get(`${NAMESPACE}/serviceaccounts/retired`)) === undefined,
        REPAIR,
      );
      await waitFor(
        'the binding to be gone',
        async () =>
          (await hub.get(`${RBAC}/namespaces/elsewhere/rolebindings/multicluster-engine-installer`)) === undefined,
        REPAIR,
      );
      await waitFor('both ObjectPruned events', async () => (await notes('ObjectPruned')).length === 2);
      expect((await notes('ObjectPruned')).sort()).toEqual([
        expect.stringMatching(/^RoleBinding elsewhere\/multicluster-engine-installer /),
        expect.stringMatching(/^ServiceAccount multicluster-engine\/retired /),
      ]);
    },
    3 * MINUTE,
  );

  it(
    'an engine is Available again after these changes, and was never in phase Error',
    async () => {
      await hub.available();
      expect(watch.lines.filter((line) => line.includes(' Error '))).toEqual([]);
    },
    5 * MINUTE,
  );

  it(
    'the hub is a cluster of its own while the spec says so, and stays when nobody reports for it any more',
    async () => {
      const path = '/apis/cluster.fleetmgmt.io/v1alpha1/managedclusters/local-cluster';
      const available = (wanted: string): Promise<ManagedClusterStatus> =>
        waitFor(`the hub as a cluster to be available: ${wanted}`, async (seen) => {
          const { status } = ((await hub.get(path)) ?? {}) as { status?: ManagedClusterStatus };
          seen(status);
          const found = status?.conditions?.find(({ type }) => type === 'ManagedClusterConditionAvailable');
          return found?.status === wanted ? status : undefined;
        });
      await hub.patch(`${ENGINES}/engine`, { spec: { localCluster: { enabled: true } } });
      const { clusterClaims, nodes } = await available('True');
      await hub.patch(`${ENGINES}/engine`, { spec: { localCluster: null } });
      const left = await available('Unknown');

      expect(clusterClaims?.map(({ name }) => name)).toContain('id.k8s.io');
      expect(left).toMatchObject({ clusterClaims, nodes });
      await hub.available();
      await hub.remove(path);
    },
    3 * MINUTE,
  );

  it(
    'an installed engine blocks a second engine, which reports the reason and of which no object is applied',
    async () => {
      await hub.apply({
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        metadata: { name: 'rival' },
        spec: { targetNamespace: 'rivals' },
      });

      const rival = await hub.engine('to be refused', ({ status }) => status?.phase === 'Error', { name: 'rival' });
      expect(rival.status?.conditions?.find(({ type }) => type === 'Stalled')).toMatchObject({
        status: 'True',
        reason: 'AnotherEngineExists',
        message: expect.stringMatching(/^MultiClusterEngine engine is older/),
      });
      await quietWindow(1000);
      expect(await hub.get('/api/v1/namespaces/rivals')).toBeUndefined();
      expect((await hub.available()).status?.phase).toBe('Available');
    },
    3 * MINUTE,
  );

  it(
    'an engine is deleted with all its objects, and keeps the namespace when it holds objects of other owners',
    async () => {
      const theirs = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'theirs', namespace: TARGET },
        data: { a: 'b' },
      };
      await hub.apply(theirs);
      await hub.kubectl('delete', 'mce', 'engine', '--timeout=120s');

      // Its binding is deleted by garbage collection; the one of the component may already be that of the second
      // engine.
      for (const [kind, uri] of MADE.filter(([one]) => one !== 'ClusterRoleBinding')) {
        await waitFor(`the ${kind} to be gone`, async () => (await hub.get(uri)) === undefined, {
          deadlineMs: kind === 'RoleBinding' ? MINUTE : 0,
        });
      }
      expect(await hub.get(`${NAMESPACE}/configmaps/theirs`)).toMatchObject({ data: { a: 'b' } });
      expect((await stored(NAMESPACE)).metadata?.deletionTimestamp).toBeUndefined();
      await waitFor('the event EngineUninstalled', async (seen) => {
        const found = await notes('EngineUninstalled');
        seen(found);
        return found.some((note) => note.includes('stays, since it holds ConfigMap multicluster-engine/theirs'));
      });
    },
    5 * MINUTE,
  );

  it(
    'a deleted engine unblocks the second engine, which then is installed without a further change',
    async () => {
      const rival = await hub.available({ name: 'rival' });

      expect(rival.status?.targetNamespace).toBe('rivals');
      const binding = await stored(MADE[1]?.[1] ?? '');
      expect(binding['subjects']).toEqual([
        { kind: 'ServiceAccount', name: 'placement-controller', namespace: 'rivals' },
      ]);
      await hub.kubectl('delete', 'mce', 'rival', '--timeout=120s');
      expect(await hub.get('/api/v1/namespaces/rivals')).toBeUndefined();
    },
    5 * MINUTE,
  );

  it(
    'a deleted engine leaves exactly the objects on the hub that existed before',
    async () => {
      await hub.kubectl('apply', '-f', 'examples/fleet.yaml', '-f', 'examples/placement.yaml');
      await hub.remove(`${NAMESPACE}/configmaps/theirs`);
      await hub.remove(NAMESPACE);
      await waitFor('the old namespace to be gone', async () => (await hub.get(NAMESPACE)) === undefined, {
        deadlineMs: 2 * MINUTE,
      });
      const before = await atRest();

      await hub.kubectl('apply', '-f', 'examples/engine.yaml');
      await hub.available();
      await hub.kubectl('wait', '--for=condition=Ready', '--timeout=120s', '-n', 'shop', 'placement/web');
      const during = await everyObject(hub);
      await hub.kubectl('delete', 'mce', 'engine', '--timeout=120s');

      const decision = /^PlacementDecision\.cluster\.fleetmgmt\.io shop\/web-decision-1 /;
      expect(during.filter((one) => !before.includes(one)).length).toBeGreaterThan(10);
      await waitFor(
        'the garbage to be collected',
        async (seen) => {
          const after = await everyObject(hub);
          const more = after.filter((one) => !before.includes(one) && !decision.test(one));
          const less = before.filter((one) => !after.includes(one));
          seen({ more, less });
          return more.length + less.length === 0;
        },
        { deadlineMs: 2 * MINUTE, everyMs: 500 },
      );
      expect((await hub.get(ENGINES))?.items).toEqual([]);
      expect(
        fields((await hub.get('/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placements/web'))?.status)[
          'numberOfSelectedClusters'
        ],
      ).toBe(3);
    },
    6 * MINUTE,
  );
});
