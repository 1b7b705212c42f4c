import { createHash } from 'node:crypto';

import { Deployments, Nodes, keyOf, nameOf } from '../api/resources.js';
import type { KubeClient } from '../kube/client.js';
import type { Cache, CacheOptions } from '../kube/reflector.js';
import { createController, type Controller } from '../runtime/controller.js';
import { systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import type { Pass, Result } from '../runtime/result.js';
import { Pod, removeRemains, type Site } from './pod.js';
import { Replica } from './replica.js';
import { rolloutStatus, untilLate, type Observation } from './rollout.js';
import { unschedulable } from './scheduling.js';
import type { Deployment, Node, PodContainer, PodSpec } from './workload.js';

export interface RuntimeOptions {
  readonly site: Site;
  readonly client: KubeClient;
  readonly openCache: <T extends Deployment | Node>(options: CacheOptions<T>) => Cache<T>;
  /** Which Deployments are run; all others are left alone. */
  readonly labelSelector: string;
  /** The one Node on which everything runs. */
  readonly nodeName: string;
  readonly log: Logger;
  /** Told of starts, ends and failures, one line each. */
  readonly report: (line: string) => void;
}

interface Running {
  readonly template: string;
  readonly pod: Pod;
  readonly replica: Replica;
  readonly since: number;
}

const FIELD_MANAGER = 'multicluster-engine-local';
/** How often mounted Secrets and ConfigMaps, and the age of the token, are looked at. */
const REFRESH_MS = 10_000;

/**
 * Runs Deployments without kubelet, scheduler and Deployment controller: each as one child process under the token of its
 * ServiceAccount, on one Node, with a truthful status.
 *
 * Flow: a pass per Deployment compares its pod template with the process that runs, starts, replaces or stops it, and
 * writes the status when that differs. Guarantees: at most one process per Deployment; the old one is gone before the new
 * one starts; after `stop` none is left.
 */
export class LocalRuntime {
  readonly #options: RuntimeOptions;
  readonly #deployments: Cache<Deployment>;
  readonly #nodes: Cache<Node>;
  readonly #controller: Controller;
  readonly #running = new Map<string, Running>();

  constructor(options: RuntimeOptions) {
    const { site, log, labelSelector, nodeName, openCache } = options;
    this.#options = options;
    this.#deployments = openCache<Deployment>({ type: Deployments, labelSelector });
    this.#nodes = openCache<Node>({ type: Nodes, fieldSelector: `metadata.name=${nodeName}` });
    this.#controller = createController({
      name: 'local-runtime',
      kind: 'Deployment',
      reconciler: { reconcile: (key, pass) => this.#reconcile(key, pass) },
      keys: () => this.#keys(),
      workers: 4,
      clock: site.clock,
      random: systemRandom,
      log,
    });
    this.#deployments.onChange(({ key }) => this.#controller.add(key));
    this.#nodes.onChange(() => this.#all());
  }

  /** Resolves when it knows its Deployments and works on them. */
  async start(signal?: AbortSignal): Promise<void> {
    await removeRemains(this.#options.site);
    this.#deployments.start();
    this.#nodes.start();
    await Promise.all([this.#deployments.whenSynced(signal), this.#nodes.whenSynced(signal)]);
    this.#controller.start();
  }

  async stop(): Promise<void> {
    await this.#controller.stop(0);
    await Promise.all([this.#deployments.stop(), this.#nodes.stop(), ...[...this.#running.keys()].map((key) => this.#end(key))]);
  }

  /** Where a Deployment's process listens, by variable; undefined while it does not run. */
  addressesOf(namespace: string, name: string): Readonly<Record<string, string>> | undefined {
    return this.#running.get(keyOf({ namespace, name }))?.replica.process?.addresses;
  }

  #keys(): Set<string> {
    const stored = [...this.#deployments.store.values()].map(({ metadata }) => keyOf(metadata));
    return new Set([...stored, ...this.#running.keys()]);
  }

  #all(): void {
    for (const key of this.#keys()) this.#controller.add(key);
  }

  async #reconcile(key: string, pass: Pass): Promise<Result> {
    const deployment = this.#deployments.store.get(key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) {
      await this.#end(key);
      return { ending: 'done' };
    }
    const trouble = await this.#bring(key, deployment, pass.signal);
    const seen = this.#observe(key, deployment, trouble);
    await this.#report(deployment, seen, pass.signal);
    return { ending: 'done', ...this.#wake(key, deployment, seen) };
  }

  /** Starts, replaces, refreshes or stops the process; says why there can be none. */
  async #bring(key: string, deployment: Deployment, signal: AbortSignal): Promise<Observation['trouble']> {
    const spec = deployment.spec?.template?.spec ?? {};
    const running = this.#running.get(key);
    const template = templateOf(deployment);
    const wanted = (deployment.spec?.replicas ?? 1) > 0;
    if (running !== undefined && (!wanted || running.template !== template)) await this.#end(key);
    if (!wanted || signal.aborted) return undefined;
    const current = this.#running.get(key);
    if (current !== undefined) return this.#keepFresh(current);
    const why = unschedulable(spec, this.#nodes.store.get(this.#options.nodeName));
    if (why !== undefined) return { reason: 'FailedScheduling', message: why };
    if (!hasContainer(spec)) return { reason: 'FailedCreate', message: 'the pod template has no container' };
    this.#begin(key, deployment, spec);
    return undefined;
  }

  async #keepFresh({ pod, replica }: Running): Promise<Observation['trouble']> {
    const process = replica.process;
    if (process === undefined) return undefined;
    try {
      await pod.refresh(process);
      return undefined;
    } catch (error) {
      return { reason: 'FailedMount', message: error instanceof Error ? error.message : String(error) };
    }
  }

  #begin(key: string, deployment: Deployment, spec: PodSpec & { readonly containers: readonly [PodContainer, ...PodContainer[]] }): void {
    const { site, report } = this.#options;
    const { namespace = '', name } = nameOf(key);
    const template = templateOf(deployment);
    const pod = new Pod(site, { namespace, deployment: name, name: `${name}-${hashOf(template)}` }, spec);
    const replica = new Replica({
      name: pod.identity.name,
      container: spec.containers[0],
      minReadyMs: (deployment.spec?.minReadySeconds ?? 0) * 1000,
      graceMs: (spec.terminationGracePeriodSeconds ?? 30) * 1000,
      launch: () => pod.launch(),
      clock: site.clock,
      changed: () => this.#controller.add(key),
      report,
    });
    this.#running.set(key, { template, pod, replica, since: site.clock.now() });
  }

  async #end(key: string): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return;
    await running.replica.stop();
    await running.pod.remove();
    this.#running.delete(key);
    this.#options.report(`stopped ${running.pod.identity.name}`);
  }

  #observe(key: string, deployment: Deployment, trouble: Observation['trouble']): Observation {
    const running = this.#running.get(key);
    const state = running?.replica.state;
    const since = progressing(deployment) ?? this.#options.site.clock.now();
    return {
      started: state?.started ?? false,
      ready: state?.ready ?? false,
      available: state?.available ?? false,
      pod: running?.pod.identity.name ?? '',
      trouble: state?.trouble ?? trouble,
      progressedAt: running === undefined ? since : Math.max(running.since, state?.ready === true ? state.changedAt : 0),
    };
  }

  async #report(deployment: Deployment, seen: Observation, signal: AbortSignal): Promise<void> {
    const status = rolloutStatus(deployment, seen, this.#options.site.clock.now());
    if (status === deployment.status) return;
    await this.#options.client.updateStatus(Deployments, { ...deployment, status }, { fieldManager: FIELD_MANAGER, signal });
  }

  #wake(key: string, deployment: Deployment, seen: Observation): { readonly wakeAfterMs?: number } {
    const late = untilLate(deployment, seen, this.#options.site.clock.now());
    const refresh = this.#running.has(key) ? REFRESH_MS : undefined;
    const waits = [late, refresh].filter((one) => one !== undefined);
    return waits.length === 0 ? {} : { wakeAfterMs: Math.min(...waits) };
  }
}

/** When the stored condition says that the rollout last got further, for one that could not be started so far. */
function progressing(deployment: Deployment): number | undefined {
  const found = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  const time = found === undefined ? NaN : Date.parse(found.lastUpdateTime);
  return Number.isNaN(time) ? undefined : time;
}

function hasContainer(spec: PodSpec): spec is PodSpec & { readonly containers: readonly [PodContainer, ...PodContainer[]] } {
  return (spec.containers ?? []).length > 0;
}

function templateOf(deployment: Deployment): string {
  return JSON.stringify([deployment.metadata.uid, deployment.spec?.template]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
