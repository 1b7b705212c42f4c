import { Agent } from './agent.js';
import { ApiHome } from './home.js';
import { connectHub } from './hub.js';
import type { AgentConfig } from './flags.js';
import { OLDEST_KUBERNETES } from '../api/names.js';
import { build } from '../runtime/process/build.js';
import { loadKubeconfig, type Kubeconfig } from '../runtime/kubeconfig/kubeconfig.js';
import { KubeconfigError } from '../runtime/transport/credentials.js';
import { createTransport } from '../runtime/transport/transport.js';
import { createAgentMetrics } from './metrics.js';
import { createLogger } from '../runtime/log/pinologger.js';
import { standardError } from '../runtime/log/standardoutput.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import { errorText } from '../runtime/errors.js';
import { exitOnCrash } from '../runtime/process/lifecycle.js';
import { runWithEndpoints } from '../runtime/endpoints/endpoints.js';
import { warnOfOldServer } from '../runtime/client/serverversion.js';

/**
 * Runs the agent of a managed cluster until a signal; returns the exit code. Without a usable kubeconfig it prints one line to
 * standard error and returns 1; any other failure to start is one line of the log, and 1.
 */
export async function runAgent(config: AgentConfig): Promise<number> {
  try {
    const file = config.kubeconfig === undefined ? {} : { path: config.kubeconfig };
    return await runWith(config, loadKubeconfig({ ...file, caller: 'component' }));
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    standardError().write(`multicluster-engine agent: ${error.message}\n`);
    return 1;
  }
}

async function runWith(config: AgentConfig, kubeconfig: Kubeconfig): Promise<number> {
  const log = createLogger({ level: config.logLevel, clock: systemClock });
  exitOnCrash(process, log);
  const { version, namespace, apiEndpoint, tokenLifetimeSeconds, argoCdNamespace } = config;
  log.info({ version, server: kubeconfig.server, source: kubeconfig.source }, 'starting');
  const metrics = createAgentMetrics(build());
  const tools = { clock: systemClock, random: systemRandom, log };
  const connection = {
    ...tools,
    metrics: metrics.requests,
    userAgent: `multicluster-engine-agent/${version}`,
  };
  const transport = createTransport(kubeconfig, { ...connection, connections: 4 });
  const agent = new Agent({
    home: new ApiHome({ transport, namespace, apiEndpoint, tools: { ...tools, metrics: metrics.caches } }),
    openHub: (join, token) => connectHub(join, token, connection),
    tools: { ...tools, metrics: metrics.agent },
    tokenLifetimeSeconds,
    argoCdNamespace,
  });
  const ended = new AbortController();
  void warnOfOldServer(transport, { ...tools, oldest: OLDEST_KUBERNETES }, ended.signal);
  try {
    return await runWithEndpoints([agent], { config, metrics, readyz: agent.readiness(), log });
  } catch (error) {
    log.error({ reason: errorText(error) }, 'cannot start');
    return 1;
  } finally {
    ended.abort();
    await transport.close();
  }
}
