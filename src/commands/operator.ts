import type { ControllerName, OperatorConfig } from '../config/config.js';
import { createLogger } from '../observability/logger.js';
import { Endpoint, healthRoute, metricsRoute } from '../observability/server.js';
import { systemClock } from '../runtime/clock.js';
import { StallDetector } from '../runtime/eventloop.js';
import type { Group } from '../runtime/group.js';
import { exitOnCrash, runUntilSignalled } from '../runtime/lifecycle.js';
import { engineGroup } from './engine.js';
import { openHub, overHttps, type Hub } from './hub.js';
import { placementGroup } from './placement.js';

/** One row a controller group. */
const GROUPS: Readonly<Record<ControllerName, (hub: Hub) => Group>> = {
  engine: engineGroup,
  placement: placementGroup,
};

/** Runs the controllers until a signal; gives the exit code. What cannot be started is one line of the log, and 1. */
export async function runOperator(config: OperatorConfig): Promise<number> {
  const log = createLogger({ level: config.logLevel, clock: systemClock });
  exitOnCrash(process, log);
  const { version, controllers, identity } = config;
  log.info({ version, controllers, identity }, 'starting');
  try {
    const hub = openHub(config, log, overHttps(config.kubeconfig, log));
    return await run(
      config,
      hub,
      controllers.map((name) => GROUPS[name](hub)),
    );
  } catch (error) {
    log.error({ err: error }, 'cannot start');
    return 1;
  }
}

async function run(config: OperatorConfig, hub: Hub, groups: readonly Group[]): Promise<number> {
  const { log, transport } = hub;
  const stalls = new StallDetector(systemClock);
  const endpoints = endpointsOf(config, hub, groups, stalls);
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
  { log, metrics }: Hub,
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
