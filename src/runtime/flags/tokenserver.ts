import { EXTRA_AUTHORITIES } from '../tls/extraauthorities.js';
import { httpsUrl, withoutUser } from '../vocabulary/url.js';
import {
  addressOf,
  FlagError,
  FlagValue,
  LOG_LEVELS,
  type Environment,
  type FlagRows,
  type Flags,
  type Listen,
  type LogLevel,
} from './flags.js';

/** What processes have in common that serve HTTPS and take tokens of users to the Kubernetes API. */

const IN_CLUSTER_CA = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';

/** Their flags, beside the address that they serve at. */
export const TOKEN_SERVER_FLAGS = {
  'tls-cert': {
    value: 'FILE',
    help: 'serving certificate with its chain, PEM; reloaded when it changes',
    completes: { files: true },
  },
  'tls-key': {
    value: 'FILE',
    help: 'private key of --tls-cert, PEM; reloaded when it changes',
    completes: { files: true },
  },
  upstream: { value: 'URL', help: 'the Kubernetes API, https://HOST[:PORT]', defaultText: 'the in-cluster address' },
  'upstream-ca': {
    value: 'FILE',
    help: 'CA certificates of the Kubernetes API, PEM; reloaded when it changes',
    default: IN_CLUSTER_CA,
    completes: { files: true },
  },
  'metrics-listen': { value: 'HOST:PORT', help: 'address of /metrics', default: ':8080' },
  'metrics-secure': {
    help: 'serve /metrics over HTTPS, to users who may get this nonResourceURL',
    default: 'false',
  },
  'health-listen': { value: 'HOST:PORT', help: 'address of /livez and /readyz', default: ':8081' },
  'log-level': {
    value: 'LEVEL',
    help: `one of ${LOG_LEVELS.join(', ')}`,
    default: 'info',
    completes: { words: LOG_LEVELS },
  },
} as const satisfies FlagRows;

/** The configuration by {@link TOKEN_SERVER_FLAGS}. */
export interface TokenServerConfig {
  readonly listen: Listen;
  /** PEM files of the serving certificate and its key. */
  readonly tls: { readonly cert: string; readonly key: string };
  /** `https://host:port` of the Kubernetes API. */
  readonly upstream: string;
  /** PEM file of the CA certificates for its verification. */
  readonly upstreamCa: string;
  /** PEM file of more CA certificates, which NODE_EXTRA_CA_CERTS names. */
  readonly extraCa: string | undefined;
  readonly metricsListen: Listen;
  /** Serve the metrics over HTTPS with the serving certificate, to clients with a permitted token. */
  readonly metricsSecure: boolean;
  readonly healthListen: Listen;
  readonly logLevel: LogLevel;
}

/**
 * The configuration that the flags of a server for tokens give. @throws FlagError with the flag or variable, its value and the
 * rule
 */
export function tokenServerConfig(flags: Flags, env: Environment): TokenServerConfig {
  const config: TokenServerConfig = {
    listen: flags.get('listen').listen(),
    tls: { cert: requiredFile(flags, 'tls-cert'), key: requiredFile(flags, 'tls-key') },
    upstream: upstreamUrl(flags.find('upstream'), env),
    upstreamCa: requiredFile(flags, 'upstream-ca'),
    extraCa: env[EXTRA_AUTHORITIES],
    metricsListen: flags.get('metrics-listen').listen(),
    metricsSecure: flags.get('metrics-secure').bool(),
    healthListen: flags.get('health-listen').listen(),
    logLevel: flags.get('log-level').oneOf(LOG_LEVELS),
  };
  const { listen: main, metricsListen, healthListen } = config;
  if (metricsListen.port !== 0 && metricsListen.port === main.port)
    flags.get('metrics-listen').refuse('an address with another port than --listen');
  if (healthListen.port !== 0 && [main.port, metricsListen.port].includes(healthListen.port))
    flags.get('health-listen').refuse('an address with another port than --listen and the metrics');
  return config;
}

function requiredFile(flags: Flags, name: string): string {
  const given = flags.find(name);
  if (given === undefined) throw new FlagError(`--${name} is required`);
  return given.file();
}

/** Environment variables that would disclose what users send. */
const REFUSED_VARIABLES: Readonly<Record<string, string>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: 'it disables the verification of the Kubernetes API',
  NODE_OPTIONS: 'it can load other code and open a debugger',
  SSLKEYLOGFILE: 'it discloses the keys of connections',
  NODE_USE_ENV_PROXY: 'tokens must not pass a proxy',
};
const REFUSED_OPTIONS =
  /^(?:-r|--(?:inspect|debug|tls-keylog|tls-min-v1\.[01]|trace-tls|insecure-http-parser|heapsnapshot-|heap-prof|require|import|loader|experimental-loader|use-env-proxy|security-revert))/;

/** Refuses an environment in which tokens of users could leave the process. `what`: the process, in words. @throws FlagError */
export function refuseLeakyEnvironment(
  { env, execArgv }: { readonly env: Environment; readonly execArgv: readonly string[] },
  what: string,
): void {
  for (const [name, why] of Object.entries(REFUSED_VARIABLES)) {
    const [set] = variablesSet(env, name);
    if (set !== undefined) throw new FlagError(`the variable ${set} must not be set for ${what}: ${why}`);
  }
  const option = execArgv.find((one) => REFUSED_OPTIONS.test(one));
  if (option !== undefined) throw new FlagError(`node must not be started with ${option} for ${what}`);
}

/** Which variables are set: that of this name, and that of the name in lower case. */
export function variablesSet(env: Environment, name: string): string[] {
  return [name, name.toLowerCase()].filter((one) => env[one] !== undefined && env[one] !== '');
}

/** An https origin, without path, user and query. */
function upstreamUrl(given: FlagValue | undefined, env: Environment): string {
  const text = given?.text ?? inClusterUrl(env);
  if (text === undefined)
    throw new FlagError('--upstream is required outside a cluster (KUBERNETES_SERVICE_HOST is not set)');
  const source = given ?? new FlagValue(text, 'KUBERNETES_SERVICE_HOST');
  const url = httpsUrl(text);
  if (url?.pathname !== '/') return source.with(withoutUser(text)).refuse('an https URL with host and port only');
  return url.origin;
}

function inClusterUrl(env: Environment): string | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || host === '') return undefined;
  return `https://${addressOf({ host, port: env['KUBERNETES_SERVICE_PORT'] ?? '443' })}`;
}
