import type { IncomingMessage } from 'node:http';

/** A text response, as from Go's server, to what it does not accept as HTTP. */
export interface FramingError {
  readonly code: number;
  readonly text: string;
}

/** The characters of a Host header: names, addresses, a port, and what URLs allow. */
const HOST = /^[\w!$%&'()*+,\-.:;=@[\]~]*$/;

/**
 * Checks the framing that Node's parser lets pass: the HTTP version, the transfer coding, and the Host header, which
 * must occur exactly once. Two servers that read one of them differently would see different requests.
 */
export function framingError({
  httpVersion,
  httpVersionMajor,
  headers,
  rawHeaders,
}: IncomingMessage): FramingError | undefined {
  if (httpVersionMajor !== 1)
    return { code: 505, text: '505 HTTP Version Not Supported: unsupported protocol version' };
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return { code: 501, text: 'Unsupported transfer encoding' };
  const hosts = rawHeaders.filter((_text, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  if (hosts.length > 1) return { code: 400, text: '400 Bad Request' };
  const [host] = hosts;
  if (host === undefined)
    return httpVersion === '1.0' ? undefined : { code: 400, text: '400 Bad Request: missing required Host header' };
  return HOST.test(host) ? undefined : { code: 400, text: '400 Bad Request: malformed Host header' };
}
