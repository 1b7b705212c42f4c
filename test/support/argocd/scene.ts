import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { pathWithPlugin } from '../clients/plugin.js';
import { Hub } from '../hub/hub.js';
import { root } from '../repository/root.js';
import { ReaderSession } from '../repository/session.js';
import { ArgoCd, NAMESPACE, type Application, type KnownCluster } from './argocd.js';
import { Repository } from './repository.js';

const FLEET = '/apis/cluster.fleetmgmt.io/v1alpha1';
export const PLACEMENTS = `${FLEET}/namespaces/${NAMESPACE}/placements`;
export const DECISIONS = `${FLEET}/namespaces/${NAMESPACE}/placementdecisions`;
const DEPLOYMENT = '/apis/apps/v1/namespaces/web/deployments/web';
const LONG_MS = 120_000;

/** The clusters of the fleet: each is an embedded API server whose Deployments are rolled out. */
export const EDGES = ['edge-1', 'edge-2', 'edge-3', 'edge-4'] as const;
export type Edge = (typeof EDGES)[number];

/** A hub with an engine and Argo CD, and the clusters of the pages, which Argo CD can reach. */
export class Scene {
  readonly hub: Hub;
  readonly argocd: ArgoCd;
  /** Who follows the pages. */
  readonly reader: ReaderSession;
  readonly repository: Repository;
  readonly #clusters: ReadonlyMap<string, ControlPlane>;

  private constructor(hub: Hub, argocd: ArgoCd, clusters: ReadonlyMap<string, ControlPlane>) {
    const { folder, adminKubeconfig } = hub.server;
    this.hub = hub;
    this.argocd = argocd;
    this.#clusters = clusters;
    this.repository = new Repository(path.join(folder, 'repository'));
    const PATH = pathWithPlugin(path.join(folder, 'bin'));
    this.reader = new ReaderSession(folder, { PATH, KUBECONFIG: adminKubeconfig });
  }

  static async open(server: ControlPlane, program: string): Promise<Scene> {
    const hub = await Hub.open(server);
    await hub.kubectl('apply', '-f', 'examples/engine.yaml');
    const started = await Promise.all(EDGES.map((label) => startBackend('embedded', { size: 'hub', label })));
    const clusters = new Map(started.map((cluster, at) => [EDGES[at] ?? '', cluster]));
    const argocd = await ArgoCd.install(server, program);
    const scene = new Scene(hub, argocd, clusters);
    for (const name of EDGES) await scene.accept('one', name);
    scene.release('one');
    await argocd.addClusters(await Promise.all([...clusters, ['hub', server] as const].map(known)));
    await hub.available();
    await hub.apply(...EDGES.map((name) => managedCluster(name, 'berlin')));
    return scene;
  }

  async stop(): Promise<void> {
    await this.argocd.stop();
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.stop()));
    await this.hub.stop();
  }

  /** Commits the workload in this version; its pods need a node that accepts the version. */
  release(version: string): string {
    const labels = { app: 'web' };
    const container = { name: 'web', image: `registry.example.com/web:${version}` };
    const template = { metadata: { labels }, spec: { nodeSelector: { [version]: 'true' }, containers: [container] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
    return this.repository.commit({ 'deploy/web.json': JSON.stringify(object) });
  }

  /** Lets the pods of a version run in these clusters. */
  async accept(version: string, ...names: readonly string[]): Promise<void> {
    for (const name of names)
      await this.#clusters.get(name)?.addNode({ name: `node-${version}`, labels: { [version]: 'true' } });
  }

  /** A command of a page, with the repository of this scene in the examples that it names, and files in its folder. */
  typed(command: string): string {
    const own = command.replaceAll('-f web.yaml', `-f ${this.hub.server.folder}/web.yaml`);
    return own.replaceAll(/examples\/argocd\/(?:applicationset|waves)\.yaml/g, (file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const copy = path.join(this.hub.server.folder, path.basename(file));
      writeFileSync(copy, text.replace('https://git.example.com/web.git', this.repository.url));
      return copy;
    });
  }

  /** The clusters of a decision, sorted, once there are this many. */
  async decided(count: number, placement = 'web'): Promise<string[]> {
    const selector = `labelSelector=cluster.fleetmgmt.io/placement=${placement}`;
    return waitFor(`a decision of ${count} clusters`, async (seen) => {
      const { body } = await this.hub.server.call({ path: `${DECISIONS}?${selector}` });
      const items = (body.items ?? []).flatMap(({ status }): Item[] => Object(status).decisions);
      const names = [...new Set(items.map(({ clusterName }) => clusterName))].sort();
      seen(names);
      return body.items?.length !== 0 && names.length === count ? names : undefined;
    });
  }

  /**
   * Lets Argo CD read the decision, and waits until there is an Application for each of these clusters and no other, with the
   * address or the name of its cluster.
   */
  async applied(
    names: readonly string[],
    by: 'address' | 'name' = 'address',
  ): Promise<ReadonlyMap<string, Application>> {
    const destination = (name: string): string => (by === 'name' ? name : (this.#clusters.get(name)?.url ?? ''));
    const wanted = JSON.stringify(names.map((name) => [`web-${name}`, destination(name)]));
    return waitFor(
      'the Applications of the decision',
      async (seen) => {
        await this.argocd.refresh('web');
        const all = await this.argocd.applications();
        const found = new Map([...all].filter(([name]) => /^web-edge-\d$/.test(name)));
        const made = [...found.values()].map((one) => [one.name, one.destination]);
        made.sort(([a = ''], [b = '']) => a.localeCompare(b));
        seen([made, await this.argocd.errorOf('web')]);
        return JSON.stringify(made) === wanted ? found : undefined;
      },
      { deadlineMs: LONG_MS, everyMs: 500 },
    );
  }

  /** Deletes the objects of the decision of Placement web, which people are refused. */
  async loseObjects(): Promise<void> {
    const { body } = await this.hub.server.call({
      path: `${DECISIONS}?labelSelector=cluster.fleetmgmt.io/placement=web`,
    });
    for (const { metadata } of body.items ?? []) await this.hub.remove(`${DECISIONS}/${metadata?.name}`);
  }

  /** Waits until the workload is in these clusters and in no other. */
  async deployedTo(names: readonly string[]): Promise<void> {
    await waitFor(
      `the workload to be in ${names.join(', ')} alone`,
      async (seen) => {
        const found = await this.deployments();
        seen([[...found.keys()], [...(await this.argocd.applications()).values()]]);
        return [...found.keys()].join() === names.join();
      },
      { deadlineMs: LONG_MS, everyMs: 200 },
    );
  }

  /** The image of the workload, by the clusters in which it is. */
  async deployments(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [name, cluster] of this.#clusters) {
      const { status, body } = await cluster.call({ path: DEPLOYMENT });
      if (status === 200) found.set(name, Object(body.spec).template.spec.containers[0].image);
    }
    return found;
  }

  async label(cluster: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
    await this.hub.patch(`${FLEET}/managedclusters/${cluster}`, { metadata: { labels } });
  }
}

async function known([name, cluster]: readonly [string, ControlPlane]): Promise<KnownCluster> {
  const token = await cluster.tokenFor({ user: 'admin' });
  return { name, url: cluster.url, token, ca: readFileSync(cluster.caFile, 'utf8') };
}

interface Item {
  readonly clusterName: string;
}

export function managedCluster(name: string, set: string): AnyObject {
  return {
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'ManagedCluster',
    metadata: { name, labels: { 'cluster.fleetmgmt.io/clusterset': set } },
  };
}
