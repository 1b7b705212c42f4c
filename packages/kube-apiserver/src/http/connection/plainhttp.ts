import type { Server } from 'node:https';
import type { Socket } from 'node:net';

import type { Clock } from '../../clock.js';

/** The start of a plain HTTP request, as Go's server recognizes it. */
const PLAIN = ['GET /', 'HEAD ', 'POST ', 'PUT /', 'OPTIO'];
const ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';
/** Time limit for the first byte of a connection. */
const SILENT_MS = 30_000;

/** Responds to plain HTTP clients with an error: inspects the first bytes before TLS reads them. */
export function refusePlainHttp(server: Server, clock: Clock): void {
  const secured = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const silent = clock.after(SILENT_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy()).once('close', () => silent.cancel());
    socket.once('readable', () => {
      silent.cancel();
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return void socket.destroy();
      if (PLAIN.includes(bytes.toString('latin1', 0, PLAIN[0]?.length))) return refuse(socket);
      socket.unshift(bytes);
      for (const listener of secured) Reflect.apply(listener, server, [socket]);
      return undefined;
    });
  });
}

function refuse(socket: Socket): void {
  socket.resume();
  socket.end(ANSWER, () => socket.destroySoon());
}
