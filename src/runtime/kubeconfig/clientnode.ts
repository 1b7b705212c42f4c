import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node';
import type { AuthProviderEntry, PluginEntry } from './document.js';
import type { PluginCredentials } from './plugin.js';
import { fileFault } from '../errors.js';
import { KubeconfigError } from '../transport/credentials.js';
import { claimsIn } from '../vocabulary/webtoken.js';

/**
 * Logs in by the Kubernetes client for Node, with what it does otherwise than kubectl. A module of its own, to be loaded where a
 * kubeconfig is read: it takes 10 MB, and a static import lets the bundle leave out all of the client but its KubeConfig.
 */

/** A user with one way to log in. */
export interface LoginUser extends User {
  readonly exec?: PluginEntry;
  readonly authProvider?: AuthProviderEntry;
}

interface LoginTools {
  /** Ms since the epoch. */
  readonly now: number;
  /** `ca`: of the cluster, PEM; empty without one. @throws KubeconfigError */
  readonly runPlugin: (plugin: PluginEntry, ca: Buffer) => Promise<PluginCredentials>;
}

/** What a request needs so that a server knows its user, and the user its server. Contents of files are read again. */
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

/** @throws KubeconfigError with the file, the field or the plugin; it quotes no token */
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
 * Stands for a plugin. The client's own runner tells a plugin nothing of the cluster and of the terminal, keeps what it prints for
 * the user, and waits for it without an end (https://github.com/kubernetes-client/javascript/blob/main/src/exec_auth.ts).
 */
const PLUGIN = 'plugin';
/** A token is renewed so long before it expires, ms. */
const EXPIRY_DELTA_MS = 10_000;
/** A token that has expired. */
const EXPIRED = `e30.${Buffer.from('{"exp":1}').toString('base64url')}.`;

/**
 * kubectl has `oidc` alone: the others became plugins. It renews a token before it has expired, and one that is not there; the
 * client does neither (https://github.com/kubernetes-client/javascript/blob/main/src/oidc_auth.ts).
 */
function renewedAsByKubectl({ name, config }: AuthProviderEntry, now: number): AuthProviderEntry {
  if (name !== 'oidc')
    throw new KubeconfigError(
      `auth-provider ${JSON.stringify(name)} is not supported: use a credential plugin (exec), as kubectl does`,
    );
  const missing = ['idp-issuer-url', 'client-id'].find((key) => !config[key]);
  if (missing !== undefined) throw new KubeconfigError(`auth-provider oidc: config.${missing} must be set`);
  const token = config['id-token'] ?? '';
  // The client writes into it.
  if (token !== '' && now + EXPIRY_DELTA_MS < expiryOf(token)) return { name, config: { ...config } };
  if (!config['refresh-token'])
    throw new KubeconfigError(
      `auth-provider oidc: ${token === '' ? 'there is no id-token' : 'the id-token has expired'}, and no refresh-token to renew it: log in again`,
    );
  return { name, config: { ...config, 'id-token': EXPIRED } };
}

/** ms since the epoch. A token without a time has expired, as for kubectl. */
function expiryOf(token: string): number {
  const claims = claimsIn(token);
  if (claims === undefined) throw new KubeconfigError('auth-provider oidc: config.id-token is not a JWT');
  // Go's reader of numbers takes them in quotes too.
  return Number(claims['exp'] ?? 0) * 1000;
}

function notRenewed({ config }: AuthProviderEntry): KubeconfigError {
  const issuer = JSON.stringify(config['idp-issuer-url'] ?? '');
  return new KubeconfigError(
    `auth-provider oidc: the token has expired, and the issuer ${issuer} has not renewed it; a command of kubectl with this kubeconfig renews and stores it, or log in again`,
  );
}
