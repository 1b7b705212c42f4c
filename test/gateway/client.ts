import { request as httpsRequest, type Agent } from 'node:https';

import type { Reply } from './openapi/conformance.js';

/** A token that no log, metric, response or error may contain. */
export const CANARY = 'canary-token-5f2a9c01.~+/==';

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Sent as `COOKIE: Authorization: Bearer`, from which the interface takes it; CANARY when absent, no header when empty. */
  readonly token?: string;
}

/** Sends a request to a gateway on this machine and returns its response, whatever its status. */
export function askOnce(
  port: number,
  { method = 'GET', path, headers = {}, body, token = CANARY }: Ask,
  agent: Agent,
): Promise<Reply> {
  const cookie = token === '' ? {} : { COOKIE: `Authorization: Bearer ${token}` };
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = {
    host: '127.0.0.1',
    port,
    servername: agent.options.servername ?? 'localhost',
    method,
    path,
    agent,
    headers: { ...cookie, ...length, ...headers },
  };
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const all = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: Object.fromEntries(all),
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
