import type { MultiClusterEngine, MultiClusterEngineSpec } from '../../../../src/api/generated/multiclusterengine.js';
import type { Condition, KubeObject, ObjectMeta } from '../../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import { ConfigMaps, Deployments, Namespaces, Secrets } from '../../../../src/runtime/vocabulary/kinds.js';
import type { HubApi, IssueKeyPair } from '../../../../src/operator/controllers/engine/scope.js';
import {
  allCaches,
  openEngineCaches,
  type EngineCaches,
  TargetCaches,
} from '../../../../src/operator/controllers/engine/caches.js';
import { EngineReconciler } from '../../../../src/operator/controllers/engine/reconcile.js';
import { engineRights } from '../../../../src/operator/controllers/engine/rights.js';
import { watchCaches } from '../../../../src/operator/controllers/engine/controller.js';
import type { EngineSettings } from '../../../../src/domain/engine/manifest/desired.js';
import { targetTypes } from '../../../../src/domain/engine/catalogue.js';
import type { KubeClient } from '../../../../src/runtime/client/client.js';
import { guardClient } from '../../../../src/runtime/client/guard.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import type { CacheOptions } from '../../../../src/runtime/cache/cache.js';
import { MutationCache } from '../../../../src/runtime/controller/mutationcache.js';
import type { Result } from '../../../../src/runtime/controller/result.js';
import { issueForTest } from '../../builders/certificate.js';
import {
  deployment,
  hub,
  NAMESPACE,
  settings,
  specErrors,
  templates,
  type DeploymentCounts,
} from '../../builders/engine.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { FakeApi } from '../../fakes/api.js';
import type { FakeCache } from '../../fakes/cache.js';
import { RecordingLog } from '../../fakes/log.js';

/** The number of rows of an installed engine: one per object. */
export const ROWS = 15;

export interface EngineRigOptions {
  readonly settings?: Partial<EngineSettings>;
  /** An API server with stored objects; a new one when left out. */
  readonly api?: FakeApi;
  readonly clock?: ManualClock;
  /** Replaces the client of the reconciler. */
  readonly wrap?: (client: KubeClient) => KubeClient;
  readonly issue?: IssueKeyPair;
  readonly hub?: HubApi;
}

/** The engine controller on a fake API server, guarded by its own table of rights. Tests start each pass. */
export class EngineRig {
  readonly clock: ManualClock;
  readonly api: FakeApi;
  readonly events: EventNote[] = [];
  /** The engines for which a pass was requested, in order. */
  readonly enqueued: string[] = [];
  readonly opened: FakeCache<KubeObject>[] = [];
  readonly log = new RecordingLog();
  readonly caches: EngineCaches;
  readonly targets: TargetCaches;
  readonly mutations: MutationCache<MultiClusterEngine>;
  readonly reconciler: EngineReconciler;
  readonly term = new AbortController();

