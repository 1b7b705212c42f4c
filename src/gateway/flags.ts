import {
  FlagError,
  type FlagValue,
  LOG_LEVELS,
  type FlagRows,
  type Flags,
  type Listen,
  type LogLevel,
} from '../runtime/flags/flags.js';
import { refuseTokenThieves, upstreamUrl, variablesSet } from '../runtime/flags/upstream.js';
import type { Command } from '../runtime/flags/commands.js';
import { tracing, type TracingConfig } from '../runtime/flags/tracing.js';

/** The configuration of `multicluster-engine gateway`. */
export interface GatewayConfig {
  readonly command: 'gateway';
  /** Release of this program. */
  readonly version: string;
  readonly listen: Listen;
  /** PEM files of the serving certificate and its key. */
  readonly tlsCert: string;
  readonly tlsKey: string;
  /** `https://host:port` of the Kubernetes API. */
  readonly upstream: string;
  /** PEM file of the CA certificates for its verification. */
  readonly upstreamCa: string;
  readonly metricsListen: Listen;
  /** Serve the metrics over HTTPS with the serving certificate, to clients with a permitted token. */
  readonly metricsSecure: boolean;
  readonly healthListen: Listen;
  readonly logLevel: LogLevel;
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
export interface ProcessEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Node's own command line options. */
  readonly execArgv: readonly string[];
}

const IN_CLUSTER_CA = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';

export const GATEWAY_FLAGS: FlagRows = {
  listen: { value: 'HOST:PORT', help: 'address of the interface', default: ':8443' },
  'tls-cert': { value: 'FILE', help: 'serving certificate with its chain, PEM; reloaded when it changes' },
  'tls-key': { value: 'FILE', help: 'private key of --tls-cert, PEM; reloaded when it changes' },
  upstream: { value: 'URL', help: 'the Kubernetes API, https://HOST[:PORT]', defaultText: 'the in-cluster address' },
  'upstream-ca': {
    value: 'FILE',
    help: 'CA certificates of the Kubernetes API, PEM; reloaded when it changes',
    default: IN_CLUSTER_CA,
  },
  'metrics-listen': { value: 'HOST:PORT', help: 'address of /metrics', default: ':8080' },
  'metrics-secure': {
    help: 'serve /metrics over HTTPS, to users who may get this nonResourceURL',
    default: 'false',
  },
  'health-listen': { value: 'HOST:PORT', help: 'address of /livez and /readyz', default: ':8081' },
  'log-level': { value: 'LEVEL', help: `one of ${LOG_LEVELS.join(', ')}`, default: 'info' },
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

/** @throws FlagError for an invalid flag, or for an environment that would break a guarantee of the gateway. */
export function gateway(flags: Flags, environment: ProcessEnvironment): GatewayConfig {
  refuseTokenThieves(environment, 'a gateway');
  const { env, version } = environment;
  const headerTimeoutMs = positive(flags.get('header-timeout'), 60_000);
  const requestTimeout = flags.get('request-timeout');
  const config: GatewayConfig = {
    command: 'gateway',
    version,
    listen: flags.get('listen').listen(),
    tlsCert: required(flags, 'tls-cert'),
    tlsKey: required(flags, 'tls-key'),
    upstream: upstreamUrl(flags.find('upstream'), env),
    upstreamCa: required(flags, 'upstream-ca'),
    metricsListen: flags.get('metrics-listen').listen(),
    metricsSecure: flags.get('metrics-secure').bool(),
    healthListen: flags.get('health-listen').listen(),
    logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
    strictStatusCodes: flags.get('strict-status-codes').bool(),
    maxConnections: flags.get('max-connections').integer(10, 100_000),
    headerTimeoutMs,
    requestTimeoutMs: positive(requestTimeout, 300_000),
    upstreamTimeoutMs: positive(flags.get('upstream-timeout'), 300_000),
    shutdownDelayMs: flags.get('shutdown-delay').duration(4_000),
    reloadIntervalMs: positive(flags.get('reload-interval'), 60_000),
    tracing: tracing(env),
    unusedProxies: PROXY_VARIABLES.flatMap((name) => variablesSet(env, name)),
  };
  if (config.requestTimeoutMs < headerTimeoutMs) requestTimeout.refuse('at least as long as the header timeout');
  checkPorts(config, flags);
  return config;
}

function checkPorts({ listen: main, metricsListen, healthListen }: GatewayConfig, flags: Flags): void {
  if (metricsListen.port !== 0 && metricsListen.port === main.port) {
    flags.get('metrics-listen').refuse('an address with another port than the interface');
  }
  if (healthListen.port !== 0 && [main.port, metricsListen.port].includes(healthListen.port)) {
    flags.get('health-listen').refuse('an address with another port than the interface and the metrics');
  }
}

function required(flags: Flags, name: string): string {
  const given = flags.find(name);
  if (given === undefined) throw new FlagError(`--${name} is required`);
  return given.matching(/^.+$/s, 'a file');
}

function positive(given: FlagValue, toMs: number): number {
  const ms = given.duration(toMs);
  return ms > 0 ? ms : given.refuse('a duration above 0s');
}
