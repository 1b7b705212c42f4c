import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { version } from '../../src/runtime/process/build.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { ADMIN } from '@multicluster-engine/kube-apiserver/testing/controlplane/credentials';
import { describeWithServer, testNeeding } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { pullSecret } from '../support/builders/pullsecret.js';
import { Hub, inWords } from '../support/hub/hub.js';
import { kubectl, kubectlStream } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../support/repository/root.js';
import { fields, items, text, type Fields } from '../support/scenario/checks/reading.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const TARGET = DEFAULT_TARGET_NAMESPACE;
const DEPLOYMENT = `/apis/apps/v1/namespaces/${TARGET}/deployments/placement-controller`;
const DECISIONS = '/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/shop/placementdecisions';

function example(name: string): AnyObject[] {
  return loadAll(readFileSync(path.join(root, 'examples', name), 'utf8')).map((one): AnyObject => fields(one));
}

/** The values of the column STATUS of `kubectl get -w`, without repetitions; empty before the first status. */
function statuses(lines: readonly string[]): string[] {
  const words = lines
    .filter((line) => line.startsWith('engine '))
    .map((line) => line.split(/ +/))
    .map((cells) => (cells.length > 2 ? (cells[1] ?? '') : ''));
  return words.filter((word, at) => word !== '' && word !== words[at - 1]);
}

/** The clusters that examples/placement.yaml may select, determined by hand. */
function fitting(): string[] {
  const claims = new Map(
    example('status/claims.yaml').map((one) => [one.metadata?.name, items(fields(one.status)['clusterClaims'])]),
  );
  const clusters = example('fleet.yaml').filter(({ kind }) => kind === 'ManagedCluster');
  const chosen = clusters.filter(({ metadata }) => {
    const labels = metadata?.labels ?? {};
    if (labels['cluster.fleetmgmt.io/clusterset'] !== 'production' && labels['tier'] !== 'edge') return false;
    const cloud = (claims.get(metadata?.name) ?? []).some(
      ({ name, value }) => name === 'platform' && ['aws', 'Azure', 'Google Cloud'].includes(text(value)),
    );
    return labels['tier'] === 'gold' || (labels['region'] === 'eu' && cloud);
  });
  return chosen.map(({ metadata }) => metadata?.name ?? '').sort();
}

const HUB = {
  capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts', 'requestLog'],
} as const;

