import path from 'node:path';

import { DEFAULT_NAMESPACE, OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT, TRACES } from '../api/names.js';
import { MultiClusterEngines } from '../api/resources.js';
import { checkSecrets, startApiServer, type ApiServer } from '@multicluster-engine/kube-apiserver';
import type { ManagerConfig } from '../operator/flags.js';
import { addressOf } from '../runtime/flags/flags.js';
import { connectHub } from '../agent/hub.js';
import { createClient } from '../runtime/client/rest.js';
import { ContainerLogs } from './local/output.js';
import { LocalRuntime } from './local/runtime.js';
import { openLogFile } from '../runtime/log/linewriter.js';
import { createLogger } from '../runtime/log/pinologger.js';
import { flushAtExit } from '../runtime/log/standardoutput.js';
import { openTracing } from '../runtime/tracing/tracing.js';
import { systemClock, systemRandom } from '../runtime/clock.js';
import {
  awaitSignals,
  exitOnCrash,
  runUntilSignalled,
  type Runnable,
  type Signals,
} from '../runtime/process/lifecycle.js';
import type { Logger } from '../runtime/logger.js';
import type { StandaloneConfig } from './flags.js';
import { KUBECONFIG_USER, serviceAccountUser, InProcessClients } from './inprocess.js';
import { openConsole, type OpenConsole } from '../console/open.js';
import { engineGroup } from '../operator/engine.js';
import { createManager, type ManagerSinks } from '../operator/manager.js';
import { DemoFleet } from './demofleet/demofleet.js';
import { install, seedFleet } from './install.js';
import {
  checkFolders,
  consoleAddress,
  gatewayAddresses,
  logFile,
  startApiAt,
  startErrorMessage,
  withGatewayAddress,
} from './preflight.js';
import { progress, nextSteps } from './progress.js';

/**
 * Runs API server, operator and local runtime until a signal; returns the exit code. A failure to start is one line on standard
 * error, and 1. A signal during the start ends it after the current step, with 0. `entryPoint`: the file of `main.js`, which the
 * components' processes run.
 */
export async function runStandalone(config: StandaloneConfig, entryPoint: string): Promise<number> {
  try {
    await checkFolders(config);
    await checkSecrets(config.dataDir);
    const log = openLog(config);
    const signals = awaitSignals({ host: process, clock: systemClock, log });
    signals.stop.signal.addEventListener('abort', () => progress.printLine('stopping ...'), { once: true });
    try {
      return await start(config, { log, signals, entryPoint, logs: new ContainerLogs(systemClock) });
    } catch (error) {
      if (error === signals.stop.signal.reason) return 0;
      throw error;
    } finally {
      signals.release();
    }
  } catch (error) {
    progress.printError(`multicluster-engine standalone: ${startErrorMessage(error, config.dataDir)}`);
    return 1;
  }
}

interface Context {
  readonly logs: ContainerLogs;
  readonly log: Logger;
  readonly signals: Signals;
  readonly entryPoint: string;
}

async function start(configured: StandaloneConfig, context: Context): Promise<number> {
  const print = (line: string): void => progress.printLine(line);
  const { config, server } = await startApiAt(configured, print, async (selected) => ({
    config: selected,
    server: await startServer(selected, context),
  }));
  let page: OpenConsole | undefined;
  try {
    const selected = await withGatewayAddress(config, print);
    const clients = new InProcessClients(server, config.version, context.log);
    page = await openPage(selected, server.url, clients);
    return await serve(selected, server, { ...context, clients, page });
  } finally {
    page?.close();
    await server.close();
  }
}

function startServer(config: StandaloneConfig, { log, logs }: Context): Promise<ApiServer> {
  return progress.step(`starting the Kubernetes API on ${addressOf(config.listen)}`, () =>
    startApiServer({
      ...(config.ephemeral ? {} : { folder: path.join(config.dataDir, 'store') }),
      credentials: config.dataDir,
      listen: config.listen,
      clock: systemClock,
      podLogs: logs,
      warn: (text, where) => warn(log, text, where),
      onFatal: (error) => crash(log, startErrorMessage(error, config.dataDir)),
      ...(config.auditLog === undefined ? {} : { audit: { file: config.auditLog, level: 'Metadata' as const } }),
    }),
  );
}

function openLog(config: StandaloneConfig): Logger {
  const log = createLogger({
    level: config.logLevel,
    clock: systemClock,
    destination: flushAtExit(openLogFile(logFile(config.dataDir), systemClock)),
  });
  exitOnCrash(process, log);
  return log;
}

/** Warnings of the store are printed; those of controllers, which retry, are in the log only. */
function warn(log: Logger, text: string, where: 'store' | 'controllers'): void {
  log.warn({ where }, text);
  if (where === 'store') progress.printLine(text);
}

/** An unrecoverable error of the store. The log file may be unwritable too, hence the line on standard error. */
function crash(log: Logger, reason: string): never {
  log.error({ reason }, 'the store can no longer be trusted, exiting');
  progress.printError(`multicluster-engine standalone: the store can no longer be trusted: ${reason}`);
  process.exit(1);
}

