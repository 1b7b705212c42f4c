import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemClock, type Clock } from '../clock.js';
import { KubeconfigError, type CredentialLoader } from '../transport/credentials.js';
import { serverAddress } from './address.js';
import { CredentialReader, headersOf, tokenIn } from './credentials.js';
import { type Environment, addressOf } from '../flags/flags.js';
import { processEnvironment, routeFromEnvironment } from './environment.js';
import { settingsOf, type Settings, readKubeconfigFiles, type MergedKubeconfig } from './settings.js';
import { fileFault } from '../errors.js';
import { authoritiesProblem } from '../vocabulary/keypair.js';
import { EXTRA_AUTHORITIES, withExtraAuthorities } from '../tls/extraauthorities.js';

export interface KubeconfigOptions {
  /** A kubeconfig file; the only one then. */
  readonly path?: string;
  /** A context, instead of the current one. */
  readonly context?: string;
  /** The user that every request is to be sent as. */
  readonly impersonate?: string;
  /**
   * `user`, the default: as kubectl, which takes the ServiceAccount of its pod where no kubeconfig names a server.
   * `component`: as client-go in a program, which takes the ServiceAccount first, and may be anonymous.
   */
  readonly caller?: 'user' | 'component';
  /** Default: that of this process. */
  readonly env?: Environment;
  /** Prefix of the folder in which a pod's ServiceAccount token is mounted. */
  readonly mountPrefix?: string;
  /** Default: that of the system. */
  readonly clock?: Clock;
}

export interface Kubeconfig extends CredentialLoader {
  /** Where the configuration comes from, for messages: the context and its file. */
  readonly source: string;
  /** Address of the API server, as the kubeconfig has it, without a password. */
  readonly server: string;
  /** Name of the context; empty in a pod. */
  readonly context: string;
  /** Namespace of the context, else that of the pod; undefined without both. */
  readonly namespace: string | undefined;
}

/**
 * Finds the configuration of the API server by the rules of kubectl: the file `path`, else those of `KUBECONFIG`, else
 * `~/.kube/config`. The ServiceAccount of a pod is used where these name no server; by a component before them, unless `path`
 * is given.
 *
 * Every load reads the files again: kubeconfig, CA, certificate, key and token. Credentials of a plugin are kept until they
 * expire or a fresh load is requested.
 * @throws KubeconfigError that names the file or the source and the rule when there is none, or when it cannot be used.
 */
export function loadKubeconfig(options: KubeconfigOptions = {}): Kubeconfig {
  const pod: PodOptions = { env: options.env ?? processEnvironment(), mountPrefix: options.mountPrefix ?? '' };
  const isComponent = options.caller === 'component';
  if (isComponent && options.path === undefined && isInPod(pod)) return podKubeconfig(pod, options);
  const read = (): { readonly settings: Settings | undefined; readonly merged: MergedKubeconfig } => {
    const merged = readKubeconfigFiles(options.path, pod.env);
    return { merged, settings: settingsOf(merged, { context: options.context, impersonate: options.impersonate }) };
  };
  const { settings: first, merged } = read();
  if (first === undefined) {
    if (isInPod(pod)) return podKubeconfig(pod, options);
    throw new KubeconfigError(missingText(merged, options));
  }
  const { url } = serverAddress(first.cluster.server, first.origin);
  const reader = new CredentialReader({
    env: pod.env,
    allowAnonymous: isComponent,
    isTerminal: Boolean(process.stdin.isTTY),
    clock: options.clock ?? systemClock,
  });
  return {
    source: first.origin,
    server: first.cluster.server.includes('@') ? url : first.cluster.server,
    context: first.context,
    namespace: first.namespace ?? (isInPod(pod) && !isComponent ? podNamespace(pod) : undefined),
    load: async (fresh) => reader.read(read().settings ?? first, fresh),
  };
}

