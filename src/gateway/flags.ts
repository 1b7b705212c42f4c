import type { FlagRows, Flags } from '../runtime/flags/flags.js';
import {
  refuseLeakyEnvironment,
  TOKEN_SERVER_FLAGS,
  tokenServerConfig,
  variablesSet,
  type TokenServerConfig,
} from '../runtime/flags/tokenserver.js';
import type { Command } from '../runtime/flags/commands.js';
import { tracing, type TracingConfig } from '../runtime/flags/tracing.js';

/** The configuration of `multicluster-engine gateway`. */
export interface GatewayConfig extends TokenServerConfig {
  readonly command: 'gateway';
  /** Version of this program. */
  readonly version: string;
  /** Use the status codes of the specified interface only, without error bodies. */
  readonly strictStatusCodes: boolean;
  readonly maxConnections: number;
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly upstreamTimeoutMs: number;
  readonly shutdownDelayMs: number;
  readonly reloadIntervalMs: number;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
  /** Names of the variables of a proxy that are set, and not used. */
  readonly unusedProxies: readonly string[];
}

/** The process settings that a gateway checks. */
interface ProcessEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Node's own command line options. */
  readonly execArgv: readonly string[];
}

export const GATEWAY_FLAGS: FlagRows = {
  listen: { value: 'HOST:PORT', help: 'address of the interface', default: ':8443' },
  ...TOKEN_SERVER_FLAGS,
  'strict-status-codes': {
    help: 'respond only with 200, 403, 404, 500 and 503, and send no body with errors',
    default: 'false',
  },
  'max-connections': {
    value: 'N',
    help: 'open connections, 10 to 100000; at the limit, the one that has been idle longest is closed',
    default: '1000',
  },
  'header-timeout': {
    value: 'DURATION',
    help: 'timeout of the TLS handshake and the request headers, up to 60s',
    default: '10s',
  },
  'request-timeout': {
    value: 'DURATION',
    help: 'timeout of a whole request, at least the header timeout, up to 300s',
    default: '30s',
  },
  'upstream-timeout': {
    value: 'DURATION',
    help: 'timeout of each wait for the Kubernetes API, up to 300s',
    default: '15s',
  },
  'shutdown-delay': {
    value: 'DURATION',
    help: 'how long new connections are accepted after a termination signal, up to 4s',
    default: '2s',
  },
  'reload-interval': { value: 'DURATION', help: 'interval between two checks of the files, up to 60s', default: '5s' },
};

/**
 * Some platforms set these in every pod. Node uses them only with NODE_USE_ENV_PROXY or --use-env-proxy, which are refused, and
 * nothing of the gateway reads them: it connects directly to the API server.
 */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

export const GATEWAY: Command<GatewayConfig> = {
  name: 'gateway',
  summary: 'Serves the HTTPS interface in front of a Kubernetes API server.',
  flags: GATEWAY_FLAGS,
  build: (flags, { env, version }) => gateway(flags, { env, version, execArgv: process.execArgv }),
};

/**
 * The configuration of a gateway. @throws FlagError for an invalid flag, or an environment that would break one of its guarantees
 */
export function gateway(flags: Flags, environment: ProcessEnvironment): GatewayConfig {
  refuseLeakyEnvironment(environment, 'a gateway');
  const { env, version } = environment;
  const headerTimeoutMs = flags.get('header-timeout').duration('1ms', '60s');
  const requestTimeout = flags.get('request-timeout');
  const config: GatewayConfig = {
    command: 'gateway',
    version,
    ...tokenServerConfig(flags, env),
    strictStatusCodes: flags.get('strict-status-codes').bool(),
    maxConnections: flags.get('max-connections').integer(10, 100_000),
    headerTimeoutMs,
    requestTimeoutMs: requestTimeout.duration('1ms', '300s'),
    upstreamTimeoutMs: flags.get('upstream-timeout').duration('1ms', '300s'),
    shutdownDelayMs: flags.get('shutdown-delay').duration('0s', '4s'),
    reloadIntervalMs: flags.get('reload-interval').duration('1ms', '60s'),
    tracing: tracing(env),
    unusedProxies: PROXY_VARIABLES.flatMap((name) => variablesSet(env, name)),
  };
  if (config.requestTimeoutMs < headerTimeoutMs) requestTimeout.refuse('at least as long as the header timeout');
  return config;
}
