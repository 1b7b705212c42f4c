import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build, packageRoot } from '../config/build/build.js';
import type { GatewayConfig } from '../config/gateway.js';
import { Gateway, type GatewayOptions } from '../gateway/gateway.js';
import { openApiDocument } from '../gateway/openapi/openapi.js';
import { FieldRules } from '../gateway/object/fieldrules.js';
import { createGatewayMetrics } from '../observability/gatewaymetrics.js';
import { createLogger } from '../observability/logger.js';
import { openTracing, type Tracing } from '../observability/tracing/tracing.js';
import { systemClock } from '../runtime/clock.js';
import { exitOnCrash } from '../runtime/lifecycle.js';
import { errorText } from '../runtime/errors.js';
import { refuseDebugger } from './debugger.js';
import { runWithEndpoints } from './endpoints/endpoints.js';
import { secureMetrics } from './endpoints/securemetrics.js';

/** Serves the HTTPS interface until a signal; returns the exit code. A failure to start is one line of the log, and 1. */
export async function runGateway(config: GatewayConfig): Promise<number> {
  const clock = systemClock;
  const log = createLogger({ level: config.logLevel, clock });
  exitOnCrash(process, log);
  if (config.unusedProxies.length > 0) {
    const variables = config.unusedProxies.join(', ');
    log.info({ variables }, 'no proxy is used: the gateway connects directly, since tokens must not pass a proxy');
  }
  const checkDebugger = refuseDebugger(process, log);
  const metrics = createGatewayMetrics(build());
  let tracing: Tracing | undefined;
  try {
    const { version } = config;
    const service = 'multicluster-engine-gateway';
    if (config.tracing !== undefined) tracing = await openTracing({ service, version, clock, log });
    const gateway = gatewayFor(config, { clock, log, metrics, tracer: tracing?.tracer });
    await gateway.start();
    const tls = { cert: config.tlsCert, key: config.tlsKey };
    const secure = config.metricsSecure ? secureMetrics({ review: gateway.accessReviewer(), tls, log }) : undefined;
    // The debugger is checked late: Node opens it asynchronously after a signal.
    const endpoints = { config, metrics, secure, readyz: [gateway.readiness()], log, onListening: checkDebugger };
    return await runWithEndpoints([gateway], endpoints);
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  } finally {
    await tracing?.close();
  }
}

function gatewayFor(
  config: GatewayConfig,
  sinks: Pick<GatewayOptions, 'clock' | 'log' | 'metrics' | 'tracer'>,
): Gateway {
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
