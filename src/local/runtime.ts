import { createHash } from 'node:crypto';

import { Deployments, Nodes, keyOf, nameOf } from '../api/resources.js';
import type { KubeClient } from '../kube/client.js';
import { createRecorder, type EventRecorder } from '../kube/recorder.js';
import type { Cache, CacheOptions } from '../kube/reflector.js';
import { createController, type Controller } from '../runtime/controller.js';
import { systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import type { Pass, Result } from '../runtime/result.js';
import { Evictions, type Leave } from './eviction.js';
import { Pod, removeRemains, type Site } from './pod.js';
import { Replica, type PodEvent } from './replica.js';
import { rolloutStatus, untilLate, type Observation } from './rollout.js';
import { unschedulable } from './scheduling.js';
import { Strangers } from './stranger.js';
import type { Deployment, Node, PodContainer, PodSpec } from './workload.js';

export interface RuntimeOptions {
  readonly site: Site;
  readonly client: KubeClient;
  readonly openCache: <T extends Deployment | Node>(options: CacheOptions<T>) => Cache<T>;
  /** The label of the Deployments that are run; all others are told that they are not. */
  readonly label: string;
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
  readonly #strangers: Strangers;
  readonly #events: EventRecorder;
  readonly #evictions: Evictions;
  readonly #running = new Map<string, Running>();

  constructor(options: RuntimeOptions) {
    const { site, client, log, label, nodeName, openCache } = options;
    const { clock } = site;
    this.#options = options;
    this.#events = createRecorder(client, { controller: 'multicluster.platform.io/local-runtime', instance: nodeName }, { clock, log });
    this.#evictions = new Evictions(clock);
    this.#strangers = new Strangers({ client, openCache, label, events: this.#events, clock, log, fieldManager: FIELD_MANAGER });
    this.#deployments = openCache<Deployment>({ type: Deployments, labelSelector: label });
    this.#nodes = openCache<Node>({ type: Nodes, fieldSelector: `metadata.name=${nodeName}` });
    this.#controller = createController({
      name: 'local-runtime',
      kind: 'Deployment',
      reconciler: { reconcile: (key, pass) => this.#reconcile(key, pass) },
      keys: () => this.#keys(),
      workers: 4,
      clock,
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
    await this.#strangers.start(signal);
  }

  async stop(): Promise<void> {
    await this.#controller.stop(0);
    await this.#strangers.stop();
    await Promise.all([this.#deployments.stop(), this.#nodes.stop(), ...[...this.#running.keys()].map((key) => this.#end(key))]);
    await this.#events.flush();
  }

  /** Where a Deployment's process listens, by variable; undefined while it does not run. */
  addressesOf(namespace: string, name: string): Readonly<Record<string, string>> | undefined {
    return this.#running.get(keyOf({ namespace, name }))?.replica.process?.addresses;
  }

  get #node(): Node | undefined {
    return this.#nodes.store.get(this.#options.nodeName);
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
      this.#evictions.forget(key);
      return { ending: 'done' };
    }
    const leave = this.#evictions.of(key, deployment.spec?.template?.spec ?? {}, this.#node);
    if (leave?.inMs === 0) await this.#end(key, leave.message);
    const trouble = await this.#bring(key, deployment, { leave, signal: pass.signal });
    const seen = this.#observe(key, deployment, trouble);
    await this.#report(deployment, seen, pass.signal);
    return { ending: 'done', ...this.#wake(key, deployment, { seen, leave }) };
  }

  /** Starts, replaces, refreshes or stops the process; says why there can be none. */
  async #bring(key: string, deployment: Deployment, { leave, signal }: { readonly leave: Leave | undefined; readonly signal: AbortSignal }): Promise<Observation['trouble']> {
    const spec = deployment.spec?.template?.spec ?? {};
    const running = this.#running.get(key);
    const template = templateOf(deployment);
    const wanted = (deployment.spec?.replicas ?? 1) > 0;
    if (running !== undefined && (!wanted || running.template !== template)) await this.#end(key);
    if (!wanted || signal.aborted) return undefined;
    const current = this.#running.get(key);
    if (current !== undefined) return this.#keepFresh(current);
    const why = unschedulable(spec, this.#node);
    if (why !== undefined) return { reason: 'FailedScheduling', message: why };
    if (leave?.inMs === 0) return { reason: 'TaintEviction', message: leave.message };
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
      lastWords: () => pod.lastWords(),
      clock: site.clock,
      changed: () => this.#controller.add(key),
      report,
      event: (event) => this.#tell(key, event),
    });
    this.#running.set(key, { template, pod, replica, since: site.clock.now() });
  }

  /** On the Deployment: there is no pod that could carry it. */
  #tell(key: string, event: PodEvent): void {
    const deployment = this.#deployments.store.get(key);
    if (deployment === undefined) return;
    const regarding = { ...deployment, apiVersion: 'apps/v1', kind: Deployments.kind };
    this.#events.record({ regarding, ...event });
  }

  async #end(key: string, why?: string): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return;
    await running.replica.stop();
    await running.pod.remove();
    this.#running.delete(key);
    this.#options.report(`stopped ${running.pod.identity.name}${why === undefined ? '' : `: ${why}`}`);
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

  #wake(key: string, deployment: Deployment, { seen, leave }: { readonly seen: Observation; readonly leave: Leave | undefined }): { readonly wakeAfterMs?: number } {
    const late = untilLate(deployment, seen, this.#options.site.clock.now());
    const refresh = this.#running.has(key) ? REFRESH_MS : undefined;
    const eviction = leave?.inMs === 0 ? undefined : leave?.inMs;
    const waits = [late, refresh, eviction].filter((one) => one !== undefined);
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
