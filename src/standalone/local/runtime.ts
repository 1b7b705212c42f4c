import { EVENTS_FIELD_MANAGER } from '../../api/names.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { Deployments, Nodes, Pods } from '../../runtime/vocabulary/kinds.js';
import type { KubeClient } from '../../runtime/client/client.js';
import { createRecorder, type EventRecorder } from '../../runtime/events/recorder.js';
import type { Cache, CacheOptions } from '../../runtime/cache/cache.js';
import { createController, type Controller } from '../../runtime/controller/controller.js';
import { systemRandom } from '../../runtime/clock.js';
import type { Logger } from '../../runtime/logger.js';
import { DONE, type Pass, type Result } from '../../runtime/controller/result.js';
import { Evictions, type PendingEviction } from './rollout/scheduling.js';
import { removePodFolders, type PodDeps } from './pod/pod.js';
import type { PodEvent } from './pod/replica.js';
import { removeStalePods } from './pod/podobject.js';
import { Processes, type Running, type StopOptions } from './processes.js';
import { keepsOldProcess, rolloutStatus, msUntilDeadline, type Observation } from './rollout/rollout.js';
import { UnmanagedDeployments } from './rollout/unmanaged.js';
import {
  mountProblem,
  schedulingProblem,
  PendingRollouts,
  isRunnable,
  replicaSetName,
  lastProgressAt,
  templateKey,
  type Problem,
} from './rollout/pendingrollout.js';
import type { Deployment, Node } from './workload.js';

interface RuntimeOptions {
  readonly deps: PodDeps;
  readonly client: KubeClient;
  readonly openCache: <T extends KubeObject>(options: CacheOptions<T>) => Cache<T>;
  /** Label selectors: which Deployments are run, and all others, whose status says that they are not. */
  readonly selectors: { readonly run: string; readonly others: string };
  /** The one Node. */
  readonly nodeName: string;
  readonly log: Logger;
  /** Called with one line for each start, stop and failure. */
  readonly report: (line: string) => void;
}

const FIELD_MANAGER = 'multicluster-engine-local';
/** Interval at which mounted Secrets, ConfigMaps and tokens are refreshed. */
const REFRESH_MS = 10_000;
/** Interval at which a pending rollout is retried. */
const RETRY_MS = 3_000;

/**
 * Runs Deployments without kubelet, scheduler and Deployment controller: each as one child process with a token of its
 * ServiceAccount, on one Node, and with the status of its process.
 *
 * Each reconciliation of a Deployment compares its pod template with the running process, starts, replaces or stops it,
 * and writes the status when it differs. Guarantees: at most one process per Deployment; the old one has exited before
 * the new one starts, and keeps running while the new one cannot be started; after `stop` none is left.
 */
export class LocalRuntime {
  readonly #options: RuntimeOptions;
  readonly #deployments: Cache<Deployment>;
  readonly #nodes: Cache<Node>;
  readonly #pods: Cache<KubeObject>;
  readonly #controller: Controller;
  readonly #unmanaged: UnmanagedDeployments;
  readonly #events: EventRecorder;
  readonly #evictions: Evictions;
  readonly #pendingRollouts: PendingRollouts;
  readonly #processes: Processes;