  constructor(options: EngineRigOptions = {}) {
    this.clock = options.clock ?? new ManualClock();
    this.api = options.api ?? new FakeApi(this.clock);
    this.api.rejectsSecretData = true;
    const all = { ...settings, ...options.settings };
    const types = targetTypes(templates);
    const enqueue = (engine: string): void => void this.enqueued.push(engine);
    this.mutations = new MutationCache(this.clock);
    this.caches = openEngineCaches((cache) => this.api.cache(cache), all.onlyNamespace);
    this.targets = new TargetCaches({ openCache: (cache) => this.#open(cache), types, enqueue });
    watchCaches(this.caches, enqueue, { mutations: this.mutations });
    for (const cache of allCaches(this.caches)) cache.start();
    this.targets.startTerm(this.term.signal);
    const client = guardClient(options.wrap?.(this.api) ?? this.api, engineRights(types, all.onlyNamespace), {
      log: this.log,
    });
    const recorder = { record: (event: EventNote) => void this.events.push(event), flush: () => Promise.resolve() };
    const { caches, targets, mutations, clock } = this;
    this.reconciler = new EngineReconciler({
      client,
      recorder,
      clock,
      caches,
      targets,
      mutations,
      templates,
      specErrors,
      settings: all,
      hub: options.hub ?? hub,
      issueKeyPair: options.issue ?? issueForTest,
    });
  }

  /** Creates an engine as a user does. */
  create(spec: MultiClusterEngineSpec = {}, metadata: Partial<ObjectMeta> = {}): void {
    this.api.put<MultiClusterEngine>(MultiClusterEngines, {
      metadata: { name: 'hub', ...metadata },
      spec,
      status: { observedGeneration: -1 },
    });
  }

  /** Changes an engine as a user does. */
  edit(change: Partial<ObjectMeta>, spec?: MultiClusterEngineSpec, name = 'hub'): void {
    const engine = this.engine(name);
    this.api.put<MultiClusterEngine>(MultiClusterEngines, {
      ...engine,
      metadata: { ...engine.metadata, ...change },
      spec: spec ?? engine.spec,
    });
  }

  engine(name = 'hub'): MultiClusterEngine {
    const engine = this.api.peek<MultiClusterEngine>(MultiClusterEngines, { name });
    if (engine === undefined) throw new Error(`there is no engine ${name}`);
    return engine;
  }

  exists(name = 'hub'): boolean {
    return this.api.peek(MultiClusterEngines, { name }) !== undefined;
  }

  pass(name = 'hub'): Promise<Result> {
    return this.reconciler.reconcile(name, {
      reconcileId: 'test',
      log: this.log,
      signal: new AbortController().signal,
      enqueuedAt: this.clock.monotonic(),
    });
  }

  /** Runs passes until one writes nothing, at most ten. Returns the last result. */
  async converge(name = 'hub'): Promise<Result> {
    for (let pass = 0; pass < 10; pass++) {
      const before = this.api.writes.length;
      const result = await this.pass(name);
      if (this.api.writes.length === before) return result;
    }
    throw new Error('ten passes, and still writing');
  }

  /** Writes the status of Deployments as their controller does: all replicas available, or `counts`. */
  rollOut(counts: DeploymentCounts = {}, namespace = NAMESPACE): void {
    const stored = this.api.all<KubeObject>(Deployments).filter((one) => one.metadata.namespace === namespace);
    if (stored.length === 0) throw new Error('there is no Deployment');
    for (const one of stored) {
      const { status } = deployment({ generation: one.metadata.generation ?? 1, ...counts });
      this.api.put(Deployments, Object.assign({ ...one }, { status }));
    }
  }

  /** Installs engine `hub` to the end. */
  async install(spec: MultiClusterEngineSpec = {}): Promise<void> {
    this.create(spec);
    await this.converge();
    this.rollOut(
      {},
      spec.targetNamespace === undefined || spec.targetNamespace === '' ? NAMESPACE : spec.targetNamespace,
    );
    await this.converge();
  }

  /** Marks for deletion as the API server does. */
  remove(name = 'hub'): void {
    this.edit({ deletionTimestamp: new Date(this.clock.now()).toISOString() }, undefined, name);
  }

  /** Ends foreground deletions and removes terminating namespaces with their objects, as garbage collection does. */
  collect(): void {
    for (const object of this.api.all<KubeObject>(Deployments)) {
      if (object.metadata.finalizers?.includes('foregroundDeletion') === true)
        this.api.remove(Deployments, object.metadata);
    }
    for (const object of this.api.all<KubeObject>(Namespaces)) {
      if (object.metadata.deletionTimestamp !== undefined) this.api.remove(Namespaces, object.metadata);
    }
  }

  condition(type: string, name = 'hub'): Condition | undefined {
    return this.engine(name).status?.conditions?.find((one) => one.type === type);
  }

  /** `phase Ready-reason`. */
  state(name = 'hub'): string {
    return `${this.engine(name).status?.phase} ${this.condition('Ready', name)?.reason}`;
  }

  message(name = 'hub'): string {
    return this.condition('Ready', name)?.message ?? '';
  }

  reasons(): string[] {
    return this.events.map((event) => event.reason);
  }

  /** Everything stored that is not an engine, as `Kind ns/name`. */
  made(): string[] {
    const types = [
      Namespaces,
      ...this.caches.bindings.map((cache) => cache.type),
      ...targetTypes(templates),
      ConfigMaps,
      Secrets,
    ];
    const named = types.flatMap((type) =>
      this.api.all<KubeObject>(type).map((one) => `${type.kind} ${one.metadata.name}`),
    );
    return [...new Set(named)].sort();
  }

  #open<T extends KubeObject>(options: CacheOptions<T>): FakeCache<T> {
    const cache = this.api.cache<T>(options);
    // For tests that pause the cache or make it fail, whatever its objects are.
    this.opened.push(cache as unknown as FakeCache<KubeObject>);
    return cache;
  }
}

/** `client` with one method replaced. */
export function replaced(client: KubeClient, method: keyof KubeClient, made: unknown): KubeClient {
  return new Proxy(client, { get: (target, key) => (key === method ? made : bound(target, key)) });
}

function bound(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === 'function' ? value.bind(target) : value;
}