describeWithServer('the main job', { own: true, ...HUB }, (server) => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await Hub.open(server());
    await server().addNode({
      name: 'node-engine',
      labels: { room: 'engine' },
      taints: [
        { key: 'dedicated', value: 'engine', effect: 'NoSchedule' },
        { key: 'night', effect: 'NoExecute' },
      ],
    });
  }, 6 * MINUTE);
  afterAll(() => hub.stop(), 3 * MINUTE);

  async function decision(name = 'web'): Promise<string[]> {
    const object = await hub.get(`${DECISIONS}/${name}-decision-1`);
    return items(fields(object?.status)['decisions']).map((one) => text(one['clusterName']));
  }

  async function pods(): Promise<Fields[]> {
    const list = await hub.get(
      `/api/v1/namespaces/${TARGET}/pods?labelSelector=app.kubernetes.io/name=placement-controller`,
    );
    return (list?.items ?? [])
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
      .map(({ spec }) => fields(spec));
  }

  it(
    '`kubectl get mce -w` prints Progressing, then Available, and never Error',
    async () => {
      const mark = await server().logMark();
      const watch = await kubectlStream(['get', 'mce', '-w'], server().adminKubeconfig);
      const begun = { after: mark, user: ADMIN, verbs: ['watch'], resources: ['multiclusterengines'] };
      await waitFor('the watch to begin', async () =>
        (await server().requestLog(begun)).some(({ userAgent }) => userAgent.startsWith('kubectl')),
      );
      await hub.kubectl('apply', '-f', 'examples/engine.yaml');

      await watch.line('Available', (line) => /^engine +Available /.test(line), { deadlineMs: 2 * MINUTE });
      await hub.kubectl('wait', '--for=condition=Ready', '--timeout=120s', 'mce/engine');
      await quietWindow(1000);
      await watch.stop();

      expect(statuses(watch.lines)).toEqual(['Progressing', 'Available']);
    },
    5 * MINUTE,
  );

  it('`kubectl get mce` has the columns of the interface, and -o wide adds the reason', async () => {
    const rows = async (...flags: string[]): Promise<string[][]> =>
      (await hub.kubectl('get', 'mce', ...flags))
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/));

    expect(await rows()).toEqual([
      ['NAME', 'STATUS', 'AGE'],
      ['engine', 'Available', expect.stringMatching(/^\d+[ms]/)],
    ]);
    expect(await rows('-o', 'wide')).toEqual([
      ['NAME', 'STATUS', 'AGE', 'READY', 'NAMESPACE', 'VERSION', 'MESSAGE'],
      ['engine', 'Available', expect.anything(), 'True', TARGET, version(), 'every component is applied and available'],
    ]);
  });

  it(
    'a placement selects the right clusters of the example fleet',
    async () => {
      await hub.kubectl('apply', '-f', 'examples/fleet.yaml');
      await hub.kubectl('apply', '--server-side', '--subresource=status', '-f', 'examples/status/claims.yaml');
      await hub.kubectl('apply', '-f', 'examples/placement.yaml');
      const [web] = example('placement.yaml');
      await hub.apply({
        ...web,
        metadata: { name: 'all', namespace: 'shop' },
        spec: { ...web?.spec, numberOfClusters: undefined },
      });
      await hub.kubectl(
        'wait',
        '--for=condition=Ready',
        '--timeout=120s',
        '-n',
        'shop',
        'placement/web',
        'placement/all',
      );

      await waitFor('every cluster that fits', async (seen) => {
        const chosen = await decision('all');
        seen(chosen);
        return chosen.sort().join() === fitting().join();
      });
      expect(fitting()).toHaveLength(5);
      await hub.kubectl('wait', '--for=condition=PlacementSatisfied', '--timeout=120s', '-n', 'shop', 'placement/web');
      const chosen = await decision();
      expect([new Set(chosen).size, chosen.filter((name) => fitting().includes(name))]).toEqual([3, chosen]);
      const row = (await hub.kubectl('get', 'placements', 'web', '-n', 'shop', '-o', 'wide', '--no-headers')).split(
        / {2,}/,
      );
      expect(row.slice(0, 5)).toEqual(['web', 'Satisfied', '3', '3', 'AllDecisionsScheduled']);
      expect(row.slice(6).map((cell) => cell.trim())).toEqual([
        '["production","edge"]',
        'all 3 wanted clusters are selected',
      ]);
    },
    3 * MINUTE,
  );

  it(
    'a changed label changes the decision by one cluster with two writes, and restoring it causes no further change',
    async () => {
      const before = await decision();
      const moved =
        before.find((name) => name.startsWith('prod-') && fitting().includes(name) && !name.includes('-eu-')) ?? '';
      const mark = await server().logMark();
      await hub.kubectl('label', 'mcl', moved, 'tier=silver', '--overwrite');

      const after = await waitFor('another cluster in its place', async () => {
        const chosen = await decision();
        return chosen.length === 3 && !chosen.includes(moved) ? chosen : undefined;
      });
      await waitFor(
        'both statuses to follow',
        async () =>
          (await hub.writes(mark)).filter(
            ({ resource, subresource }) => resource === 'placements' && subresource === 'status',
          ).length >= 2,
      );
      await hub.kubectl('label', 'mcl', moved, 'tier=gold', '--overwrite');
      await waitFor('the placement of all to follow', async () => (await decision('all')).length === 5);
      await hub.settled();

      expect(before.filter((name) => after.includes(name))).toEqual(before.filter((name) => name !== moved));
      expect(await decision()).toEqual(after);
      const web = (await hub.writes(mark))
        .filter(({ resource, name }) => resource !== 'events' && /^web\b/.test(name))
        .map(inWords);
      expect(web).toEqual(['update placementdecisions shop/web-decision-1', 'update placements/status shop/web']);
    },
    3 * MINUTE,
  );

  testNeeding('pods')(
    'changed nodeSelector and tolerations are applied to the pods, with tolerationSeconds where it is allowed (pods)',
    async () => {
      const tolerations = [
        { key: 'dedicated', operator: 'Equal', value: 'engine', effect: 'NoSchedule', tolerationSeconds: 60 },
        { key: 'night', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3600 },
        { key: 'weekend', operator: 'Exists', tolerationSeconds: 30 },
      ];
      const watch = await kubectlStream(['get', 'mce', '-w'], server().adminKubeconfig);
      await watch.line('Available', (line) => /^engine +Available /.test(line));
      await hub.patchEngine({ spec: { nodeSelector: { room: 'engine' }, tolerations } });
      await watch.line('Progressing', (line) => /^engine +Progressing /.test(line));
      await hub.available();
      await waitFor('the watch to show it', () => statuses(watch.lines).length >= 3);
      await watch.stop();

      const found = await waitFor('the old pods to be gone', async (seen) => {
        const now = await pods();
        seen(now.map(({ nodeName }) => nodeName));
        return now.length === 2 ? now : undefined;
      });
      expect(found.map(({ nodeName }) => nodeName)).toEqual(['node-engine', 'node-engine']);
      const given = items(found[0]?.['tolerations']).filter(({ key }) => !text(key).startsWith('node.kubernetes.io/'));
      expect(given).toEqual([
        { key: 'dedicated', operator: 'Equal', value: 'engine', effect: 'NoSchedule' },
        { key: 'night', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3600 },
        { key: 'weekend', operator: 'Exists' },
      ]);
      expect(statuses(watch.lines)).toEqual(['Available', 'Progressing', 'Available']);
    },
    5 * MINUTE,
  );

  testNeeding('pods')(
    'a pull secret is applied to the pods, and so is the removal of all settings (pods)',
    async () => {
      await hub.apply(pullSecret(TARGET, 'registry'));
      await hub.patchEngine({ spec: { imagePullSecret: 'registry' } });
      await hub.available();
      await waitFor('every pod to carry it', async (seen) => {
        const now = await pods();
        seen(now);
        return (
          now.length === 2 &&
          now.every(({ imagePullSecrets }) => JSON.stringify(imagePullSecrets) === '[{"name":"registry"}]')
        );
      });

      await hub.patchEngine({ spec: { imagePullSecret: null, nodeSelector: null, tolerations: null } });
      await hub.available();
      await waitFor('every pod to be without', async (seen) => {
        const now = await pods();
        seen(now);
        return (
          now.length === 2 &&
          now.every((pod) => pod['imagePullSecrets'] === undefined && pod['nodeSelector'] === undefined)
        );
      });
      expect((await pods()).map(({ nodeName }) => nodeName)).not.toContain('node-engine');
    },
    5 * MINUTE,
  );

  it(
    'a pause stops all writes except status and reports pending changes, which are applied at its end',
    async () => {
      const networkPolicy = `/apis/networking.k8s.io/v1/namespaces/${TARGET}/networkpolicies/placement-controller`;
      await hub.kubectl('annotate', 'mce', 'engine', 'multicluster.platform.io/paused=true');
      await hub.engine('to be paused', (one) => one.status?.phase === 'Paused');
      const mark = await server().logMark();
      await hub.remove(networkPolicy);
      await hub.patch(DEPLOYMENT, { spec: { replicas: 1 } });
      await hub.patchEngine({ spec: { nodeSelector: { 'kubernetes.io/os': 'none' } } });

      const paused = await hub.engine('to report all three', ({ status }) =>
        ['Drifted', 'Missing'].every((reason) => status?.components?.some((row) => row.reason === reason) === true),
      );
      await quietWindow(3000);

      expect(
        new Set((await hub.writes(mark, /operator$/)).filter(({ resource }) => resource !== 'events').map(inWords)),
      ).toEqual(new Set(['update multiclusterengines/status engine']));
      expect(paused.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
        reason: 'Paused',
        message: expect.stringContaining('NetworkPolicy'),
      });
      expect(paused.status?.observedGeneration).toBeLessThan(paused.metadata.generation ?? 0);
      expect(await hub.get(networkPolicy)).toBeUndefined();

      await hub.patchEngine({ spec: { nodeSelector: null } });
      await hub.kubectl('annotate', 'mce', 'engine', 'multicluster.platform.io/paused-');
      await hub.available();
      expect(await hub.get(networkPolicy)).toBeDefined();
      expect((await hub.get(DEPLOYMENT))?.spec?.['replicas']).toBe(2);
    },
    5 * MINUTE,
  );

  it('a reconciliation that is requested by annotation is confirmed in the status', async () => {
    const at = new Date().toISOString();
    await hub.kubectl('annotate', 'mce', 'engine', `multicluster.platform.io/reconcile-requested-at=${at}`);

    await hub.engine('to have answered', ({ status }) => status?.lastHandledReconcileAt === at);
  });

  it('`kubectl explain` and the short names work, and a client that reads only the status waits correctly', async () => {
    const admin = { kubeconfig: server().adminKubeconfig };
    expect((await kubectl(['explain', 'mce.spec.tolerations.tolerationSeconds'], admin)).stdout).toContain('NoExecute');
    expect(
      (await kubectl(['get', 'mce,mcl,mclset,mclsetbinding,placements,placementdecisions', '-A', '-o', 'name'], admin))
        .code,
    ).toBe(0);
    expect((await kubectl(['get', 'multicluster', '-A', '-o', 'name'], admin)).stdout).toContain(
      'placement.cluster.fleetmgmt.io/web',
    );
  });
});
