import type { RequestOptions } from 'node:https';
import type { AuthProviderEntry } from './document.js';
import { field, isRecord, parseJson } from '../vocabulary/json.js';
import { systemClock } from '../clock.js';
import { KubeconfigError } from '../transport/credentials.js';

/** A token is renewed so long before it expires, ms. */
const EXPIRY_DELTA_MS = 10_000;

/**
 * The Authorization header of an auth provider. kubectl has `oidc` alone: the others became plugins. Loads the Kubernetes
 * client, which renews the token, only for one that has expired.
 * @throws KubeconfigError with the field and the rule; it quotes no token
 */
export async function authProviderHeader(provider: AuthProviderEntry, now = systemClock.now()): Promise<string> {
  const { name, config } = provider;
  if (name !== 'oidc')
    throw new KubeconfigError(
      `auth-provider ${JSON.stringify(name)} is not supported: use a credential plugin (exec), as kubectl does`,
    );
  const missing = ['idp-issuer-url', 'client-id'].find((key) => !config[key]);
  if (missing !== undefined) throw new KubeconfigError(`auth-provider oidc: config.${missing} must be set`);
  const token = config['id-token'] ?? '';
  if (token !== '' && now + EXPIRY_DELTA_MS < expiryOf(token)) return `Bearer ${token}`;
  if (!config['refresh-token'])
    throw new KubeconfigError(
      `auth-provider oidc: ${token === '' ? 'there is no id-token' : 'the id-token has expired'}, and no refresh-token to renew it: log in again`,
    );
  return renewed(provider);
}

/** ms since the epoch. A token without a time has expired, as for kubectl. */
function expiryOf(token: string): number {
  const parts = token.split('.');
  const claims = parseJson(Buffer.from(parts[1] ?? '', 'base64url').toString());
  if (parts.length !== 3 || !isRecord(claims))
    throw new KubeconfigError('auth-provider oidc: config.id-token is not a JWT');
  // Go's reader of numbers takes them in quotes too.
  return Number(field(claims, 'exp') ?? 0) * 1000;
}

async function renewed(provider: AuthProviderEntry): Promise<string> {
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
