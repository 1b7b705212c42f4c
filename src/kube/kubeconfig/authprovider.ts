import type { RequestOptions } from 'node:https';
import type { AuthProviderEntry } from './document.js';
import { KubeconfigError } from './kubeconfigerror.js';

/**
 * The Authorization header of an auth provider. kubectl has `oidc` alone: the others became plugins. Loads the Kubernetes
 * client, which renews the token, only here.
 */
export async function authProviderHeader(provider: AuthProviderEntry): Promise<string> {
  if (provider.name !== 'oidc')
    throw new KubeconfigError(
      `auth-provider ${JSON.stringify(provider.name)} is not supported: use a credential plugin (exec), as kubectl does`,
    );
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  const name = 'main';
  config.loadFromOptions({
    clusters: [{ name, server: 'https://localhost', skipTLSVerify: false }],
    users: [{ name, authProvider: provider }],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch {
    const issuer = JSON.stringify(provider.config['idp-issuer-url'] ?? '');
    throw new KubeconfigError(
      `auth-provider oidc: the token has expired, and the issuer ${issuer} has not renewed it; a command of kubectl with this kubeconfig renews and stores it, or log in again`,
    );
  }
  return String(Object.entries(options.headers ?? {}).find(([key]) => key === 'Authorization')?.[1] ?? '');
}
