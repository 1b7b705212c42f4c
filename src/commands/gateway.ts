import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../config/config.js';
import type { GatewayConfig } from '../config/gateway.js';
import { Gateway, type GatewayOptions } from '../gateway/gateway.js';
import { openApiDocument } from '../gateway/openapi/openapi.js';
import { FieldRules } from '../gateway/object/fieldrules.js';
import { createGatewayMetrics } from '../observability/gatewaymetrics.js';
import { createLogger } from '../observability/logger.js';
import { Endpoint, healthRoute, metricsRoute } from '../observability/server.js';
import { systemClock } from '../runtime/clock.js';
import { StallDetector } from '../runtime/eventloop.js';
import { exitOnCrash, runUntilSignalled } from '../runtime/lifecycle.js';
import { errorText } from '../runtime/errors.js';
import { refuseDebugger } from './debugger.js';

/** Serves the HTTPS interface until a signal; returns the exit code. A failure to start is one line of the log, and 1. */
export async function runGateway(config: GatewayConfig): Promise<number> {
  const clock = systemClock;
  const log = createLogger({ level: config.logLevel, clock });
  exitOnCrash(process, log);
  const checkDebugger = refuseDebugger(process, log);
  const metrics = createGatewayMetrics();
  const stalls = new StallDetector(clock);
  const endpoints: Endpoint[] = [];
  try {
    const gateway = gatewayFor(config, { clock, log, metrics });
    endpoints.push(
      new Endpoint({ name: 'metrics', listen: config.metricsListen, route: metricsRoute(metrics), log }),
      new Endpoint({
        name: 'health',
        listen: config.healthListen,
        route: healthRoute({ livez: [stalls], readyz: [gateway.readiness()] }),
        log,
      }),
    );
    await gateway.start();
    for (const endpoint of endpoints) await endpoint.start();
    // At the end: Node opens a debugger asynchronously after a signal.
    checkDebugger();
    stalls.start();
    const code = await runUntilSignalled([gateway], { host: process, clock, log });
    log.info({ code }, 'stopped');
    return code;
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  } finally {
    stalls.stop();
    await Promise.all(endpoints.map((endpoint) => endpoint.stop()));
  }
}

function gatewayFor(config: GatewayConfig, sinks: Pick<GatewayOptions, 'clock' | 'log' | 'metrics'>): Gateway {
  const [engine, placement] = [definition('multiclusterengine'), definition('placement')];
  return new Gateway({
    ...config,
    ...sinks,
    limits: config,
    strict: config.strictStatusCodes,
    // The part before the slash is the default field manager of the clients' writes.
    userAgent: `multicluster-engine-gateway/${config.version}`,
    openapi: JSON.stringify(openApiDocument({ version: config.version, engine, placement })),
    rules: new FieldRules([engine, placement]),
    reloadEveryMs: config.reloadIntervalMs,
  });
}

function definition(kind: string): string {
  return readFileSync(path.join(packageRoot(), 'crds', `${kind}.yaml`), 'utf8');
}
