import type { RequestOptions } from 'node:https';
import { knownExplanation } from '../../runtime/connection/explain.js';
import { connectionCode, failureText } from '../../runtime/connection/failure.js';
import { systemClock } from '../../runtime/clock.js';
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
  } catch (error) {
    throw new KubeconfigError(`auth-provider oidc: the token cannot be renewed: ${whyNot(error, provider)}`);
  }
  return String(Object.entries(options.headers ?? {}).find(([key]) => key === 'Authorization')?.[1] ?? '');
}

function whyNot(error: unknown, { config }: AuthProviderEntry): string {
  const issuer = config['idp-issuer-url'] ?? '';
  // The text of another error may quote what was sent.
  if (!URL.canParse(issuer) || knownExplanation(connectionCode(error)) === undefined) return 'log in again';
  return failureText(error, { server: issuer }, systemClock.now());
}
