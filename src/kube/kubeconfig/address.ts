import { KubeconfigError } from './kubeconfigerror.js';

/** The address of an API server. */
export interface ServerAddress {
  /** Scheme, host, and the path without a `/` at the end. */
  readonly url: string;
  /** The Authorization header for the user in the URL; undefined without one. */
  readonly authorization: string | undefined;
}

/**
 * Reads `server` of a kubeconfig as client-go does: a URL, or a host and a port for http. A query is passed over.
 * @throws KubeconfigError with the rule
 */
export function serverAddress(server: string, origin: string): ServerAddress {
  const text = server.includes('://') ? server : `http://${server}`;
  if (!URL.canParse(text)) throw new KubeconfigError(`${origin}: server: ${JSON.stringify(server)} is not a URL`);
  const url = new URL(text);
  const path = url.pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  if (text !== server && path !== '')
    throw new KubeconfigError(`${origin}: server: must be a URL or host:port, got ${JSON.stringify(server)}`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new KubeconfigError(`${origin}: server: must be an https or http URL, got ${JSON.stringify(server)}`);
  const { username, password } = url;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    url: `${url.origin}${path}`,
    authorization: username === '' ? undefined : basicAuthorization(user),
  };
}

/** `user` is a name and a password, with a colon between. */
export function basicAuthorization(user: string): string {
  return `Basic ${Buffer.from(user).toString('base64')}`;
}
