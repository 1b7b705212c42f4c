import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node';
import type { AuthProviderEntry, PluginEntry } from './document.js';
import type { PluginCredentials } from './plugin.js';
import { fileFault } from '../errors.js';
import { KubeconfigError } from '../transport/credentials.js';
import { claimsIn } from '../vocabulary/webtoken.js';

/**
 * Logs in by the Kubernetes client for Node, and corrects it where it differs from kubectl.
 *
 * This is a module of its own, which is loaded only where a kubeconfig is read, since the client takes 10 MB. It imports the client
 * statically, so that the bundle has only KubeConfig of it.
 */

/** A user with one way to log in. */
export interface LoginUser extends User {
  readonly exec?: PluginEntry;
  readonly authProvider?: AuthProviderEntry;
}

interface LoginTools {
  /** Ms since the epoch. */
  readonly now: number;
  /** `ca`: the certificate authorities of the cluster, PEM; empty without any. @throws KubeconfigError */
  readonly runPlugin: (plugin: PluginEntry, ca: Buffer) => Promise<PluginCredentials>;
}

/** The options of a request by which the server knows the user, and the user the server. Files are read anew for each. */
interface LoginOptions {
  ca?: Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
  headers?: OutgoingHttpHeaders & { Authorization?: string };
  /** `user:password`. */
  auth?: string;
}

/** Logs the user in. @throws KubeconfigError with the file, the field or the plugin; it quotes no token */
export async function loginOptions(cluster: Cluster, user: LoginUser, tools: LoginTools): Promise<LoginOptions> {
  const { exec: plugin, authProvider, ...others } = user;
  const provider =
    plugin === undefined ? authProvider && renewedAsByKubectl(authProvider, tools.now) : { name: PLUGIN };
  const config = new KubeConfig();
  config.addAuthenticator({
    isAuthProvider: (one) => one.authProvider?.name === PLUGIN,
    applyAuthentication: async (_, options: LoginOptions & RequestOptions) => {
      if (plugin === undefined) return;
      const { token, certificate, key } = await tools.runPlugin(plugin, options.ca ?? Buffer.alloc(0));
      if (token !== '') options.headers = { Authorization: `Bearer ${token}` };
      if (certificate !== '') Object.assign(options, { cert: certificate, key });
    },
  });
  const main = 'main';
  config.loadFromOptions({
    // The transport connects through the proxy.
    clusters: [{ ...cluster, name: main, proxyUrl: '' }],
    users: [{ ...others, name: main, authProvider: provider }],
    contexts: [{ name: main, cluster: main, user: main }],
    currentContext: main,
  });
  const options: LoginOptions & RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    if (error instanceof KubeconfigError) throw error;
    if (authProvider !== undefined) throw notRenewed(authProvider);
    throw new KubeconfigError(`a file of the cluster or the user cannot be read: ${fileFault(error)}`);
  }
  return options;
}

/**
 * The name of the auth provider by which plugins run here. The client's own runner does not tell a plugin of the cluster and the
 * terminal, does not show what it prints for the user, and waits for it without limit
 * (https://github.com/kubernetes-client/javascript/blob/main/src/exec_auth.ts).
 */
const PLUGIN = 'plugin';
/** How long before it expires a token is renewed. */
const EXPIRY_DELTA_MS = 10_000;
/** A token that has expired, which makes the client renew it. */
const EXPIRED = `e30.${Buffer.from('{"exp":1}').toString('base64url')}.`;

/**
 * The auth provider, changed so that the client renews a token when kubectl would: shortly before it expires, and when there is
 * none. By itself the client does neither (https://github.com/kubernetes-client/javascript/blob/main/src/oidc_auth.ts). Only `oidc`
 * is supported, as in kubectl, where plugins have replaced the other providers.
 */
function renewedAsByKubectl({ name, config }: AuthProviderEntry, now: number): AuthProviderEntry {
  if (name !== 'oidc')
    throw new KubeconfigError(
      `auth-provider ${JSON.stringify(name)} is not supported: use a credential plugin (exec), as kubectl does`,
    );
  const missing = ['idp-issuer-url', 'client-id'].find((key) => !config[key]);
  if (missing !== undefined) throw new KubeconfigError(`auth-provider oidc: config.${missing} must be set`);
  const token = config['id-token'] ?? '';
  // A copy, since the client writes into the config.
  if (token !== '' && now + EXPIRY_DELTA_MS < expiryOf(token)) return { name, config: { ...config } };
  if (!config['refresh-token'])
    throw new KubeconfigError(
      `auth-provider oidc: ${token === '' ? 'there is no id-token' : 'the id-token has expired'}, and no refresh-token to renew it: log in again`,
    );
  return { name, config: { ...config, 'id-token': EXPIRED } };
}

/** When the token expires, ms since the epoch. One without a time has expired, as for kubectl. */
function expiryOf(token: string): number {
  const claims = claimsIn(token);
  if (claims === undefined) throw new KubeconfigError('auth-provider oidc: config.id-token is not a JWT');
  // kubectl accepts a number in quotes, too.
  return Number(claims['exp'] ?? 0) * 1000;
}

function notRenewed({ config }: AuthProviderEntry): KubeconfigError {
  const issuer = JSON.stringify(config['idp-issuer-url'] ?? '');
  return new KubeconfigError(
    `auth-provider oidc: the token has expired, and the issuer ${issuer} has not renewed it; a command of kubectl with this kubeconfig renews and stores it, or log in again`,
  );
}
