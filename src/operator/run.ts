import type { ControllerName, OperatorConfig } from './flags.js';
import { OLDEST_KUBERNETES, TRACES } from '../api/names.js';
import { createAccessReviewer } from '../runtime/client/reviews.js';
import { loadKubeconfig, type Kubeconfig } from '../runtime/kubeconfig/kubeconfig.js';
import { KubeconfigError } from '../runtime/transport/credentials.js';
import { createTransport } from '../runtime/transport/transport.js';
import { createLogger } from '../runtime/log/pinologger.js';
import { standardError } from '../runtime/log/standardoutput.js';
import { openTracing } from '../runtime/tracing/tracing.js';
import { systemClock } from '../runtime/clock.js';
import type { Group } from '../runtime/manager/manager.js';
import { exitOnCrash } from '../runtime/process/lifecycle.js';
import { errorText } from '../runtime/errors.js';
import { runWithEndpoints } from '../runtime/endpoints/endpoints.js';
import { createManager, type ControllerManager } from './manager.js';
import { warnOfOldServer } from '../runtime/client/serverversion.js';

/** Loads a controller group: the placement controller does without what the engine's needs, certificates above all. */
const GROUPS: Readonly<Record<ControllerName, () => Promise<(manager: ControllerManager) => Group>>> = {
  engine: async () => (await import('./engine.js')).engineGroup,
  placement: async () => (await import('./placement.js')).placementGroup,
  clusters: async () => (await import('./placement.js')).clustersGroup,
  inventories: async () => (await import('./inventories.js')).inventoriesGroup,
};

/**
 * Runs the controllers until a signal; returns the exit code. Without a usable kubeconfig it prints one line to standard error
 * and returns 1; any other failure to start is one line of the log, and 1.
 */
export async function runOperator(config: OperatorConfig): Promise<number> {
  try {
    const file = config.kubeconfig === undefined ? {} : { path: config.kubeconfig };
    return await runWith(config, loadKubeconfig({ ...file, caller: 'component' }));
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    standardError().write(`multicluster-engine operator: ${error.message}\n`);
    return 1;
  }
}

async function runWith(config: OperatorConfig, kubeconfig: Kubeconfig): Promise<number> {
  const log = createLogger({ level: config.logLevel, clock: systemClock });
  exitOnCrash(process, log);
  const { version, controllers, identity } = config;
  log.info({ version, controllers, identity }, 'starting');
  try {
    log.info({ server: kubeconfig.server, source: kubeconfig.source }, 'API server configured');
    const service = `multicluster-engine-${controllers.includes('engine') ? 'operator' : 'placement-controller'}`;
    const tracing = config.tracing && (await openTracing({ ...TRACES, service, version, clock: systemClock, log }));
    const sinks = { log, tracer: tracing?.tracer };
    const manager = createManager(config, sinks, (options) => createTransport(kubeconfig, options));
    const create = await Promise.all(controllers.map((name) => GROUPS[name]()));
    const groups = create.map((group) => group(manager));
    const livez = groups.map((group) => group.liveness());
    const readyz = groups.map((group) => group.readiness());
    const ended = new AbortController();
    void warnOfOldServer(manager.transport, { oldest: OLDEST_KUBERNETES, clock: systemClock, log }, ended.signal);
    try {
      const review = createAccessReviewer(manager.transport);
      const secure = config.metricsSecure
        ? (await import('../runtime/endpoints/securemetrics.js')).secureMetrics({ review, tls: config.metricsTls, log })
        : undefined;
      return await runWithEndpoints(groups, { config, metrics: manager.metrics, secure, livez, readyz, log });
    } finally {
      ended.abort();
      await Promise.all([manager.transport.close(), tracing?.close()]);
    }
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  }
}
