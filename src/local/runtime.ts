import { Deployments, Nodes, keyOf } from '../api/resources.js';
import type { KubeClient } from '../kube/client/client.js';
import { createRecorder, type EventRecorder } from '../kube/events/recorder.js';
import type { Cache, CacheOptions } from '../kube/cache/reflector.js';
import { createController, type Controller } from '../runtime/controller.js';
import { systemRandom } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import type { Pass, Result } from '../runtime/result.js';
import { Evictions, type PendingEviction } from './rollout/eviction.js';
import { Pod, removePodFolders, type PodDeps } from './pod/pod.js';
import { Replica, type PodEvent } from './pod/replica.js';
import { keepsOldProcess, rolloutStatus, msUntilDeadline, type Observation } from './rollout/rollout.js';
import { UnmanagedDeployments } from './rollout/unmanaged.js';
import { mountProblem, schedulingProblem, PendingRollouts, type Problem } from './rollout/pendingrollout.js';
import { isRunnable, podName, lastProgressAt, templateKey, type RunnableSpec } from './rollout/template.js';
import type { Deployment, Node, PodSpec } from './workload.js';

export interface RuntimeOptions {
  readonly deps: PodDeps;
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
  readonly deployment: string | undefined;
  readonly template: string;
  readonly spec: PodSpec;
  readonly pod: Pod;
  readonly replica: Replica;
  readonly since: number;
}

const FIELD_MANAGER = 'multicluster-engine-local';
/** How often mounted Secrets and ConfigMaps, and the age of the token, are looked at. */
const REFRESH_MS = 10_000;
/** How often is looked whether a successor has by now what it lacks. */
const RETRY_MS = 3_000;

/**
 * Runs Deployments without kubelet, scheduler and Deployment controller: each as one child process under the token of its
 * ServiceAccount, on one Node, with a truthful status.
 *
 * Flow: a pass per Deployment compares its pod template with the process that runs, starts, replaces or stops it, and
 * writes the status when that differs. Guarantees: at most one process per Deployment; the old one is gone before the new
 * one starts, and goes on while the new one could not be started; after `stop` none is left.
 */
export class LocalRuntime {
  readonly #options: RuntimeOptions;
  readonly #deployments: Cache<Deployment>;
  readonly #nodes: Cache<Node>;
  readonly #controller: Controller;
  readonly #strangers: UnmanagedDeployments;
  readonly #events: EventRecorder;
  readonly #evictions: Evictions;
  readonly #successors: PendingRollouts;
  readonly #running = new Map<string, Running>();

