import { createServer } from 'node:net';

import { systemRandom, type Random } from '../clock.js';

/**
 * Below the range from which systems take the ports of outgoing connections (32768 on Linux, 49152 elsewhere): there a
 * client that knocks at a server which is being restarted could be given that very port, and block it for good.
 */
const FIRST = 20_000;
/** Each process takes from a part of its own, as far as there are: two that look at the same moment find different ones. */
const PARTS = 12;
const PART = 1_000;

let taken: number | undefined;

/**
 * Distinct TCP ports of 127.0.0.1 on which nobody listens now; none is given again before all others of this process
 * were, so that who was given one has time to listen. Throws when there are not as many.
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
