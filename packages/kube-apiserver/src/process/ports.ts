import { createServer } from 'node:net';

import { systemRandom, type Random } from '../clock.js';

/**
 * Below the range of ephemeral ports (from 32768 on Linux, 49152 elsewhere): there, a client that connects to a
 * restarting server could get the server's own port as its local port, and block it.
 */
const FIRST = 20_000;
/**
 * Each process searches a part of the range of its own, as far as there are parts: concurrent searches find different
 * ports.
 */
const PARTS = 12;
const PART = 1_000;

let taken: number | undefined;

/**
 * Returns distinct TCP ports of 127.0.0.1 on which no process listens. A port is returned again only after all others
 * of this process were, which leaves time to listen on it.
 * @throws Error where there are not enough free ports
 */
export async function freePorts(count: number, random: Random = systemRandom): Promise<number[]> {
  const found: number[] = [];
  for (let attempt = 0; found.length < count && attempt < PART; attempt++) {
    const port = following(random);
    if (await isFree(port)) found.push(port);
  }
  if (found.length < count) throw new Error(`no ${count} free ports from ${FIRST} to ${FIRST + PARTS * PART - 1}`);
  return found;
}

function following(random: Random): number {
  taken = ((taken ?? Math.floor(random() * PART)) + 1) % PART;
  return FIRST + (process.pid % PARTS) * PART + taken;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
