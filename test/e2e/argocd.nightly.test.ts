import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { load, loadAll } from 'js-yaml';

import { DEFAULT_TARGET_NAMESPACE } from '../../src/api/names.js';
import { APPLICATION_SETS, APPLICATIONS, NAMESPACE, type Application } from '../support/argocd/argocd.js';
import { EDGES, managedCluster, PLACEMENTS, Scene } from '../support/argocd/scene.js';
import { MANIFESTS } from '../support/definitions/manifests.js';
import type { Pod } from '../support/hub/pod.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';
import { readPage } from '../support/repository/documents.js';
import { blocksIn, stepsIn } from '../support/repository/markdown.js';
import { root } from '../support/repository/root.js';
import { fields } from '../support/scenario/checks/reading.js';
import { startGateway } from '../integration/gateway/process.js';

const MINUTE = 60_000;
const WEB = `${PLACEMENTS}/web`;
const SET = 'cluster.fleetmgmt.io/clusterset';
const DEPLOY = readPage('docs/how-to/argo-cd.md');
const WAVES = readPage('docs/how-to/canary-waves.md');
const FOLLOW = readPage('docs/how-to/follow-a-decision.md');
/** As the page about waves has it. */
const PROGRESSIVE_SYNCS = { ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_PROGRESSIVE_SYNCS: 'true' };

/** The first manifest of a page. */
const manifestOf = (page: string): string => blocksIn(page).find(({ language }) => language === 'yaml')?.text ?? '';

const uidsOf = (applications: ReadonlyMap<string, Application>): Record<string, string> =>
  Object.fromEntries([...applications.values()].map(({ name, uid }) => [name, uid]));

/** A manifest of each kind that people keep in Git, by its kind. */
const IN_GIT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(MANIFESTS)
    // Only the placement controller writes them.
    .filter(([kind]) => kind !== 'PlacementDecision')
    .map(([kind, text]) => [`fleet/${kind}.yaml`, `kind: ${kind}\nmetadata: {name: full}${text}\n`]),
);

/** The hub has an engine already; nothing can be selected in a namespace without these sets, which is a decision. */
const IN_SYNC = [
  'ManagedCluster/full Synced -',
  'ManagedClusterSet/full Synced -',
  'ManagedClusterSetBinding/full Synced -',
  'MultiClusterEngine/full Synced Degraded',
  'Placement/full Synced Healthy',
];

const KINDS = Object.keys(IN_GIT)
  .map((file) => path.basename(file, '.yaml'))
  .join();
const VERSION = 'jsonpath={range .items[*]}{.kind} {.metadata.generation}{"\\n"}{end}';

function application(server: string, repoURL: string): AnyObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'fleet', namespace: NAMESPACE },
    spec: {
      project: 'default',
      source: { repoURL, path: 'fleet', targetRevision: 'main' },
      destination: { server, namespace: 'fleet' },
      syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
    },
  };
}

/** A set with these clusters, a Placement of all of them, and the example's ApplicationSet for it. */
function fleetOf(names: readonly string[]): AnyObject[] {
  const example = fields(load(readFileSync(path.join(root, 'examples/argocd/applicationset.yaml'), 'utf8')));
  const text = JSON.stringify({ ...example, metadata: { ...Object(example['metadata']), name: 'many' } });
  const set = JSON.parse(
    text.replace('"cluster.fleetmgmt.io/placement":"web"', '"cluster.fleetmgmt.io/placement":"many"'),
  );
  // Nobody deletes what was deployed: the application controller does not run.
  set.spec.syncPolicy = { preserveResourcesOnDeletion: true };
  const apiVersion = 'cluster.fleetmgmt.io/v1alpha1';
  const metadata = { name: 'many', namespace: NAMESPACE };
  return [
    { apiVersion, kind: 'ManagedClusterSet', metadata: { name: 'many' } },
    { apiVersion, kind: 'ManagedClusterSetBinding', metadata, spec: { clusterSet: 'many' } },
    { apiVersion, kind: 'Placement', metadata, spec: { ClusterSets: ['many'] } },
    ...names.map((name) => managedCluster(name, 'many')),
    set,
  ];
}

const HUB = { capabilities: ['rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'] } as const;

