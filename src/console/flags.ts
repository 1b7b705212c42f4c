import {
  LOG_LEVELS,
  type FlagRows,
  type Flags,
  type FlagValue,
  type Listen,
  type LogLevel,
} from '../runtime/flags/flags.js';
import { refuseTokenThieves, upstreamUrl } from '../runtime/flags/upstream.js';
import type { Command, Given } from '../runtime/flags/commands.js';
import {
  checkNoArguments,
  NAMESPACE_NAMES,
  namespaceIn,
  TARGET_FLAGS,
  targetConfig,
  type TargetConfig,
} from '../cli/flags.js';
import { isLoopback } from '../runtime/https/host.js';

/** The configuration of `multicluster-engine console`. */
export interface ConsoleConfig extends TargetConfig {
  readonly command: 'console';
  readonly listen: Listen;
  /** Undefined: for one person, on this machine. */
  readonly component: ComponentConfig | undefined;
}

/** The console as a component of a hub, for everybody with a token. */
export interface ComponentConfig {
  readonly tls: { readonly cert: string; readonly key: string };
  /** `https://host:port` of the Kubernetes API. */
  readonly upstream: string;
  readonly upstreamCa: string;
  readonly metricsListen: Listen;
  readonly metricsSecure: boolean;
  readonly healthListen: Listen;
  readonly logLevel: LogLevel;
}

const ON_HUB = ['tls-cert'];
const OF_A_PERSON = ['kubeconfig', 'context', 'as', 'namespace'];
const IN_CLUSTER_CA = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';

const COMPONENT_FLAGS: FlagRows = {
  'tls-cert': {
    value: 'FILE',
    help: 'on a hub: serve HTTPS with this certificate (PEM) to everybody with a token; reloaded when it changes',
    defaultText: 'none: for one person on this machine',
    needs: ['tls-key'],
    excludes: OF_A_PERSON,
    completes: { files: true },
  },
  'tls-key': {
    value: 'FILE',
    help: 'on a hub: private key of --tls-cert, PEM',
    needs: ON_HUB,
    completes: { files: true },
  },
  upstream: {
    value: 'URL',
    help: 'on a hub: the Kubernetes API, https://HOST[:PORT]',
    defaultText: 'the in-cluster address',
    needs: ON_HUB,
  },
  'upstream-ca': {
    value: 'FILE',
    help: 'on a hub: CA certificates of the Kubernetes API, PEM; reloaded when it changes',
    default: IN_CLUSTER_CA,
    needs: ON_HUB,
    completes: { files: true },
  },
  'metrics-listen': { value: 'HOST:PORT', help: 'on a hub: address of /metrics', default: ':8080', needs: ON_HUB },
  'metrics-secure': {
    help: 'on a hub: serve /metrics over HTTPS, to users who may get this nonResourceURL',
    default: 'false',
    needs: ON_HUB,
  },
  'health-listen': {
    value: 'HOST:PORT',
    help: 'on a hub: address of /livez and /readyz',
    default: ':8081',
    needs: ON_HUB,
  },
  'log-level': {
    value: 'LEVEL',
    help: `on a hub: one of ${LOG_LEVELS.join(', ')}`,
    default: 'info',
    needs: ON_HUB,
    completes: { words: LOG_LEVELS },
  },
};

export const CONSOLE: Command<ConsoleConfig> = {
  name: 'console',
  summary:
    'Serves a page about the fleet on this machine, with your kubeconfig: what is selected, why, and what a change would do.',
  arguments: '',
  flags: {
    listen: {
      value: 'HOST:PORT',
      help: 'address of the page on this machine; port 0 is a free one',
      default: '127.0.0.1:0',
    },
    namespace: {
      value: 'NAMESPACE',
      short: 'n',
      help: 'read only this namespace',
      defaultText: 'all namespaces',
      completes: NAMESPACE_NAMES,
    },
    ...TARGET_FLAGS,
    ...COMPONENT_FLAGS,
  },
  exitCodes: '0: it was ended by Ctrl-C; 1: an error',
  build: consoleConfig,
};

function consoleConfig(flags: Flags, given: Given): ConsoleConfig {
  checkNoArguments(given.positional);
  const component = componentConfig(flags, given);
  const listen = component === undefined ? loopbackIn(flags.get('listen')) : flags.get('listen').listen();
  return { command: 'console', ...targetConfig(flags, given), namespace: namespaceIn(flags), listen, component };
}

function componentConfig(flags: Flags, { env }: Given): ComponentConfig | undefined {
  const cert = flags.find('tls-cert')?.matching(/^.+$/s, 'a file');
  const key = flags.find('tls-key')?.matching(/^.+$/s, 'a file');
  if (cert === undefined || key === undefined) return undefined;
  refuseTokenThieves({ env, execArgv: process.execArgv }, 'a console on a hub');
  return {
    tls: { cert, key },
    upstream: upstreamUrl(flags.find('upstream'), env),
    upstreamCa: flags.get('upstream-ca').matching(/^.+$/s, 'a file'),
    metricsListen: flags.get('metrics-listen').listen(),
    metricsSecure: flags.get('metrics-secure').bool(),
    healthListen: flags.get('health-listen').listen(),
    logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
  };
}

/** Others on the network must not get at a page that has somebody's rights. @throws FlagError */
export function loopbackIn(flag: FlagValue): Listen {
  const listen = flag.listen();
  return isLoopback(listen.host) ? listen : flag.refuse('an address of this machine alone, such as 127.0.0.1:8090');
}
