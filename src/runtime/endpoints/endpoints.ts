import type { Listen } from '../flags/flags.js';
import type { Exposition } from '../metrics/registry.js';
import {
  Endpoint,
  healthRoute,
  metricsRoute,
  type EndpointSecurity,
  StallDetector,
  type HealthCheck,
} from './server.js';
import { standardOutput } from '../log/standardoutput.js';
import { systemClock } from '../clock.js';
import { runUntilSignalled, type Runnable } from '../process/lifecycle.js';
import type { Logger } from '../logger.js';

/** What the endpoints of a process serve, and where. */
interface ProcessEndpoints {
  readonly config: { readonly metricsListen: Listen; readonly healthListen: Listen };
  readonly metrics: Exposition;
  /** Protection of the metrics; absent: plain HTTP for everybody. */
  readonly secure?: EndpointSecurity | undefined;
  /** Besides the check of the event loop. */
  readonly livez?: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
  readonly log: Logger;
  /** Runs when the endpoints listen, before the parts; an error ends the process. */
  readonly onListening?: () => void;
}

/** Runs `parts` until a signal, with the endpoints of metrics and health; returns the exit code. */
export async function runWithEndpoints(parts: readonly Runnable[], served: ProcessEndpoints): Promise<number> {
  const { config, metrics, secure, livez = [], readyz, log, onListening } = served;
  metrics.logs.dropped(() => standardOutput().dropped);
  const stalls = new StallDetector(systemClock);
  const health = healthRoute({ livez: [stalls, ...livez], readyz });
  const tools = { clock: systemClock, log };
  const endpoints = [
    new Endpoint({ ...tools, name: 'metrics', listen: config.metricsListen, route: metricsRoute(metrics), secure }),
    new Endpoint({ ...tools, name: 'health', listen: config.healthListen, route: health }),
  ];
  try {
    for (const endpoint of endpoints) await endpoint.start();
    onListening?.();
    stalls.start();
    const code = await runUntilSignalled(parts, { host: process, clock: systemClock, log });
    log.info({ code }, 'stopped');
    return code;
  } finally {
    stalls.stop();
    await Promise.all(endpoints.map((endpoint) => endpoint.stop()));
  }
}
