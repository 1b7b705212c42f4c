import { goQuote } from '@multicluster-engine/values/text/go';

/** A URL as Go's net/url parses it. */
export interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** The error of Go's url.ParseRequestURI for an absolute URL or path; undefined for a valid one. */
export function urlProblem(text: string): string | undefined {
  const read = readUrl(text);
  return 'problem' in read ? `parse ${goQuote(text)}: ${read.problem}` : undefined;
}

/** Parses a valid URL; undefined for an invalid one. */
export function parseUrl(text: string): Url | undefined {
  const [whole = ''] = text.split('#');
  const read = readUrl(text);
  if ('problem' in read) return undefined;
  const again = readUrl(whole);
  return 'problem' in again ? undefined : again;
}

function readUrl(text: string): Url | { problem: string } {
  if (Array.from(text).some((char) => char < ' ' || char === '\u007f'))
    return { problem: 'net/url: invalid control character in URL' };
  if (text === '') return { problem: 'empty url' };
  if (text === '*') return { scheme: '', host: '', path: '*', query: '' };
  const schemed = readScheme(text);
  if ('problem' in schemed) return schemed;
  const { scheme, rest } = schemed;
  const cut = rest.indexOf('?');
  const body = cut < 0 ? rest : rest.slice(0, cut);
  const query = cut < 0 ? '' : rest.slice(cut + 1);
  if (!body.startsWith('/'))
    return scheme === '' ? { problem: 'invalid URI for request' } : { scheme, host: '', path: '', query };
  if (!body.startsWith('//') || (scheme === '' && body.startsWith('///'))) return finish(scheme, '', body, query);
  const slash = body.indexOf('/', 2);
  const authority = slash < 0 ? body.slice(2) : body.slice(2, slash);
  const host = readHost(authority.slice(authority.lastIndexOf('@') + 1));
  if ('problem' in host) return host;
  return finish(scheme, host.host, slash < 0 ? '' : body.slice(slash), query);
}

function readScheme(text: string): { scheme: string; rest: string } | { problem: string } {
  const colon = text.indexOf(':');
  const before = colon < 0 ? '' : text.slice(0, colon);
  if (colon === 0) return { problem: 'missing protocol scheme' };
  if (colon < 0 || !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(before)) return schemeless(text, before);
  return { scheme: before.toLowerCase(), rest: text.slice(colon + 1) };
}

/** A text without a valid scheme: a colon in the first path segment is an error. */
function schemeless(text: string, before: string): { scheme: string; rest: string } | { problem: string } {
  const [segment = ''] = text.split('/');
  if (before !== '' && !text.startsWith('/') && segment.includes(':'))
    return { problem: 'first path segment in URL cannot contain colon' };
  return { scheme: '', rest: text };
}

function finish(scheme: string, host: string, path: string, query: string): Url | { problem: string } {
  const [bad] = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path) ?? [];
  if (bad !== undefined) return { problem: `invalid URL escape ${goQuote(bad)}` };
  return { scheme, host, path: escapedPath(path), query };
}

function readHost(host: string): { host: string } | { problem: string } {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return { problem: "missing ']' in host" };
    if (!/^(?::\d*)?$/.test(host.slice(end + 1)))
      return { problem: `invalid port ${goQuote(host.slice(end + 1))} after host` };
    return { host };
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon)))
    return { problem: `invalid port ${goQuote(host.slice(colon))} after host` };
  const [bad] = /[\s<>"^`{|}\\]/.exec(host) ?? [];
  if (bad !== undefined) return { problem: `invalid character ${goQuote(bad)} in host name` };
  return { host };
}

/** The path with invalid characters escaped. */
function escapedPath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/gu, (char) =>
    encodeURIComponent(char.replace(/\p{Surrogate}/u, '\ufffd')),
  );
}

export function hostName({ host }: Url): string {
  const [, bracketed] = /^\[([^\]]*)\]/.exec(host) ?? [];
  return bracketed ?? host.replace(/:\d*$/, '');
}

export function port({ host }: Url): string {
  const [, digits = ''] = /:(\d*)$/.exec(host.replace(/^\[[^\]]*\]/, '')) ?? [];
  return digits;
}

/** Query parameters by name; invalid pairs are skipped. */
export function queryPairs({ query }: Url): ReadonlyMap<string, readonly string[]> {
  const pairs = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const cut = part.indexOf('=');
    const name = decode(cut < 0 ? part : part.slice(0, cut));
    const value = decode(cut < 0 ? '' : part.slice(cut + 1));
    if (name !== undefined && value !== undefined) pairs.set(name, [...(pairs.get(name) ?? []), value]);
  }
  return pairs;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
