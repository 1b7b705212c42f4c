import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { KubeconfigError, type Credentials } from '../transport/credentials.js';
import { addressOf, type Environment } from '../flags/flags.js';
import { tokenIn } from './credentials.js';
import { fileFault } from '../errors.js';
import { authoritiesProblem } from '../vocabulary/keypair.js';
import { EXTRA_AUTHORITIES, withExtraAuthorities } from '../tls/extraauthorities.js';

/** The ServiceAccount of a pod (client-go's rest.InClusterConfig). */

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface PodOptions {
  readonly env: Environment;
  /** Before the path of the mounted folder; for tests. */
  readonly mountPrefix: string;
}

/** Whether this process runs in a pod with a ServiceAccount. */
export function isInPod({ env, mountPrefix }: PodOptions): boolean {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  if (host === '' || port === '') return false;
  return statSync(path.join(mountPrefix, MOUNT, 'token'), { throwIfNoEntry: false })?.isFile() === true;
}

/** Address of the API server. */
export function podServer({ env }: PodOptions): string {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  return `https://${addressOf({ host, port })}`;
}

/** The namespace of the pod: `POD_NAMESPACE`, else that of its ServiceAccount; undefined without both. */
export function podNamespace({ env, mountPrefix }: PodOptions): string | undefined {
  const named = env['POD_NAMESPACE'] ?? '';
  if (named !== '') return named;
  try {
    return readFileSync(path.join(mountPrefix, MOUNT, 'namespace'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Reads the token and the authority again. @throws KubeconfigError with the file. */
export async function podCredentials(options: PodOptions): Promise<Omit<Credentials, 'origin'>> {
  const folder = path.join(options.mountPrefix, MOUNT);
  const file = path.join(folder, 'token');
  const token = await tokenIn(file);
  return {
    server: podServer(options),
    presented: `the token in ${file}`,
    headers: { Authorization: `Bearer ${token}` },
    tls: { ...authorityIn(path.join(folder, 'ca.crt'), options.env[EXTRA_AUTHORITIES]), rejectUnauthorized: true },
  };
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
