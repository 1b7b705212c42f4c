import {
  addressOf,
  duration,
  integer,
  listen,
  LOG_LEVELS,
  oneOf,
  refuse,
  FlagError,
  bool,
  matching,
  type FlagRow,
  type Flags,
  type FlagValue,
  type Listen,
  type LogLevel,
} from './flags.js';

/** What `multicluster-engine gateway` was asked to do. */
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
  /** PEM file of the authorities that may vouch for it. */
  readonly upstreamCa: string;
  readonly metricsListen: Listen;
  readonly healthListen: Listen;
  readonly logLevel: LogLevel;
  /** Only the codes of the given interface, and no error bodies. */
  readonly strictStatusCodes: boolean;
  readonly maxConnections: number;
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly upstreamTimeoutMs: number;
  readonly shutdownDelayMs: number;
  readonly reloadIntervalMs: number;
}

/** What of the process a gateway depends on. */
export interface ProcessEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Options that node itself was started with. */
  readonly execArgv: readonly string[];
}

const IN_CLUSTER_CA = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';

export const GATEWAY_FLAGS: readonly FlagRow[] = [
  { name: 'listen', value: 'HOST:PORT', help: 'address of the interface', default: '0.0.0.0:8443' },
  { name: 'tls-cert', value: 'FILE', help: 'serving certificate with its chain, PEM; reloaded when it changes' },
  { name: 'tls-key', value: 'FILE', help: 'its private key, PEM; reloaded when it changes' },
  {
    name: 'upstream',
    value: 'URL',
    help: 'the Kubernetes API, https://HOST[:PORT]',
    defaultText: 'the in-cluster address',
  },
  {
    name: 'upstream-ca',
    value: 'FILE',
    help: 'authorities of the Kubernetes API, PEM; reloaded when it changes',
    default: IN_CLUSTER_CA,
  },
  { name: 'metrics-listen', value: 'HOST:PORT', help: 'address of /metrics', default: '0.0.0.0:8080' },
  { name: 'health-listen', value: 'HOST:PORT', help: 'address of /livez and /readyz', default: '0.0.0.0:8081' },
  { name: 'log-level', value: 'LEVEL', help: `one of ${LOG_LEVELS.join(', ')}`, default: 'info' },
  {
    name: 'strict-status-codes',
    value: '',
    help: 'answer with 200, 403, 404, 500 and 503 alone, errors without a body',
    default: 'false',
    isSwitch: true,
  },
  {
    name: 'max-connections',
    value: 'N',
    help: 'open connections, 10 to 100000; the one answered longest ago gives way',
    default: '1000',
  },
  {
    name: 'header-timeout',
    value: 'DURATION',
    help: 'for the head of a request and the TLS handshake, to 60s',
    default: '10s',
  },
  {
    name: 'request-timeout',
    value: 'DURATION',
    help: 'for a whole request, at least the header timeout, to 300s',
    default: '30s',
  },
  {
    name: 'upstream-timeout',
    value: 'DURATION',
    help: 'for the answer of the Kubernetes API, to 300s',
    default: '15s',
  },
  {
    name: 'shutdown-delay',
    value: 'DURATION',
    help: 'from a signal to end to the last connection taken in, to 4s',
    default: '2s',
  },
  { name: 'reload-interval', value: 'DURATION', help: 'between two looks at the files, to 60s', default: '5s' },
];

/** Variables with which the environment can switch off what the gateway promises. */
const REFUSED_VARIABLES: Readonly<Record<string, string>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: 'it switches off the verification of the Kubernetes API',
  NODE_OPTIONS: 'it can load foreign code and open a debugger',
  SSLKEYLOGFILE: 'it discloses the keys of connections',
  NODE_USE_ENV_PROXY: 'tokens must not pass a proxy',
  HTTP_PROXY: 'tokens must not pass a proxy',
  HTTPS_PROXY: 'tokens must not pass a proxy',
  ALL_PROXY: 'tokens must not pass a proxy',
};
const REFUSED_OPTIONS =
  /^(?:-r|--(?:inspect|debug|tls-keylog|tls-min-v1\.[01]|trace-tls|insecure-http-parser|heapsnapshot-|heap-prof|require|import|loader|experimental-loader|use-env-proxy|security-revert))/;

