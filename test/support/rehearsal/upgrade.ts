import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { loadAll } from 'js-yaml';
import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { AGENT_NAMESPACE, OPERATOR_NAMESPACE } from '../../../src/api/names.js';
import { fields } from '../scenario/checks/reading.js';
import { helm, programOf, RehearsalHub } from './hub.js';
import { Kubelets } from './kubelets.js';
import { LeaseObserver, type LeaseFigures } from './observer.js';
import type { Installable, Release } from './release.js';

const CLUSTERS = ['berlin-1', 'berlin-2', 'berlin-3'];
const NAMESPACE = 'shop';
const AVAILABLE = 'ManagedClusterConditionAvailable';
const AGENT = `${AGENT_NAMESPACE}/multicluster-engine-agent`;
const PROBE_PAUSE_MS = 250;
const OURS = /^system:serviceaccount:multicluster-engine/;

/** What an upgrade did to a hub under work. */
export interface UpgradeFigures extends LeaseFigures {
  /** From `helm upgrade` until the hub and all agents ran the new version. */
  readonly seconds: number;
  /** How long new Placements waited for their first decision, in ms, in the order of their creation. */
  readonly firstDecisions: readonly number[];
  /** Successful writes of the decisions of Placements that nobody edited. */
  readonly decisionWrites: number;
  /** Requests of our identities that were refused for lack of rights or by a policy. */
  readonly refused: readonly string[];
}

/**
 * Installs `before` by its chart, lets clusters join by its agents, and upgrades hub and agents to `after`, while a new
 * Placement is created again and again.
 * @throws Error where a decision changed, or a cluster counted as silent
 */
export async function upgrade(before: Installable, after: Release): Promise<UpgradeFigures> {
  const hub = await RehearsalHub.start([before, after]);
  const members: Member[] = [];
  try {
    await hub.helm('install', 'multicluster-engine', before.chart, ...PLACE, '--create-namespace', '--wait');
    await hub.engineReady(path.join(after.npmPackage, 'examples/engine.yaml'), before);
    await hub.apply(FLEET + CLUSTERS.map(cluster).join(''));
    for (const name of CLUSTERS) members.push(await Member.join(hub, name, [before, after]));
    await hub.apply(placement('web', 2) + placement('all', 3));
    const decided = async (): Promise<readonly string[]> => [
      await hub.decided(NAMESPACE, 'web'),
      await hub.decided(NAMESPACE, 'all'),
    ];
    for (const name of CLUSTERS) await hub.kubectl('wait', `--for=condition=${AVAILABLE}`, `mcl/${name}`);
    const available = `jsonpath={.items[*].status.conditions[?(@.type=="${AVAILABLE}")]}`;
    const availability = async (): Promise<readonly string[]> => [await hub.kubectl('get', 'mcl', '-o', available)];
    const were = [await decided(), await availability()] as const;

    const mark = await hub.server.logMark();
    const leases = new LeaseObserver(hub.server);
    const probes = new Probes(hub);
    const start = performance.now();
    await hub.helm('upgrade', 'multicluster-engine', after.chart, ...PLACE, '--wait', '--reset-then-reuse-values');
    await hub.upgraded(after);
    for (const member of members) await member.upgrade(after);
    const seconds = (performance.now() - start) / 1000;
    const firstDecisions = await probes.end();
    const leaseFigures = await leases.end();

    same('the decisions', await decided(), were[0]);
    // With the time of its last change: a cluster that was unknown for a while differs, too.
    same('the condition of the clusters', await availability(), were[1]);
    const log = await hub.server.requestLog({ after: mark, user: OURS });
    const writes = log.filter(
      ({ resource, name, code, verb }) =>
        resource === 'placementdecisions' && !name.startsWith('probe-') && code < 300 && isWrite(verb),
    );
    const refused = log.filter(({ code }) => code === 401 || code === 403 || code === 422);
    return {
      ...leaseFigures,
      seconds,
      firstDecisions,
      decisionWrites: writes.length,
      refused: refused.map(({ user, verb, uri, message }) => `${user} ${verb} ${uri}: ${message}`),
    };
  } finally {
    await Promise.all(members.map((one) => one.stop()));
    await hub.stop();
  }
}

const PLACE = ['--namespace', OPERATOR_NAMESPACE];
const FLEET = `
apiVersion: v1
kind: Namespace
metadata: {name: ${NAMESPACE}}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSet
metadata: {name: berlin}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSetBinding
metadata: {name: berlin, namespace: ${NAMESPACE}}
spec: {clusterSet: berlin}
`;

/** Agents renew their Leases after nine tenths of the duration, of which ten seconds are the shortest. */
function cluster(name: string): string {
  return `
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedCluster
metadata: {name: ${name}}
spec: {leaseDurationSeconds: 10}
`;
}

