import { PRODUCT } from '../api/names.js';
import type { Clock } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';
import {
  createManager as createRuntimeManager,
  type CreateTransport,
  type Manager,
  type Surroundings,
} from '../runtime/manager/manager.js';
import { build } from '../runtime/process/build.js';
import type { Tracer } from '../runtime/tracing/tracer.js';
import type { ManagerConfig } from './flags.js';
import { createMetrics, type Metrics } from './metrics.js';

/** What all controller groups of a process share, with this product's settings and metrics. */
export interface ControllerManager extends Manager {
  readonly config: ManagerConfig;
  readonly metrics: Metrics;
  /** The wall time of the hub: for times that are stored there, and compared with stored ones. */
  readonly hubClock: Clock;
}

/** Where a manager records what it does. */
export interface ManagerSinks {
  readonly log: Logger;
  /** Undefined without traces. */
  readonly tracer: Tracer | undefined;
}

export function createManager(
  config: ManagerConfig,
  sinks: ManagerSinks,
  createTransport: CreateTransport,
  surroundings?: Surroundings,
): ControllerManager {
  const { version, identity, leaderElectionNamespace, kubeApiQps: qps, kubeApiBurst: burst } = config;
  const metrics = createMetrics(build());
  const manager = createRuntimeManager(
    {
      ...sinks,
      program: PRODUCT,
      version,
      identity,
      leaderElectionNamespace,
      limits: { default: { qps, burst } },
      metrics,
    },
    createTransport,
    surroundings,
  );
  return { ...manager, config, metrics, hubClock: manager.serverClock };
}