/** Reads the flags; refuses an environment in which the gateway could not keep its promises. */
export function gateway(flags: Flags, surroundings: ProcessEnvironment): GatewayConfig {
  checkEnvironment(surroundings);
  const { env, version } = surroundings;
  const headerTimeoutMs = positive(flags.get('header-timeout'), 60_000);
  const requestTimeout = flags.get('request-timeout');
  const config: GatewayConfig = {
    command: 'gateway',
    version,
    listen: listen(flags.get('listen')),
    tlsCert: required(flags, 'tls-cert'),
    tlsKey: required(flags, 'tls-key'),
    upstream: upstreamUrl(flags.find('upstream'), env),
    upstreamCa: required(flags, 'upstream-ca'),
    metricsListen: listen(flags.get('metrics-listen')),
    healthListen: listen(flags.get('health-listen')),
    logLevel: oneOf(flags.get('log-level'), LOG_LEVELS),
    strictStatusCodes: bool(flags.get('strict-status-codes')),
    maxConnections: integer(flags.get('max-connections'), 10, 100_000),
    headerTimeoutMs,
    requestTimeoutMs: positive(requestTimeout, 300_000),
    upstreamTimeoutMs: positive(flags.get('upstream-timeout'), 300_000),
    shutdownDelayMs: duration(flags.get('shutdown-delay'), 4_000),
    reloadIntervalMs: positive(flags.get('reload-interval'), 60_000),
  };
  if (config.requestTimeoutMs < headerTimeoutMs) refuse(requestTimeout, 'at least as long as the header timeout');
  checkPorts(config, flags);
  return config;
}

function checkEnvironment({ env, execArgv }: ProcessEnvironment): void {
  for (const [name, why] of Object.entries(REFUSED_VARIABLES)) {
    const set = [name, name.toLowerCase()].find((one) => env[one] !== undefined && env[one] !== '');
    if (set !== undefined) throw new FlagError(`the variable ${set} must not be set for a gateway: ${why}`);
  }
  const option = execArgv.find((one) => REFUSED_OPTIONS.test(one));
  if (option !== undefined) throw new FlagError(`node must not be started with ${option} for a gateway`);
}

function checkPorts({ listen: main, metricsListen, healthListen }: GatewayConfig, flags: Flags): void {
  if (metricsListen.port !== 0 && metricsListen.port === main.port) {
    refuse(flags.get('metrics-listen'), 'an address with another port than the interface');
  }
  if (healthListen.port !== 0 && [main.port, metricsListen.port].includes(healthListen.port)) {
    refuse(flags.get('health-listen'), 'an address with another port than the interface and the metrics');
  }
}

function required(flags: Flags, name: string): string {
  const given = flags.find(name);
  if (given === undefined) throw new FlagError(`--${name} is required`);
  return matching(given, /^.+$/s, 'a file');
}

function positive(given: FlagValue, toMs: number): number {
  const ms = duration(given, toMs);
  return ms > 0 ? ms : refuse(given, 'a duration above 0s');
}

/** An origin alone: a path, a user or a query has no place in it. */
function upstreamUrl(given: FlagValue | undefined, env: ProcessEnvironment['env']): string {
  const text = given?.text ?? inClusterUrl(env);
  if (text === undefined)
    throw new FlagError('--upstream is required outside a cluster (KUBERNETES_SERVICE_HOST is not set)');
  const source = given ?? { text, origin: 'KUBERNETES_SERVICE_HOST' };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Host names have no case, and 443 is what is meant where no port stands.
  const origin = text.toLowerCase().replace(/\/$/, '').replace(/:443$/, '');
  if (url?.protocol !== 'https:' || url.origin !== origin)
    return refuse({ ...source, text: withoutUser(text) }, 'an https URL of host and port alone');
  return url.origin;
}

/** For an error: what stands before the host may be a password. */
function withoutUser(url: string): string {
  return url.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@');
}

function inClusterUrl(env: ProcessEnvironment['env']): string | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || host === '') return undefined;
  return `https://${addressOf({ host, port: env['KUBERNETES_SERVICE_PORT'] ?? '443' })}`;
}