  constructor(options: RuntimeOptions) {
    const { deps: site, client, log, label, nodeName, openCache } = options;
    const { clock } = site;
    this.#options = options;
    this.#events = createRecorder(
      client,
      { controller: 'multicluster.platform.io/local-runtime', instance: nodeName },
      { clock, log },
    );
    this.#evictions = new Evictions(clock);
    this.#successors = new PendingRollouts(clock);
    this.#strangers = new UnmanagedDeployments({
      client,
      openCache,
      label,
      events: this.#events,
      clock,
      log,
      fieldManager: FIELD_MANAGER,
    });
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
    await removePodFolders(this.#options.deps);
    this.#deployments.start();
    this.#nodes.start();
    await Promise.all([this.#deployments.whenSynced(signal), this.#nodes.whenSynced(signal)]);
    this.#controller.start();
    await this.#strangers.start(signal);
  }

  async stop(): Promise<void> {
    await this.#controller.stop(0);
    await this.#strangers.stop();
    await Promise.all([
      this.#deployments.stop(),
      this.#nodes.stop(),
      ...[...this.#running.keys()].map((key) => this.#end(key)),
    ]);
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
    const spec = deployment.spec?.template?.spec ?? {};
    let leave = this.#evictions.of(key, this.#running.get(key)?.spec ?? spec, this.#node);
    if (leave?.inMs === 0) {
      await this.#end(key, leave.message);
      leave = this.#evictions.of(key, spec, this.#node);
    }
    const trouble = await this.#bring(key, deployment, { leave, signal: pass.signal });
    const seen = this.#observe(key, deployment, trouble);
    await this.#report(deployment, seen, pass.signal);
    return { ending: 'done', ...this.#wake(key, deployment, { seen, leave }) };
  }

  /** Starts, replaces, refreshes or stops the process; says why there can be none of the current template. */
  async #bring(
    key: string,
    deployment: Deployment,
    { leave, signal }: { readonly leave: PendingEviction | undefined; readonly signal: AbortSignal },
  ): Promise<Problem | undefined> {
    const spec = deployment.spec?.template?.spec ?? {};
    const wanted = (deployment.spec?.replicas ?? 1) > 0;
    if (!wanted || this.#running.get(key)?.deployment !== deployment.metadata.uid) await this.#end(key);
    if (!wanted || signal.aborted) return undefined;
    const running = this.#running.get(key);
    if (running?.template === templateKey(deployment)) {
      this.#successors.forget(key);
      return this.#keepFresh(running);
    }
    const obstacle = schedulingProblem(spec, this.#node, running === undefined ? leave : undefined);
    if (running !== undefined && keepsOldProcess(deployment)) {
      const lack =
        obstacle ??
        (isRunnable(spec) ? await mountProblem(() => this.#podOf(deployment, spec).checkVolumesAndToken()) : undefined);
      if (lack !== undefined) return this.#wait(key, deployment, { running, lack });
    }
    await this.#end(key);
    if (isRunnable(spec) && obstacle === undefined) this.#begin(key, deployment, spec);
    return obstacle;
  }

  /** Leaves the process of the earlier template alone; the first time, says why. */
  async #wait(
    key: string,
    deployment: Deployment,
    { running, lack }: { readonly running: Running; readonly lack: Problem },
  ): Promise<Problem> {
    const { trouble, isNew } = this.#successors.wait(key, deployment, { old: running.pod.identity.name, lack });
    if (isNew) {
      this.#options.report(trouble.message);
      this.#tell(key, { type: 'Warning', reason: trouble.reason, action: 'Starting', note: trouble.message });
    }
    await this.#keepFresh(running);
    return trouble;
  }

  async #keepFresh({ pod, replica: { process } }: Running): Promise<Problem | undefined> {
    return process === undefined ? undefined : mountProblem(() => pod.refresh(process));
  }

  #podOf(deployment: Deployment, spec: RunnableSpec): Pod {
    const { namespace = '', name } = deployment.metadata;
    return new Pod(this.#options.deps, { namespace, deployment: name, name: podName(deployment) }, spec);
  }

  #begin(key: string, deployment: Deployment, spec: RunnableSpec): void {
    const { deps: site, report } = this.#options;
    const pod = this.#podOf(deployment, spec);
    const replica = new Replica({
      name: pod.identity.name,
      container: spec.containers[0],
      minReadyMs: (deployment.spec?.minReadySeconds ?? 0) * 1000,
      graceMs: (spec.terminationGracePeriodSeconds ?? 30) * 1000,
      launch: () => pod.launch(),
      terminationMessage: () => pod.terminationMessage(),
      clock: site.clock,
      onStateChange: () => this.#controller.add(key),
      report,
      event: (event) => this.#tell(key, event),
    });
    this.#running.set(key, {
      deployment: deployment.metadata.uid,
      template: templateKey(deployment),
      spec,
      pod,
      replica,
      since: site.clock.now(),
    });
  }

  /** On the Deployment: there is no pod that could carry it. */
  #tell(key: string, event: PodEvent): void {
    const deployment = this.#deployments.store.get(key);
    if (deployment === undefined) return;
    const regarding = { ...deployment, apiVersion: 'apps/v1', kind: Deployments.kind };
    this.#events.record({ regarding, ...event });
  }

  async #end(key: string, why?: string): Promise<void> {
    this.#successors.forget(key);
    const running = this.#running.get(key);
    if (running === undefined) return;
    await running.replica.stop();
    await running.pod.remove();
    this.#running.delete(key);
    this.#options.report(`stopped ${running.pod.identity.name}${why === undefined ? '' : `: ${why}`}`);
  }

  #observe(key: string, deployment: Deployment, trouble: Problem | undefined): Observation {
    const running = this.#running.get(key);
    const state = running?.replica.state;
    const waits = this.#successors.since(key);
    const since = waits ?? lastProgressAt(deployment) ?? this.#options.deps.clock.now();
    return {
      started: state?.started ?? false,
      ready: state?.ready ?? false,
      available: state?.available ?? false,
      updated: waits === undefined,
      pod: podName(deployment),
      problem: waits === undefined ? (state?.problem ?? trouble) : trouble,
      progressedAt:
        running === undefined || waits !== undefined
          ? since
          : Math.max(running.since, state?.ready === true ? state.changedAt : 0),
    };
  }

  async #report(deployment: Deployment, seen: Observation, signal: AbortSignal): Promise<void> {
    const status = rolloutStatus(deployment, seen, this.#options.deps.clock.now());
    if (status === deployment.status) return;
    await this.#options.client.updateStatus(
      Deployments,
      { ...deployment, status },
      { fieldManager: FIELD_MANAGER, signal },
    );
  }

  #wake(
    key: string,
    deployment: Deployment,
    { seen, leave }: { readonly seen: Observation; readonly leave: PendingEviction | undefined },
  ): { readonly requeueAfterMs?: number } {
    const late = msUntilDeadline(deployment, seen, this.#options.deps.clock.now());
    const refresh = this.#running.has(key) ? REFRESH_MS : undefined;
    const eviction = leave?.inMs === 0 ? undefined : leave?.inMs;
    const retry = this.#successors.since(key) === undefined ? undefined : RETRY_MS;
    const waits = [late, refresh, eviction, retry].filter((one) => one !== undefined);
    return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
  }
}