/** The console has the rights of the kubeconfig, as that of `kubectl mce console` has. */
async function openPage(
  config: StandaloneConfig,
  hub: string,
  clients: InProcessClients,
): Promise<OpenConsole | undefined> {
  const listen = await consoleAddress(config, (line) => progress.printLine(line));
  if (listen === undefined) return undefined;
  const transport = clients.transport(KUBECONFIG_USER);
  return openConsole({
    client: createClient(transport),
    transport,
    session: { hub, context: 'standalone', user: '', namespace: DEFAULT_NAMESPACE },
    namespace: undefined,
    fallback: () => DEFAULT_NAMESPACE,
    listen,
    clock: systemClock,
    flag: 'console-listen',
  });
}

interface Started extends Context {
  readonly clients: InProcessClients;
  readonly page: OpenConsole | undefined;
}

async function serve(config: StandaloneConfig, server: ApiServer, context: Started): Promise<number> {
  const { log, signals, clients, page } = context;
  const { signal } = signals.stop;
  const admin = clients.admin();
  signal.throwIfAborted();
  const kept = await progress.step('installing CRDs, rights and policies', () => install(admin));
  for (const one of kept) progress.printLine(`  ${one} was changed by another client and is kept`);
  signal.throwIfAborted();
  if (config.seedFleet > 0)
    await progress.step(`making ${config.seedFleet} example clusters`, (count) =>
      seedFleet(admin, config.seedFleet, { count, signal }),
    );
  signal.throwIfAborted();
  const local = localRuntime(config, server, context);
  await progress.step('starting the local runtime', () => local.start());
  const service = 'multicluster-engine-operator';
  const tracing =
    config.tracing && (await openTracing({ ...TRACES, service, version: config.version, clock: systemClock, log }));
  const sinks = { log, tracer: tracing?.tracer };
  const parts = [
    operator(config, clients, sinks),
    local,
    ...(config.demoFleet > 0 ? [demoFleet(config, clients, server, context)] : []),
  ];
  const [engine] = await admin.list(MultiClusterEngines, undefined);
  const running = runUntilSignalled(parts, { host: process, clock: systemClock, log }, signals);
  if (!signal.aborted)
    progress.printLine(
      nextSteps({ kubeconfig: server.kubeconfig, config, installed: engine !== undefined, link: page?.link() }),
    );
  const code = await running;
  await tracing?.close();
  return code;
}

/** The engine's controllers with the ServiceAccount of the operator; authorization and admission apply to them. */
function operator(config: StandaloneConfig, clients: InProcessClients, sinks: ManagerSinks): Runnable {
  const user = serviceAccountUser(OPERATOR_NAMESPACE, OPERATOR_SERVICE_ACCOUNT);
  const settings: ManagerConfig = {
    version: config.version,
    leaderElectionNamespace: OPERATOR_NAMESPACE,
    // The data folder has one process at a time: the next one has the same identity and need not wait for the lease.
    identity: 'standalone',
    namespace: undefined,
    // The processes of this program run in its place: nothing is pulled.
    componentImage: 'localhost/multicluster-engine',
    componentReplicas: 1,
    omitUserIds: false,
    without: [],
    workers: 4,
    kubeApiQps: 100,
    kubeApiBurst: 200,
    settleWindowMs: 50,
    metricsSecure: false,
    sigDecisions: false,
    multikueue: false,
    publishProfiles: undefined,
    inventories: { clusterProfiles: undefined, ocmClusters: false },
    tracing: config.tracing,
  };
  return engineGroup(createManager(settings, sinks, (options) => clients.transport(user, options)));
}

/** The agents reach the hub over HTTPS with tokens of their own, as from a cluster. */
function demoFleet(config: StandaloneConfig, clients: InProcessClients, server: ApiServer, { log }: Context): Runnable {
  const tools = { clock: systemClock, random: systemRandom, log };
  const connection = { ...tools, userAgent: `multicluster-engine-agent/${config.version} (demo fleet)` };
  return new DemoFleet({
    ...tools,
    total: config.demoFleet,
    hub: { client: clients.admin(), identity: clients.adminIdentity() },
    address: { hubUrl: server.url, hubCa: server.ca.trim() },
    openHub: (join, token) => connectHub(join, token, connection),
    print: (line) => progress.printLine(line),
  });
}

function localRuntime(
  config: StandaloneConfig,
  server: ApiServer,
  { clients, log, entryPoint, logs }: Started,
): LocalRuntime {
  const report = (line: string): void => progress.printLine(line);
  const gateway = gatewayAddresses(config, report);
  const transport = clients.transport(serviceAccountUser('kube-system', 'local-runtime'));
  return new LocalRuntime({
    transport,
    client: createClient(transport),
    clock: systemClock,
    log,
    server: server.url,
    caFile: server.caFile,
    folder: config.dataDir,
    executable: [process.execPath, entryPoint],
    logs,
    addressesFor: async (deployment) =>
      deployment === 'gateway' ? { MULTICLUSTER_ENGINE_LISTEN: await gateway() } : {},
    version: `v${config.version}`,
    report,
  });
}
