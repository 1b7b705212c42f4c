import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { ENGINE_LABEL, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT } from '../api/names.js';
import { startApiServer, type ApiServer } from '../apiserver/apiserver.js';
import { packageRoot, type HubConfig } from '../config.js';
import { createCache } from '../kube/reflector.js';
import { createClient } from '../kube/rest.js';
import type { Transport } from '../kube/transport.js';
import { LocalNode } from '../local/node.js';
import { LocalRuntime } from '../local/runtime.js';
import { createLogger } from '../observability/logger.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import { exitOnCrash, runUntilSignalled, type Runnable } from '../runtime/lifecycle.js';
import type { Logger } from '../runtime/logger.js';
import type { StandaloneConfig } from '../standaloneconfig.js';
import { accountUser, Embedded } from './embedded.js';
import { engineGroup } from './engine.js';
import { openHub } from './hub.js';
import { install } from './installation.js';
import { say, step } from './progress.js';
import { seedFleet } from './seedfleet.js';

const NODE = 'local';
const ENTRY = fileURLToPath(new URL('../main.js', import.meta.url));

/** Runs API server, operator and local runtime until a signal; gives the exit code. What cannot be started is one line, and 1. */
export async function runStandalone(config: StandaloneConfig): Promise<number> {
  try {
    const log = await openLog(config);
    const server = await step(`starting the Kubernetes API on ${config.listen.host}:${config.listen.port}`, () => startApiServer({
      ...(config.ephemeral ? {} : { folder: path.join(config.dataDir, 'store') }),
      credentials: config.dataDir,
      listen: config.listen,
      clock: systemClock,
      ...(config.auditLog === undefined ? {} : { audit: { file: config.auditLog, level: 'Metadata' as const } }),
    }));
    try {
      return await serve(config, server, log);
    } finally {
      await server.close();
    }
  } catch (error) {
    process.stderr.write(`\nmulticluster-engine standalone: ${sentenceOf(error)}\n`);
    return 1;
  }
}

/** What went wrong, and what to do where that is known. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const taken = 'code' in error && error.code === 'EADDRINUSE';
  return taken ? `${error.message}; --listen=HOST:PORT takes another address` : error.message;
}

async function openLog(config: StandaloneConfig): Promise<Logger> {
  const folder = path.join(config.dataDir, 'logs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const destination = createWriteStream(path.join(folder, 'standalone.log'), { flags: 'a', mode: 0o600 });
  const log = createLogger({ level: config.logLevel, clock: systemClock, destination });
  exitOnCrash(process, log);
  return log;
}

async function serve(config: StandaloneConfig, server: ApiServer, log: Logger): Promise<number> {
  const ways = new Embedded(server, config.version, log);
  const admin = ways.admin();
  const kept = await step('installing CRDs, rights and policies', () => install(admin));
  for (const one of kept) say(`  ${one} was changed by somebody since and stays as it is`);
  if (config.seedFleet > 0) await step(`making ${config.seedFleet} example clusters`, () => seedFleet(admin, config.seedFleet));
  const transport = ways.transport(accountUser('kube-system', 'local-runtime'));
  const node = new LocalNode({
    client: createClient(transport),
    openCache: (options) => createCache(transport, options, { clock: systemClock, random: systemRandom, log }),
    clock: systemClock,
    log,
    name: NODE,
    version: `v${config.version}`,
  });
  await step('starting the local runtime', () => node.start());
  const parts = [operator(config, ways, log), runtime(config, server, transport, log)];
  const running = runUntilSignalled(parts, { host: process, clock: systemClock, log });
  say(nextSteps(server.kubeconfig, config));
  const code = await running;
  say('stopping ...');
  await node.stop();
  return code;
}

/** The engine's controllers, as the operator's ServiceAccount, through rights and policies like anyone else. */
function operator(config: StandaloneConfig, ways: Embedded, log: Logger): Runnable {
  const user = accountUser(OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT);
  const settings: HubConfig = {
    version: config.version,
    leaderElectionNamespace: OPERATOR_NAMESPACE,
    identity: `standalone-${process.pid}`,
    namespace: undefined,
    componentImage: `multicluster-engine:${config.version}`,
    componentReplicas: 1,
    workers: 4,
    kubeApiQps: 100,
    kubeApiBurst: 200,
    settleWindowMs: 50,
  };
  return engineGroup(openHub(settings, log, (options) => ways.transport(user, options)));
}

function runtime(config: StandaloneConfig, server: ApiServer, transport: Transport, log: Logger): Runnable {
  const client = createClient(transport);
  const { host, port } = config.gatewayListen;
  const local = new LocalRuntime({
    site: {
      transport,
      client,
      clock: systemClock,
      server: server.url,
      caFile: server.caFile,
      folder: config.dataDir,
      executable: [process.execPath, ENTRY],
      addresses: { gateway: { MULTICLUSTER_ENGINE_LISTEN: `${host}:${port}` } },
    },
    client,
    openCache: (options) => createCache(transport, options, { clock: systemClock, random: systemRandom, log }),
    label: ENGINE_LABEL,
    nodeName: NODE,
    log,
    report: say,
  });
  return {
    name: 'local-runtime',
    async run(signal) {
      await local.start(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      await local.stop();
      return true;
    },
  };
}

function nextSteps(kubeconfig: string, { gatewayListen, dataDir, ephemeral }: StandaloneConfig): string {
  const near = (place: string): string => path.relative(process.cwd(), place) || '.';
  const example = (name: string): string => near(path.join(packageRoot(), 'examples', name));
  return [
    '',
    'The hub is up. Next, in another terminal:',
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    `  kubectl apply -f ${example('engine.yaml')}`,
    '  kubectl get mce -w',
    '',
    `Once the engine is Available, the HTTPS interface answers on https://${gatewayListen.host}:${gatewayListen.port}. Logs: ${near(path.join(dataDir, 'logs'))}`,
    ephemeral ? 'Ctrl-C stops it, and its objects are gone.' : 'Ctrl-C stops it; the next start goes on from there.',
    '',
  ].join('\n');
}
