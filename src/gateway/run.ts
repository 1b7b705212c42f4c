import { build, shippedFile, shippedOpenApi } from '../runtime/process/build.js';
import type { GatewayConfig } from './flags.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { createGatewayMetrics } from './metrics.js';
import { createLogger } from '../runtime/log/pinologger.js';
import { systemClock } from '../runtime/clock.js';
import { exitOnCrash } from '../runtime/process/lifecycle.js';
import { refuseDebugger } from '../runtime/process/debugger.js';
import { errorText } from '../runtime/errors.js';
import { runWithEndpoints } from '../runtime/endpoints/endpoints.js';
import { secureMetrics } from '../runtime/endpoints/securemetrics.js';

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
  try {
    const gateway = gatewayFor(config, { clock, log, metrics });
    await gateway.start();
    const { metricsSecure, tls } = config;
    const secure = metricsSecure ? secureMetrics({ review: gateway.accessReviewer(), tls, log }) : undefined;
    // The debugger is checked late: Node opens it asynchronously after a signal.
    const endpoints = { config, metrics, secure, readyz: [gateway.readiness()], log, onListening: checkDebugger };
    return await runWithEndpoints([gateway], endpoints);
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  }
}

function gatewayFor(
  config: GatewayConfig,
  sinks: Pick<GatewayOptions, 'clock' | 'log' | 'metrics'>,
): Gateway {
  const [engine, placement] = [definition('multiclusterengine'), definition('placement')];
  return new Gateway({
    ...config,
    ...sinks,
    limits: config,
    strict: config.strictStatusCodes,
    // The part before the slash is the default field manager of the clients' writes.
    userAgent: `multicluster-engine-gateway/${config.version}`,
    openapi: shippedOpenApi(config.version),
    rules: new FieldRules([engine, placement]),
    reloadEveryMs: config.reloadIntervalMs,
  });
}

function definition(kind: string): string {
  return shippedFile('crds', `${kind}.yaml`);
}