describeWithBuiltProgram('Argo CD on a hub', 'argocd', (_run, program) => {
  describeWithServer('Argo CD on a hub', { own: true, ...HUB }, (server) => {
    let scene: Scene;

    beforeAll(async () => {
      scene = await Scene.open(server(), program);
      await scene.argocd.start('repo-server');
      await scene.argocd.start('application-controller');
      await scene.argocd.start('applicationset-controller', PROGRESSIVE_SYNCS);
    }, 8 * MINUTE);
    afterAll(() => scene.stop(), 3 * MINUTE);

    /** Group, wave and cluster of each Application, by the wave. */
    async function waves(): Promise<readonly [string, string, string][]> {
      const found = [...(await scene.applied(EDGES)).values()].map(({ name, labels }): [string, string, string] => [
        labels['group'] ?? '-',
        labels['wave'] ?? '-',
        name.replace('web-', ''),
      ]);
      return found.sort(([, a], [, b]) => a.localeCompare(b));
    }

    /** Waits until the Applications of these clusters have the labels `region`. */
    async function regions(wanted: Readonly<Record<string, string>>): Promise<void> {
      await waitFor('the regions of the Applications', async (seen) => {
        const applications = await scene.applied(EDGES);
        const found = Object.keys(wanted).map((name) => [name, applications.get(`web-${name}`)?.labels['region']]);
        seen([found, await scene.argocd.errorOf('web')]);
        return JSON.stringify(found) === JSON.stringify(Object.entries(wanted));
      });
    }

    /** Waits until Argo CD reports that it cannot make the Applications of the set `web`. */
    function refusal(message: string): Promise<true> {
      return waitFor(
        `the error ${message}`,
        async (seen) => {
          await scene.argocd.askRefresh('web');
          const error = await scene.argocd.errorOf('web');
          seen(error);
          return error?.includes(message) === true || undefined;
        },
        { everyMs: 500 },
      );
    }

    /** Those of the clusters in which the workload has this version. */
    async function runs(version: string, clusters: readonly string[]): Promise<string[]> {
      const images = await scene.deployments();
      return clusters.filter((name) => images.get(name)?.endsWith(`:${version}`));
    }

    const controller = (): Promise<Pod> => scene.hub.placementController(DEFAULT_TARGET_NAMESPACE);

    it(
      'the commands of docs/how-to/argo-cd.md deploy to each selected cluster, and to the replacement of a drained one',
      async () => {
        const { reader } = scene;
        const [configure = '', deploy = '', move = ''] = stepsIn(DEPLOY).map(({ command }) => scene.typed(command));
        await reader.succeeds(configure);
        await reader.succeeds(`kubectl apply -f - <<'EOF'\n${manifestOf(DEPLOY)}EOF`);
        const [drained = '', ...staying] = await scene.decided(3);
        await reader.succeeds(deploy);
        await scene.applied([drained, ...staying]);
        await scene.deployedTo([drained, ...staying]);

        await reader.succeeds(move.replaceAll('edge-1', drained));
        const next = EDGES.filter((name) => name !== drained);
        expect(await scene.decided(3)).toEqual(next);
        await scene.applied(next);
        await scene.deployedTo(next);
        await reader.succeeds(`kubectl mce uncordon ${drained}`);
      },
      5 * MINUTE,
    );

    it(
      'Applications follow a Placement that changes, a cluster that leaves and comes back, and the labels of clusters by which the page fills their template',
      async () => {
        await scene.hub.patch(WEB, { spec: { numberOfClusters: 4, disruptionBudget: null } });
        const before = uidsOf(await scene.applied(await scene.decided(4)));

        await scene.label('edge-2', { [SET]: null });
        await scene.applied(await scene.decided(3));
        await scene.deployedTo(['edge-1', 'edge-3', 'edge-4']);

        await scene.label('edge-2', { [SET]: 'berlin' });
        const after = uidsOf(await scene.applied(await scene.decided(4)));
        await scene.deployedTo(EDGES);
        expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['web-edge-2']);

        await scene.reader.succeeds(scene.typed(stepsIn(DEPLOY)[3]?.command ?? ''));
        await regions({ 'edge-1': '', 'edge-2': 'eu', 'edge-3': '', 'edge-4': '' });
        await scene.label('edge-2', { region: null });
        await scene.label('edge-3', { region: 'us' });
        await regions({ 'edge-1': '', 'edge-2': '', 'edge-3': 'us', 'edge-4': '' });
        expect(uidsOf(await scene.argocd.applications())).toEqual(after);
      },
      4 * MINUTE,
    );

    it(
      'no Application is removed by restarts, nor while the objects of a decision are gone',
      async () => {
        const { argocd, hub } = scene;
        const before = uidsOf(await argocd.applications());
        const placements = await controller();
        placements.kill('SIGSTOP');
        await scene.loseObjects();
        await argocd.restart('applicationset-controller', PROGRESSIVE_SYNCS);
        await refusal('no clusterDecisionResources found');
        expect(uidsOf(await argocd.applications())).toEqual(before);
        placements.kill('SIGCONT');
        await scene.decided(4);
        expect(uidsOf(await scene.applied(EDGES))).toEqual(before);

        placements.kill('SIGKILL');
        await hub.restartOperator();
        await controller();
        await argocd.restart('applicationset-controller', PROGRESSIVE_SYNCS);
        expect(uidsOf(await scene.applied(EDGES))).toEqual(before);
      },
      4 * MINUTE,
    );

    it(
      'an empty decision removes every Application, and the next one makes them again',
      async () => {
        await scene.hub.patch(WEB, { spec: { numberOfClusters: 0 } });
        await scene.applied(await scene.decided(0));
        await scene.deployedTo([]);
        await scene.hub.patch(WEB, { spec: { numberOfClusters: null } });
        await scene.applied(await scene.decided(4));
        await scene.deployedTo(EDGES);
      },
      3 * MINUTE,
    );

    it(
      'the commands of docs/how-to/canary-waves.md make labels of the pieces, and change no Application else',
      async () => {
        const before = uidsOf(await scene.argocd.applications());
        await scene.label('edge-3', { canary: 'true' });
        writeFileSync(path.join(server().folder, 'web.yaml'), manifestOf(WAVES));
        for (const { command } of stepsIn(WAVES)) await scene.reader.succeeds(scene.typed(command));

        await waitFor('the labels', async (seen) => {
          const found = await waves();
          seen(found);
          return found.map(([group, wave]) => `${group} ${wave}`).join() === 'canary 0, 1, 2, 3';
        });
        expect((await waves())[0]?.[2]).toBe('edge-3');
        expect(uidsOf(await scene.argocd.applications())).toEqual(before);
      },
      3 * MINUTE,
    );

    it(
      'the Applications of a wave are updated when those of the wave before are healthy',
      async () => {
        const order = (await waves()).map(([, , name]) => name);
        scene.release('two');
        // Argo CD takes an Application that has not seen the commit yet for healthy: those of the first wave see it first.
        for (const name of order) await scene.argocd.compare([`web-${name}`], 'hard');
        for (const [at, name] of order.entries()) {
          await waitFor(
            `the wave of ${name}`,
            async (seen) => {
              const rollout = await scene.argocd.rollout('web');
              const found = await runs('two', order);
              seen([found, rollout]);
              return found.includes(name) && rollout[`web-${name}`]?.endsWith('Progressing');
            },
            { deadlineMs: MINUTE, everyMs: 200 },
          );
          // Its pods do not run yet: no other wave begins, also when Argo CD looks again.
          await scene.applied(EDGES);
          expect(await runs('two', order)).toEqual(order.slice(0, at + 1));
          await scene.accept('two', name);
        }
        await waitFor('the end of the rollout', async (seen) => {
          const rollout = await scene.argocd.rollout('web');
          seen(rollout);
          return Object.values(rollout).every((state) => state.endsWith('Healthy'));
        });
      },
      5 * MINUTE,
    );

    it(
      'a wave with a revision of its own is updated alone, whichever Application is compared first',
      async () => {
        const [first = '', ...others] = (await waves()).map(([, , name]) => name);
        const [before] = [...(await scene.argocd.applications()).values()].map(({ revision }) => revision);
        const next = scene.release('three');
        const [, revision = ''] = /^targetRevision: '(.*)'$/m.exec(WAVES) ?? [];
        const follow = (targetRevision: string): Promise<void> =>
          scene.hub.patch(`${APPLICATION_SETS}/web`, { spec: { template: { spec: { source: { targetRevision } } } } });
        await follow(revision.replace('v2', next).replace('v1', before ?? ''));
        await scene.applied(EDGES);
        await scene.argocd.compare(
          [...others, first].map((name) => `web-${name}`),
          'hard',
        );
        await waitFor('the first wave', async () => (await runs('three', [first])).length === 1);
        await scene.applied(EDGES);
        expect(await runs('three', EDGES)).toEqual([first]);

        await scene.accept('three', ...EDGES);
        await follow('main');
        await waitFor('the other waves', async (seen) => {
          await scene.applied(EDGES);
          const found = await runs('three', EDGES);
          seen(found);
          return found.length === EDGES.length;
        });
      },
      3 * MINUTE,
    );

    it(
      'a decision without the groups that an ApplicationSet needs changes no Application',
      async () => {
        const before = uidsOf(await scene.argocd.applications());
        await scene.hub.patch(WEB, { spec: { decisionStrategy: null } });
        await scene.decided(4);
        await refusal('map has no entry for key "group');
        expect(uidsOf(await scene.argocd.applications())).toEqual(before);

        await scene.hub.kubectl('apply', '-f', path.join(server().folder, 'web.yaml'));
        expect(uidsOf(await scene.applied(EDGES))).toEqual(before);
      },
      3 * MINUTE,
    );

    it(
      'objects of the product in Git are in sync after one sync, by both of its comparisons, and have the health of examples/argocd/health.yaml',
      async () => {
        const { argocd, hub } = scene;
        scene.repository.commit(IN_GIT);
        await hub.apply(application(server().url, scene.repository.url));
        await waitFor(
          'the sync',
          async (seen) => {
            const found = (await argocd.applications()).get('fleet');
            seen(found);
            return found?.sync === 'Synced' && found.objects.join() === IN_SYNC.join();
          },
          { deadlineMs: 2 * MINUTE, everyMs: 200 },
        );
        const versions = (): Promise<string> => hub.kubectl('get', '-n', 'fleet', KINDS, 'full', '-o', VERSION);
        const synced = await versions();
        for (const compare of ['', 'ServerSideDiff=true']) {
          const metadata = { annotations: { 'argocd.argoproj.io/compare-options': compare } };
          await hub.patch(`${APPLICATIONS}/fleet`, { metadata });
          await argocd.compare(['fleet'], 'hard');
          const after = (await argocd.applications()).get('fleet');
          expect([compare, after?.sync, after?.conditions, after?.objects]).toEqual([compare, 'Synced', [], IN_SYNC]);
        }
        expect(await versions()).toEqual(synced);
      },
      4 * MINUTE,
    );

    it(
      'the Applications of more than 100 clusters stay through a cluster that leaves and comes back, and a deletion of an object is refused',
      async () => {
        const { argocd, hub } = scene;
        await argocd.stop('application-controller', 'repo-server');
        const names = Array.from({ length: 130 }, (_, at) => `many-${100 + at}`);
        await argocd.addClusters(
          names.map((name) => ({ name, url: `https://${name}.example.com`, token: '-', ca: '-' })),
        );
        await hub.apply(...fleetOf(names));
        await scene.decided(130, 'many');
        expect(
          (await hub.kubectl('get', 'placementdecisions', '-n', 'argocd', '-o', 'name')).match(/many/g),
        ).toHaveLength(2);
        const made = async (count: number): Promise<Record<string, string>> =>
          waitFor(`${count} Applications`, async (seen) => {
            await argocd.refresh('many');
            const found = Object.entries(uidsOf(await argocd.applications())).filter(([name]) =>
              name.startsWith('web-many-'),
            );
            seen([found.length, await argocd.errorOf('many')]);
            return found.length === count ? Object.fromEntries(found) : undefined;
          });
        const before = await made(130);

        await scene.label('many-105', { [SET]: null });
        await scene.decided(129, 'many');
        const { 'web-many-105': _left, ...staying } = before;
        expect(await made(129)).toEqual(staying);
        await scene.label('many-105', { [SET]: 'many' });
        await scene.decided(130, 'many');
        expect(await made(130)).toMatchObject(staying);

        const all = ['delete', 'placementdecisions', '--all', '-n', 'argocd'];
        await expect(hub.kubectl(...all)).rejects.toThrow('part of the decision of Placement many');
        expect(await made(130)).toMatchObject(staying);
      },
      3 * MINUTE,
    );

    it(
      'the plugin generator of docs/how-to/follow-a-decision.md makes the same Applications from the answers of the gateway',
      async () => {
        const { argocd, hub } = scene;
        const gateway = await startGateway(server());
        const before = uidsOf(await scene.applied(EDGES));
        try {
          await argocd.restart('applicationset-controller', { ...PROGRESSIVE_SYNCS, SSL_CERT_FILE: gateway.caFile });
          const token = await server().tokenFor({ user: 'admin' });
          await hub.apply({
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'web-decision', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
            stringData: { token },
          });
          const [, manifest = ''] = /## Argo CD[\s\S]*?```yaml\n([\s\S]*?)```/.exec(FOLLOW) ?? [];
          const own = manifest
            .replace('gateway.example.com', `localhost:${gateway.port}`)
            .replace('/shop/', '/argocd/');
          await hub.apply(...loadAll(own).map((one): AnyObject => fields(one)));
          expect(uidsOf(await scene.applied(EDGES, 'name'))).toEqual(before);

          const placements = await controller();
          placements.kill('SIGSTOP');
          await scene.loseObjects();
          await refusal('503');
          placements.kill('SIGCONT');
          expect(uidsOf(await scene.applied(EDGES, 'name'))).toEqual(before);
          await hub.patch(WEB, { spec: { numberOfClusters: 3 } });
          await scene.applied(await scene.decided(3), 'name');
        } finally {
          await gateway.stop();
        }
      },
      3 * MINUTE,
    );
  });
});
