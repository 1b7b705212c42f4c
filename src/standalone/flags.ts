import path from 'node:path';

import { LOG_LEVELS, type FlagRows, type Flags, type Listen, type LogLevel } from '../runtime/flags/flags.js';
import type { Command, Given } from '../runtime/flags/commands.js';
import { loopbackIn } from '../console/flags.js';
import { tracing, type TracingConfig } from '../runtime/flags/tracing.js';

/** The configuration of `multicluster-engine standalone`. */
export interface StandaloneConfig {
  readonly command: 'standalone';
  /** Version of this program. */
  readonly version: string;
  /** Absolute path of the folder for store, certificates, kubeconfig, logs and working folders. */
  readonly dataDir: string;
  readonly listen: Listen;
  /** Address of the gateway once an engine has installed it. */
  readonly gatewayListen: Listen;
  /** Address of the page about the fleet; undefined: there is none. */
  readonly consoleListen: Listen | undefined;
  /** Which of the addresses a flag or variable sets. The others are defaults: where one is in use, another port is taken. */
  readonly requested: { readonly listen: boolean; readonly gatewayListen: boolean; readonly consoleListen: boolean };
  /** Objects are kept in memory only. */
  readonly ephemeral: boolean;
  /** Number of example clusters to create. */
  readonly seedFleet: number;
  /** Number of simulated clusters whose agents run in the process. */
  readonly demoFleet: number;
  /** File for an audit log in kube-apiserver's format; undefined: none. */
  readonly auditLog: string | undefined;
  readonly logLevel: LogLevel;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
}

const NO_CONSOLE = 'none';

const STANDALONE_FLAGS: FlagRows = {
  'data-dir': {
    value: 'DIR',
    help: 'folder for store, kubeconfig and logs; the next start continues with its data',
    default: '.standalone',
  },
  listen: {
    value: 'HOST:PORT',
    help: 'address of the Kubernetes API',
    default: '127.0.0.1:6443',
    // LISTEN is the address of the gateway: an image sets the variables of all commands at once.
    variable: 'API_LISTEN',
  },
  'gateway-listen': {
    value: 'HOST:PORT',
    help: 'address of the HTTPS interface, once an engine has installed it',
    default: '127.0.0.1:8443',
  },
  'console-listen': {
    value: 'HOST:PORT',
    help: 'address of the page about the fleet, on this machine alone; none: no page',
    default: '127.0.0.1:9444',
  },
  ephemeral: { help: 'keep objects only in memory: they are lost when the process ends', default: 'false' },
  'seed-fleet': { value: 'N', help: 'create N example clusters with sets and bindings, 0 to 10000', default: '0' },
  'demo-fleet': {
    value: 'N',
    help: 'run N simulated clusters that join and report; some fall silent and come back; 0 to 1000',
    default: '0',
  },
  'audit-log': { value: 'FILE', help: "log of every request, in kube-apiserver's audit format", defaultText: 'none' },
  'log-level': { value: 'LEVEL', help: `one of ${LOG_LEVELS.join(', ')}`, default: 'info' },
};

export const STANDALONE: Command<StandaloneConfig> = {
  name: 'standalone',
  summary: 'Starts a local hub to try the product: a Kubernetes API with the operator, and no cluster.',
  flags: STANDALONE_FLAGS,
  build: standalone,
};

/** @throws FlagError with the flag or variable, its value and the rule. */
function standalone(flags: Flags, { env, version }: Pick<Given, 'env' | 'version'>): StandaloneConfig {
  const audit = flags.find('audit-log');
  const gateway = flags.get('gateway-listen');
  const console = flags.get('console-listen');
  const config: StandaloneConfig = {
    command: 'standalone',
    version,
    dataDir: path.resolve(flags.get('data-dir').file('a folder')),
    listen: flags.get('listen').listen(),
    gatewayListen: gateway.listen(),
    consoleListen: console.text === NO_CONSOLE ? undefined : loopbackIn(console),
    requested: {
      listen: flags.isSet('listen'),
      gatewayListen: flags.isSet('gateway-listen'),
      consoleListen: flags.isSet('console-listen'),
    },
    ephemeral: flags.get('ephemeral').bool(),
    seedFleet: flags.get('seed-fleet').integer(0, 10_000),
    demoFleet: flags.get('demo-fleet').integer(0, 1_000),
    auditLog: audit === undefined ? undefined : path.resolve(audit.file()),
    logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
    tracing: tracing(env),
  };
  const { port } = config.gatewayListen;
  if (port !== 0 && port === config.listen.port) gateway.refuse('an address with another port than the API');
  return config;
}
