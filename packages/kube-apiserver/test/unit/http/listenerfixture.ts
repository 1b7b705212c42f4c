import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { request } from 'node:https';

import { type Listener, listen, type ListenerOptions } from '../../../src/http/connection/listener.js';
import { issueAuthority, issueServing } from '../../../src/http/connection/tls.js';
import { systemClock } from '../../../src/clock.js';

export interface ReceivedResponse {
  readonly code: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** A listener with clients that send raw requests. */
export interface ListenerFixture {
  readonly listener: Listener;
  /** A complete response. */
  get(path: string, method?: string): Promise<ReceivedResponse>;
  /** A connection that has sent this, and reads nothing until it is resumed. */
  silent(text: string): Promise<TLSSocket>;
  close(): Promise<void>;
}

export async function openListener(
  options: Pick<ListenerOptions, 'dispatch'> & Partial<ListenerOptions>,
): Promise<ListenerFixture> {
  const now = Date.now();
  const authority = await issueAuthority(now);
  const serving = await issueServing(authority, 'localhost', now);
  const listener = await listen({ host: '127.0.0.1', port: 0, serving, clock: systemClock, ...options });
  const sockets: TLSSocket[] = [];
  const { port } = listener;
  const to = { host: '127.0.0.1', port, ca: authority.certificate, servername: 'localhost' };
  return {
    listener,
    get: (path, method = 'GET') =>
      new Promise((resolve, reject) => {
        const sent = request({ ...to, path, method, agent: false }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () =>
            resolve({ code: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
          );
        });
        sent.on('error', reject).end();
      }),
    silent: (text) =>
      new Promise((resolve, reject) => {
        const socket = connect(to, () => socket.write(text, () => resolve(socket)));
        socket.pause();
        socket.on('error', reject);
        sockets.push(socket);
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await listener.close(1000);
    },
  };
}

/** All bytes of a connection until it ends. */
export function readToEnd(socket: TLSSocket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('close', () => resolve(Buffer.concat(chunks)));
    socket.resume();
  });
}

/** The server's response to bytes without TLS. */
export function sendPlain(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host: '127.0.0.1', port }, () => void socket.write(text));
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1');
    });
    socket.on('error', reject).on('close', () => resolve(got));
  });
}
