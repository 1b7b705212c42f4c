/** What {@link httpsUrl} takes, for an error. */
export const HTTPS_URL_RULE = 'an https URL, such as https://hub.example.com:6443 or https://[fd00::1]:6443';

const HTTPS_URL = /^https:\/\/(\[[^\]]*\]|[^\s:/?#@%\\[\]]+)(?::\d+)?(?:\/(?:[^\s\p{Cc}?#\\%]|%[\da-f]{2})*)?$/iu;

/** An https URL of host, port and path that all parsers of URLs read alike; undefined for another text. */
export function httpsUrl(text: string): URL | undefined {
  const [, host = ''] = HTTPS_URL.exec(text) ?? [];
  if (host === '' || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // Other spellings of an IPv4 address: 1.2.3 is 1.2.0.3 for some, and a name for others.
  if (/^[\d.]+$/.test(url.hostname) && url.hostname !== host) return undefined;
  return url.port === '0' ? undefined : url;
}

/** A URL without user and password, for an error. */
export function withoutUser(url: string): string {
  return url.replace(/^([a-z]+:\/\/)?.*@/is, '$1…@');
}

/** The host of a URL as sockets and certificates have it: an IPv6 address without its brackets. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