/** The names of all contexts, in the order of the kubeconfig. @throws KubeconfigError as {@link loadKubeconfig}. */
export function contextNames(options: Pick<KubeconfigOptions, 'path' | 'env'> = {}): readonly string[] {
  return [...readKubeconfigFiles(options.path, options.env ?? processEnvironment()).contexts.keys()];
}

function podKubeconfig(pod: PodOptions, { context, impersonate }: KubeconfigOptions): Kubeconfig {
  if (context !== undefined)
    throw new KubeconfigError(`there is no context ${JSON.stringify(context)}: this is a pod without a kubeconfig`);
  const server = podServer(pod);
  const origin = 'the ServiceAccount of this pod';
  const route = routeFromEnvironment(server, origin, pod.env);
  return {
    source: origin,
    server,
    context: '',
    namespace: podNamespace(pod),
    // Reads the token and the authority again.
    load: async () => {
      const folder = path.join(pod.mountPrefix, MOUNT);
      const file = path.join(folder, 'token');
      const others = impersonate === undefined ? {} : { 'Impersonate-User': impersonate };
      return {
        server,
        ...route,
        presented: `the token in ${file}`,
        headers: headersOf({ Authorization: `Bearer ${await tokenIn(file)}`, ...others }, origin),
        tls: { ...authorityIn(path.join(folder, 'ca.crt'), pod.env[EXTRA_AUTHORITIES]), rejectUnauthorized: true },
      };
    },
  };
}

function missingText(merged: MergedKubeconfig, { path: file }: KubeconfigOptions): string {
  if (merged.files.length === 0 && file === undefined)
    return `no kubeconfig was found (${merged.candidates.join(', ')}): give --kubeconfig, set KUBECONFIG, or run in a pod`;
  const files = merged.files.join(', ');
  const current = merged.currentContext;
  if (current === undefined) return `kubeconfig ${files} has no current-context: name a context with --context`;
  const entry = merged.contexts.get(current.name);
  const cluster = JSON.stringify(entry?.cluster ?? '');
  return `context ${JSON.stringify(current.name)} of ${entry?.file ?? files} names no cluster that has a server (cluster ${cluster})`;
}

/** The ServiceAccount of a pod (client-go's rest.InClusterConfig). */

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

interface PodOptions {
  readonly env: Environment;
  /** Before the path of the mounted folder; for tests. */
  readonly mountPrefix: string;
}

/** Whether this process runs in a pod with a ServiceAccount. */
function isInPod({ env, mountPrefix }: PodOptions): boolean {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  if (host === '' || port === '') return false;
  return statSync(path.join(mountPrefix, MOUNT, 'token'), { throwIfNoEntry: false })?.isFile() === true;
}

/** Address of the API server. */
function podServer({ env }: PodOptions): string {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  return `https://${addressOf({ host, port })}`;
}

/** The namespace of the pod: `POD_NAMESPACE`, else that of its ServiceAccount; undefined without both. */
function podNamespace({ env, mountPrefix }: PodOptions): string | undefined {
  const named = env['POD_NAMESPACE'] ?? '';
  if (named !== '') return named;
  try {
    return readFileSync(path.join(mountPrefix, MOUNT, 'namespace'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Without the file, the certificates of the system are used, as client-go does, and Node adds the extra ones itself. A file
 * without a certificate is refused. `extra`: a file with more.
 */
function authorityIn(file: string, extra: string | undefined): { readonly ca?: string } {
  let ca;
  try {
    ca = readFileSync(file, 'utf8');
  } catch (error) {
    const fault = fileFault(error);
    if (fault === 'no such file') return {};
    throw new KubeconfigError(`the certificate authority ${file} cannot be read: ${fault}`);
  }
  const problem = authoritiesProblem(ca, `the certificate authority ${file}`);
  if (problem !== undefined) throw new KubeconfigError(problem);
  return { ca: withExtraAuthorities(ca, extra) };
}
