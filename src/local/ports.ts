import { createServer } from 'node:net';

import { systemRandom, type Random } from '../runtime/clock.js';

/**
 * Below the range from which systems take the ports of outgoing connections (32768 on Linux, 49152 elsewhere): there a
 * client that knocks at a server which is being restarted could be given that very port, and block it for good.
 */
const FIRST = 20_000;
const LAST = 32_000;
const ATTEMPTS = 200;

/** Distinct TCP ports of 127.0.0.1 on which nobody listens now. Throws when none is found in 200 tries each. */
export async function freePorts(count: number, random: Random = systemRandom): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; found.size < count && attempt < ATTEMPTS * count; attempt++) {
    const port = FIRST + Math.floor(random() * (LAST - FIRST));
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count) throw new Error(`no ${count} free ports between ${FIRST} and ${LAST}`);
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
