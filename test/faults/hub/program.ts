import type { UserInfo } from '@multicluster-engine/kube-apiserver';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import type { AgentMetrics } from '../../../src/agent/metrics.js';
import { MultiClusterEngines } from '../../../src/api/resources.js';
import { field, textField } from '../../../src/runtime/vocabulary/json.js';
import { LEADER_NAMESPACE } from './base.js';
import type { GatewayMetrics } from '../../../src/gateway/metrics.js';
import { SOMEBODY } from './meddler.js';
import { engineGroup } from '../../../src/operator/engine.js';
import type { ControllerName, ManagerConfig } from '../../../src/operator/flags.js';
import { inventoriesGroup } from '../../../src/operator/inventories.js';
import type { ControllerManager } from '../../../src/operator/manager.js';
import type { Metrics } from '../../../src/operator/metrics.js';
import { clustersGroup, placementGroup } from '../../../src/operator/placement.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import type { LeaseTimes } from '../../../src/runtime/leaderelection/leaseholder.js';
import { createManager, type Group } from '../../../src/runtime/manager/manager.js';
import { Nodes } from '../../../src/runtime/vocabulary/kinds.js';
import type { Span, SpanStart } from '../../../src/runtime/tracing/tracer.js';
import type { Call } from '../../../src/runtime/transport/call.js';
import { keyPairsOf } from './keypairs.js';
import type { SentRequest } from './request.js';
import type { EventStream } from './stream.js';
import type { Process, ProcessOptions } from './process.js';
import { loggerOf } from './processlog.js';
import { ProcessClock } from './time.js';
import { createWire } from './wire.js';

const GROUPS: Readonly<Record<ControllerName, (manager: ControllerManager) => Group>> = {
  engine: (manager) => engineGroup(manager, keyPairsOf(manager.random)),
  placement: placementGroup,
  clusters: clustersGroup,
  inventories: inventoriesGroup,
};

/** A process of the operator as a scenario wants it. */
export interface ProgramSpec {
  readonly name: string;
  readonly controllers: readonly ControllerName[];
  readonly config?: Partial<ManagerConfig>;
  /** Default: the administrator. */
  readonly user?: UserInfo;
  /** With those of client-go; default: a Lease that outlasts a day at once, so that long waits cost little. */
  readonly realLeases?: boolean;
}

/** At one moment, of all keys. */
const MOST_TURNS = 1_000;

const LONG_LEASES: LeaseTimes = {
  duration: 30 * 3_600_000,
  renewDeadline: 28 * 3_600_000,
  retryPeriod: 60_000,
};

/** A candidate watches its Lease until it holds it. */
const LEASES = 'leases.coordination.k8s.io';

export interface ProgramOptions extends ProcessOptions {
  readonly violate: (rule: string, detail: string) => void;
  readonly user: UserInfo;
  readonly spec: ProgramSpec;
  /** Takes the place of the flags of the spec. */
  readonly config?: Partial<ManagerConfig>;
  /** Sees each of its requests when it reaches the server. */
  readonly review?: ((call: Call) => void) | undefined;
}

/** A process of the operator in the simulation: started, killed and started again. */
export class Program implements Process {
  readonly isPeriodic = false;
  readonly name: string;
  readonly #options: ProgramOptions;
  #config: Partial<ManagerConfig>;
  #clock: ProcessClock | undefined;
  #ending: AbortController | undefined;
  #open = new Set<SentRequest | EventStream>();
  /** How many passes each key had since `passes` was emptied: `controller key`. */
  readonly passes = new Map<string, number>();
  /** What it has asked to list or watch since its start, by resource and namespace: it goes on watching that. */
  readonly #watched = new Set<string>();
  /** Passes that run now. */
  #running = 0;
  /** Monotonic ms of the last begin or end of a pass. */
  activeAt = 0;
  starts = 0;
  /** Passes that have begun at `activeAt`. */
  #turns = 0;

  constructor(options: ProgramOptions) {
    this.name = options.spec.name;
    this.#options = options;
    this.#config = { ...options.spec.config, ...options.config };
  }