function placement(name: string, count: number): string {
  return `
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: ${name}, namespace: ${NAMESPACE}}
spec: {ClusterSets: [berlin], numberOfClusters: ${count}}
`;
}

function isWrite(verb: string): boolean {
  return WRITES.some((one) => one === verb);
}

function same(what: string, found: readonly string[], wanted: readonly string[]): void {
  if (found.join('; ') !== wanted.join('; '))
    throw new Error(`${what} changed from ${wanted.join('; ')} to ${found.join('; ')}`);
}

/** A cluster whose agent is a process: an embedded API server, to which the chart of the agent is applied. */
class Member {
  readonly #hub: RehearsalHub;
  readonly #name: string;
  readonly #server: ControlPlane;
  readonly #kubelets: Kubelets;

  private constructor(hub: RehearsalHub, name: string, server: ControlPlane, images: readonly Installable[]) {
    this.#hub = hub;
    this.#name = name;
    this.#server = server;
    this.#kubelets = new Kubelets(server, (image) => programOf(image, images));
  }

  /** `cluster add` of the first of the images on the hub, and its chart in the cluster. */
  static async join(hub: RehearsalHub, name: string, images: readonly [Installable, Installable]): Promise<Member> {
    const [{ program, agentChart, image }] = images;
    const server = await startBackend('embedded', { size: 'hub', label: name });
    const member = new Member(hub, name, server, images);
    const [node, ...args] = program;
    const add = ['cluster', 'add', name, '--set', 'berlin', '--image', image, '--hub-url', hub.server.url];
    const env = { KUBECONFIG: hub.server.adminKubeconfig, HOME: server.folder };
    const { stdout } = await promisify(execFile)(node, [...args, ...add], { env });
    const secret = loadAll(stdout).find((one) => fields(one)['kind'] === 'Secret');
    const kubeconfig = server.adminKubeconfig;
    await helm(server, ['install', 'agent', agentChart, '--namespace', AGENT_NAMESPACE, '--create-namespace']);
    await kubectlOk(['apply', '-f', '-'], { kubeconfig, input: JSON.stringify(secret) });
    await member.#healthy();
    return member;
  }

  async upgrade({ agentChart, image }: Installable): Promise<void> {
    await helm(this.#server, ['upgrade', 'agent', agentChart, '--namespace', AGENT_NAMESPACE]);
    await waitFor(`the agent of ${this.#name} to run ${image}`, (seen) => {
      seen([this.#kubelets.problem, this.#kubelets.logs(AGENT).map((log) => log.slice(-2000))]);
      return this.#kubelets.runs(AGENT, image);
    });
    await this.#healthy();
  }

  async #healthy(): Promise<void> {
    const condition = '--for=condition=ControlPlaneHealthy';
    await this.#hub
      .kubectl('wait', condition, `managedcluster/${this.#name}`, '--timeout=120s')
      .catch((error: unknown) => {
        throw new Error(`${String(error)}\n${String(this.#kubelets.problem)}\n${this.#kubelets.logs(AGENT).join('')}`);
      });
  }

  async stop(): Promise<void> {
    await this.#kubelets.stop();
    await this.#server.stop();
  }
}

/** Creates Placements one after the other, each when the one before has its decision. */
class Probes {
  readonly #hub: RehearsalHub;
  readonly #end = new AbortController();
  readonly #done: Promise<readonly number[]>;

  constructor(hub: RehearsalHub) {
    this.#hub = hub;
    this.#done = this.#run();
    this.#done.catch(() => undefined);
  }

  /** How long each waited for its decision, in ms. Rejects where one did not get it. */
  end(): Promise<readonly number[]> {
    this.#end.abort();
    return this.#done;
  }

  async #run(): Promise<readonly number[]> {
    const waits: number[] = [];
    const placements = `/apis/cluster.fleetmgmt.io/v1alpha1/namespaces/${NAMESPACE}`;
    while (!this.#end.signal.aborted) {
      const name = `probe-${waits.length}`;
      const body = {
        apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
        kind: 'Placement',
        metadata: { name, namespace: NAMESPACE },
        spec: { ClusterSets: ['berlin'], numberOfClusters: 1 },
      };
      const created = await this.#hub.server.call({ method: 'POST', path: `${placements}/placements`, body });
      if (created.status !== 201) throw new Error(`${name}: ${created.text}`);
      const since = performance.now();
      await waitFor(
        `a decision of ${name}`,
        async (seen) => {
          const path = `${placements}/placementdecisions/${name}-decision-1`;
          const { body: decision, text: answer } = await this.#hub.server.call({ path });
          seen(answer);
          return JSON.stringify(fields(decision['status'])['decisions'] ?? []) !== '[]';
        },
        { everyMs: 20 },
      );
      waits.push(performance.now() - since);
      await sleep(PROBE_PAUSE_MS);
    }
    return waits;
  }
}
