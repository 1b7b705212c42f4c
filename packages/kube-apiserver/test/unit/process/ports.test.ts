import { createServer, type Server } from 'node:net';

import { afterEach, expect, it } from '@jest/globals';

import { freePorts } from '../../../src/process/ports.js';

let server: Server | undefined;

afterEach(() => void server?.close());

it('a port is returned again only after all others were, even for concurrent requests', async () => {
  const found = (await Promise.all(Array.from({ length: 50 }, () => freePorts(6)))).flat();

  expect(new Set(found).size).toBe(300);
  expect(Math.min(...found)).toBeGreaterThanOrEqual(20_000);
  // Below the range of ephemeral ports.
  expect(Math.max(...found)).toBeLessThan(32_000);
});

it('a port with a listener is not returned', async () => {
  const [first = 0] = await freePorts(1);
  const listening = (server = createServer());
  // Ports are returned in order, so this is the next candidate. When another process already listens there, the port is
  // in use all the same.
  const next = first % 1_000 === 999 ? first - 999 : first + 1;
  await new Promise<void>((resolve) => listening.once('error', () => resolve()).listen(next, '127.0.0.1', resolve));

  expect(await freePorts(900)).not.toContain(next);
});
