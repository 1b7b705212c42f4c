import type { IncomingMessage } from 'node:http';

/** An answer in text, as from Go's server, to what is not HTTP as it reads it. */
export interface Misframed {
  readonly code: number;
  readonly text: string;
}

/** What may stand in a Host header: names, addresses, a port, and what URLs allow besides. */
const HOST = /^[\w!$%&'()*+,\-.:;=@[\]~]*$/;

/**
 * What is wrong with the frame of a request that Node's parser lets pass: its version, how its body is coded, and the
 * host that it is for, which must stand there once. Two servers that read one of them differently see different requests.
 */
export function misframed({
  httpVersion,
  httpVersionMajor,
  headers,
  rawHeaders,
}: IncomingMessage): Misframed | undefined {
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
