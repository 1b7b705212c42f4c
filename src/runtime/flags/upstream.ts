import { addressOf, FlagError, FlagValue, type Environment } from './flags.js';

/** What processes have in common that take tokens of users to the Kubernetes API. */

/** Environment variables that would disclose what users send. */
const REFUSED_VARIABLES: Readonly<Record<string, string>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: 'it disables the verification of the Kubernetes API',
  NODE_OPTIONS: 'it can load other code and open a debugger',
  SSLKEYLOGFILE: 'it discloses the keys of connections',
  NODE_USE_ENV_PROXY: 'tokens must not pass a proxy',
};
const REFUSED_OPTIONS =
  /^(?:-r|--(?:inspect|debug|tls-keylog|tls-min-v1\.[01]|trace-tls|insecure-http-parser|heapsnapshot-|heap-prof|require|import|loader|experimental-loader|use-env-proxy|security-revert))/;

/** @throws FlagError for an environment in which tokens of users could leave the process. `what`: it. */
export function refuseTokenThieves(
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

/** Of a variable and its name in lower case, those that are set. */
export function variablesSet(env: Environment, name: string): string[] {
  return [name, name.toLowerCase()].filter((one) => env[one] !== undefined && env[one] !== '');
}

/** An https origin, without path, user and query. */
export function upstreamUrl(given: FlagValue | undefined, env: Environment): string {
  const text = given?.text ?? inClusterUrl(env);
  if (text === undefined)
    throw new FlagError('--upstream is required outside a cluster (KUBERNETES_SERVICE_HOST is not set)');
  const source = given ?? new FlagValue(text, 'KUBERNETES_SERVICE_HOST');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // URL.origin is in lower case and without the default port.
  const origin = text.toLowerCase().replace(/\/$/, '').replace(/:443$/, '');
  if (url?.protocol !== 'https:' || url.origin !== origin)
    return source.with(withoutUser(text)).refuse('an https URL with host and port only');
  return url.origin;
}

/** The URL without user and password, for an error. */
function withoutUser(url: string): string {
  return url.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@');
}

function inClusterUrl(env: Environment): string | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || host === '') return undefined;
  return `https://${addressOf({ host, port: env['KUBERNETES_SERVICE_PORT'] ?? '443' })}`;
}
