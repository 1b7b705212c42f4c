import { TRACES } from '../api/names.js';
import { build, shippedFile, shippedOpenApi } from '../runtime/process/build.js';
import { runTokenServer } from '../runtime/endpoints/tokenserver.js';
import type { GatewayConfig } from './flags.js';
import { Gateway, type GatewayOptions } from './gateway.js';
import { FieldRules } from '@multicluster-engine/values/schema/fieldrules';
import { createGatewayMetrics } from './metrics.js';
import { openTracing, type Tracing } from '../runtime/tracing/tracing.js';

/** Serves the HTTPS interface until a signal; returns the exit code. A failure to start is one line of the log, and 1. */
export async function runGateway(config: GatewayConfig): Promise<number> {
  const metrics = createGatewayMetrics(build());
  const traces: { opened?: Tracing } = {};
  try {
    return await runTokenServer(config, metrics, async (tools) => {
      const variables = config.unusedProxies.join(', ');
      if (variables !== '')
        tools.log.info(
          { variables },
          'no proxy is used: the gateway connects directly, since tokens must not pass a proxy',
        );
      const { version } = config;
      const service = 'multicluster-engine-gateway';
      if (config.tracing !== undefined) traces.opened = await openTracing({ ...TRACES, service, version, ...tools });
      return gatewayFor(config, { ...tools, metrics, tracer: traces.opened?.tracer });
    });
  } finally {
    await traces.opened?.close();
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
    openapi: shippedOpenApi(config.version),
    rules: new FieldRules([engine, placement]),
    reloadEveryMs: config.reloadIntervalMs,
  });
}

function definition(kind: string): string {
  return shippedFile('crds', `${kind}.yaml`);
}
