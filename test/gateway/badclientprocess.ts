import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { BadClientKind, BadClientReport } from './badclients.js';

const PROGRAM = fileURLToPath(new URL('./badclients.js', import.meta.url));

/** Bad clients in a process of their own. */
export interface BadClientProcess {
  report(): Promise<BadClientReport>;
  stop(): Promise<void>;
}

/** Starts bad clients of the gateway at that port of this machine. */
export function startBadClients(
  port: number,
  counts: Readonly<Partial<Record<BadClientKind, number>>>,
): BadClientProcess {
  const words = Object.entries(counts).map(([kind, count]) => `${kind}=${count}`);
  // It exits when its standard input ends, also when this process exits.
  const child = spawn(process.execPath, [PROGRAM, String(port), ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async report() {
      child.stdin.write('\n');
      const { value, done = false } = await lines.next();
      if (done) throw new Error('the process of the bad clients has exited');
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
