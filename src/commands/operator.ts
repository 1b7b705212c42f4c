import type { ControllerName, OperatorConfig } from '../config/config.js';
import { KubeconfigError, loadKubeconfig, type Kubeconfig } from '../kube/transport/kubeconfig.js';
import { createTransport } from '../kube/transport/transport.js';
import { createLogger } from '../observability/logger.js';
import { Endpoint, healthRoute, metricsRoute } from '../observability/server.js';
import { systemClock } from '../runtime/clock.js';
import { StallDetector } from '../runtime/eventloop.js';
import type { Group } from '../runtime/group.js';
import { exitOnCrash, runUntilSignalled } from '../runtime/lifecycle.js';
import { errorText } from '../runtime/errors.js';
import { engineGroup } from './engine.js';
import { createManager, type ControllerManager } from './controllermanager.js';
import { placementGroup } from './placement.js';

/** The controller groups by name. */
const GROUPS: Readonly<Record<ControllerName, (manager: ControllerManager) => Group>> = {
  engine: engineGroup,
  placement: placementGroup,
};

/**
 * Runs the controllers until a signal; returns the exit code. Without a usable kubeconfig it prints one line to standard error
 * and returns 1; any other failure to start is one line of the log, and 1.
 */
export async function runOperator(config: OperatorConfig): Promise<number> {
  try {
    return await runWith(config, loadKubeconfig(config.kubeconfig === undefined ? {} : { path: config.kubeconfig }));
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    process.stderr.write(`multicluster-engine operator: ${error.message}\n`);
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
    const manager = createManager(config, log, (options) => createTransport(kubeconfig, options));
    return await run(
      config,
      manager,
      controllers.map((name) => GROUPS[name](manager)),
    );
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  }
}

async function run(config: OperatorConfig, manager: ControllerManager, groups: readonly Group[]): Promise<number> {
  const { log, transport } = manager;
  const stalls = new StallDetector(systemClock);
  const endpoints = endpointsOf(config, manager, groups, stalls);
  try {
    for (const endpoint of endpoints) await endpoint.start();
    stalls.start();
    const code = await runUntilSignalled(groups, { host: process, clock: systemClock, log });
    log.info({ code }, 'stopped');
    return code;
  } finally {
    stalls.stop();
    await Promise.all([...endpoints.map((endpoint) => endpoint.stop()), transport.close()]);
  }
}

function endpointsOf(
  config: OperatorConfig,
  { log, metrics }: ControllerManager,
  groups: readonly Group[],
  stalls: StallDetector,
): readonly Endpoint[] {
  const livez = [stalls, ...groups.map((group) => group.liveness())];
  const readyz = groups.map((group) => group.readiness());
  return [
    new Endpoint({ name: 'metrics', listen: config.metricsListen, route: metricsRoute(metrics), log }),
    new Endpoint({ name: 'health', listen: config.healthListen, route: healthRoute({ livez, readyz }), log }),
  ];
}
