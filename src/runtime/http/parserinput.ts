import type { Socket } from 'node:net';

/** Passes bytes to Node's HTTP parser. Returns whether the connection takes more of them now. */
export type Parse = (piece: Buffer) => boolean;

/**
 * Calls `receive` with each chunk of a connection in place of the HTTP parser of Node's server, which makes a request of
 * all that follows one: 64 KiB of tiny requests take it 0.1 s and more. `receive` passes on what the parser may have, and
 * returns the bytes that it gets again when the connection takes more of them.
 *
 * To be called in the event `connection` (of HTTPS `secureConnection`), when Node has added its own listener.
 */
export function interceptParser(socket: Socket, receive: (chunk: Buffer, parse: Parse) => Buffer): void {
  const parsers = socket.listeners('data');
  const parse: Parse = (piece) => {
    for (const parser of parsers) Reflect.apply(parser, socket, [piece]);
    return !socket.isPaused();
  };
  socket.removeAllListeners('data');
  // Without any listener for data, Node would feed its parser from the socket directly, also while the socket is paused
  // because the client reads slowly (a fault of Node).
  socket.on('data', (chunk: Buffer) => {
    const waiting = receive(chunk, parse);
    if (waiting.length > 0) socket.unshift(waiting);
  });
}
