import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config.js';
import type { GatewayConfig } from '../gatewayconfig.js';
import { Gateway } from '../gateway/gateway.js';
import { openApiDocument } from '../gateway/openapi.js';
import { createGatewayMetrics } from '../observability/gatewaymetrics.js';
import { createLogger } from '../observability/logger.js';
import { Endpoint, healthRoute, metricsRoute } from '../observability/server.js';
import { systemClock } from '../runtime/clock.js';
import { StallDetector } from '../runtime/eventloop.js';
import { exitOnCrash, runUntilSignalled } from '../runtime/lifecycle.js';

/** Serves the HTTPS interface until a signal; gives the exit code. What cannot be started is one line of the log, and 1. */
export async function runGateway(config: GatewayConfig): Promise<number> {
  const clock = systemClock;
  const log = createLogger({ level: config.logLevel, clock });
  exitOnCrash(process, log);
  const metrics = createGatewayMetrics();
  const stalls = new StallDetector(clock);
  const endpoints: Endpoint[] = [];
  try {
    const gateway = new Gateway({
      ...config,
      limits: config,
      strict: config.strictStatusCodes,
      // Its first word is the field manager under which the API server books what clients write.
      userAgent: `multicluster-engine-gateway/${config.version}`,
      openapi: openapiText(config.version),
      reloadEveryMs: config.reloadIntervalMs,
      clock,
      log,
      metrics,
    });
    endpoints.push(
      new Endpoint({ name: 'metrics', listen: config.metricsListen, route: metricsRoute(metrics), log }),
      new Endpoint({ name: 'health', listen: config.healthListen, route: healthRoute({ livez: [stalls], readyz: [gateway.readiness()] }), log }),
    );
    await gateway.start();
    for (const endpoint of endpoints) await endpoint.start();
    stalls.start();
    const code = await runUntilSignalled([gateway], { host: process, clock, log });
    log.info({ code }, 'stopped');
    return code;
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'cannot start');
    return 1;
  } finally {
    stalls.stop();
    await Promise.all(endpoints.map((endpoint) => endpoint.stop()));
  }
}

function openapiText(version: string): string {
  const crd = (file: string): string => readFileSync(path.join(packageRoot(), 'crds', `${file}.yaml`), 'utf8');
  return JSON.stringify(openApiDocument({ version, engine: crd('multiclusterengine'), placement: crd('placement') }));
}