  start(): void {
    const { simulation, injector, server, user, spec, seed, review, over } = this.#options;
    const clock = new ProcessClock(simulation);
    this.#clock = clock;
    this.#open = new Set();
    this.#watched.clear();
    this.#running = 0;
    this.starts += 1;
    const dice = new Dice(seed * 31 + this.starts);
    const log = loggerOf(spec.name, this.#options);
    const connection = {
      simulation,
      clock,
      server,
      injector,
      user,
      review,
      process: spec.name,
      sending: (call: Call) => this.#sending(call),
      crash: (ms: number) => this.crash(ms),
      open: this.#open,
    };
    const config = { ...CONFIG, identity: spec.name, ...this.#config };
    const manager = createManager(
      {
        program: 'multicluster-engine',
        version: config.version,
        identity: spec.name,
        leaderElectionNamespace: LEADER_NAMESPACE,
        metrics: NO_METRICS,
        log,
        tracer: { prefix: '', start: (span) => this.#pass(clock, span) },
      },
      (options) => createWire(connection, options),
      { clock, random: () => dice.next(), ...(spec.realLeases === true ? {} : { leaseTimes: LONG_LEASES }) },
    );
    const all: ControllerManager = { ...manager, config, metrics: NO_METRICS, hubClock: manager.serverClock };
    // All are made before the first one starts the caches that they share.
    const groups = spec.controllers.map((name) => GROUPS[name](all));
    const ending = new AbortController();
    this.#ending = ending;
    const runs = groups.map((group) => group.run(AbortSignal.any([over, ending.signal])));
    void Promise.allSettled(runs).then(() => {
      if (ending.signal.aborted) this.crash(0);
    });
  }

  quit(): void {
    this.#ending?.abort(new Error('SIGTERM'));
  }

  /** Ends it, and starts it with other flags. */
  restart(config: Partial<ManagerConfig>): void {
    this.kill();
    this.#config = { ...this.#config, ...config };
    this.start();
  }

  /** Ends it as SIGKILL does; it is started again after `ms`. */
  crash(ms: number): void {
    if (this.#clock?.dead !== false) return;
    this.kill();
    this.#options.simulation.after(ms, () => this.start());
  }

  stop(ms: number): void {
    this.#clock?.stop(ms);
  }

  kill(): void {
    this.#clock?.kill();
    for (const one of this.#open) if ('pump' in one) one.abandon();
  }

  /**
   * Whether it runs, and has nothing under way: every watch has delivered all, and no request is unanswered. What has not come to a
   * process that waits for its Lease holds up nobody.
   */
  get isCurrent(): boolean {
    if (this.#clock?.dead !== false || this.#running > 0) return false;
    const leaders = this.#options.spec.realLeases === true ? this.#leaders() : [];
    if (leaders.length > 0 && ![this.name, ''].some((one) => leaders.includes(one))) return true;
    const open = [...this.#open];
    const streams = open.filter((one) => 'pump' in one);
    // Engines come and go with their namespaces.
    const namespaces = this.#options.spec.controllers.includes('engine') ? ['', ...this.#targets()] : undefined;
    const watched = new Set(streams.filter((one) => one.isOfAll).map(keyOf));
    return (
      streams.length > 0 &&
      streams.length === open.length &&
      streams.every((one) => one.isCurrent) &&
      [...this.#watched].every((key) => watched.has(key) || namespaces?.includes(key.split(' ')[1]) === false)
    );
  }

  /** The namespaces of the engines that stay, and can be served. */
  #targets(): readonly unknown[] {
    const engines = this.#options.server.store.list(resourceOf(MultiClusterEngines), '').map(({ object }) => object);
    const staying = engines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const statuses = staying.map((one) => field(one, 'status'));
    return statuses.filter((one) => field(one, 'phase') !== 'Error').map((one) => field(one, 'targetNamespace'));
  }

  #sending(call: Call): void {
    const { target, query } = call;
    const isOfAll = query?.['fieldSelector'] === undefined && query?.['labelSelector'] === undefined;
    // A pass lists the Nodes of the hub itself.
    const isOfCache = target.verb === 'watch' || (target.verb === 'list' && target.namespace === undefined);
    if (isOfCache && isOfAll && target.resource !== LEASES && target.resource !== Nodes.plural)
      this.#watched.add(keyOf(target));
    if (this.#options.spec.realLeases === true) this.#checkLease(call);
  }

  /** A write is sent by the holder of the Lease; one that nobody holds may have gone a moment ago. */
  #checkLease({ method, path, target }: Call): void {
    if (method === 'GET' || target.resource.startsWith('leases')) return;
    const { spec, violate } = this.#options;
    for (const holder of this.#leaders())
      if (![spec.name, SOMEBODY, ''].includes(holder))
        violate('lease', `${spec.name}: ${method} ${path}, and ${holder} holds the Lease`);
  }

  /** Who holds the Leases of the operator. */
  #leaders(): readonly string[] {
    const { store } = this.#options.server;
    return store
      .list(LEASES, `${LEADER_NAMESPACE}/`)
      .map(({ object }) => textField(field(object, 'spec'), 'holderIdentity'));
  }

  /** Passes that follow one another without a moment between would never end. */
  #checkTurns(key: string, clock: ProcessClock): void {
    this.#turns = this.activeAt === clock.monotonic() ? this.#turns + 1 : 0;
    if (this.#turns < MOST_TURNS) return;
    this.#options.violate('passes', `${this.name}: ${key} runs again and again in one moment`);
    this.kill();
  }

  #pass(clock: ProcessClock, { attributes }: SpanStart): Span {
    const [controller, name, namespace] = ['controller', 'object.name', 'k8s.namespace.name'].map((key) =>
      String(attributes[key] ?? ''),
    );
    const key = `${controller} ${namespace === '' ? '' : `${namespace}/`}${name}`;
    this.passes.set(key, (this.passes.get(key) ?? 0) + 1);
    this.#running += 1;
    this.#checkTurns(key, clock);
    // A pass that sends nothing would go on, and so would those that follow it.
    if (clock.dead) throw new Error(`${this.name} was killed`);
    this.activeAt = clock.monotonic();
    return {
      traceparent: undefined,
      end: () => {
        if (clock.dead) return;
        this.#running -= 1;
        this.activeAt = clock.monotonic();
      },
    };
  }
}

/** Takes every record of a metric and keeps nothing. */
export const NO_METRICS = nothing() as Metrics & AgentMetrics & GatewayMetrics;

function nothing(): unknown {
  const self: object = new Proxy(() => undefined, { get: () => self, apply: () => self });
  return self;
}

/** The flags' defaults. */
const CONFIG: ManagerConfig = {
  version: '0.1.0',
  leaderElectionNamespace: LEADER_NAMESPACE,
  identity: '',
  namespace: undefined,
  componentImage: 'example.com/multicluster-engine:0.1.0',
  componentReplicas: 1,
  without: [],
  omitUserIds: false,
  metricsSecure: false,
  tracing: undefined,
  workers: 4,
  kubeApiQps: 100,
  kubeApiBurst: 200,
  settleWindowMs: 50,
  inventories: { clusterProfiles: undefined, ocmClusters: false },
  sigDecisions: false,
  multikueue: false,
  publishProfiles: undefined,
};

function keyOf({
  resource,
  namespace = '',
}: {
  readonly resource: string;
  readonly namespace?: string | undefined;
}): string {
  return `${resource} ${namespace}`;
}