  constructor(options: RuntimeOptions) {
    const { deps, client, log, selectors, nodeName, openCache } = options;
    const { clock } = deps;
    this.#options = options;
    this.#events = createRecorder(
      client,
      {
        controller: 'multicluster.platform.io/local-runtime',
        instance: nodeName,
        fieldManager: EVENTS_FIELD_MANAGER,
      },
      { clock, log },
    );
    this.#processes = new Processes({
      podDeps: deps,
      podObjectDeps: { client, clock, events: this.#events, nodeName, fieldManager: FIELD_MANAGER },
      clock,
      onStateChange: (key) => this.#controller.add(key),
      report: options.report,
    });
    this.#evictions = new Evictions(clock);
    this.#pendingRollouts = new PendingRollouts(clock);
    this.#unmanaged = new UnmanagedDeployments({
      client,
      openCache,
      selector: selectors.others,
      events: this.#events,
      clock,
      log,
      fieldManager: FIELD_MANAGER,
    });
    this.#deployments = openCache<Deployment>({ type: Deployments, labelSelector: selectors.run });
    this.#nodes = openCache<Node>({ type: Nodes, fieldSelector: `metadata.name=${nodeName}` });
    this.#pods = openCache<KubeObject>({ type: Pods, fieldSelector: `spec.nodeName=${nodeName}` });
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
    this.#nodes.onChange(() => this.#enqueueAll());
    this.#pods.onChange(({ key, after }) => {
      const deployment = this.#processes.observePod(key, after);
      if (deployment !== undefined) this.#controller.add(deployment);
    });
  }

  /** Resolves when the caches have synced and the controllers run. */
  async start(signal?: AbortSignal): Promise<void> {
    const { deps, client, nodeName } = this.#options;
    await removePodFolders(deps);
    await removeStalePods(client, nodeName);
    const caches = [this.#deployments, this.#nodes, this.#pods];
    for (const cache of caches) cache.start();
    await Promise.all(caches.map((cache) => cache.whenSynced(signal)));
    this.#controller.start();
    await this.#unmanaged.start(signal);
  }

  async stop(): Promise<void> {
    await this.#controller.stop(0);
    await this.#unmanaged.stop();
    const stops = this.#processes.keys().map((key) => this.#stopProcess(key, { keepReplicaSet: true }));
    for (const { status, reason } of (await Promise.allSettled(stops)).filter(isRejected))
      this.#options.log.warn({ err: reason, status }, 'a Pod could not be deleted; the next start deletes it');
    await Promise.all([this.#deployments.stop(), this.#nodes.stop(), this.#pods.stop()]);
    await this.#events.flush();
  }

  /** The listen addresses of a Deployment's process, by variable; undefined while it does not run. */
  addressesOf(namespace: string, name: string): Readonly<Record<string, string>> | undefined {
    return this.#processes.get(keyOf({ namespace, name }))?.replica.process?.addresses;
  }

  get #node(): Node | undefined {
    return this.#nodes.store.get(this.#options.nodeName);
  }

  #keys(): Set<string> {
    return new Set([...this.#deployments.store.keys(), ...this.#processes.keys()]);
  }

  #enqueueAll(): void {
    for (const key of this.#keys()) this.#controller.add(key);
  }

  async #reconcile(key: string, pass: Pass): Promise<Result> {
    const deployment = this.#deployments.store.get(key);
    if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) {
      await this.#stopProcess(key);
      this.#evictions.forget(key);
      return DONE;
    }
    if (this.#processes.get(key)?.object.isDeleted === true)
      await this.#stopProcess(key, { why: 'its Pod was deleted', keepReplicaSet: true });
    const spec = deployment.spec?.template?.spec ?? {};
    let eviction = this.#evictions.of(key, this.#processes.get(key)?.spec ?? spec, this.#node);
    if (eviction?.inMs === 0) {
      await this.#stopProcess(key, { why: eviction.message });
      eviction = this.#evictions.of(key, spec, this.#node);
    }
    const problem = await this.#ensureProcess(key, deployment, { eviction, signal: pass.signal });
    const observed = this.#observe(key, deployment, problem);
    await this.#report(deployment, observed, pass.signal);
    await this.#processes.syncPod(key, deployment, pass.signal);
    return { ending: 'done', ...this.#requeueAfter(key, deployment, { observed, eviction }) };
  }

  /** Starts, replaces, refreshes or stops the process; returns why none of the current template can run. */
  async #ensureProcess(
    key: string,
    deployment: Deployment,
    { eviction, signal }: { readonly eviction: PendingEviction | undefined; readonly signal: AbortSignal },
  ): Promise<Problem | undefined> {
    const spec = deployment.spec?.template?.spec ?? {};
    const wanted = (deployment.spec?.replicas ?? 1) > 0;
    if (!wanted || this.#processes.get(key)?.deploymentUid !== deployment.metadata.uid) await this.#stopProcess(key);
    if (!wanted || signal.aborted) return undefined;
    const running = this.#processes.get(key);
    if (running?.templateKey === templateKey(deployment)) {
      this.#pendingRollouts.forget(key);
      return this.#refresh(running);
    }
    const unschedulable = schedulingProblem(spec, this.#node, running === undefined ? eviction : undefined);
    if (running !== undefined && keepsOldProcess(deployment)) {
      const cause =
        unschedulable ??
        (isRunnable(spec)
          ? await mountProblem(() => this.#processes.createPod(deployment, spec).checkVolumesAndToken())
          : undefined);
      if (cause !== undefined) return this.#keepOldProcess(key, deployment, { running, cause });
    }
    await this.#stopProcess(key);
    if (isRunnable(spec) && unschedulable === undefined) this.#processes.start(key, deployment, spec);
    return unschedulable;
  }

  /** Keeps the process of the old template running; reports the reason the first time. */
  async #keepOldProcess(
    key: string,
    deployment: Deployment,
    { running, cause }: { readonly running: Running; readonly cause: Problem },
  ): Promise<Problem> {
    const { problem, isNew } = this.#pendingRollouts.add(key, deployment, { old: running.pod.identity.name, cause });
    if (isNew) {
      this.#options.report(problem.message);
      this.#recordEvent(key, { type: 'Warning', reason: problem.reason, action: 'Starting', note: problem.message });
    }
    await this.#refresh(running);
    return problem;
  }

  async #refresh({ pod, replica: { process } }: Running): Promise<Problem | undefined> {
    return process === undefined ? undefined : mountProblem(() => pod.refresh(process));
  }

  /** Records an Event on the Deployment, where there is no Pod. */
  #recordEvent(key: string, event: PodEvent): void {
    const deployment = this.#deployments.store.get(key);
    if (deployment === undefined) return;
    const regarding = { ...deployment, apiVersion: 'apps/v1', kind: Deployments.kind };
    this.#events.record({ regarding, ...event });
  }

  async #stopProcess(key: string, options: StopOptions = {}): Promise<void> {
    this.#pendingRollouts.forget(key);
    await this.#processes.stop(key, options);
  }

  #observe(key: string, deployment: Deployment, problem: Problem | undefined): Observation {
    const running = this.#processes.get(key);
    const state = running?.replica.state;
    const pendingSince = this.#pendingRollouts.since(key);
    const since = pendingSince ?? lastProgressAt(deployment) ?? this.#options.deps.clock.now();
    return {
      started: state?.started ?? false,
      ready: state?.ready ?? false,
      available: state?.available ?? false,
      updated: pendingSince === undefined,
      pod: replicaSetName(deployment),
      problem: pendingSince === undefined ? (state?.problem ?? problem) : problem,
      progressedAt:
        running === undefined || pendingSince !== undefined
          ? since
          : Math.max(running.createdAt, state?.ready === true ? state.changedAt : 0),
    };
  }

  async #report(deployment: Deployment, observed: Observation, signal: AbortSignal): Promise<void> {
    const status = rolloutStatus(deployment, observed, this.#options.deps.clock.now());
    if (status === deployment.status) return;
    const options = { fieldManager: FIELD_MANAGER, signal };
    await this.#options.client.updateStatus(Deployments, { ...deployment, status }, options);
  }

  #requeueAfter(
    key: string,
    deployment: Deployment,
    { observed, eviction }: { readonly observed: Observation; readonly eviction: PendingEviction | undefined },
  ): { readonly requeueAfterMs?: number } {
    const deadline = msUntilDeadline(deployment, observed, this.#options.deps.clock.now());
    const refresh = this.#processes.get(key) !== undefined ? REFRESH_MS : undefined;
    const evictionIn = eviction?.inMs === 0 ? undefined : eviction?.inMs;
    const retry = this.#pendingRollouts.since(key) === undefined ? undefined : RETRY_MS;
    const delays = [deadline, refresh, evictionIn, retry].filter((one) => one !== undefined);
    return delays.length === 0 ? {} : { requeueAfterMs: Math.min(...delays) };
  }
}

function isRejected(result: PromiseSettledResult<void>): result is PromiseRejectedResult {
  return result.status === 'rejected';
}
