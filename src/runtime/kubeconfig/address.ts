import { isIPv4 } from 'node:net';
import { posix } from 'node:path';
import { KubeconfigError } from '../transport/credentials.js';

interface ServerAddress {
  /** Scheme, host, and the path without a `/` at the end. */
  readonly url: string;
  /** The Authorization header for the user in the URL; undefined without one. */
  readonly authorization: string | undefined;
}

/**
 * Reads `server` of a kubeconfig as client-go does: a URL, or a host and a port for http. A query is ignored. The parser of Node
 * accepts some texts that Go refuses, which are refused here: blanks, other spellings of an IPv4 address, no host.
 * @throws KubeconfigError with the rule
 */
export function serverAddress(server: string, origin: string): ServerAddress {
  const refuse = (rule: string): KubeconfigError =>
    new KubeconfigError(`${origin}: server: ${rule}, got ${JSON.stringify(server)}`);
  const text = escapedPath(server.includes('://') ? server : `http://${server}`);
  if (NO_URL.test(text) || !URL.canParse(text)) throw refuse('must be a URL or host:port');
  const url = new URL(text);
  const path = pathOf(url);
  if (!server.includes('://') && path !== '') throw refuse('must be a URL or host:port');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('must be an https or http URL');
  if (isIPv4(url.hostname) && isOtherAscii(hostIn(text), url.hostname))
    throw refuse(`must have an IPv4 address of four decimal numbers, such as ${url.hostname}`);
  const { username, password } = url;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    url: `${url.origin}${path}`,
    authorization: username === '' ? undefined : basicAuthorization(user),
  };
}

/** Texts with blanks around them, control characters, backslashes, `%` that escapes nothing or is in the host, or no host. */
const NO_URL = /^\s|\s$|[\p{Cc}\\]|%(?![\da-f]{2})|^[^:]*:\/\/(?:\/|[^/?#@[]*%[^/?#@]*(?:[/?#]|$))/iu;
/** The characters of a path that Go does not escape. */
const PLAIN = /[\w\-.~$&+,/:;=@]/;

/** The text with `#`, `\` and blanks of its path escaped, which Go takes as part of the path, and the parser of Node does not. */
function escapedPath(text: string): string {
  const [, authority = '', path = '', rest = ''] = /^([^:]*:\/\/[^/?]*)([^?]*)(.*)$/s.exec(text) ?? [];
  return `${authority}${path.replaceAll(/[#\\ ]/g, encodeURIComponent)}${rest}`;
}

/** The path, decoded, cleaned and encoded again as Go does it, without a `/` at the end. */
function pathOf({ pathname }: URL): string {
  const decoded = pathname.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return posix
    .join('/', decoded)
    .replace(/\/$/, '')
    .replaceAll(/[^]/g, (byte) =>
      PLAIN.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}

function hostIn(text: string): string {
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
}

/** Whether a host in ASCII is spelled in another way than its canonical form. */
function isOtherAscii(host: string, canonical: string): boolean {
  return /^\p{ASCII}*$/u.test(host) && host !== canonical;
}

/** `user` is a name and a password, with a colon between. */
export function basicAuthorization(user: string): string {
  return `Basic ${Buffer.from(user).toString('base64')}`;
}
