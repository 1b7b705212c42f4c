import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';

import { Pool, type Dispatcher } from 'undici';

import { serveUntilInputEnds } from './server.js';

/**
 * A proxy that checks nothing, in a process of its own: what Node's HTTPS server and undici need for passing a request on.
 * It is what the gateway is compared with. Arguments: the files of the certificate and key, which are also those of the
 * API server, and the URL of that. Prints its port; exits at the end of its standard input.
 */
const [certFile = '', keyFile = '', origin = ''] = process.argv.slice(2);
const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')];
const pool = new Pool(origin, { connections: 256, pipelining: 1, connect: { ca: cert } });

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

function forward(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer | null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, code) => void (status = code),
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => resolve({ status, body: Buffer.concat(chunks) }),
      onResponseError: (_controller, error) => reject(error),
    };
    const sent = {
      authorization: headers.authorization ?? '',
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json', 'content-length': String(body.length) }),
    };
    pool.dispatch({ method: method === 'POST' ? 'POST' : 'GET', path, headers: sent, body }, handler);
  });
}

const server = createServer({ cert, key, noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
  const { method = '', url = '', headers } = request;
  const answer = (body: Buffer | null): void =>
    void forward(method, url, headers, body).then(
      (given) => {
        response.writeHead(given.status, { 'content-type': 'application/json', 'content-length': given.body.length });
        response.end(given.body);
      },
      () => response.destroy(),
    );
  if (method === 'GET') {
    answer(null);
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(Buffer.concat(chunks)));
});
serveUntilInputEnds(server);
